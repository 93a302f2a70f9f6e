#include <millrace/tests/transforms/one_step.hpp>
#include <millrace/transforms/approximate_deduplicate.hpp>
#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/combiners.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/deduplicate.hpp>
#include <millrace/transforms/distinct.hpp>
#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/graph/warnings.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/group_into_batches.hpp>
#include <millrace/transforms/hot_key_fanout.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/plan/explain.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/write.hpp>
#include <millrace/transforms/wait_on.hpp>
#include <millrace/transforms/window_into.hpp>

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <vector>

namespace millrace::warnings_test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using pair = kv<std::string, std::int64_t>;

auto warning(const std::string& path, const std::string& text) {
  return AllOf(Field(&graph_warning::path, path), Field(&graph_warning::text, HasSubstr(text)));
}

pcollection<pair> pairs(pipeline& p, bool bounded) {
  return testing::input_of<pair>(p, "in", bounded);
}

const windowing correcting{
    .into = fixed(1min), .fire = default_trigger(), .keep = panes::accumulating, .allowed_lateness = 1h};
const windowing adding{
    .into = fixed(1min), .fire = default_trigger(), .keep = panes::discarding, .allowed_lateness = 1h};

// A function with the cells that it is told to have.
struct forgetful {
  using output = std::int64_t;
  auto cells() { return std::tie(sum_); }
  void process(const pair& x, emitter<std::int64_t>& /*out*/) { sum_.set(x.value); }
  value_state<std::int64_t> sum_{"sum"};
};
struct tidy : forgetful {
  static constexpr bool clears_state = true;
};
struct with_event_timer : forgetful {
  auto cells() { return std::tie(sum_, end_); }
  void on_timer(const event_timer& /*t*/, const std::string& /*key*/, emitter<std::int64_t>& /*out*/) {}
  event_timer end_{"end"};
};
struct with_clock_timer : forgetful {
  auto cells() { return std::tie(sum_, soon_); }
  void on_timer(const processing_timer& /*t*/, const std::string& /*key*/, emitter<std::int64_t>& /*out*/) {}
  processing_timer soon_{"soon"};
};
struct careless : with_clock_timer {
  static constexpr bool drops_timers = true;
};
struct patient : with_clock_timer {
  static constexpr bool fires_clock_timers_at_end = true;
};
struct thorough : with_clock_timer {
  void on_window_expiration(const std::string& /*key*/, emitter<std::int64_t>& /*out*/) {}
};

// A sink that says of itself what it is told.
struct labelled_sink {
  struct writing {
    void write(const pair& /*value*/, timestamp /*at*/, const context& /*in*/) {}
    void prepare(std::uint64_t /*epoch*/) {}
    void commit(std::uint64_t /*epoch*/) {}
    void abort() {}
    void snapshot(writer& /*to*/) const {}
    void restore(reader& /*from*/) {}
  };
  using element = pair;
  operator_traits says;
  [[nodiscard]] writing open(const operator_environment& /*in*/) const { return {}; }
  [[nodiscard]] std::string describe() const { return "nowhere"; }
  [[nodiscard]] operator_traits traits() const { return says; }
};

template <class Fn>
std::vector<graph_warning> warnings_of_state(Fn fn, bool bounded, const windowing& how = {}) {
  pipeline p("test");
  pairs(p, bounded) | window_into("windows", how) | par_do("keep", fn);
  return graph_warnings(p.description());
}

TEST(graph_warnings, tell_of_state_that_nothing_clears) {
  EXPECT_THAT(warnings_of_state(forgetful{}, false),
              ElementsAre(warning("keep", "no timer to clear it, so its state grows with the number of keys")));
}
TEST(graph_warnings, are_silent_on_state_that_ends) {
  EXPECT_THAT(warnings_of_state(forgetful{}, true), IsEmpty());
  EXPECT_THAT(warnings_of_state(forgetful{}, false, {.into = fixed(1min)}), IsEmpty());
  EXPECT_THAT(warnings_of_state(tidy{}, false), IsEmpty());
  EXPECT_THAT(warnings_of_state(with_event_timer{}, false), IsEmpty());
  EXPECT_THAT(warnings_of_state(with_clock_timer{}, false), IsEmpty());
}

