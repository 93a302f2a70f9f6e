#include <millrace/transforms/plan/plan.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace millrace {

namespace {

// Builds one plan. A collection may be produced in several places once flattens are dissolved: `origins` says where.
class planner {
 public:
  planner(const graph& of, const plan_options& options) : graph_(of), options_(options) {}

  plan make() {
    if (graph_.nodes().empty())
      throw pipeline_error("pipeline \"" + graph_.name() + "\" has no transforms; apply a source first");
    for (const node& n : graph_.nodes()) place(n);
    order_stages();
    return std::move(plan_);
  }

 private:
  // Where elements of a collection come out: a collection that an operator really produces, and its stage.
  struct origin {
    collection_id of;
    stage_id in;
  };

  void place(const node& n) {
    switch (n.spec->kind()) {
    case operator_kind::read:
      return produced(n, begin_stage(n, stage_begin::source));
    case operator_kind::keyed:
      return place_keyed(n);
    case operator_kind::reshuffle:
      return place_reshuffle(n);
    case operator_kind::flatten:
      return place_flatten(n);
    case operator_kind::view:
      origins_[n.outputs.at(0)] = origins_.at(n.inputs.at(0));
      return;
    case operator_kind::element:
      return place_element(n);
    }
  }

  void place_keyed(const node& n) {
    const stage_id to = begin_stage(n, stage_begin::keyed);
    const bool lift = options_.lift_combiners && n.spec->why_not_lifted().empty();
    for (const origin& o : main_origins(n))
      add_edge({.of = o.of, .from = o.in, .to = to, .by = routing::by_key, .lift = lift});
    add_view_edges(n, to);
    produced(n, to);
  }

  // One that keeps rows is a node of its stage, which has its state; any other is just the edge.
  void place_reshuffle(const node& n) {
    const bool keeps = n.spec->waits_for_epochs();
    const stage_id to = keeps ? begin_stage(n, stage_begin::rows) : begin_rows(n, n.outputs.at(0), n.path);
    for (const origin& o : main_origins(n)) add_edge({.of = o.of, .from = o.in, .to = to, .by = routing::spread});
    origins_[n.outputs[0]] = {{n.outputs[0], to}};
  }

  // A flatten dissolves: its consumers take several inputs. Only for element-wise consumers of inputs from several
  // stages is there a stage that brings them together.
  void place_flatten(const node& n) {
    const auto from = main_origins(n);
    std::set<stage_id> stages;
    for (const origin& o : from) stages.insert(o.in);
    if (stages.size() <= 1 || !read_by_elements(n.outputs.at(0))) {
      origins_[n.outputs.at(0)] = from;
      return;
    }
    const stage_id to = begin_rows(n, n.outputs[0], n.path);
    for (const origin& o : from) add_edge({.of = o.of, .from = o.in, .to = to, .by = routing::forward});
    origins_[n.outputs[0]] = {{n.outputs[0], to}};
  }

  void place_element(const node& n) {
    const auto from = main_origins(n);
    check(!from.empty(), "an element-wise transform has an input");
    const stage_id at = from[0].in;
    const bool together = std::ranges::all_of(from, [&](const origin& o) { return o.in == at; });
    if (together && (options_.fuse || !leaves_stage(from)) && may_join(n, at)) return join(n, at, from);
    const bool spread = n.spec->fixed_shards().has_value();
    const stage_id to = begin_rows(n, n.inputs.at(0), n.path);
    for (const origin& o : from)
      add_edge({.of = o.of, .from = o.in, .to = to, .by = spread ? routing::spread : routing::forward});
    join(n, to, {{n.inputs[0], to}});
  }

  // Whether an element-wise node can run in a stage: its number of shards fits, and none of its side inputs comes from
  // the stage or from behind it, which would make a cycle.
  [[nodiscard]] bool may_join(const node& n, stage_id at) const {
    const auto wanted = n.spec->fixed_shards();
    if (wanted && *wanted != plan_.stages[at].shards) return false;
    for (const collection_id v : n.views)
      for (const origin& o : origins_.at(v))
        if (o.in == at || reaches(at, o.in)) return false;
    return true;
  }

  void join(const node& n, stage_id at, const std::vector<origin>& from) {
    stage_plan& s = plan_.stages[at];
    s.nodes.push_back(n.id);
    for (const origin& o : from) s.links.push_back({o.of, n.id});
    add_view_edges(n, at);
    produced(n, at);
  }

