#pragma once

#include <millrace/transforms/element/stamp.hpp>
#include <millrace/transforms/transcripts/transcript_case.hpp>

#include <string>
#include <vector>

namespace millrace::transcripts {

// An output of the last step of a case, as it came.
struct case_output {
  std::string key;
  std::string value;
  stamp at;
};

// How a bag of values is written: "{a,b}", in order.
[[nodiscard]] std::string bag_text(std::vector<std::string> values);

// Whether an output is what a line expects. Bags are equal in any order, numbers with a point to six places.
[[nodiscard]] bool agrees(const case_output& output, const expected_output& expected);

// The output as a line of a transcript.
[[nodiscard]] std::string text_of(const case_output& output);

}  // namespace millrace::transcripts
