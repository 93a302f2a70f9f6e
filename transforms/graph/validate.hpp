#pragma once

#include <millrace/transforms/graph/graph.hpp>

#include <string>
#include <vector>

namespace millrace {

// What is wrong with a graph, a sentence each, with the path of the transform: everything that can be known before
// anything runs. Front ends refuse most mistakes where they are made; this also judges graphs that came another way.
[[nodiscard]] std::vector<std::string> graph_faults(const graph& of);

// Throws pipeline_error listing all faults, if there are any.
void validate(const graph& of);

}  // namespace millrace
