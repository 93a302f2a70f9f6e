#include "transcript.hpp"
#include "values.hpp"

#include <cctype>
#include <string>
#include <utility>

namespace reference {

namespace {

// Reads a trigger by the grammar of the transcripts: T = primary ("until" primary)*.
class trigger_reader {
 public:
  explicit trigger_reader(std::string_view text) : rest_(text) { skip_space(); }

  trigger read_all() {
    trigger whole = read();
    if (!rest_.empty()) throw bad_transcript("not understood in a trigger: " + std::string(rest_));
    return whole;
  }

 private:
  trigger read() {
    trigger left = read_primary();
    while (take_word("until")) left = {trigger_kind::until, 0, {}, {left, read_primary()}};
    return left;
  }

  trigger read_primary() {
    if (take('(')) {
      trigger inner = read();
      expect(')');
      return inner;
    }
    if (take_word("default")) return {trigger_kind::by_default, 0, {}, {}};
    if (take_word("never")) return {trigger_kind::never, 0, {}, {}};
    if (take_word("always")) return {trigger_kind::always, 0, {}, {}};
    if (take_word("at_watermark")) return {trigger_kind::at_watermark, 0, {}, {}};
    if (take_word("count")) return {trigger_kind::count, number(), {}, {}};
    if (take_word("repeat")) return {trigger_kind::repeat, 0, {}, parts()};
    if (take_word("first")) return {trigger_kind::first, 0, {}, parts()};
    if (take_word("all")) return {trigger_kind::all, 0, {}, parts()};
    if (take_word("each")) return {trigger_kind::each, 0, {}, parts()};
    if (take_word("early")) return read_early();
    if (take_word("late")) return read_late({trigger_kind::never, 0, {}, {}});
    return read_clock();
  }

  trigger read_early() {
    trigger early = parts().front();
    if (take_word("late")) return read_late(std::move(early));
    return {trigger_kind::early_late, 0, {}, {early}};
  }

  trigger read_late(trigger early) { return {trigger_kind::early_late, 0, {}, {std::move(early), parts().front()}}; }

  trigger read_clock() {
    trigger clock{trigger_kind::clock, 0, {}, {}};
    while (true) {
      if (take_word("delay")) {
        clock.clock.push_back({false, number()});
      } else if (take_word("align")) {
        clock.clock.push_back({true, number()});
      } else {
        break;
      }
    }
    if (clock.clock.empty()) throw bad_transcript("not a trigger: " + std::string(rest_));
    return clock;
  }

  std::vector<trigger> parts() {
    std::vector<trigger> all;
    expect('(');
    do all.push_back(read());
    while (take(','));
    expect(')');
    return all;
  }

  std::int64_t number() {
    std::size_t end = 0;
    while (end < rest_.size() && std::isdigit(static_cast<unsigned char>(rest_[end])) != 0) ++end;
    const auto value = instant_of(rest_.substr(0, end));
    if (!value) throw bad_transcript("a number is missing in a trigger: " + std::string(rest_));
    rest_.remove_prefix(end);
    skip_space();
    return *value;
  }

  bool take_word(std::string_view word) {
    std::size_t end = 0;
    while (end < rest_.size() && (std::isalpha(static_cast<unsigned char>(rest_[end])) != 0 || rest_[end] == '_'))
      ++end;
    if (rest_.substr(0, end) != word) return false;
    rest_.remove_prefix(end);
    skip_space();
    return true;
  }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    skip_space();
    return true;
  }

  void expect(char c) {
    if (!take(c))
      throw bad_transcript(std::string("a ") + c + " is missing in a trigger before: " + std::string(rest_));
  }

  void skip_space() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

}  // namespace

trigger parse_trigger(std::string_view text) {
  return trigger_reader(text).read_all();
}

}  // namespace reference
