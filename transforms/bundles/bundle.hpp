#pragma once

#include <millrace/transforms/bundles/column.hpp>
#include <millrace/transforms/element/stamp.hpp>
#include <millrace/transforms/element/watermark.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace millrace {

// Consecutive rows of a bundle that share one context. A batch that straddles the end of a window is appended window by
// window, so that a keyed consumer looks a window up once per run.
struct row_run {
  std::uint32_t end = 0;      // one past its last row
  std::uint32_t context = 0;  // index into the bundle's contexts
};

// A timer that is due: part of a bundle that a shard makes for itself, so that elements and timers share one path.
struct bundle_timer {
  std::string key;  // key bytes
  window in;
  std::uint32_t cell = 0;  // which timer of the function
  std::string tag = {};    // which of it, if it is a family
  bool processing_time = false;
  timestamp fires;   // the time it was set for
  timestamp output;  // its output timestamp

  friend bool operator==(const bundle_timer&, const bundle_timer&) = default;
};

// What a sender says besides its rows. Filled by the runner when the bundle leaves.
struct bundle_header {
  std::uint64_t generation = 0;  // of the job; anything older is dropped on arrival
  std::uint32_t edge = 0;        // which edge of the plan
  std::uint32_t sender = 0;      // which sender of that edge
  std::uint64_t sequence = 0;    // counts the bundles of this sender on this edge, to this shard
  watermark mark;                // the sender's output watermark behind these rows
  std::uint64_t barrier = 0;     // nonzero: these rows end epoch `barrier`
  bool accumulators = false;     // the values are partial accumulators (a lifted combine), not inputs

  friend bool operator==(const bundle_header&, const bundle_header&) = default;
};

// The unit of transport, credit and atomicity: rows as columns, runs of contexts, timers and a watermark. In a process
// the columns are raw memory, so that writing is the encoding and reading is a view; encode() packs the whole for a
// wire or a disk. An edge without keys leaves `keys` empty; an empty `times` column means that all rows are at `least`.
struct bundle {
  bundle_header header;
  std::uint32_t rows = 0;
  timestamp least;  // bounds of the rows' times
  timestamp greatest;
  column times;  // of timestamp
  column keys;
  column values;
  std::vector<context> contexts;
  std::vector<row_run> runs;
  std::vector<bundle_timer> timers;

  // Empties it for a new use; the columns keep their memory.
  void clear(std::uint32_t key_width, std::uint32_t value_width);
  [[nodiscard]] bool has_times() const { return times.rows() > 0; }
  [[nodiscard]] timestamp time_at(std::uint32_t row) const {
    return has_times() ? timestamp{value_at<std::int64_t>(times, row)} : least;
  }
  // Memory of its rows and timers: what credit counts and a report calls raw bytes.
  [[nodiscard]] std::size_t size_bytes() const;

  void encode(writer& to) const;
  // Throws decode_error, with the position, when the bytes are not one whole bundle.
  static void decode(reader& from, bundle& to);
};

using bundle_ptr = std::shared_ptr<bundle>;

void encode_context(writer& to, const context& c);
context decode_context(reader& from);

}  // namespace millrace
