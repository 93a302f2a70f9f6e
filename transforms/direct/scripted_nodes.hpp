#pragma once

#include <millrace/transforms/graph/graph.hpp>
#include <millrace/transforms/operators/operator.hpp>

#include <memory>

namespace millrace {

// The operator of a node that plays a test stream, to read its script; null for any other node.
[[nodiscard]] std::unique_ptr<stage_operator> test_stream_of(const node& n, const stage_clock& clock,
                                                             metric_board& metrics);

// The first node of a graph that plays a test stream, which only a simulation or the direct runner can do; null if
// there is none.
[[nodiscard]] const node* first_test_stream(const graph& of);

}  // namespace millrace
