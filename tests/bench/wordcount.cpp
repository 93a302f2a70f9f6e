#include <millrace/io/read_lines.hpp>
#include <millrace/io/read_text.hpp>
#include <millrace/tests/bench/benchmarks.hpp>
#include <millrace/tests/bench/checksum_sink.hpp>
#include <millrace/tests/bench/hand_words.hpp>
#include <millrace/tests/bench/inputs.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/flat_map.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace millrace::bench {

namespace {

// Frequent words are short; a tail of letters keeps them distinct.
std::vector<std::string> make_vocabulary(std::size_t size) {
  std::vector<std::string> words(size);
  random_numbers random(1);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t length = i < 30 ? 2 + random.below(2) : i < 1000 ? 3 + random.below(4) : 4 + random.below(9);
    for (std::uint64_t k = 0; k < length; ++k) words[i] += static_cast<char>('a' + random.below(26));
    if (i < 26) words[i] += static_cast<char>('a' + i);
    for (std::size_t tail = i; i >= 676 && tail > 0; tail /= 26) words[i] += static_cast<char>('a' + tail % 26);
  }
  return words;
}

// A file of lines of ten words, removed when the benchmark is over.
class text_file {
 public:
  explicit text_file(std::uint64_t bytes)
      : path_(std::filesystem::temp_directory_path() / ("millrace-bench-" + std::to_string(getpid()) + ".txt")) {
    const std::vector<std::string> vocabulary = make_vocabulary(200'000);
    const zipf_ranks ranks(vocabulary.size());
    random_numbers random(2);
    std::string text;
    text.reserve(bytes + 64);
    while (text.size() < bytes) {
      text += vocabulary[ranks(random)];
      text += ++words_ % 10 == 0 ? '\n' : ' ';
    }
    std::ofstream file(path_, std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error("cannot write " + path_.string());
  }
  text_file(const text_file&) = delete;
  text_file& operator=(const text_file&) = delete;
  ~text_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] std::uint64_t words() const { return words_; }

 private:
  std::filesystem::path path_;
  std::uint64_t words_ = 0;
};

// A user's splitter: words are what spaces separate. They are views of the line, or strings of their own.
template <class Word>
void words_of(const std::string& line, emitter<Word>& out) {
  const std::string_view rest{line};
  std::size_t from = 0;
  for (std::size_t space = rest.find(' '); space != std::string_view::npos; space = rest.find(' ', from)) {
    if (space > from) out(rest.substr(from, space - from));
    from = space + 1;
  }
  if (from < rest.size()) out(rest.substr(from));
}

template <class Word>
std::uint64_t count_words(const pcollection<std::string>& lines, const pipeline& p, runtime& on) {
  const auto total = std::make_shared<std::atomic<std::uint64_t>>(0);
  lines | flat_map("words", words_of<Word>) | count_per_element("count")
      | checksum_into<kv<std::string, std::uint64_t>>(
          total, [](const auto& x, const context&) { return word_hash(x.key) * x.value; });
  on.run(p, 1);
  return *total;
}
template <class Word>
std::uint64_t from_a_source(const std::string& path, runtime& on) {
  pipeline p{"wordcount"};
  return count_words<Word>(p | read_text("read", path), p, on);
}
std::uint64_t from_a_splittable_function(const std::string& path, runtime& on) {
  pipeline p{"wordcount"};
  return count_words<std::string_view>(p | create("path", {path}) | read_lines("read"), p, on);
}

}  // namespace

void measure_wordcount(bench_report& report, runtime& on) {
  const text_file text(report.options().size(200'000'000, 40'000'000));
  report.compare(text.words(), [&] { return count_words_by_hand(text.path()); },
                 {{"wordcount", [&] { return from_a_source<std::string_view>(text.path(), on); }},
                  {"wordcount of strings", [&] { return from_a_source<std::string>(text.path(), on); }},
                  {"wordcount by read_lines", [&] { return from_a_splittable_function(text.path(), on); }}});
}

}  // namespace millrace::bench
