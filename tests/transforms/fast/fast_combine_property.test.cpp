#include <millrace/tests/transforms/fast/combine_trial.hpp>
#include <millrace/transforms/combiners.hpp>
#include <millrace/transforms/operators/combine_operator.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>

namespace millrace::testing::fast_combine_property_test {
namespace {

using namespace std::chrono_literals;

// A random program: what happens to both operators, step by step.
struct step {
  enum kind { bundle, watermark, clock, both, restart } what;
  std::vector<std::tuple<std::uint32_t, int, std::int64_t>> rows;  // key, value, time
  std::int64_t watermark_step;
  std::int64_t clock_step;
};

trigger random_trigger(duration lateness) {
  const std::vector<trigger> early{never(),
                                   each_element{},
                                   after_delay{5ms},
                                   after_delay{0ms},
                                   always(),
                                   after_delay{}.align(7ms).plus(2ms),
                                   after_synchronized_processing_time()};
  const std::vector<trigger> late{each_element{}, after_count(1), always()};
  const int form = *rc::gen::inRange(0, 4);
  if (form == 0) return default_trigger();
  const at_watermark with_early = at_watermark{}.early(*rc::gen::elementOf(early));
  if (form == 1 && lateness.count() == 0) return with_early;
  if (form == 2 && lateness.count() == 0) return at_watermark{};
  return with_early.late(*rc::gen::elementOf(late));
}

windowing_strategy random_strategy() {
  windowing_strategy s;
  s.into = *rc::gen::elementOf(
      std::vector<window_fn>{fixed(10ms), fixed(7ms, 3ms), sliding(10ms, 5ms), sliding(9ms, 2ms), global_windows()});
  s.allowed_lateness = duration{*rc::gen::elementOf(std::vector<int>{0, 0, 5, 20})};
  s.fire = random_trigger(s.allowed_lateness);
  s.keep = *rc::gen::elementOf(std::vector{panes::discarding, panes::accumulating});
  s.closing = *rc::gen::elementOf(std::vector{fires::always, fires::if_non_empty});
  s.on_time = *rc::gen::elementOf(std::vector{fires::always, fires::if_non_empty});
  return s;
}

std::vector<step> random_program(std::uint32_t keys) {
  return *rc::gen::container<std::vector<step>>(rc::gen::build<step>(
      rc::gen::set(
          &step::what,
          rc::gen::weightedElement<step::kind>(
              {{6, step::bundle}, {3, step::watermark}, {2, step::clock}, {1, step::both}, {1, step::restart}})),
      rc::gen::set(&step::rows,
                   rc::gen::container<std::vector<std::tuple<std::uint32_t, int, std::int64_t>>>(rc::gen::tuple(
                       rc::gen::inRange(0U, keys), rc::gen::inRange(-5, 50), rc::gen::inRange<std::int64_t>(-25, 45)))),
      rc::gen::set(&step::watermark_step, rc::gen::inRange<std::int64_t>(0, 12)),
      rc::gen::set(&step::clock_step, rc::gen::inRange<std::int64_t>(0, 9))));
}

template <class Key>
Key key_of(std::uint32_t number);
template <>
std::uint64_t key_of(std::uint32_t number) {
  return number;
}
template <>
std::string key_of(std::uint32_t number) {
  return number % 3 == 0 ? std::string(number % 40, 'x') + std::to_string(number) : std::to_string(number);
}

// Runs one program through both paths. Times, watermarks and clocks are equal, and so must be everything that comes
// out.
template <class Key, class Fn>
void compare_paths(Fn fn, std::uint32_t keys) {
  using out = combined_by<Fn>;
  using trial = combine_trial<Key, int, out>;
  const windowing_strategy strategy = random_strategy();
  RC_ASSERT(why_not_fast_combine<Fn>(strategy) == "");
  const auto rows_max = *rc::gen::elementOf(std::vector<std::uint32_t>{1, 3, UINT32_MAX});
  trial fast([&](const operator_environment& in) { return make_fast_combine<Key, int>(in, strategy, fn); }, rows_max);
  trial general([&](const operator_environment& in) {
    return std::make_unique<combine_operator<Key, int, Fn>>(in, strategy, fn);
  });
  std::int64_t mark = -30;
  std::int64_t now = 0;
  std::size_t panes_seen = 0;
  const auto agree = [&](const auto& event) {
    const auto got = event(fast);
    const auto wanted = event(general);
    RC_ASSERT(got == wanted);
    RC_ASSERT(fast.output_watermark() == general.output_watermark());
    RC_ASSERT(fast.next_clock_timer() == general.next_clock_timer());
    RC_ASSERT(fast.dropped_late() == general.dropped_late());
    RC_ASSERT(fast.metrics().elements_in == general.metrics().elements_in);
    RC_ASSERT(fast.metrics().elements_out == general.metrics().elements_out);
    panes_seen += got.size();
  };
  agree([&](trial& t) { return t.advance(mark); });
  for (const step& s : random_program(keys)) {
    std::vector<input_row<Key, int>> rows;
    for (const auto& [k, value, time] : s.rows)
      rows.push_back({key_of<Key>(k), value, strategy.into.assign(timestamp{mark + time})});
    if (s.what == step::watermark || s.what == step::both) mark += s.watermark_step;
    if (s.what == step::clock || s.what == step::both) now += s.clock_step;
    agree([&](trial& t) {
      if (s.what == step::bundle) return t.bundle_of(rows);
      if (s.what == step::restart) t.restart();
      return t.advance_both(mark, now);
    });
  }
  agree([&](trial& t) { return t.advance(timestamp::max().millis()); });
  RC_CLASSIFY(panes_seen > 0, "panes");
  RC_CLASSIFY(panes_seen > 20, "many panes");
  RC_CLASSIFY(panes_seen > 200, "very many panes");
}

RC_GTEST_PROP(fast_combine, gives_the_panes_drops_and_holds_of_the_general_path_for_numbers, ()) {
  compare_paths<std::uint64_t>(sum_of<int>{}, 6);
}
RC_GTEST_PROP(fast_combine, gives_the_panes_drops_and_holds_of_the_general_path_for_text, ()) {
  compare_paths<std::string>(mean_of<int>{}, 40);
}
RC_GTEST_PROP(fast_combine, gives_what_the_general_path_gives_with_many_keys, ()) {
  compare_paths<std::uint64_t>(first_by<int, std::less<>>{}, 3000);
}

}  // namespace
}  // namespace millrace::testing::fast_combine_property_test
