#include <millrace/transforms/graph/warnings.hpp>
#include <millrace/transforms/plan/explain.hpp>

namespace millrace {

namespace {

std::string shards_text(const stage_plan& s) {
  return std::to_string(s.shards) + (s.shards == 1 ? " shard" : " shards");
}

std::string begin_text(stage_begin begin) {
  switch (begin) {
  case stage_begin::source:
    return "reads a source";
  case stage_begin::keyed:
    return "behind a shuffle by key";
  case stage_begin::rows:
    return "behind edges without keys";
  }
  return {};
}

const operator_spec* combine_behind(const graph& of, const plan& in, const edge_plan& e) {
  const stage_plan& to = in.stages[e.to];
  return e.by == routing::by_key && !to.nodes.empty() ? of.at(to.nodes.front()).spec.get() : nullptr;
}

// "by key, lifted", "by key, not lifted: ...", "broadcast as side input 0 of "join"".
std::string edge_text(const graph& of, const plan& in, const edge_plan& e) {
  std::string text(routing_text(e.by));
  if (e.view_of) return text + " as side input " + std::to_string(e.view) + " of \"" + of.at(*e.view_of).path + "\"";
  const operator_spec* keyed = combine_behind(of, in, e);
  if (!keyed) return text;
  if (e.lift) return text + ", lifted";
  const std::string why = keyed->why_not_lifted();
  return text + ", not lifted: " + (why.empty() ? "lifting is off" : why);
}

std::string node_text(const node& n) {
  std::string text = n.path + ": " + n.spec->describe();
  if (n.spec->kind() != operator_kind::keyed) return text;
  const std::string why = n.spec->why_not_fast();
  return text + (why.empty() ? " (fast path)" : " (general path: " + why + ")");
}

std::string text_of(const graph& of, const plan& in) {
  std::string text;
  for (const stage_plan& s : in.stages) {
    text +=
        "stage " + std::to_string(s.id) + " \"" + s.name + "\", " + shards_text(s) + ", " + begin_text(s.begin) + "\n";
    for (const node_id n : s.nodes) text += "  " + node_text(of.at(n)) + "\n";
    for (const edge_id id : s.outputs) {
      const edge_plan& e = in.edges[id];
      text += "  -> stage " + std::to_string(e.to) + " \"" + in.stages[e.to].name
              + "\": " + of.collection_at(e.of).type->coder.name() + ", " + edge_text(of, in, e) + "\n";
    }
  }
  for (const graph_warning& w : graph_warnings(of)) text += to_text(w) + "\n";
  return text;
}

std::string stage_box(stage_id s) {
  return "stage" + std::to_string(s);
}

// Boxes are transforms grouped by stage; a stage without any, which only brings collections together, is one box.
diagram drawn(const graph& of, const plan& in) {
  diagram d(of.name());
  const auto node_box = [](node_id n) { return "n" + std::to_string(n); };
  const auto last_box = [&](const stage_plan& s, collection_id c) {
    for (const node_id n : s.nodes)
      if (of.collection_at(c).producer == n) return node_box(n);
    return "head" + std::to_string(s.id);
  };
  for (const stage_plan& s : in.stages) {
    d.title(stage_box(s.id), s.name + ", " + shards_text(s));
    if (s.rows)
      d.add(diagram::box{"head" + std::to_string(s.id),
                         {"receives " + of.collection_at(*s.rows).type->coder.name()},
                         stage_box(s.id)});
    for (const node_id n : s.nodes)
      d.add(diagram::box{node_box(n), {of.at(n).path, of.at(n).spec->describe()}, stage_box(s.id)});
    for (const link_plan& l : s.links) d.add(diagram::arrow{last_box(s, l.of), node_box(l.to), ""});
  }
  for (const edge_plan& e : in.edges) {
    const stage_plan& to = in.stages[e.to];
    const std::string target = e.view_of ? node_box(*e.view_of)
                               : to.rows ? "head" + std::to_string(to.id)
                                         : node_box(to.nodes.front());
    d.add(diagram::arrow{last_box(in.stages[e.from], e.of), target, edge_text(of, in, e), e.view_of.has_value()});
  }
  return d;
}

}  // namespace

std::string_view routing_text(routing by) {
  switch (by) {
  case routing::by_key:
    return "by key";
  case routing::spread:
    return "spread";
  case routing::broadcast:
    return "broadcast";
  case routing::forward:
    return "forward";
  }
  return {};
}

std::string explain(const graph& of, const plan& in, diagram_format as) {
  switch (as) {
  case diagram_format::text:
    return text_of(of, in);
  case diagram_format::dot:
    return drawn(of, in).dot();
  case diagram_format::mermaid:
    return drawn(of, in).mermaid();
  }
  return {};
}

}  // namespace millrace
