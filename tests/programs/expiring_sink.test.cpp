#include "both_runners.hpp"

#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/write.hpp>

#include <gmock/gmock.h>

#include <map>
#include <stdexcept>

// U35 of the user cases: a sink whose prepared transactions expire before they are committed.
namespace millrace::programs::expiring_sink_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using number = std::int64_t;

// What stands outside the job: a service that keeps transactions for 2 seconds, and its clock.
struct service {
  std::vector<number> rows;
  std::int64_t clock_seconds = 0;
  std::int64_t stop_seconds = 0;  // how long whoever coordinates is away between prepare and commit
  std::uint64_t empty_commits = 0;
};
constexpr std::int64_t timeout_seconds = 2;

class transactions {
 public:
  explicit transactions(std::shared_ptr<service> at) : at_(std::move(at)) {}

  void write(number value, timestamp /*at*/, const context& /*in*/) { open_.push_back(value); }
  void prepare(std::uint64_t epoch) { prepared_[epoch] = {at_->clock_seconds, std::exchange(open_, {})}; }
  void commit(std::uint64_t epoch) {
    while (!prepared_.empty() && prepared_.begin()->first <= epoch) {
      const auto& [begun, rows] = prepared_.begin()->second;
      if (rows.empty()) ++at_->empty_commits;
      else if (at_->clock_seconds - begun > timeout_seconds)
        throw std::runtime_error("transaction expired, " + std::to_string(rows.size()) + " rows not committed");
      at_->rows.insert(at_->rows.end(), rows.begin(), rows.end());
      prepared_.erase(prepared_.begin());
    }
  }
  void abort() {}
  // Written between prepare and commit: here the coordinator stops.
  void snapshot(writer& to) const {
    at_->clock_seconds += std::exchange(at_->stop_seconds, 0);
    to.varint(prepared_.size());
    for (const auto& [epoch, one] : prepared_) {
      to.varint(epoch);
      coder<number>::encode(to, one.begun);
      coder<std::vector<number>>::encode(to, one.rows);
    }
  }
  void restore(reader& from) {
    for (std::size_t n = from.count(3); n > 0; --n) {
      const std::uint64_t epoch = from.varint();
      const number begun = coder<number>::decode(from);
      prepared_[epoch] = {begun, coder<std::vector<number>>::decode(from)};
    }
  }

 private:
  struct transaction {
    std::int64_t begun = 0;
    std::vector<number> rows;
  };
  std::shared_ptr<service> at_;
  std::vector<number> open_;
  std::map<std::uint64_t, transaction> prepared_;
};

struct expiring_sink {
  using element = number;
  std::shared_ptr<service> at;
  [[nodiscard]] transactions open(const operator_environment& /*in*/) const { return transactions(at); }
  [[nodiscard]] std::string describe() const { return "numbers to a service"; }
  [[nodiscard]] std::optional<std::uint32_t> fixed_shards() const { return 1; }
};

class expiring_sinks : public both_runners {};
INSTANTIATE_TEST_SUITE_P(on, expiring_sinks, ::testing::ValuesIn(all_ways), way_name);

TEST_P(expiring_sinks, U35_a_transaction_that_expires_fails_the_job_and_one_in_time_is_committed_once) {
  for (const std::int64_t stop : {0, 2, 5}) {
    const auto at = std::make_shared<service>();
    at->stop_seconds = stop;
    pipeline p{"numbers"};
    p | create("create", {number{1}, number{2}, number{3}}) | write("write", expiring_sink{at});
    const auto job = session(p);
    job->checkpoint();
    if (stop <= timeout_seconds) {
      EXPECT_EQ(job->error(), "");
      EXPECT_THAT(at->rows, UnorderedElementsAre(1, 2, 3));
      job->checkpoint();
      EXPECT_THAT(at->rows, ::testing::SizeIs(3)) << "a commit without rows adds nothing";
      EXPECT_GT(at->empty_commits, 0U);
    } else {
      EXPECT_EQ(job->state(), session_state::failed);
      EXPECT_THAT(job->error(), AllOf(HasSubstr("\"write\""), HasSubstr("transaction expired, 3 rows not committed")));
      EXPECT_THAT(at->rows, IsEmpty());
    }
  }
}

}  // namespace
}  // namespace millrace::programs::expiring_sink_test
