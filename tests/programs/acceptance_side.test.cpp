#include "both_runners.hpp"

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/combiners.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/latest.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>
#include <millrace/transforms/windows/sliding.hpp>

#include <gmock/gmock.h>

#include <initializer_list>
#include <map>

// Side inputs: the acceptance cases of the paper, sections 2 and 11, and user case U26. Transcripts have no form for
// them.
namespace millrace::programs::acceptance_side_test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using text = std::string;
using number = std::int64_t;
using rate = kv<text, number>;
using numbers = std::vector<number>;

class side_cases : public both_runners {};
INSTANTIATE_TEST_SUITE_P(on, side_cases, ::testing::ValuesIn(all_ways), way_name);

// When a stream gives no elements: it waits for the other.
constexpr timestamp nothing = timestamp::min();

template <class T>
timestamped_value<T> at(number millis, T value) {
  return {std::move(value), timestamp{millis}};
}
text with_number(const text& x, number n) {
  return x + std::to_string(n);
}
text with_all(const text& x, const numbers& seen) {
  numbers copy = seen;
  std::ranges::sort(copy);
  return x + text_of(copy);
}

// Numbers at their own times, all there before anything reads them.
pcollection<number> numbers_at(pipeline& p, std::initializer_list<number> times) {
  std::vector<timestamped_value<number>> all;
  for (const number n : times) all.push_back(at(n, n));
  return p | create_timestamped("numbers", all);
}

TEST_P(side_cases, 2_4_a_window_is_mapped_to_the_one_that_holds_its_last_instant) {
  const auto seen_in = [&](window_fn into) {
    pipeline p("mapping");
    recording<text> seen;
    const auto view =
        numbers_at(p, {9, 10, 13, 14, 15, 19, 20, 21}) | window_into("side windows", {.into = into}) | as_list("view");
    p | create_timestamped("main", {at<text>(15, "m")}) | window_into("windows", {.into = fixed(10ms)})
        | map("look", with_all, with(view)) | collect("seen", seen);
    run(p);
    return texts_of(seen);
  };
  EXPECT_THAT(seen_in(fixed(7ms)), ElementsAre("m[14 15 19 20]"));
  EXPECT_THAT(seen_in(sliding(10ms, 5ms)), ElementsAre("m[10 13 14 15 19]"));
  EXPECT_THAT(seen_in(global_windows()), ElementsAre("m[9 10 13 14 15 19 20 21]"));
}

// The paper has an error at run time; here nothing runs.
TEST_P(side_cases, 2_4_a_global_window_has_no_one_side_window) {
  pipeline p("no mapping");
  const auto view = numbers_at(p, {1}) | window_into("side windows", {.into = fixed(10ms)}) | as_list("view");
  text refusal;
  try {
    p | create("main", {text("m")}) | map("look", with_all, with(view));
    refusal = failure_of(p);
  } catch (const pipeline_error& error) {
    refusal = error.what();
  }
  EXPECT_THAT(refusal, AllOf(HasSubstr("\"look\""), HasSubstr("view")));
}

TEST_P(side_cases, 2_4_sessions_are_no_side_input) {
  pipeline p("sessions");
  try {
    static_cast<void>(numbers_at(p, {1}) | window_into("side windows", {.into = sessions(10ms)}) | as_list("view"));
    FAIL() << "it is not refused";
  } catch (const pipeline_error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("\"view\""), HasSubstr("sessions")));
  }
}

// 11.1 and 11.2: A@4, B@15 and C@7 in tens, each with a sum of the side input.
struct letters_with_sums {
  pipeline p{"sums"};
  recording<text> seen;

  template <class View>
  void look(const View& view) {
    p | create_timestamped("main", {at<text>(4, "A"), at<text>(15, "B"), at<text>(7, "C")})
        | window_into("windows", {.into = fixed(10ms)}) | map("look", with_number, with(view)) | collect("seen", seen);
  }
  auto sums(std::initializer_list<timestamped_value<number>> of, window_fn into) {
    return p | create_timestamped("side", of) | window_into("side windows", {.into = std::move(into)})
           | combine_globally("sum", sum, without_defaults);
  }
};

TEST_P(side_cases, 11_1_a_sum_of_each_window) {
  letters_with_sums of;
  of.look(of.sums({at<number>(1, 1), at<number>(11, 2), at<number>(13, 3)}, fixed(10ms)) | as_singleton("view"));
  run(of.p);
  EXPECT_THAT(lines(of.seen), ElementsAre("A1 [0,10) @4 UNKNOWN 0/0 F L", "B5 [10,20) @15 UNKNOWN 0/0 F L",
                                          "C1 [0,10) @7 UNKNOWN 0/0 F L"));
}

