#pragma once

#include "harness.hpp"

#include <millrace/transforms/metrics/metric_board.hpp>

#include <map>
#include <string>
#include <vector>

namespace millrace::programs {

using metrics_by_step = std::map<std::string, metric_board>;

// A result as sorted lines: the rows, then `dropped STEP CAUSE = N`, `counter STEP NAME = N` and the like.
[[nodiscard]] std::vector<std::string> lines_of(const outputs& shown, reading as, const metrics_by_step& metrics);
// The same with full stamps: `value [0,10) @9 ON_TIME 0/0 F`.
[[nodiscard]] std::vector<std::string> stamped_lines_of(const outputs& shown, const metrics_by_step& metrics);
// A stamp as these lines have it: `[0,10) @9 ON_TIME 0/0 F`.
[[nodiscard]] std::string text_of_stamp(const stamp& at);
// The sorted lines of expected/NAME.txt without its remarks.
[[nodiscard]] std::vector<std::string> expected_lines(const std::string& name);
// What two sorted lists do not share, one line each; empty if they are equal.
[[nodiscard]] std::string difference(const std::vector<std::string>& expected, const std::vector<std::string>& found);

}  // namespace millrace::programs
