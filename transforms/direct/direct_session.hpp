#pragma once

#include <millrace/transforms/direct/direct_job.hpp>
#include <millrace/transforms/direct/job_session.hpp>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace millrace {

// A job on the direct runner that is driven from outside: see job_session. The pipeline must outlive it. Throws what
// run_direct would before anything runs.
class direct_session final : public job_session {
 public:
  explicit direct_session(const pipeline& p, direct_options options = {});
  ~direct_session() override;

  void play(std::size_t event) override;
  void advance_clock(timestamp now) override;
  void checkpoint() override;
  void crash(std::optional<timestamp> clock) override;
  void update(const pipeline& p, const name_mapping& names) override;
  void drain() override;
  void cancel() override;

  [[nodiscard]] session_state state() const override { return state_; }
  [[nodiscard]] const std::string& error() const override { return error_; }
  [[nodiscard]] timestamp output_watermark(const std::string& path) const override;
  [[nodiscard]] std::uint64_t dropped(const std::string& cause) const override;
  [[nodiscard]] const std::vector<std::string>& notices() const override { return notices_; }
  [[nodiscard]] bool has_state() const override { return job_->has_state(); }

 private:
  // Runs f on a job that runs; what it throws ends the job.
  template <class F>
  void guarded(F&& f);
  void start(std::optional<timestamp> clock);

  const pipeline* pipeline_;
  direct_options options_;
  std::vector<std::string> notices_;
  std::unique_ptr<direct_job> job_;
  std::optional<millrace::checkpoint> last_;
  std::set<node_id> general_nodes_;  // of the program that runs, because of where it goes on from
  session_state state_ = session_state::running;
  std::string error_;
};

}  // namespace millrace
