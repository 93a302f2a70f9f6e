#include <millrace/transforms/triggers/pane_tracker.hpp>

#include <gtest/gtest.h>

namespace millrace::pane_tracker_test {
namespace {

pane_facts facts(std::int64_t input, std::int64_t output, bool last = false) {
  return {.window_max = timestamp{9},
          .input_watermark = timestamp{input},
          .output_watermark = timestamp{output},
          .last = last};
}

TEST(pane_tracker, numbers_early_on_time_and_late_panes) {
  pane_tracker tracker;
  const pane_info early = tracker.next(facts(9, 0));
  EXPECT_EQ(early, (pane_info{0, -1, pane_timing::early, true, false}));
  tracker.record(early);
  const pane_info on_time = tracker.next(facts(10, 9));
  EXPECT_EQ(on_time, (pane_info{1, 0, pane_timing::on_time, false, false}));
  tracker.record(on_time);
  EXPECT_EQ(tracker.next(facts(10, 9, true)), (pane_info{2, 1, pane_timing::late, false, true}));
}

TEST(pane_tracker, is_late_once_the_output_watermark_has_passed_the_window) {
  EXPECT_EQ(pane_tracker{}.next(facts(10, 10)), (pane_info{0, 0, pane_timing::late, true, false}));
}

TEST(pane_tracker, gives_no_number_to_a_pane_that_is_not_recorded) {
  pane_tracker tracker;
  (void)tracker.next(facts(9, 0));
  EXPECT_EQ(tracker.next(facts(9, 0)).index, 0U);
}

TEST(pane_tracker, is_the_same_after_a_restore) {
  pane_tracker tracker;
  tracker.record(tracker.next(facts(9, 0)));
  tracker.record(tracker.next(facts(10, 9)));
  writer out;
  tracker.encode(out);
  reader in{out.bytes()};
  EXPECT_EQ(pane_tracker::decode(in), tracker);
  in.expect_end();
}

TEST(pane_tracker, refuses_numbers_that_cannot_be) {
  writer out;
  out.varint(1);
  out.varint(2);
  reader in{out.bytes()};
  EXPECT_THROW((void)pane_tracker::decode(in), decode_error);
}

}  // namespace
}  // namespace millrace::pane_tracker_test
