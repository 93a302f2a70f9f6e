#pragma once

#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/pipeline.hpp>
#include <millrace/transforms/update/adopt.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace millrace {

// Where the job of a session stands.
enum class session_state : std::uint8_t { running, drained, cancelled, failed };

// A running job that is driven from outside, step by step, on the calling thread: after each call it has done
// everything that it can do before the next. It plays the test streams of its pipeline, and can be checkpointed, killed
// and restarted between any two events. Each runner has its own; what holds for one must hold for all. Once the job has
// ended, further events do nothing.
class job_session {
 public:
  job_session() = default;
  job_session(const job_session&) = delete;
  job_session& operator=(const job_session&) = delete;
  virtual ~job_session() = default;

  // Plays event `event` of each test stream that has so many. It must move elements or a watermark, not the clock.
  virtual void play(std::size_t event) = 0;
  // Processing time comes to `now`; an earlier time than before is ignored.
  virtual void advance_clock(timestamp now) = 0;
  // A checkpoint completes and is committed.
  virtual void checkpoint() = 0;
  // The process is killed and restarted from the last checkpoint, or else from the start. The clock reads `clock` then,
  // or what it read at that checkpoint. Events since then are the caller's to play again.
  virtual void crash(std::optional<timestamp> clock) = 0;
  // The program gives way to a changed one, which goes on from a checkpoint that is taken now: see adopt(). The new
  // pipeline must outlive the session; its test streams are played from here on. Throws update_refused, and the old
  // program goes on; also if the job has ended.
  virtual void update(const pipeline& p, const name_mapping& names) = 0;
  // Every source stops, and what is there comes out.
  virtual void drain() = 0;
  // Stops now.
  virtual void cancel() = 0;

  [[nodiscard]] virtual session_state state() const = 0;
  // Why the job failed.
  [[nodiscard]] virtual const std::string& error() const = 0;
  // What the stage of a transform has promised about its output. Of a sink that is what came in.
  [[nodiscard]] virtual timestamp output_watermark(const std::string& path) const = 0;
  // Elements dropped for a cause so far, over all transforms.
  [[nodiscard]] virtual std::uint64_t dropped(const std::string& cause) const = 0;
  // The notices so far, those before a crash included.
  [[nodiscard]] virtual const std::vector<std::string>& notices() const = 0;
  // Whether any transform keeps state, a timer or a hold.
  [[nodiscard]] virtual bool has_state() const = 0;
};

// "RUNNING", "DRAINED", "CANCELLED", "FAILED": as jobs report it.
[[nodiscard]] inline std::string to_text(session_state state) {
  switch (state) {
  case session_state::running:
    return "RUNNING";
  case session_state::drained:
    return "DRAINED";
  case session_state::cancelled:
    return "CANCELLED";
  case session_state::failed:
    return "FAILED";
  }
  return {};
}

// Why a job that has ended is not updated.
[[nodiscard]] inline std::string has_ended(session_state state) {
  return "the job has ended (" + to_text(state) + "), and only one that runs is updated; start a new one";
}

}  // namespace millrace
