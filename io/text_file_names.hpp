#pragma once

#include <millrace/transforms/element/stamp.hpp>

#include <cstdint>
#include <string>

namespace millrace {

// How a file name tells the pane of a window: only its index where the window has several panes
// (`out-START-END-1-00002-of-00005.txt`), or in words, always (`outSTART-END-pane-3-late-last-00002-of-00005.txt`).
// These are the two forms that users of the model know.
enum class file_naming : std::uint8_t { short_panes, spelled_panes };

// What the name of an output file is made of.
struct text_file_name {
  std::string prefix = {};
  std::string suffix = {};
  window in = window::global();
  pane_info pane = {};
  std::uint32_t shard = 0;
  std::uint32_t shards = 1;
  file_naming naming = file_naming::short_panes;
};

// prefix[-start-end][-pane]-SSSSS-of-NNNNN + suffix; window and pane are left out for the global window without panes.
[[nodiscard]] std::string name_of(const text_file_name& file);

}  // namespace millrace