TEST(graph_warnings, tell_of_processing_timers_over_bounded_input) {
  EXPECT_THAT(warnings_of_state(with_clock_timer{}, true),
              ElementsAre(warning("keep", "those that are pending when it ends are dropped")));
}
TEST(graph_warnings, are_silent_on_processing_timers_that_lose_nothing) {
  EXPECT_THAT(warnings_of_state(careless{}, true), IsEmpty());
  EXPECT_THAT(warnings_of_state(thorough{}, true), IsEmpty());
  EXPECT_THAT(warnings_of_state(patient{}, true), IsEmpty());
  EXPECT_THAT(warnings_of_state(with_event_timer{}, true), IsEmpty());
}

std::vector<graph_warning> warnings_of_group(const windowing& how, bool bounded = false) {
  pipeline p("test");
  pairs(p, bounded) | window_into("windows", how) | group_by_key("group");
  return graph_warnings(p.description());
}

TEST(graph_warnings, tell_of_groups_that_grow_for_ever) {
  EXPECT_THAT(warnings_of_group({.fire = each_element{}, .keep = panes::accumulating}),
              ElementsAre(warning("group", "keeps every element of unbounded input in the global window")));
  EXPECT_THAT(warnings_of_group({.fire = each_element{}, .keep = panes::discarding}), IsEmpty());
  EXPECT_THAT(warnings_of_group({.fire = each_element{}, .keep = panes::accumulating}, true), IsEmpty());
}

TEST(graph_warnings, tell_of_lateness_without_end) {
  const auto late = [](duration lateness) {
    return windowing{.into = fixed(1min), .keep = panes::discarding, .allowed_lateness = lateness};
  };
  EXPECT_THAT(warnings_of_group(late(std::chrono::days{3650})),
              ElementsAre(warning("group", "for the allowed lateness of 3650d, practically for ever")));
  EXPECT_THAT(warnings_of_group(late(duration::max())), ElementsAre(warning("group", "practically for ever")));
  EXPECT_THAT(warnings_of_group(late(std::chrono::days{3649})), IsEmpty());
  EXPECT_THAT(warnings_of_group(late(duration::max()), true), IsEmpty());
  EXPECT_THAT(warnings_of_state(forgetful{}, false, late(std::chrono::days{4000})),
              ElementsAre(warning("keep", "practically for ever")));
}

std::vector<graph_warning> warnings_of_sink(operator_traits says, const windowing& how, bool bounded = false) {
  pipeline p("test");
  pairs(p, bounded) | window_into("windows", how) | combine_per_key("sum", sum)
      | map("same", [](const pair& x) { return x; }) | write("write", labelled_sink{says});
  return graph_warnings(p.description());
}

TEST(graph_warnings, tell_of_files_that_are_never_complete) {
  const windowing always{.fire = each_element{}, .keep = panes::discarding};
  EXPECT_THAT(warnings_of_sink({.keeps_files = true}, always), ElementsAre(warning("write", "is never complete")));
  EXPECT_THAT(warnings_of_sink({.keeps_files = true}, always, true), IsEmpty());
  EXPECT_THAT(warnings_of_sink({.keeps_files = true}, {.into = fixed(1min)}), IsEmpty());
  EXPECT_THAT(warnings_of_sink({}, always), IsEmpty());
}

