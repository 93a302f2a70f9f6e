#include <millrace/transforms/graph/describe.hpp>

namespace millrace {

namespace {

// Which output of which transform: "split" or "split[1]".
std::string name_of(const graph& of, collection_id id) {
  const collection& c = of.collection_at(id);
  const node& n = of.at(c.producer);
  return n.outputs.size() > 1 ? n.path + "[" + std::to_string(c.output) + "]" : n.path;
}

std::string text_of(const graph& of) {
  std::string text;
  for (const node& n : of.nodes()) {
    text += n.path + ": " + n.spec->describe() + "\n";
    for (const collection_id c : n.inputs) text += "  reads " + name_of(of, c) + "\n";
    for (const collection_id c : n.views) text += "  side input " + name_of(of, c) + "\n";
    for (const collection_id c : n.outputs) text += "  gives " + describe(of.collection_at(c)) + "\n";
  }
  return text;
}

diagram drawn(const graph& of) {
  diagram d(of.name());
  const auto box_of = [](node_id id) { return "n" + std::to_string(id); };
  for (const node& n : of.nodes()) d.add(diagram::box{box_of(n.id), {n.path, n.spec->describe()}, ""});
  for (const node& n : of.nodes()) {
    const auto draw = [&](collection_id c, bool side) {
      d.add(diagram::arrow{box_of(of.collection_at(c).producer), box_of(n.id), of.collection_at(c).type->coder.name(),
                           side});
    };
    for (const collection_id c : n.inputs) draw(c, false);
    for (const collection_id c : n.views) draw(c, true);
  }
  return d;
}

}  // namespace

std::string describe(const collection& c) {
  return std::string(c.bounded ? "bounded " : "unbounded ") + c.type->coder.name() + ", " + c.windowing.describe();
}

std::string describe(const graph& of, diagram_format as) {
  switch (as) {
  case diagram_format::text:
    return text_of(of);
  case diagram_format::dot:
    return drawn(of).dot();
  case diagram_format::mermaid:
    return drawn(of).mermaid();
  }
  return {};
}

}  // namespace millrace
