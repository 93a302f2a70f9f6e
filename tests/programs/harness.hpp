#pragma once

#include "outputs.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace millrace::programs {

// How the rows of a free-running program are compared: by what the model fixes whatever the order of the actors.
enum class reading : std::uint8_t {
  rows,         // every row with its window: programs with one pane for each key and window
  stamped,      // the same with timestamp and pane
  last_pane,    // of each label, key (the first word) and window the row of the highest pane: accumulating panes
  summed_panes  // of each label, key and window the sum of the last words: discarding panes of counts and sums
};

// One program of the suite. What it must give stands in expected/NAME.txt, which comes from work by hand or from a
// script beside it, never from a runner. Lines there may be in any order; those that begin with # are remarks. Metrics
// that user functions keep, and dropped elements, are lines of the result too.
struct program {
  std::string name;
  std::function<void(pipeline&, outputs&)> build;
  reading as = reading::rows;
};

// Plays a program with test streams on the direct runner and in simulations: with 1, 2, 4 and 7 shards, fused or not,
// in several orders of actors. Every pane, timestamp and drop must be as expected.
void check_scripted(const program& of);

// Runs a program over bounded inputs on the direct runner, on the actor runtime with two threads (all pairs of 1, 2, 4
// and 7 shards, bundles of 1, 7 and 1000 rows, and compression on and off), and in 200 seeded simulations, of which at
// least 100 must have run their actors in different orders.
void check_free_running(const program& of);

// Runs a free-running program in 100 seeded simulations in which three random shards die at random moments: the result
// is as expected, and most kills cost a rewind.
void check_with_kills(const program& of);

}  // namespace millrace::programs
