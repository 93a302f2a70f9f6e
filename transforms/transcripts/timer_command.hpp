#pragma once

#include <millrace/transforms/element/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace millrace::transcripts {

// What a value tells the program `timers` to do: "A=5", "A~9/3", "A=5/none>-B", "-A".
struct timer_command {
  enum class kind : std::uint8_t { event, clock, clear };

  kind is = kind::event;
  std::string name = {};
  timestamp fires = {};
  bool no_output = false;
  std::optional<timestamp> output = {};
  std::string then = {};  // the command to run when it fires
};

// The command, or nothing if the value is none and just passed on.
[[nodiscard]] std::optional<timer_command> timer_command_of(std::string_view value);

}  // namespace millrace::transcripts
