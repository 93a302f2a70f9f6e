#pragma once

#include <millrace/transforms/graph/diagram.hpp>
#include <millrace/transforms/graph/graph.hpp>

#include <string>

namespace millrace {

// A graph as its program wrote it, before it is divided into stages: every transform with what it reads and gives. The
// text is exact: two graphs with equal text do the same. Names of functions and source places are not in it.
[[nodiscard]] std::string describe(const graph& of, diagram_format as = diagram_format::text);

// One collection: its element type, boundedness and windowing.
[[nodiscard]] std::string describe(const collection& c);

}  // namespace millrace
