#pragma once

#include <millrace/transforms/direct/observation.hpp>
#include <millrace/transforms/pipeline.hpp>
#include <millrace/transforms/transcripts/case_programs.hpp>
#include <millrace/transforms/transcripts/transcript_case.hpp>

#include <optional>
#include <string>
#include <vector>

namespace millrace::transcripts {

// How a step of a case runs where the fast path is on: as `explain` says.
struct step_path {
  std::string step;     // the transform's path
  std::string why_not;  // why it takes the general path; empty: it takes the fast one
};

// A case as a pipeline that the public interface of the library builds: a test stream of its elements and watermarks,
// another of its side input, its steps, and two sinks. Must stay where it is while a job runs it.
class case_pipeline {
 public:
  // The name of the transform that sees what comes out of the last step.
  static constexpr const char* last = "outputs";

  // Throws pipeline_error where the model refuses the case.
  explicit case_pipeline(const transcript_case& of);

  [[nodiscard]] const pipeline& description() const { return pipeline_; }
  // The event of the test streams that plays event `i` of the case; none for one that moves nothing, or the clock.
  [[nodiscard]] std::optional<std::size_t> scripted(std::size_t i) const { return scripted_.at(i); }
  // What came out since this was asked last.
  [[nodiscard]] std::vector<recorded<case_row>> take() const { return seen_.take(); }
  // What has been committed.
  [[nodiscard]] std::vector<recorded<case_row>> committed() const { return committed_.rows(); }
  // Of each step that combines.
  [[nodiscard]] std::vector<step_path> paths() const;

 private:
  // The collections of the elements of the case and, if it has one, of its side input.
  std::vector<pcollection<case_row>> add_inputs(const transcript_case& of);

  pipeline pipeline_;
  std::vector<std::optional<std::size_t>> scripted_;
  observation<case_row> seen_;
  recording<case_row> committed_;
};

}  // namespace millrace::transcripts
