#pragma once

#include <millrace/transforms/operators/element_type.hpp>
#include <millrace/transforms/operators/operator.hpp>
#include <millrace/transforms/windows/windowing.hpp>

#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

namespace millrace {

using node_id = std::uint32_t;
using collection_id = std::uint32_t;

// One transform of a graph: a name that is unique and addresses its state, what it reads and what it produces. Data
// only: the typed front end is one producer of it, and nothing that plans or runs it knows the element types.
struct node {
  node_id id = 0;
  std::string path;  // the full name, composites first: "outer/inner"
  std::shared_ptr<const operator_spec> spec;
  std::vector<collection_id> inputs;  // main inputs; several only for flatten
  std::vector<collection_id> views;   // side inputs: outputs of view nodes, in the order of the operator's views
  std::vector<collection_id> outputs;
  std::source_location where;  // where the user applied it
};

// One collection of a graph: what its elements are and how they are windowed.
struct collection {
  collection_id id = 0;
  node_id producer = 0;
  std::uint32_t output = 0;  // which output of the producer
  const element_type* type = nullptr;
  windowing_strategy windowing;
  bool bounded = true;
};

}  // namespace millrace
