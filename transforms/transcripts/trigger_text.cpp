#include <millrace/transforms/transcripts/trigger_text.hpp>
#include <millrace/transforms/transcripts/words.hpp>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace millrace::transcripts {

namespace {

// Parentheses inside each other that are still believed.
constexpr int depth_max = 50;

// Reads the form of triggers, left to right.
class trigger_reader {
 public:
  explicit trigger_reader(std::string_view text) {
    std::string spaced;
    for (const char c : text) {
      if (c == '(' || c == ')' || c == ',') spaced += std::string(" ") + c + " ";
      else spaced += c;
    }
    words_ = words_of(spaced);
  }

  trigger whole() {
    trigger t = limited();
    if (at_ != words_.size()) refuse("\"" + words_[at_] + "\" follows a whole trigger");
    return t;
  }

 private:
  [[noreturn]] static void refuse(const std::string& why) { throw std::invalid_argument(why); }

  [[nodiscard]] bool next_is(std::string_view word) const { return at_ < words_.size() && words_[at_] == word; }
  std::string take() {
    if (at_ == words_.size()) refuse("the trigger ends too early");
    return words_[at_++];
  }
  bool skip(std::string_view word) {
    if (!next_is(word)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view word) {
    if (!skip(word)) refuse("the trigger misses \"" + std::string(word) + "\"");
  }

  trigger limited() {
    if (++depth_ > depth_max) refuse("the trigger is nested too deeply");
    trigger t = simple();
    while (skip("until")) t = t.until(simple());
    --depth_;
    return t;
  }
  std::vector<trigger> parts() {
    expect("(");
    std::vector<trigger> all{limited()};
    while (skip(",")) all.push_back(limited());
    expect(")");
    return all;
  }
  trigger part() {
    std::vector<trigger> all = parts();
    if (all.size() != 1) refuse("only first, all and each take several triggers");
    return std::move(all.front());
  }
  trigger delays() {
    after_delay delay;
    while (next_is("delay") || next_is("align")) {
      const bool plus = take() == "delay";
      const duration amount = duration_of(take());
      delay = plus ? delay.plus(amount) : delay.align(amount);
    }
    return delay;
  }
  trigger simple() {
    if (next_is("delay") || next_is("align")) return delays();
    const std::string word = take();
    if (word == "(") {
      trigger t = limited();
      expect(")");
      return t;
    }
    if (word == "default") return default_trigger();
    if (word == "never") return never();
    if (word == "always") return always();
    if (word == "at_watermark") return at_watermark();
    if (word == "count") return after_count(count_from(take()));
    if (word == "repeat") return repeatedly(part());
    if (word == "first") return first_of(parts());
    if (word == "all") return all_of(parts());
    if (word == "each") return in_order(parts());
    return around_end(word);
  }
  trigger around_end(const std::string& word) {
    at_watermark around;
    if (word == "late") {
      around = around.late(part());
      if (skip("early")) around = around.early(part());
      return around;
    }
    if (word == ")" || word == ",") refuse("a trigger is missing before \"" + word + "\"");
    if (word != "early") refuse("\"" + word + "\" is no trigger");
    around = around.early(part());
    if (skip("late")) around = around.late(part());
    return around;
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

trigger trigger_of(std::string_view text) {
  return trigger_reader{text}.whole();
}

}  // namespace millrace::transcripts