TEST_P(side_cases, 11_1_a_sum_over_all_windows) {
  letters_with_sums of;
  of.look(of.sums({at<number>(1, 1), at<number>(11, 2), at<number>(13, 3)}, global_windows()) | as_singleton("view"));
  run(of.p);
  EXPECT_THAT(texts_of(of.seen), ElementsAre("A6", "B6", "C6"));
}

TEST_P(side_cases, 11_1_a_default_for_an_empty_window) {
  letters_with_sums of;
  of.look(of.sums({at<number>(11, 2), at<number>(13, 3)}, fixed(10ms)) | as_singleton("view", number{0}));
  run(of.p);
  EXPECT_THAT(texts_of(of.seen), ElementsAre("A0", "B5", "C0"));
}

TEST_P(side_cases, 11_2_an_empty_window_without_a_default_fails_the_bundle) {
  letters_with_sums of;
  of.look(of.sums({at<number>(11, 2), at<number>(13, 3)}, fixed(10ms)) | as_singleton("view"));
  EXPECT_THAT(failure_of(of.p), AllOf(HasSubstr("\"look\""), HasSubstr("\"view\""), HasSubstr("is empty"),
                                      HasSubstr("singleton"), HasSubstr("default")));
}

// Reads a job's outputs between its events.
template <class T>
std::vector<text> seen_so_far(job_session& job, const recording<T>& of) {
  job.checkpoint();
  return texts_of(of);
}

TEST_P(side_cases, 11_3_an_element_waits_and_holds_the_watermark) {
  pipeline p("waiting");
  recording<text> seen;
  const auto view = p
                    | test_stream<number>("side")
                          .advance_watermark_to(timestamp{8})
                          .advance_watermark_to(timestamp{8})
                          .advance_watermark_to(timestamp{9})
                          .advance_watermark_to(timestamp{10})
                    | window_into("side windows", {.into = fixed(10ms)}) | as_list("view");
  p
      | test_stream<text>("main")
            .advance_watermark_to(timestamp{0})
            .add({at<text>(4, "A")})
            .advance_watermark_to(timestamp{30})
      | window_into("windows", {.into = fixed(10ms)}) | map("look", with_all, with(view)) | collect("seen", seen);
  const auto job = session(p);
  for (std::size_t event = 0; event < 3; ++event) job->play(event);
  EXPECT_THAT(seen_so_far(*job, seen), IsEmpty());
  EXPECT_EQ(job->output_watermark("look"), timestamp{4});
  job->play(3);
  EXPECT_THAT(seen_so_far(*job, seen), ElementsAre("A[]"));
  EXPECT_EQ(job->output_watermark("look"), timestamp{30});
}

// 11.4: panes {1}, then 2 more; a comes between them, b behind.
TEST_P(side_cases, 11_4_a_newer_pane_takes_the_place_of_the_older) {
  const auto seen_with = [&](panes keep, auto&& view_of, auto&& look) {
    pipeline p("panes");
    recording<text> seen;
    const auto view =
        p
        | test_stream<number>("side").add({1}).advance_watermark_to(nothing).add({2}).advance_watermark_to(timestamp{0})
        | window_into("panes", {.fire = repeatedly(after_count(1)), .keep = keep}) | view_of("view");
    p | test_stream<text>("main").advance_watermark_to(nothing).add({"a"}).advance_watermark_to(nothing).add({"b"})
        | map("look", look, with(view)) | collect("seen", seen);
    const auto job = session(p);
    for (std::size_t event = 0; event < 4; ++event) job->play(event);
    EXPECT_EQ(job->error(), "");
    return seen_so_far(*job, seen);
  };
  const auto list = [](const text& name) { return as_list(name); };
  const auto singleton = [](const text& name) { return as_singleton(name); };
  EXPECT_THAT(seen_with(panes::accumulating, list, with_all), ElementsAre("a[1]", "b[1 2]"));
  EXPECT_THAT(seen_with(panes::discarding, list, with_all), ElementsAre("a[1]", "b[2]"));
  EXPECT_THAT(seen_with(panes::discarding, singleton, with_number), ElementsAre("a1", "b2"));
}

pcollection<rate> rates(pipeline& p) {
  return p | create("rates", {rate{"a", 1}, rate{"a", 2}});
}

TEST_P(side_cases, 11_5_a_map_with_a_key_twice_fails_who_reads_it) {
  pipeline p("map");
  p | create("main", {text("x")})
      | map(
          "look", [](const text& x, const std::map<text, number>& m) { return with_number(x, m.at("a")); },
          with(rates(p) | as_map("view")));
  EXPECT_THAT(failure_of(p), AllOf(HasSubstr("\"look\""), HasSubstr("\"view\""),
                                   HasSubstr("has several values for key \"a\""), HasSubstr("as_multimap")));
}

