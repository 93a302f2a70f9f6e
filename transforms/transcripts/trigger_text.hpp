#pragma once

#include <millrace/transforms/triggers/trigger.hpp>

#include <string_view>

namespace millrace::transcripts {

// Reads a trigger as transcripts write it: "repeat(first(count 3, delay 10)) until at_watermark". Throws
// std::invalid_argument saying what it misses.
[[nodiscard]] trigger trigger_of(std::string_view text);

}  // namespace millrace::transcripts
