#pragma once

#include <millrace/transforms/transcripts/transcript_case.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace millrace::transcripts {

// Reads an event, of which `words` are the words. Throws std::invalid_argument for what is none.
[[nodiscard]] case_event event_of(const std::vector<std::string>& words, const std::string& line, std::uint32_t number);

// Reads an expectation. Throws std::invalid_argument for what is none.
[[nodiscard]] expected_line expected_line_of(const std::string& line, std::uint32_t number);

}  // namespace millrace::transcripts
