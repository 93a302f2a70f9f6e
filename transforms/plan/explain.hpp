#pragma once

#include <millrace/transforms/graph/diagram.hpp>
#include <millrace/transforms/plan/plan.hpp>

#include <string>
#include <string_view>

namespace millrace {

// A plan for people: every stage with its shards and transforms, the edges with their routing, whether a combine is
// lifted before its shuffle and whether it takes the fast path, and if not, why; as text, the graph's warnings too.
// `plan` must be of this graph.
[[nodiscard]] std::string explain(const graph& of, const plan& in, diagram_format as = diagram_format::text);

// "by key", "spread", "broadcast" or "forward".
[[nodiscard]] std::string_view routing_text(routing by);

}  // namespace millrace
