#include "plain_runs.hpp"

#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/par_do_splittable.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Trackers that cannot be split just anywhere: whatever fails, no position is lost.
namespace millrace::programs::splittable_trackers_test {
namespace {

using ::testing::HasSubstr;
using number = std::int64_t;

class splittable_trackers : public on_each_runner {};
INSTANTIATE_TEST_SUITE_P(on, splittable_trackers, each_runner(), runner_name);

std::vector<number> up_to(number end) {
  std::vector<number> all(static_cast<std::size_t>(end));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Numbers below an end. Its tracker is split where Split::edge(last claim, end) says.
template <class Split>
class edged_tracker;
template <class Split>
struct edged {
  number from = 0;
  number to = 0;
  using tracker = edged_tracker<Split>;
};

template <class Split>
class edged_tracker {
 public:
  using position = number;
  static constexpr bool splits_between_claims = Split::promised;
  explicit edged_tracker(edged<Split> of) : of_(of) {}
  bool try_claim(number at) {
    if (at < of_.to) last_ = at;
    return at < of_.to;
  }
  std::optional<edged<Split>> try_split(double /*fraction*/) {
    const number edge = last_ ? Split::edge(*last_, of_.to) : of_.from;
    if (edge >= of_.to) return std::nullopt;
    return edged<Split>{edge, std::exchange(of_.to, edge)};
  }
  void check_done() const {
    if (of_.from < of_.to && last_ != of_.to - 1) throw std::logic_error("records were left out");
  }
  [[nodiscard]] edged<Split> restriction() const { return of_; }

 private:
  edged<Split> of_;
  std::optional<number> last_;
};

// Records lie in blocks of ten, and only a whole block can be given away.
struct between_blocks {
  static constexpr bool promised = false;
  static number edge(number last, number /*to*/) { return (last / 10 + 1) * 10; }
};
// The same, but it says otherwise.
struct in_vain : between_blocks {
  static constexpr bool promised = true;
};
// What is left is halved while it is long, though it says otherwise.
struct in_the_middle {
  static constexpr bool promised = true;
  static number edge(number last, number to) { return to - last > 5 ? last + (to - last) / 2 : last + 1; }
};

// Gives all numbers; fails once at each of some.
template <class Split>
class reading {
 public:
  using output = number;
  explicit reading(std::set<number> fails) : fails_(std::make_shared<std::set<number>>(std::move(fails))) {}
  static edged<Split> initial_restriction(number n) { return {0, n}; }
  void process(number /*n*/, tracker<edged<Split>>& range, emitter<number>& out) {
    for (auto i = range.restriction().from; range.try_claim(i); ++i) {
      out(i);
      if (fails_->erase(i) > 0) throw std::runtime_error("not yet");
    }
  }

 private:
  std::shared_ptr<std::set<number>> fails_;
};
template <class Split>
class reading_bundles : public reading<Split> {
 public:
  using reading<Split>::reading;
  void start_bundle() {}
};

struct came {
  std::string failure;
  std::vector<number> values;
};
template <class Fn>
came run(runner on, number end, std::set<number> fails, splittable_limits limits = {}) {
  recording<number> given;
  pipeline p("read");
  p | create("in", {end}) | par_do_splittable("read", Fn(std::move(fails)), limits) | collect("given", given);
  came of{failure_on(on, p), values_of(given)};
  std::ranges::sort(of.values);
  return of;
}

TEST_P(splittable_trackers, a_bundle_is_done_again_whole_where_a_block_cannot_be_split) {
  for (const came& of : {run<reading<between_blocks>>(GetParam(), 40, {0, 13, 14, 27}),
                         run<reading_bundles<between_blocks>>(GetParam(), 40, {0, 13, 14, 27}),
                         run<reading_bundles<in_vain>>(GetParam(), 40, {0, 13, 14, 27})}) {
    EXPECT_EQ(of.failure, "it did not fail");
    EXPECT_EQ(of.values, up_to(40));
  }
}

// The limit is at record 12, whose block ends at 20: what was split off there comes, wherever the call fails.
TEST_P(splittable_trackers, what_a_limit_has_split_off_is_not_lost_with_a_bundle_that_fails) {
  for (const number at : {0, 11, 12, 13, 19, 20, 39}) {
    const came of = run<reading<between_blocks>>(GetParam(), 40, {at}, {.claims_max = 12});
    EXPECT_EQ(of.failure, "it did not fail");
    EXPECT_EQ(of.values, up_to(40)) << at;
  }
}

// What was given out before the failure stands, and no call can begin within a block.
TEST_P(splittable_trackers, one_that_cannot_be_split_as_it_says_fails_by_name) {
  const came of = run<reading<in_vain>>(GetParam(), 40, {13});
  EXPECT_THAT(of.failure, HasSubstr("read/process"));
  EXPECT_THAT(of.failure, HasSubstr("not yet; its tracker, which says splits_between_claims, cannot be split before"));
}

// At record 3 the limit splits at 9, and the call goes on; from 6 on the tracker can be split anywhere.
TEST_P(splittable_trackers, what_a_limit_has_split_off_is_not_lost_with_a_call_that_fails) {
  const came of = run<reading<in_the_middle>>(GetParam(), 16, {6}, {.claims_max = 3});
  EXPECT_EQ(of.failure, "it did not fail");
  EXPECT_EQ(of.values, up_to(16));
}

}  // namespace
}  // namespace millrace::programs::splittable_trackers_test
