#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/merging.hpp>

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace millrace::custom_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

window from_to(std::int64_t start, std::int64_t end) {
  return {timestamp{start}, timestamp{end}};
}
auto refused(const char* why) {
  return ThrowsMessage<window_error>(HasSubstr(why));
}

// Tens, each in the hundred around it.
struct tens_and_hundreds {
  [[nodiscard]] std::vector<window> assign(timestamp t) const {
    if (t.millis() < 0) return {};
    const std::int64_t tens = t.millis() / 10 * 10;
    const std::int64_t hundreds = t.millis() / 100 * 100;
    return {from_to(hundreds, hundreds + 100), from_to(tens, tens + 10)};
  }
  [[nodiscard]] std::string describe() const { return "of ten and hundred"; }
};

// From the element's time, as long as the element says.
struct as_long_as_said {
  int version = 1;
  [[nodiscard]] window assign(const int& length, timestamp t) const { return {t, t + duration{length}}; }
  [[nodiscard]] std::string describe() const { return "version " + std::to_string(version); }
};

// Merges what it is told.
struct merging_as_told {
  std::vector<window_merge> merges;
  [[nodiscard]] window assign(timestamp t) const { return {t, t + duration{10}}; }
  [[nodiscard]] std::vector<window_merge> merge(std::span<const window> /*active*/) const { return merges; }
  [[nodiscard]] std::string describe() const { return "as told"; }
};

// The window before that of the main input.
struct one_earlier {
  duration lookback{10};
  [[nodiscard]] window assign(timestamp t) const { return fixed_windows{duration{10}}.assign_one(t); }
  [[nodiscard]] window side_window(const window& main) const { return assign(main.max_timestamp() - duration{10}); }
  [[nodiscard]] duration side_lookback() const { return lookback; }
  [[nodiscard]] std::string describe() const { return "before"; }
};

TEST(custom_windows, are_as_many_as_the_function_says) {
  const window_fn fn = custom_windows_of(tens_and_hundreds{});
  EXPECT_THAT(fn.assign(timestamp{123}).all(), ElementsAre(from_to(100, 200), from_to(120, 130)));
  EXPECT_THAT(fn.assign(timestamp{-1}).all(), IsEmpty());
  EXPECT_FALSE(fn.single());
  EXPECT_FALSE(fn.merging());
  EXPECT_FALSE(fn.global());
}

TEST(custom_windows, must_end_after_their_elements) {
  const window_fn fn = custom_windows_of(as_long_as_said{});
  const int none = 0;
  EXPECT_THAT([&] { static_cast<void>(fn.custom()->assign({timestamp{5}, window::global(), &none})); },
              refused("gives an element at 5 the window [5, 5)"));
}

TEST(custom_windows, are_equal_if_one_type_describes_itself_alike) {
  EXPECT_EQ(custom_windows_of(as_long_as_said{1}), custom_windows_of(as_long_as_said{1}));
  EXPECT_NE(custom_windows_of(as_long_as_said{1}), custom_windows_of(as_long_as_said{2}));
  EXPECT_NE(custom_windows_of(tens_and_hundreds{}), fixed(duration{10}));
  EXPECT_THAT(custom_windows_of(as_long_as_said{2}).describe(), HasSubstr("as_long_as_said version 2"));
  EXPECT_FALSE(custom_windows_of(merging_as_told{}).compatible(sessions(duration{1})));
}

TEST(custom_windows, map_side_inputs_to_the_earliest_window_at_the_end_of_the_main_window) {
  EXPECT_EQ(custom_windows_of(tens_and_hundreds{}).side_window(from_to(120, 130)), from_to(100, 200));
  EXPECT_THAT([] { static_cast<void>(custom_windows_of(tens_and_hundreds{}).side_window(from_to(-9, 0))); },
              refused("has no window at the end of the main window"));
  EXPECT_THAT([] { static_cast<void>(custom_windows_of(tens_and_hundreds{}).side_window(window::global())); },
              refused("a side_window(), or window the main input"));
  EXPECT_THAT([] { static_cast<void>(custom_windows_of(as_long_as_said{}).side_window(from_to(0, 10))); },
              refused("looks at elements"));
}

TEST(custom_windows, map_side_inputs_by_their_own_rule_within_their_lookback) {
  EXPECT_EQ(custom_windows_of(one_earlier{}).side_window(from_to(20, 30)), from_to(10, 20));
  EXPECT_THAT([] { static_cast<void>(custom_windows_of(one_earlier{duration{9}}).side_window(from_to(20, 30))); },
              refused("ends more than its side_lookback() of 9ms earlier"));
}

TEST(custom_windows, merge_by_their_own_rule) {
  const window a = from_to(0, 10);
  const window b = from_to(5, 15);
  const window c = from_to(40, 50);
  const window_fn fn = custom_windows_of(merging_as_told{{{from_to(0, 50), {c, a}}}});
  EXPECT_TRUE(fn.merging());
  const window_merging merges(fn, std::vector{c, b, a, b});
  EXPECT_THAT(merges.results(), ElementsAre(from_to(0, 50), b));
  EXPECT_EQ(merges.target(a), from_to(0, 50));
  EXPECT_EQ(merges.target(b), b);
  EXPECT_EQ(merges.target(c), from_to(0, 50));
  EXPECT_EQ(merges.target(from_to(0, 50)), from_to(0, 50));
}

TEST(custom_windows, may_not_merge_what_makes_no_sense) {
  const window a = from_to(0, 10);
  const window b = from_to(5, 15);
  const auto merging = [&](std::vector<window_merge> merges) {
    return [fn = custom_windows_of(merging_as_told{std::move(merges)}), all = std::vector{a, b}] {
      window_merging(fn, all);
    };
  };
  EXPECT_THAT(merging({{from_to(0, 20), {a, from_to(1, 2)}}}), refused("[1, 2), which is no active window"));
  EXPECT_THAT(merging({{from_to(0, 20), {a, b}}, {from_to(0, 30), {a}}}), refused("[0, 10) twice"));
  EXPECT_THAT(merging({{b, {a}}}), refused("[5, 15) with windows that it does not name"));
  EXPECT_THAT(merging({{from_to(0, 12), {a, b}}}), refused("which ends before it"));
  EXPECT_THAT(merging({{from_to(20, 20), {a}}}), refused("[20, 20) out of others; a window begins before it ends"));
}

TEST(custom_windows, refuse_elements_of_another_type) {
  pipeline p("test");
  const auto texts = p | create("texts", {std::string("a")});
  EXPECT_THAT(
      [&] { static_cast<void>(texts | window_into("windows", {.into = custom_windows_of(as_long_as_said{})})); },
      ThrowsMessage<pipeline_error>(
          HasSubstr("transform \"windows\": the window function looks at elements of type int")));
  EXPECT_NO_THROW(p | create("numbers", {1}) | window_into("fit", {.into = custom_windows_of(as_long_as_said{})}));
}

}  // namespace
}  // namespace millrace::custom_test
