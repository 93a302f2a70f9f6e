#pragma once

#include <millrace/transforms/element/time.hpp>

namespace millrace {

// A sender's promise that no element with an earlier timestamp will follow (later ones are late by definition). An idle
// sender promises nothing for the moment and is left out of the minimum; at = max() means that it has ended.
struct watermark {
  timestamp at = timestamp::min();
  bool idle = false;

  friend bool operator==(const watermark&, const watermark&) = default;
};

}  // namespace millrace
