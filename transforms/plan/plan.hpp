#pragma once

#include <millrace/transforms/graph/graph.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace millrace {

using stage_id = std::uint32_t;
using edge_id = std::uint32_t;

// How a stage begins.
enum class stage_begin : std::uint8_t {
  source,  // its first node reads
  keyed,   // its first node is keyed, behind shuffles by key
  rows     // a bundle reader or a node that reads bundles, behind edges without keys
};

// What is compressed on an edge. `automatic` compresses what leaves the process.
enum class edge_compression : std::uint8_t { automatic, none, zstd };

// A shuffle, or any other way from one stage to another. An edge of a side input names the consuming node and view.
struct edge_plan {
  edge_id id = 0;
  collection_id of = 0;  // the collection whose elements travel
  stage_id from = 0;
  stage_id to = 0;
  routing by = routing::spread;
  bool lift = false;                    // the sender aggregates partially
  std::optional<node_id> view_of = {};  // the node that reads it as a side input
  std::uint32_t view = 0;               // and which of its views it is
};

// A link inside a stage: the elements of a collection reach main input `port` of a node of the same stage.
struct link_plan {
  collection_id of = 0;
  node_id to = 0;
};

// A fused stage: what one actor of it runs. Its nodes stand in the order in which elements pass them.
struct stage_plan {
  stage_id id = 0;
  std::string name;  // the path of its first node
  stage_begin begin = stage_begin::rows;
  std::optional<collection_id> rows;  // what its bundle reader hands on, if it begins with one
  std::uint32_t shards = 1;
  std::vector<node_id> nodes;
  std::vector<link_plan> links;
  std::vector<edge_id> inputs;  // main inputs
  std::vector<edge_id> views;   // side inputs
  std::vector<edge_id> outputs;
};

// A graph made ready to run: stages, and the edges between them, which form no cycle. Equal graphs and options give
// equal plans on every node of a cluster.
struct plan {
  std::vector<stage_plan> stages;  // in an order in which every edge points forward
  std::vector<edge_plan> edges;
};

// What a plan depends on besides the graph.
struct plan_options {
  std::uint32_t shards = 1;     // of every stage that does not fix its own
  bool fuse = true;             // off: every node begins a stage of its own
  bool lift_combiners = false;  // aggregate before shuffles where it is legal
};

// Divides a graph into stages: element-wise nodes join the stage of their input; shuffles, reads and reshuffles begin
// one; so does a node whose side input comes from behind its own stage. Throws pipeline_error for an empty graph.
plan make_plan(const graph& of, const plan_options& options);

}  // namespace millrace