  void add_view_edges(const node& n, stage_id to) {
    for (std::uint32_t v = 0; v < n.views.size(); ++v)
      for (const origin& o : origins_.at(n.views[v]))
        add_edge({.of = o.of, .from = o.in, .to = to, .by = routing::broadcast, .view_of = n.id, .view = v});
  }

  stage_id begin_stage(const node& n, stage_begin how) {
    stage_plan s;
    s.id = static_cast<stage_id>(plan_.stages.size());
    s.name = n.path;
    s.begin = how;
    s.shards = n.spec->fixed_shards().value_or(options_.shards);
    s.nodes.push_back(n.id);
    plan_.stages.push_back(std::move(s));
    return plan_.stages.back().id;
  }

  stage_id begin_rows(const node& n, collection_id rows, const std::string& name) {
    stage_plan s;
    s.id = static_cast<stage_id>(plan_.stages.size());
    s.name = name;
    s.rows = rows;
    s.shards = n.spec->fixed_shards().value_or(options_.shards);
    plan_.stages.push_back(std::move(s));
    return plan_.stages.back().id;
  }

  [[nodiscard]] bool leaves_stage(const std::vector<origin>& rows) const {
    return std::ranges::all_of(rows, [&](const origin& o) { return graph_.collection_at(o.of).type->leaves_stage; });
  }

  void add_edge(edge_plan e) {
    const collection& of = graph_.collection_at(e.of);
    if (e.by != routing::by_key && !of.type->leaves_stage)
      throw pipeline_error(graph_.at(of.producer).path,
                           "its elements are views of text (std::string_view), which live as long as the element that "
                           "they were made of and cannot leave its stage for \""
                               + plan_.stages[e.to].name + "\"; give out std::string instead");
    e.id = static_cast<edge_id>(plan_.edges.size());
    plan_.stages[e.from].outputs.push_back(e.id);
    (e.view_of ? plan_.stages[e.to].views : plan_.stages[e.to].inputs).push_back(e.id);
    plan_.edges.push_back(e);
  }

  void produced(const node& n, stage_id at) {
    for (const collection_id c : n.outputs) origins_[c] = {{c, at}};
  }

  [[nodiscard]] std::vector<origin> main_origins(const node& n) const {
    std::vector<origin> all;
    for (const collection_id c : n.inputs)
      for (const origin& o : origins_.at(c)) all.push_back(o);
    return all;
  }

  [[nodiscard]] bool read_by_elements(collection_id c) const {
    return std::ranges::any_of(graph_.consumers(c), [&](node_id id) {
      const node& n = graph_.at(id);
      if (n.spec->kind() == operator_kind::flatten) return read_by_elements(n.outputs.at(0));
      return n.spec->kind() == operator_kind::element && std::ranges::count(n.inputs, c) > 0;
    });
  }

  [[nodiscard]] bool reaches(stage_id from, stage_id to) const {
    return std::ranges::any_of(plan_.stages[from].outputs, [&](edge_id e) {
      const stage_id next = plan_.edges[e].to;
      return next == to || reaches(next, to);
    });
  }

  // Stages were numbered as their first nodes came, but a side input may lead to a stage that began earlier.
  void order_stages() {
    const auto count = static_cast<stage_id>(plan_.stages.size());
    std::vector<stage_id> place(count);
    std::vector<stage_id> order;
    std::vector<bool> done(count, false);
    while (order.size() < count) {
      const auto ready = [&](edge_id e) { return done[plan_.edges[e].from]; };
      stage_id s = 0;
      while (s < count
             && (done[s] || !std::ranges::all_of(plan_.stages[s].inputs, ready)
                 || !std::ranges::all_of(plan_.stages[s].views, ready)))
        ++s;
      check(s < count, "the stages of a plan form no cycle");
      done[s] = true;
      place[s] = static_cast<stage_id>(order.size());
      order.push_back(s);
    }
    std::vector<stage_plan> stages;
    for (const stage_id s : order) {
      stages.push_back(std::move(plan_.stages[s]));
      stages.back().id = place[s];
    }
    plan_.stages = std::move(stages);
    for (edge_plan& e : plan_.edges) {
      e.from = place[e.from];
      e.to = place[e.to];
    }
  }

  const graph& graph_;
  const plan_options& options_;
  plan plan_;
  std::map<collection_id, std::vector<origin>> origins_;
};

}  // namespace

plan make_plan(const graph& of, const plan_options& options) {
  return planner(of, options).make();
}

}  // namespace millrace
