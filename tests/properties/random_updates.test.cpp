#include <millrace/tests/properties/comparison.hpp>
#include <millrace/tests/properties/draws.hpp>
#include <millrace/tests/sanitizer.hpp>
#include <millrace/transforms/transcripts/read_transcripts.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

// Groupings drawn at random that are updated again and again, to other triggers and another lateness. The reference
// engine knows no updates: whatever comes out, it must be the same on both runners and both paths, with any number of
// shards, and what a sink has committed must be what came.
namespace millrace::properties::random_updates_test {
namespace {

constexpr std::uint64_t programs_each = under_sanitizer ? 40 : 400;

std::string number_text(std::int64_t n) {
  return std::to_string(n);
}

// A part of a trigger.
std::string draw_part(draws& from) {
  const std::string count = number_text(from.number(1, 3));
  const std::string delay = number_text(from.one_of({2, 5, 10}));
  return from.one_of<std::string>(
      {"count " + count, "delay " + delay, "always", "repeat(count " + count + ")", "repeat(delay " + delay + ")"});
}
// A trigger that the fast path takes, or any.
std::string draw_trigger(draws& from) {
  if (from.chance(50)) {
    const auto early = from.one_of<std::string>({"", "early(count 1) ", "early(delay 5) ", "early(repeat(delay 3)) "});
    return early.empty() && from.chance(40) ? "default" : early + "late(count 1)";
  }
  if (from.chance(25)) return from.chance(30) ? "repeat(at_watermark)" : "repeat(" + draw_part(from) + ")";
  const std::string early = from.chance(70) ? "early(" + draw_part(from) + ")" : "";
  if (!early.empty() && from.chance(20)) return early;
  return early + (early.empty() ? "" : " ") + "late(" + draw_part(from) + ")";
}
std::string draw_lateness(draws& from) {
  return "lateness " + number_text(from.one_of({0, 5, 20, 100}));
}

std::string draw_update(draws& from) {
  std::string text = "update";
  auto add = [&, first = true](const std::string& setting) mutable {
    text += (first ? " " : " | ") + setting;
    first = false;
  };
  if (from.chance(80)) add("trigger " + draw_trigger(from));
  if (from.chance(30)) add(draw_lateness(from));
  if (from.chance(10)) add(from.chance(50) ? "closing always" : "closing if_non_empty");
  return text;
}

std::string draw_bundle(draws& from, std::int64_t watermark) {
  std::string text = "B";
  for (std::int64_t i = from.number(1, 3); i > 0; --i)
    text += " " + from.one_of<std::string>({"", "x:", "y:"}) + number_text(from.number(1, 9)) + "@"
            + number_text(watermark + from.number(-12, 14));
  return text;
}

std::string draw_case_with_updates(std::uint64_t seed) {
  draws from(seed);
  std::ostringstream text;
  text << "== " << seed << "\nunsafe\nwindows "
       << from.one_of<std::string>({"fixed 10", "fixed 7", "sliding 10 every 5", "sessions 6", "global"}) << "\npanes "
       << (from.chance(50) ? "discarding" : "accumulating") << '\n'
       << draw_lateness(from) << "\ntrigger " << draw_trigger(from) << '\n';
  if (from.chance(20)) text << "closing always\n";
  if (from.chance(20)) text << "on_time if_non_empty\n";
  if (from.chance(15)) text << "timestamps " << (from.chance(50) ? "earliest" : "latest") << '\n';
  text << "transform " << from.one_of<std::string>({"sum", "sum", "count", "max", "mean", "group", "distinct"}) << '\n';
  std::int64_t watermark = 0;
  std::int64_t clock = 0;
  for (std::int64_t i = from.number(8, 22); i > 0; --i) {
    const std::int64_t kind = from.number(0, 99);
    if (kind < 50) text << draw_bundle(from, watermark) << '\n';
    else if (kind < 65) text << "WM " << (watermark += from.number(1, 12)) << '\n';
    else if (kind < 77) text << "PT " << (clock += from.number(1, 8)) << '\n';
    else if (kind < 94) text << draw_update(from) << '\n';
    else text << (kind < 97 ? "checkpoint" : "crash") << '\n';
  }
  text << "WM max\n";
  return text.str();
}

// What a way of playing a case finds, in any order within an event.
std::vector<std::string> found_by(const way& by, const transcripts::transcript_case& one) {
  std::vector<std::string> lines = transcripts::play_case(one, by.make).differences;
  auto event = lines.begin();
  while (event != lines.end()) {
    const auto next = std::find_if(std::next(event), lines.end(), [](const auto& line) { return line[0] != ' '; });
    std::sort(std::next(event), next);
    event = next;
  }
  return lines;
}

class random_updates : public ::testing::TestWithParam<std::uint64_t> {};

INSTANTIATE_TEST_SUITE_P(, random_updates, ::testing::Range<std::uint64_t>(0, 3));

TEST_P(random_updates, give_the_same_on_both_runners_and_both_paths) {
  std::uint64_t gave = 0;
  for (std::uint64_t i = 0; i < programs_each && !HasFailure(); ++i) {
    const std::uint64_t seed = GetParam() * programs_each + i;
    const std::string text = draw_case_with_updates(seed);
    std::istringstream in(text);
    const transcripts::transcript_case one = transcripts::read_transcripts(in, "a random case").at(0);
    std::vector<std::string> first;
    for (const way& by : ways_of(seed)) {
      const std::vector<std::string> lines = found_by(by, one);
      for (const std::string& line : lines)
        EXPECT_EQ(line.find("failed"), std::string::npos) << text << by.name << ": " << line;
      if (first.empty()) first = lines;
      EXPECT_EQ(lines, first) << text << by.name;
    }
    gave += first.empty() ? 0 : 1;
  }
  EXPECT_GT(gave, programs_each / 2) << "programs that nothing comes out of show nothing";
}

}  // namespace
}  // namespace millrace::properties::random_updates_test
