#include <millrace/transforms/transcripts/timer_command.hpp>
#include <millrace/transforms/transcripts/words.hpp>

#include <algorithm>
#include <stdexcept>

namespace millrace::transcripts {

namespace {

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && letter(text[0]) && std::ranges::all_of(text, [&](char c) { return letter(c) || digit(c); });
}

}  // namespace

std::optional<timer_command> timer_command_of(std::string_view value) {
  if (value.starts_with('-') && is_name(value.substr(1)))
    return timer_command{.is = timer_command::kind::clear, .name = std::string(value.substr(1))};
  const std::size_t sign = value.find_first_of("=~");
  if (sign == std::string_view::npos || !is_name(value.substr(0, sign))) return std::nullopt;
  timer_command made{.is = value[sign] == '=' ? timer_command::kind::event : timer_command::kind::clock,
                     .name = std::string(value.substr(0, sign))};
  std::string_view times = value.substr(sign + 1);
  if (const std::size_t then = times.find('>'); then != std::string_view::npos) {
    made.then = std::string(times.substr(then + 1));
    if (!timer_command_of(made.then)) return std::nullopt;
    times = times.substr(0, then);
  }
  try {
    const std::size_t slash = times.find('/');
    made.fires = time_of(times.substr(0, slash));
    if (slash != std::string_view::npos) {
      made.no_output = times.substr(slash + 1) == "none";
      if (!made.no_output) made.output = time_of(times.substr(slash + 1));
    }
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  return made;
}

}  // namespace millrace::transcripts
