#pragma once

#include <millrace/transforms/direct/job_session.hpp>
#include <millrace/transforms/pipeline.hpp>
#include <millrace/transforms/transcripts/case_pipeline.hpp>
#include <millrace/transforms/transcripts/transcript_case.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace millrace::transcripts {

// Begins a job of a case on the runner that plays it.
using session_maker = std::function<std::unique_ptr<job_session>(const pipeline&)>;

// How a case went on one runner.
struct case_result {
  // What came out otherwise than it is written, a line each, in the order of events: an event's own line first, what
  // was missing and unexpected below it.
  std::vector<std::string> differences;
  std::vector<step_path> paths;  // none if building was refused

  // A case that is marked wrong must have a difference, any other none.
  [[nodiscard]] bool passed(const transcript_case& of) const { return of.wrong != differences.empty(); }
};

// Plays a case event by event and compares what comes out at each, what has been committed at the end, and what the job
// is asked for: watermark, drops, state.
[[nodiscard]] case_result play_case(const transcript_case& of, const session_maker& make);

}  // namespace millrace::transcripts