TEST_P(side_cases, 11_5_a_multimap_has_both) {
  pipeline p("multimap");
  recording<text> seen;
  p | create("main", {text("x")})
      | map(
          "look",
          [](const text& x, const std::multimap<text, number>& m) {
            numbers all;
            for (auto [one, last] = m.equal_range("a"); one != last; ++one) all.push_back(one->second);
            return with_all(x, all);
          },
          with(rates(p) | as_multimap("view")))
      | collect("seen", seen);
  run(p);
  EXPECT_THAT(texts_of(seen), ElementsAre("x[1 2]"));
}

TEST_P(side_cases, 11_6_each_window_of_an_element_waits_for_itself) {
  pipeline p("two windows");
  recording<text> seen;
  const auto view = p
                    | test_stream<number>("side")
                          .add({at<number>(3, 1), at<number>(12, 2)})
                          .advance_watermark_to(timestamp{10})
                          .advance_watermark_to(timestamp{10})
                          .advance_watermark_to(timestamp{20})
                    | window_into("side windows", {.into = fixed(10ms)}) | as_list("view");
  p | test_stream<text>("main").advance_watermark_to(nothing).advance_watermark_to(nothing).add({at<text>(7, "x")})
      | window_into("windows", {.into = sliding(10ms, 5ms)}) | map("look", with_all, with(view))
      | collect("seen", seen);
  const auto job = session(p);
  const auto so_far = [&] {
    job->checkpoint();
    return lines(seen);
  };
  for (std::size_t event = 0; event < 3; ++event) job->play(event);
  EXPECT_THAT(so_far(), ElementsAre("x[1] [0,10) @7 UNKNOWN 0/0 F L"));
  job->play(3);
  EXPECT_THAT(so_far(), ElementsAre("x[1] [0,10) @7 UNKNOWN 0/0 F L", "x[2] [5,15) @7 UNKNOWN 0/0 F L"));
}

windowing each_pane(panes keep) {
  return {.fire = repeatedly(after_count(1)), .keep = keep};
}

TEST_P(side_cases, U26_a_singleton_that_is_refreshed_shows_the_newest_value) {
  pipeline p("refreshed");
  recording<text> seen;
  const auto view =
      p
      | test_stream<text>("side").add({"A"}).advance_watermark_to(nothing).add({"B"}).advance_watermark_to(nothing).add(
          {"C"})
      | window_into("panes", each_pane(panes::discarding)) | latest_globally("latest") | as_singleton("view");
  p
      | test_stream<text>("main")
            .advance_watermark_to(nothing)
            .add({"m1"})
            .advance_watermark_to(nothing)
            .add({"m2"})
            .advance_watermark_to(nothing)
            .add({"m3"})
      | map("look", [](const text& x, const text& newest) { return x + newest; }, with(view)) | collect("seen", seen);
  const auto job = session(p);
  for (std::size_t event = 0; event < 6; ++event) {
    job->advance_clock(timestamp{static_cast<number>(event) * 500});
    job->play(event);
  }
  EXPECT_EQ(job->error(), "");
  EXPECT_THAT(seen_so_far(*job, seen), ElementsAre("m1A", "m2B", "m3C"));
}

TEST_P(side_cases, U26_four_thousand_refreshes_are_never_two_values) {
  pipeline p("often");
  recording<text> seen;
  test_stream<number> side("side");
  test_stream<text> main("main");
  for (number i = 0; i < 4000; ++i) {
    side.add({i});
    if (i % 500 == 0) main.add({"m"});
    else main.advance_watermark_to(nothing);
  }
  const auto view =
      p | side | window_into("panes", each_pane(panes::discarding)) | latest_globally("latest") | as_singleton("view");
  p | main | map("look", with_number, with(view)) | collect("seen", seen);
  const auto job = session(p);
  for (std::size_t event = 0; event < 4000; ++event) {
    job->advance_clock(timestamp{static_cast<number>(event) * 50});
    job->play(event);
  }
  EXPECT_EQ(job->error(), "");
  EXPECT_EQ(seen_so_far(*job, seen).size(), 8U);
}

TEST_P(side_cases, U26_a_view_of_two_values_is_named_with_what_to_do) {
  pipeline p("two values");
  const auto view = p | test_stream<text>("side").add({"A", "B"}).advance_watermark_to_infinity()
                    | window_into("panes", each_pane(panes::accumulating)) | as_singleton("view");
  p | test_stream<text>("main").advance_watermark_to(nothing).add({"m1"}).advance_watermark_to_infinity()
      | map("look", [](const text& x, const text& newest) { return x + newest; }, with(view));
  EXPECT_THAT(failure_of(p),
              AllOf(HasSubstr("\"view\""), HasSubstr("has 2 elements"), HasSubstr("combine them first")));
}

}  // namespace
}  // namespace millrace::programs::acceptance_side_test
