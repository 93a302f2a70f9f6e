#include "elements.hpp"
#include "harness.hpp"

#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/combiners.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/timestamps.hpp>
#include <millrace/transforms/window_into.hpp>

#include <gtest/gtest.h>

// Scripted programs about calendar windows and window functions of users.
namespace millrace::programs::scripted_calendars_test {
namespace {

using namespace std::chrono_literals;
using namespace texts;

// A session that each element keeps open for as long as it says. Those of a key that intersect merge.
struct said_sessions {
  [[nodiscard]] window assign(const pair& x, timestamp t) const { return {t, t + duration{std::stoi(x.value)}}; }
  [[nodiscard]] std::vector<window_merge> merge(std::span<const window> active) const {
    std::vector<window_merge> merges;
    for (const window& w : active) {  // in order
      if (merges.empty() || !merges.back().into.intersects(w)) merges.push_back({w, {}});
      merges.back().into = merges.back().into.span(w);
      merges.back().from.push_back(w);
    }
    return merges;
  }
  [[nodiscard]] text describe() const { return "as long as said"; }
};

// Nothing before 0; after it tens and twenties.
struct tens_and_twenties {
  [[nodiscard]] std::vector<window> assign(timestamp t) const {
    if (t < timestamp{0}) return {};
    const number tens = t.millis() / 10 * 10;
    const number twenties = t.millis() / 20 * 20;
    return {{time(tens), time(tens + 10)}, {time(twenties), time(twenties + 20)}};
  }
  [[nodiscard]] text describe() const { return "tens and twenties"; }
};

// Halves of the window so far.
struct halves {
  [[nodiscard]] window assign(const pair& /*x*/, timestamp t, const window& before) const {
    const timestamp middle = before.start + (before.end - before.start) / 2;
    return t < middle ? window{before.start, middle} : window{middle, before.end};
  }
  [[nodiscard]] text describe() const { return "halves"; }
};

// Tens; those of the side input are one earlier than those of the main input.
struct tens_before {
  [[nodiscard]] window assign(timestamp t) const { return fixed_windows{10ms}.assign_one(t); }
  [[nodiscard]] window side_window(const window& main) const { return assign(main.max_timestamp() - 10ms); }
  [[nodiscard]] duration side_lookback() const { return 10ms; }
  [[nodiscard]] text describe() const { return "tens before"; }
};

void show_groups(outputs& out, const text& label, const pcollection<pair>& input, const windowing& how) {
  out.show(label, input | window_into("windows of " + label, how) | group_by_key("group " + label)
                      | map("sort " + label, sorted{}));
}

void months(pipeline& p, outputs& out) {
  const auto input = p
                     | test_stream<pair>("input")
                           .add({at("a", 0), at("b", 2'678'399'999), at("c", 2'678'400'000)})
                           .advance_watermark_to(time(2'678'400'000))
                           .add({at("d", 1)})
                           .advance_watermark_to_infinity();
  show_groups(out, "month", input, {.into = calendar_months()});
  show_groups(out, "there", input, {.into = calendar_months(1, {.zone = utc_offset(1h)})});
}

// Clocks go forward in the second night of 1970 and back in the fourth.
void summer_time(pipeline& p, outputs& out) {
  const time_zone there("there", 0h, {{time(90'000'000), 1h}, {time(262'800'000), 0h}});
  const auto input = p
                     | test_stream<pair>("input")
                           .add({at("a", 86'400'000), at("b", 169'199'999), at("c", 169'200'000)})
                           .advance_watermark_to(time(169'200'000))
                           .add({at("d", 255'600'000), at("e", 345'599'999), at("f", 169'199'999)})
                           .advance_watermark_to_infinity();
  show_groups(out, "day", input, {.into = calendar_days(1, {.zone = there})});
}

void said_lengths(pipeline& p, outputs& out) {
  const auto input = p
                     | test_stream<pair>("input")
                           .add({at("5", 0), at("20", 3), at("5", 30)})
                           .advance_watermark_to(time(23))
                           .add({at("12", 20)})
                           .advance_watermark_to_infinity();
  show_groups(out, "said", input,
              {.into = custom_windows_of(said_sessions{}), .keep = panes::accumulating, .allowed_lateness = 100ms});
}

void several_at_once(pipeline& p, outputs& out) {
  const auto input = p
                     | test_stream<pair>("input")
                           .add({at("a", -5), at("b", 3), at("c", 12)})
                           .advance_watermark_to(time(10))
                           .add({at("d", 4)})
                           .advance_watermark_to_infinity();
  show_groups(out, "several", input, {.into = custom_windows_of(tens_and_twenties{})});
}

void windowed_twice(pipeline& p, outputs& out) {
  const auto input = p | test_stream<pair>("input").add({at("a", 7), at("b", 12)}).advance_watermark_to_infinity()
                     | window_into("sliding", {.into = sliding(10ms, 5ms)});
  show_groups(out, "fixed", input, {.into = fixed(10ms)});
  show_groups(out, "halves", input, {.into = custom_windows_of(halves{})});
}

void earlier_side(pipeline& p, outputs& out) {
  const auto side = p | test_stream<number>("side").add({{1, time(1)}, {2, time(11)}}).advance_watermark_to_infinity()
                    | window_into("windows of side", {.into = custom_windows_of(tens_before{})})
                    | as_singleton("side view", number{0});
  const auto main = p
                    | test_stream<text>("main")
                          .add({{"A", time(15)}, {"B", time(22)}})
                          .advance_watermark_to(time(29))
                          .add({{"C", time(25)}})
                          .advance_watermark_to_infinity()
                    | window_into("windows of main", {.into = fixed(10ms)});
  out.show("element",
           main | map("with side", [](const text& x, number n) { return x + std::to_string(n); }, with(side)));
}

TEST(scripted, months) {
  check_scripted({"months", months});
}
TEST(scripted, summer_time) {
  check_scripted({"summer_time", summer_time});
}
TEST(scripted, said_lengths) {
  check_scripted({"said_lengths", said_lengths});
}
TEST(scripted, several_at_once) {
  check_scripted({"several_at_once", several_at_once});
}
TEST(scripted, windowed_twice) {
  check_scripted({"windowed_twice", windowed_twice});
}
TEST(scripted, earlier_side) {
  check_scripted({"earlier_side", earlier_side});
}

}  // namespace
}  // namespace millrace::programs::scripted_calendars_test
