#pragma once

#include <millrace/transforms/transcripts/transcript_case.hpp>

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace millrace::transcripts {

// All cases of a file, in its order. Throws transcript_error for a file that cannot be read, and for the first line
// that the grammar does not know, naming both.
[[nodiscard]] std::vector<transcript_case> read_transcripts(const std::filesystem::path& file);

// The same from a stream; `name` stands for the file in errors.
[[nodiscard]] std::vector<transcript_case> read_transcripts(std::istream& in, const std::string& name);

}  // namespace millrace::transcripts
