#pragma once

#include <millrace/actors/shard_outlet.hpp>
#include <millrace/transforms/graph/warnings.hpp>
#include <millrace/transforms/metrics/metric_board.hpp>
#include <millrace/transforms/metrics/notices.hpp>
#include <millrace/transforms/plan/plan.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace millrace {

// Where a job stands.
enum class job_state : std::uint8_t { running, done, drained, updated, cancelled, failed };

// "RUNNING", "DONE", "DRAINED", "UPDATED" (a changed program has taken over), "CANCELLED", "FAILED".
[[nodiscard]] std::string to_text(job_state state);

// One shard actor of a job.
struct shard_report {
  std::string stage;
  std::uint32_t shard = 0;
  std::uint64_t actor = 0;  // the actor's id
  timestamp input_watermark = timestamp::min();
  timestamp output_watermark = timestamp::min();
  std::size_t queued_bytes = 0;
  std::size_t queued_bytes_max = 0;
  std::uint64_t elements_in = 0;  // of its first transform; of one that reads, what it has read
  bool has_state = false;         // it keeps state, a timer or a hold for some key
  bool idle = false;              // its output watermark counts for nobody
  std::string split;              // of one that reads: the split behind its watermark, if the source names it
};

// Who keeps the output watermark of a stage where it is: a shard that reads, or one that holds it for state, timers or
// elements that wait.
struct watermark_hold {
  std::string stage;
  timestamp at;
  std::string step;  // the first transform of the stage that holds it, which may be the same or one before
  std::uint32_t shard = 0;
  std::string split = {};  // that the shard reads, if its source names it

  friend bool operator==(const watermark_hold&, const watermark_hold&) = default;
};

// `stage "B" at watermark 12000: step "A", shard 1, split "P1"`.
[[nodiscard]] std::string to_text(const watermark_hold& of);

// One for each stage whose output watermark is not at its end, in the order of the plan.
[[nodiscard]] std::vector<watermark_hold> watermark_holds(const graph& of, const plan& in,
                                                          const std::vector<shard_report>& shards);

// What an edge has carried since the last rewind. A stage that has sent due timers to its own shards has an edge to
// itself.
struct edge_report {
  std::string from;  // the stage's name
  std::string to;
  std::string codec;  // "none" or "zstd"
  bool lifted = false;
  edge_traffic traffic;
};

// What is known of a job: while it runs, a picture of the moment; after it, the result.
struct job_report {
  job_state state = job_state::running;
  std::string job;
  std::string error;               // of a failed job: step, element and cause
  std::uint64_t epoch = 0;         // the last complete one
  std::uint64_t resumed_from = 0;  // the epoch of the store it began with; 0: it began anew
  std::uint32_t rewinds = 0;
  // Metrics by transform path, over all shards. `metrics` is what stands at the moment: every bundle that has been
  // processed and not been taken back counts once. `committed` is what the last complete epoch contains, which no crash
  // can take back; of a job that has ended well the two are equal. `attempted` has everything that was done since the
  // process began, beside what it resumed with: work that a rewind took back, and calls that failed, as well.
  std::map<std::string, metric_board> metrics;
  std::map<std::string, metric_board> committed;
  std::map<std::string, metric_board> attempted;
  std::vector<graph_warning> warnings;  // what is doubtful about the pipeline
  std::vector<std::string> notices;     // what happened and is seldom meant, the last of it: see notices.hpp
  std::vector<watermark_hold> holds;    // while it runs
  std::vector<shard_report> shards;
  std::vector<edge_report> edges;

  [[nodiscard]] std::uint64_t dropped(const std::string& cause) const;
  [[nodiscard]] bool succeeded() const { return state == job_state::done || state == job_state::drained; }
};

}  // namespace millrace
