#include <millrace/actors/all.hpp>
#include <millrace/io/all.hpp>

#include <cctype>
#include <cstdint>
#include <string>
#include <utility>

namespace mr = millrace;

void words_of(const std::string& line, mr::emitter<std::string>& out) {
  std::string word;
  for (const char c : line + ' ') {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '\'') word += c;
    else if (!word.empty()) out(std::exchange(word, {}));
  }
}

std::string formatted(const mr::kv<std::string, std::uint64_t>& c) {
  return c.key + ": " + std::to_string(c.value);
}

int main(int argc, char** argv) {
  mr::pipeline wordcount{"wordcount"};
  wordcount | mr::read_text("read", argc > 1 ? argv[1] : "king_lear.txt")  // lines
      | mr::flat_map("split", words_of)                                    // words
      | mr::count_per_element("count")                                     // mr::kv<std::string, std::uint64_t>
      | mr::map("format", formatted)                                       // lines again
      | mr::write_text("write", "counts");
  return mr::run(wordcount);
}
