#pragma once

#include <millrace/transforms/transcripts/transcript_case.hpp>

#include <set>
#include <string>
#include <vector>

namespace millrace::transcripts {

// Reads the settings of a case, one a line, and sees that each is written once a step. Begins with the defaults of the
// first step.
class setting_lines {
 public:
  // Takes a line of settings; false if it is none. Throws std::invalid_argument for a setting that cannot be.
  bool take(transcript_case& to, const std::vector<std::string>& words, const std::string& line);

 private:
  void note_once(const std::string& name);
  // A step's settings may be written again for the next.
  void begin_step();

  std::set<std::string> written_;  // of the step, and of the whole case
};

// The steps of a program that replaces one with these: each setting is `[step N] NAME …`, of the first step if none is
// named. Throws std::invalid_argument for one that cannot be.
[[nodiscard]] std::vector<case_step> updated_steps(std::vector<case_step> steps,
                                                   const std::vector<std::string>& settings);

// A part of a message, in quotes: from `line`, which names what it belongs to.
[[nodiscard]] std::string quoted_part(const std::string& line);

// The first step of a case, in which every setting has its default.
[[nodiscard]] case_step first_step();

}  // namespace millrace::transcripts
