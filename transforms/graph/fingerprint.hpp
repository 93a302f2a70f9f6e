#pragma once

#include <millrace/transforms/graph/graph.hpp>

#include <string>

namespace millrace {

// 16 hexadecimal digits that tell graphs apart: of the names, operators, connections, coders and windowing of all
// transforms. Equal programs give equal fingerprints in every process, and any change of these gives another. The name
// of the pipeline is not part of it, nor are the bodies of functions, which nobody can see.
[[nodiscard]] std::string fingerprint(const graph& of);

}  // namespace millrace
