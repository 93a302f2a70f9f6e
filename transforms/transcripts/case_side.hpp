#pragma once

#include <millrace/transforms/pcollection.hpp>
#include <millrace/transforms/transcripts/case_programs.hpp>
#include <millrace/transforms/transcripts/transcript_case.hpp>

#include <string>

namespace millrace::transcripts {

// A step that puts behind the value of each row what it reads in a side input: the value of a singleton, "{a,b}" of a
// list, "{k=a,l=b}" of a map, "{k={a,b}}" of a multimap, in order. Throws pipeline_error where the model refuses it.
[[nodiscard]] pcollection<case_row> add_reader(const pcollection<case_row>& in, const pcollection<case_row>& side,
                                               const case_transform& of, const std::string& prefix);

}  // namespace millrace::transcripts
