#pragma once

#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/transforms/checkpoints/checkpoint_store.hpp>
#include <millrace/transforms/direct/job_session.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace millrace {

class simulated_job;

// A job on the actor runtime, simulated on the calling thread, that is driven from outside: see job_session. It takes
// no checkpoints but those that it is asked for; a crash is a new actor system that resumes from the last of them. The
// pipeline must outlive it. Throws what engine::launch throws.
class simulation_session final : public job_session {
 public:
  // The job's clock, checkpoints and their interval are the session's own.
  explicit simulation_session(const pipeline& p, const simulation_options& options = {});
  ~simulation_session() override;

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
  [[nodiscard]] bool has_state() const override;

 private:
  void start(timestamp clock);
  // Runs until nothing is left to do, and looks at the job.
  void settle();
  [[nodiscard]] bool runs() const { return state_ == session_state::running; }
  [[nodiscard]] std::size_t queued_bytes() const;

  const pipeline* pipeline_;
  simulation_options options_;
  std::vector<std::string> notices_;  // outlives the job, which adds to them
  std::unique_ptr<simulated_job> job_;
  std::optional<millrace::checkpoint> last_;
  timestamp last_clock_{0};
  session_state state_ = session_state::running;
  std::string error_;
  job_report report_;
};

}  // namespace millrace
