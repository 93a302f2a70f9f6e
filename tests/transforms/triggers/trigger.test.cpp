#include <millrace/transforms/triggers/trigger.hpp>

#include <gmock/gmock.h>

#include <chrono>
#include <stdexcept>

namespace millrace::trigger_test {
namespace {

using namespace std::chrono_literals;

TEST(trigger, is_the_default_trigger_unless_it_is_told_otherwise) {
  EXPECT_EQ(trigger{}, default_trigger());
}

TEST(trigger, is_equal_to_one_of_the_same_parts_only) {
  EXPECT_EQ(trigger(each_element{}), repeatedly(after_count(1)));
  EXPECT_NE(after_count(1), after_count(2));
  EXPECT_NE(trigger(after_delay{5ms}), trigger(after_delay{}.align(5ms)));
  EXPECT_NE(first_of(never(), always()), first_of(always(), never()));
  EXPECT_NE(trigger(at_watermark().early(always())), trigger(at_watermark().late(always())));
}

TEST(trigger, describes_itself_exactly) {
  EXPECT_EQ(trigger(at_watermark().early(after_delay{10s}).late(each_element{})).describe(),
            "at_watermark.early(after_delay(10s)).late(repeatedly(after_count(1)))");
  EXPECT_EQ(trigger(after_delay{}.align(1min, 5s).plus(10s)).describe(), "after_delay(align 1min offset 5s, 10s)");
  EXPECT_EQ(in_order(after_count(2), all_of(never(), always())).until(at_watermark()).describe(),
            "in_order(after_count(2), all_of(never, always)).until(at_watermark)");
  EXPECT_EQ(after_synchronized_processing_time().describe(), "after_synchronized_processing_time");
}

TEST(trigger, refuses_numbers_that_make_no_sense) {
  EXPECT_THROW((void)after_count(0), std::invalid_argument);
  EXPECT_THROW((void)trigger(after_delay{-1ms}), std::invalid_argument);
  EXPECT_THROW((void)trigger(after_delay{}.align(0ms)), std::invalid_argument);
  EXPECT_THROW((void)first_of(std::vector<trigger>{}), std::invalid_argument);
}

TEST(trigger, continues_after_a_grouping_as_the_model_says) {
  const trigger synchronized = after_synchronized_processing_time();
  EXPECT_EQ(default_trigger().continuation(), default_trigger());
  EXPECT_EQ(never().continuation(), never());
  EXPECT_EQ(always().continuation(), always());
  EXPECT_EQ(trigger(at_watermark()).continuation(), trigger(at_watermark()));
  EXPECT_EQ(trigger(at_watermark().early(after_count(5)).late(after_delay{1s})).continuation(),
            trigger(at_watermark().early(after_count(1)).late(synchronized)));
  EXPECT_EQ(trigger(after_delay{1s}).continuation(), synchronized);
  EXPECT_EQ(synchronized.continuation(), synchronized);
  EXPECT_EQ(repeatedly(after_count(7)).continuation(), repeatedly(after_count(1)));
  EXPECT_EQ(first_of(after_count(7), after_delay{1s}).continuation(), first_of(after_count(1), synchronized));
  EXPECT_EQ(all_of(after_count(7), after_delay{1s}).continuation(), all_of(after_count(1), synchronized));
  EXPECT_EQ(in_order(after_count(2), repeatedly(after_count(3))).continuation(),
            repeatedly(first_of(after_count(1), repeatedly(after_count(1)))));
  EXPECT_EQ(after_count(3).until(after_delay{1s}).continuation(), repeatedly(after_count(1).until(synchronized)));
}

TEST(trigger, may_finish_as_the_model_says) {
  EXPECT_FALSE(default_trigger().may_finish());
  EXPECT_FALSE(always().may_finish());
  EXPECT_TRUE(never().may_finish());
  EXPECT_TRUE(trigger(at_watermark().early(always())).may_finish());
  EXPECT_FALSE(trigger(at_watermark().late(after_count(1))).may_finish());
  EXPECT_FALSE(repeatedly(after_count(1)).may_finish());
  EXPECT_FALSE(in_order(after_count(1), repeatedly(after_count(3))).may_finish());
  EXPECT_TRUE(in_order(after_count(1), after_count(3)).may_finish());
  EXPECT_TRUE(repeatedly(after_count(1)).until(after_count(9)).may_finish());
  EXPECT_FALSE(repeatedly(after_count(1)).until(always()).may_finish());
}

TEST(trigger, allows_lifting_unless_it_needs_each_element) {
  EXPECT_TRUE(default_trigger().allows_lifting());
  EXPECT_TRUE(repeatedly(after_delay{1s}).allows_lifting());
  EXPECT_TRUE(trigger(at_watermark().early(after_delay{1s}).late(never())).allows_lifting());
  EXPECT_FALSE(trigger(at_watermark().early(after_delay{1s}).late(each_element{})).allows_lifting());
  EXPECT_FALSE(repeatedly(after_count(3)).allows_lifting());
  EXPECT_FALSE(always().allows_lifting());
  EXPECT_TRUE(always().observes_element_counts());
  EXPECT_TRUE(first_of(after_delay{1s}, after_count(3)).observes_element_counts());
  EXPECT_FALSE(all_of(after_delay{1s}, at_watermark()).observes_element_counts());
}

TEST(trigger, guarantees_a_firing_at_the_end_of_the_window_or_never) {
  const timestamp end{9};
  EXPECT_EQ(default_trigger().guaranteed_firing(end), end);
  EXPECT_EQ(repeatedly(at_watermark()).guaranteed_firing(end), end);
  EXPECT_EQ(after_count(1).guaranteed_firing(end), timestamp::max());
  EXPECT_EQ(first_of(after_count(1), at_watermark()).guaranteed_firing(end), end);
  EXPECT_EQ(all_of(after_count(1), at_watermark()).guaranteed_firing(end), timestamp::max());
  EXPECT_EQ(in_order(at_watermark(), after_count(1)).guaranteed_firing(end), end);
  EXPECT_EQ(in_order(after_count(1), at_watermark()).guaranteed_firing(end), timestamp::max());
  EXPECT_EQ(repeatedly(after_count(1)).until(at_watermark()).guaranteed_firing(end), end);
}

}  // namespace
}  // namespace millrace::trigger_test
