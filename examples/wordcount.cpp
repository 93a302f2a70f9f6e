// Counts the words of text files: script/run wordcount FILE... [--output PREFIX]
#include <millrace/actors/all.hpp>
#include <millrace/io/all.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace mr = millrace;

// A word is a run of ASCII letters and apostrophes.
bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '\'';
}

// Words are views of the line: they are copied only where they leave for their shards.
void words_of(const std::string& line, mr::emitter<std::string_view>& out) {
  auto end = line.begin();
  while (true) {
    const auto begin = std::find_if(end, line.end(), in_word);
    if (begin == line.end()) return;
    end = std::find_if_not(begin, line.end(), in_word);
    out(std::string_view(begin, end));
  }
}

std::string formatted(const mr::kv<std::string, std::uint64_t>& count) {
  return count.key + ": " + std::to_string(count.value);
}

int main(int argc, char** argv) try {
  std::vector<std::string> files{"/usr/share/common-licenses/*"};
  std::string output;
  mr::pipeline_options options;
  options.add_positional("FILE", &files, "text files or patterns; the licence texts of Debian if none is given");
  options.add("output", &output, "write to PREFIX-00000-of-0000N and so on; without it counts are printed");
  if (!options.parse(argc, argv)) {
    std::cout << options.help_text("wordcount", "Counts the words of text files.");
    return 0;
  }

  mr::pipeline wordcount{"wordcount"};
  const auto lines = wordcount | mr::read_text("read", files)  // lines
                     | mr::flat_map("split", words_of)         // words
                     | mr::count_per_element("count")          // mr::kv<std::string, std::uint64_t>
                     | mr::map("format", formatted);
  if (output.empty()) lines | mr::print("print");
  else lines | mr::write_text("write", output);
  return mr::run(wordcount, options, {.checkpoints = mr::directory(options.checkpoints)});
} catch (const std::exception& error) {
  std::cerr << "wordcount: " << error.what() << '\n';
  return 2;
}
