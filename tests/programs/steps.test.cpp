#include "harness.hpp"
#include "input_rows.hpp"

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/filter.hpp>
#include <millrace/transforms/flat_map.hpp>
#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/metric.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/split.hpp>

#include <gtest/gtest.h>

#include <cctype>
#include <stdexcept>
#include <variant>

// Programs of element-wise steps over text.
namespace millrace::programs::steps_test {
namespace {

using text = std::string;
using number = std::int64_t;

bool in_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '\'';
}

void words_of(const text& line, emitter<text>& out) {
  for (std::size_t from = 0; from < line.size();) {
    std::size_t to = from;
    while (to < line.size() && in_word(line[to])) ++to;
    if (to > from) out(line.substr(from, to - from));
    from = to + 1;
  }
}

auto lines_of_poem() {
  return create("lines", input_lines("poem.txt"));
}

void word_count(pipeline& p, outputs& out) {
  out.show("count", p | lines_of_poem() | flat_map("words", words_of) | count_per_element("count"));
}

kv<text, number> parsed(const text& line) {
  const std::size_t space = line.find(' ');
  if (space == text::npos) throw std::invalid_argument("no number");
  if (space == 0) throw std::invalid_argument("no name");
  std::size_t used = 0;
  const text digits = line.substr(space + 1);
  const number value = std::isdigit(static_cast<unsigned char>(digits.back())) != 0 ? std::stoll(digits, &used) : 0;
  if (used != digits.size()) throw std::invalid_argument("not a number");
  return {line.substr(0, space), value};
}

void readings(pipeline& p, outputs& out) {
  auto [good, bad] = p | create("lines", input_lines("readings.txt")) | map("parse", parsed, with_errors);
  out.show("bad", bad);
  auto [kept, negative] = good
                          | filter(
                              "not negative",
                              [](const kv<text, number>& r) {
                                if (r.value < 0) throw std::domain_error("below zero");
                                return r.value >= 10;
                              },
                              with_errors);
  out.show("negative", negative);
  out.show("max", kept | combine_per_key("greatest", max));
  out.show("min", kept | combine_per_key("least", min));
}

// Words of lines without the word `despair`, which is refused in the middle of its line.
void hopeful_words(pipeline& p, outputs& out) {
  auto [words, refused] = p | lines_of_poem()
                          | flat_map(
                              "words",
                              [](const text& line, emitter<text>& emit) {
                                const std::size_t despair = line.find("despair");
                                words_of(line.substr(0, despair), emit);
                                if (despair != text::npos) throw std::runtime_error("no despair");
                              },
                              with_errors);
  out.show("refused", refused);
  out.show("count", words | filter("long", [](const text& w) { return w.size() > 5; }) | count_per_element("count"));
}

using word_kind = std::variant<kv<text, number>, text, number>;

word_kind kind_of(const text& word) {
  if (std::isupper(static_cast<unsigned char>(word.front())) != 0) return kv<text, number>{word, std::ssize(word)};
  if (word.size() >= 6) return word;
  return std::ssize(word);
}

void kinds_of_words(pipeline& p, outputs& out) {
  auto [capitals, long_words, lengths] = p | lines_of_poem() | flat_map("words", words_of) | split("by kind", kind_of);
  out.show("capital", capitals);
  out.show("letters", lengths | combine_globally("sum", sum));
  const auto names = capitals | map("word", &kv<text, number>::key);
  out.show("notable", flatten("notable", names, long_words) | count_per_element("count"));
}

// Counts words by their first letter within each bundle, and gives long words out at once.
class letter_table {
 public:
  using output = std::tuple<kv<text, number>, text>;

  void setup() { ready_ = true; }
  void start_bundle() {
    if (!ready_) throw std::logic_error("setup comes before the first bundle");
    counts_.emplace();
  }
  void process(const text& word, emitter<kv<text, number>>& /*letters*/, emitter<text>& long_words) {
    ++counts_.value()[word.substr(0, 1)];
    ++words_;
    lengths_.add(std::ssize(word));
    limit_.set(9);
    if (word.size() > 9) long_words(word);
  }
  void finish_bundle(emitter<kv<text, number>>& letters, emitter<text>& /*long_words*/) {
    for (const auto& [letter, count] : counts_.value())
      letters.emit(kv<text, number>{letter, count}, timestamp::min(), window::global());
    counts_.reset();
  }
  void teardown() { ready_ = false; }
  auto metrics() { return std::tie(words_, lengths_, limit_); }

 private:
  bool ready_ = false;
  std::optional<std::map<text, number>> counts_;  // of the open bundle
  counter words_{"words"};
  distribution lengths_{"lengths"};
  gauge limit_{"limit"};
};

void first_letters(pipeline& p, outputs& out) {
  auto [letters, long_words] = p | lines_of_poem() | flat_map("words", words_of) | par_do("table", letter_table{});
  out.show("letter", letters | combine_per_key("sum", sum));
  out.show("long", long_words);
}

// Sorts words by length; what it keeps between calls is only counted by its metrics.
class sorter {
 public:
  using output = std::tuple<text, text, kv<text, number>>;

  void setup() { open_ = true; }
  void process(const text& word, emitter<text>& short_words, emitter<text>& other, emitter<kv<text, number>>& all) {
    if (!open_) throw std::logic_error("it is used between setup and teardown");
    (word.size() < 3 ? short_words : other)(word);
    all(kv<text, number>{word.size() < 3 ? "short" : "other", std::ssize(word)});
    ++seen_;
  }
  void teardown() { open_ = false; }
  auto metrics() { return std::tie(seen_); }

 private:
  bool open_ = false;
  counter seen_{"seen"};
};

void word_lengths(pipeline& p, outputs& out) {
  auto [short_words, other, all] = p | lines_of_poem() | flat_map("words", words_of)
                                   | map("lower",
                                         [](const text& w) {
                                           text low;
                                           for (const char c : w)
                                             low += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
                                           return low;
                                         })
                                   | par_do("sort", sorter{});
  out.show("short", short_words | count_per_element("count short"));
  out.show("other", other | count_globally("count other"));
  out.show("mean", all | combine_per_key("mean of lengths", mean));
}

TEST(free_running, word_count) {
  check_free_running({"word_count", word_count});
}
TEST(free_running, readings) {
  check_free_running({"readings", readings});
}
TEST(free_running, hopeful_words) {
  check_free_running({"hopeful_words", hopeful_words});
}
TEST(free_running, kinds_of_words) {
  check_free_running({"kinds_of_words", kinds_of_words});
}
TEST(free_running, first_letters) {
  check_free_running({"first_letters", first_letters});
}
TEST(free_running, word_lengths) {
  check_free_running({"word_lengths", word_lengths});
}

}  // namespace
}  // namespace millrace::programs::steps_test
