#include <millrace/transforms/graph/graph.hpp>

#include <algorithm>

namespace millrace {

std::vector<node_id> graph::consumers(collection_id id) const {
  std::vector<node_id> found;
  for (const node& n : nodes_)
    if (std::ranges::count(n.inputs, id) > 0 || std::ranges::count(n.views, id) > 0) found.push_back(n.id);
  return found;
}

std::string graph::path_of(std::string_view name) const {
  std::string path;
  for (const auto& c : composites_) path += c + "/";
  return path += name;
}

const node& graph::add(std::string_view name, node added, const std::vector<output_spec>& outputs) {
  if (name.empty())
    throw pipeline_error(
        "a transform of pipeline \"" + name_
        + "\" has an empty name; the name addresses its state and appears in every error, so give it one");
  if (name.find('/') != std::string_view::npos)
    throw pipeline_error(std::string(name), "a name must not contain '/', which separates composites in a path");
  added.id = static_cast<node_id>(nodes_.size());
  added.path = path_of(name);
  if (!paths_.insert(added.path).second)
    throw pipeline_error(added.path, "the name is taken by another transform of the pipeline; give each its own");
  for (const auto& o : outputs) {
    collection c;
    c.id = static_cast<collection_id>(collections_.size());
    c.producer = added.id;
    c.output = static_cast<std::uint32_t>(added.outputs.size());
    c.type = o.type;
    c.windowing = o.windowing;
    c.bounded = o.bounded;
    added.outputs.push_back(c.id);
    collections_.push_back(std::move(c));
  }
  return nodes_.emplace_back(std::move(added));
}

void graph::open_composite(std::string_view name) {
  if (name.empty() || name.find('/') != std::string_view::npos)
    throw pipeline_error(path_of(name), "a composite needs a name without '/'");
  composites_.emplace_back(name);
}

void graph::close_composite() {
  check(!composites_.empty(), "a composite is open when one is closed");
  composites_.pop_back();
}

}  // namespace millrace