TEST(graph_warnings, tell_of_results_that_are_written_once_for_each_pane) {
  EXPECT_THAT(warnings_of_sink({.adds_only = true}, correcting),
              ElementsAre(warning("write", "adds what every pane of \"sum\" has")));
  EXPECT_THAT(warnings_of_sink({.adds_only = true}, adding), IsEmpty());
  EXPECT_THAT(warnings_of_sink({}, correcting), IsEmpty());
  // One pane for each window repeats nothing.
  EXPECT_THAT(warnings_of_sink({.adds_only = true}, {.into = fixed(1min), .keep = panes::accumulating}), IsEmpty());
  EXPECT_THAT(warnings_of_sink({.adds_only = true}, {.into = fixed(1min),
                                                     .fire = at_watermark().early(each_element{}),
                                                     .keep = panes::accumulating,
                                                     .allowed_lateness = 0ms}),
              ElementsAre(warning("write", "adds")));
}

// User case U14.
TEST(graph_warnings, tell_of_accumulating_panes_that_are_grouped_again_U14) {
  pipeline p("test");
  const auto counted = pairs(p, false) | window_into("windows", correcting) | count_per_key("count") | values("counts");
  counted | combine_globally("sum", sum, without_defaults);
  const auto all = graph_warnings(p.description());
  EXPECT_THAT(all, ElementsAre(warning("sum", "groups the accumulating panes of \"count\" again")));
  EXPECT_THAT(all[0].text, HasSubstr("panes::discarding before \"count\""));
}
TEST(graph_warnings, are_silent_on_discarding_panes_that_are_grouped_again) {
  pipeline p("test");
  pairs(p, false) | window_into("windows", adding) | count_per_key("count") | values("counts")
      | combine_globally("sum", sum, without_defaults);
  EXPECT_THAT(graph_warnings(p.description()), IsEmpty());
}

// Lets the last pane of each window pass.
struct last_pane {
  static constexpr bool picks_panes = true;
  void operator()(const kv<std::string, std::uint64_t>& x, emitter<kv<std::string, std::uint64_t>>& out) const {
    if (out.at().pane.is_last) out(x);
  }
};

TEST(graph_warnings, see_through_flatten_but_not_through_steps_that_pick_panes) {
  pipeline p("test");
  const auto counted = pairs(p, false) | window_into("windows", correcting) | count_per_key("count");
  flatten("twice", counted, counted) | group_by_key("again");
  counted | par_do("last", last_pane{}) | group_by_key("once");
  EXPECT_THAT(graph_warnings(p.description()), ElementsAre(warning("again", "\"count\"")));
}

TEST(graph_warnings, tell_of_views_that_hold_old_panes_beside_new_ones) {
  pipeline p("test");
  const auto counted = pairs(p, false) | window_into("windows", correcting) | count_globally("count", without_defaults);
  counted | as_singleton("all");
  counted | window_into("newest", {.keep = panes::discarding}) | as_singleton("new");
  EXPECT_THAT(graph_warnings(p.description()), ElementsAre(warning("all/gather", "groups the accumulating panes")));
}

TEST(graph_warnings, are_silent_on_the_library) {
  pipeline p("test");
  const auto in = pairs(p, false) | window_into("windows", correcting);
  in | distinct("distinct") | keys("their keys") | count_per_element("count of distinct");
  in | distinct("by key", by(&pair::key)) | keys("keys") | count_per_element("count of keys");
  in | combine_per_key("spread", sum, with_hot_key_fanout(4));
  in | deduplicate("deduplicate");
  in | group_into_batches("batches", {.count = 10});
  const auto sums = in | combine_per_key("sum", sum);
  in | wait_on("wait", sums);
  const auto bounded = testing::input_of<pair>(p, "bounded", true);
  bounded | deduplicate("deduplicate bounded");
  bounded | approximate_deduplicate("about", {.elements = 1000});
  bounded | group_into_batches("batches of bounded", {.count = 10, .buffering = 1s});
  EXPECT_THAT(graph_warnings(p.description()), IsEmpty());
}

TEST(graph_warnings, are_listed_by_explain) {
  pipeline p("test");
  pairs(p, false) | par_do("keep", forgetful{});
  EXPECT_THAT(explain(p.description(), make_plan(p.description(), {})),
              HasSubstr("\nwarning: transform \"keep\": keeps state for every key of unbounded input"));
}

}  // namespace
}  // namespace millrace::warnings_test
