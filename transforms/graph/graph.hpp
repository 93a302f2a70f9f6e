#pragma once

#include <millrace/transforms/graph/node.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace millrace {

// A pipeline that cannot be right. The message names the transform by its full path, says what is wrong and what to do.
// Thrown while a graph is built or validated, always before anything runs.
class pipeline_error : public std::runtime_error {
 public:
  pipeline_error(const std::string& path, const std::string& what)
      : std::runtime_error("transform \"" + path + "\": " + what) {}
  using std::runtime_error::runtime_error;
};

// What a node produces on one output.
struct output_spec {
  const element_type* type = nullptr;
  windowing_strategy windowing;
  bool bounded = true;
};

// A whole pipeline as data. Nodes and collections are numbered in the order in which they were added, which is a
// topological one. Building it reads no data.
class graph {
 public:
  explicit graph(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<collection>& collections() const { return collections_; }
  [[nodiscard]] const node& at(node_id id) const { return nodes_.at(id); }
  [[nodiscard]] const collection& collection_at(collection_id id) const { return collections_.at(id); }
  // The nodes that read a collection as a main input or as a view, in order.
  [[nodiscard]] std::vector<node_id> consumers(collection_id id) const;

  // Adds a node named `name` inside the composites that are open. Its id and paths are assigned here. Throws
  // pipeline_error for an empty or repeated path and for a name with a '/'.
  const node& add(std::string_view name, node added, const std::vector<output_spec>& outputs);

  // The full path that a transform of this name would get now: for errors raised before it is added.
  [[nodiscard]] std::string path_of(std::string_view name) const;
  // Opens and closes a composite, whose name prefixes the paths of what is added meanwhile.
  void open_composite(std::string_view name);
  void close_composite();
  // Triggers that may finish and lose data are refused unless the pipeline allows them.
  void allow_unsafe_triggers() { unsafe_triggers_ = true; }
  [[nodiscard]] bool unsafe_triggers_allowed() const { return unsafe_triggers_; }

 private:
  std::string name_;
  std::vector<node> nodes_;
  std::vector<collection> collections_;
  std::unordered_set<std::string> paths_;
  std::vector<std::string> composites_;
  bool unsafe_triggers_ = false;
};

}  // namespace millrace
