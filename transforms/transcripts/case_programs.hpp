#pragma once

#include <millrace/transforms/element/kv.hpp>
#include <millrace/transforms/pcollection.hpp>
#include <millrace/transforms/transcripts/transcript_case.hpp>

#include <string>
#include <vector>

namespace millrace::transcripts {

// The element of every step of a case.
using case_row = kv<std::string, std::string>;

// Applies a stateful program of transcripts, each step of it named by `prefix` and what it is. Throws pipeline_error
// where state is refused.
[[nodiscard]] pcollection<case_row> add_program(const pcollection<case_row>& in, const case_transform& of,
                                                const std::string& prefix);

}  // namespace millrace::transcripts
