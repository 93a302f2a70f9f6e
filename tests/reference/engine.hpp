#pragma once

#include "chain.hpp"
#include "program.hpp"
#include "side.hpp"

#include <cstddef>
#include <vector>

namespace reference {

// A pipeline that runs in one thread, one event at a time, as plainly as it can. It is a value: a copy is a snapshot.
class engine {
 public:
  // Throws refusal where the pipeline must not be built.
  explicit engine(const program& what);

  // Deals with an event until nothing is left to do. Checkpoints and crashes are for `job`.
  report apply(const event& what);

  // How the pipeline stands.
  [[nodiscard]] report look() const;

 private:
  std::vector<bundle> run(const event& what);
  std::vector<bundle> move_main(std::vector<bundle> bundles, bool draining);
  void move_side(std::vector<bundle> bundles, bool draining);

  chain main_;
  chain side_;
  chain entries_;  // groups what the side chain gives out, for the view
  side_view view_;
  instant watermark_ = min_time;
  instant side_watermark_ = min_time;
  instant clock_ = 0;
  job_state state_ = job_state::running;
  std::string error_;
};

// An engine that can crash: it goes back to the last checkpoint, and what has happened since then happens again.
class job {
 public:
  // Throws refusal where the pipeline must not be built.
  explicit job(const program& what);

  // Returns what is to be seen after the event. Outputs that a replay repeats are not in it.
  report apply(const event& what);

 private:
  struct past_event {
    event what;
    std::vector<output> outputs;
  };

  report recover(const event& crash);
  report apply_and_note(const event& what);

  engine now_;
  engine saved_;
  std::vector<past_event> since_;
};

}  // namespace reference
