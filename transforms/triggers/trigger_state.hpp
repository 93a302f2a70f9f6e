#pragma once

#include <millrace/transforms/coders/reader.hpp>
#include <millrace/transforms/coders/writer.hpp>
#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/triggers/trigger_program.hpp>

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace millrace {

// What a trigger may look at besides its own state.
struct trigger_facts {
  timestamp watermark;   // of the input
  timestamp clock;       // processing time; upstream's synchronized time is taken to be the same
  timestamp window_max;  // the last instant of the window

  // The watermark has passed the end of the window.
  [[nodiscard]] bool past_end() const { return watermark > window_max; }
};

// The state of a trigger for one (key, window): which of its nodes have finished, what they have counted, and the times
// they wait for. It is interpreted by the program it was made with, and by no other. The owner tells it of elements and
// merges, asks after each bundle and timer whether it is ready, and tells it that it fired.
class trigger_state {
 public:
  trigger_state() = default;
  explicit trigger_state(const trigger_program& program);

  // An element came to the window.
  void on_element(const trigger_program& program, const trigger_facts& facts);
  // Becomes the state of a window that all of `merging` have become. `survivor` is the one of them that already was
  // that window, or null.
  void on_merge(const trigger_program& program, std::span<const trigger_state* const> merging,
                const trigger_state* survivor, const trigger_facts& facts);
  // The window should give a pane now.
  [[nodiscard]] bool ready(const trigger_program& program, const trigger_facts& facts) const;
  // The window gives a pane, because it is ready.
  void on_fire(const trigger_program& program, const trigger_facts& facts);
  // It will not fire again.
  [[nodiscard]] bool finished() const { return finished_at(0); }
  // The earliest processing time above which it may become ready without an element. The end of the window it does not
  // tell, since every window is looked at then.
  [[nodiscard]] std::optional<timestamp> next_clock(const trigger_program& program, const trigger_facts& facts) const;

  // Becomes the state of a window that another trigger has watched until now: as if what waits in it (`fresh`) had come
  // as one element. Where the watermark has passed its end, the pane on time is behind it, unless the trigger would
  // finish with that.
  void take_over(const trigger_program& program, bool fresh, bool past_end, const trigger_facts& facts);

  void encode(writer& out) const;
  // Passes over a state of another program, with so many words and slots.
  static void skip(reader& in, std::size_t words, std::size_t slots);
  static trigger_state decode(const trigger_program& program, reader& in);

  friend bool operator==(const trigger_state&, const trigger_state&) = default;

 private:
  friend class trigger_view;
  friend class trigger_walk;

  [[nodiscard]] bool finished_at(std::size_t node) const { return (finished_[node / 64] >> (node % 64) & 1U) != 0; }
  void set_finished(std::size_t node, bool value) {
    const std::uint64_t mask = std::uint64_t{1} << (node % 64);
    finished_[node / 64] = value ? finished_[node / 64] | mask : finished_[node / 64] & ~mask;
  }

  boost::container::small_vector<std::uint64_t, 1> finished_ = {0};  // a bit a node
  boost::container::small_vector<std::int64_t, 1> slots_;            // counters and targets
};

}  // namespace millrace
