#include <millrace/transforms/graph/validate.hpp>

#include <algorithm>
#include <optional>

namespace millrace {

namespace {

// Collects the faults of one graph, node by node.
class judge {
 public:
  explicit judge(const graph& of) : graph_(of) {}

  std::vector<std::string> faults() {
    if (graph_.nodes().empty()) {
      faults_.push_back("pipeline \"" + graph_.name() + "\" has no transforms; apply a source first");
      return std::move(faults_);
    }
    for (const node& n : graph_.nodes())
      if (n.spec && links_exist(n)) judge_node(n);
      else if (!n.spec) add(n, "has no operator");
    return std::move(faults_);
  }

 private:
  void add(const node& n, const std::string& what) { faults_.push_back(pipeline_error(n.path, what).what()); }

  // Whether a node reads only what earlier nodes produce.
  bool links_exist(const node& n) {
    const auto known = [&](collection_id c) {
      return c < graph_.collections().size() && graph_.collection_at(c).producer < n.id;
    };
    if (std::ranges::all_of(n.inputs, known) && std::ranges::all_of(n.views, known)) return true;
    add(n, "reads a collection that no transform before it produces");
    return false;
  }

  [[nodiscard]] operator_kind producer_kind(collection_id c) const {
    return graph_.at(graph_.collection_at(c).producer).spec->kind();
  }

  void judge_node(const node& n) {
    const operator_kind kind = n.spec->kind();
    if (kind == operator_kind::read) {
      if (!n.inputs.empty()) add(n, "is a source and cannot read a collection");
      if (n.outputs.size() != 1) add(n, "is a source and produces one collection");
    } else if (n.inputs.empty() && kind != operator_kind::flatten) {
      add(n, "reads nothing; apply it to a collection");
    } else if (n.inputs.size() > 1 && kind != operator_kind::flatten) {
      add(n,
          "has " + std::to_string(n.inputs.size()) + " main inputs; only flatten takes several, so flatten them first");
    }
    for (const collection_id c : n.inputs)
      if (producer_kind(c) == operator_kind::view)
        add(n, "reads the side input \"" + path_of_producer(c) + "\" as a collection; pass it with with(...) instead");
    for (const collection_id c : n.views) judge_view(n, c);
    if (kind == operator_kind::flatten) judge_flatten(n);
  }

  [[nodiscard]] const std::string& path_of_producer(collection_id c) const {
    return graph_.at(graph_.collection_at(c).producer).path;
  }

  void judge_view(const node& n, collection_id view) {
    if (producer_kind(view) != operator_kind::view)
      return add(n, "reads \"" + path_of_producer(view)
                        + "\" as a side input; make it one with as_singleton, as_iterable, as_list or as_map");
    if (n.inputs.empty()) return;
    const window_fn& main = graph_.collection_at(n.inputs.front()).windowing.into;
    const window_fn& side = graph_.collection_at(view).windowing.into;
    try {
      if (main.global()) static_cast<void>(side.side_window(window::global()));
      else if (side.merging()) static_cast<void>(side.side_window(window{timestamp{0}, timestamp{1}}));
    } catch (const std::exception& e) {
      add(n, "cannot read the side input \"" + path_of_producer(view) + "\": " + e.what());
    }
  }

  void judge_flatten(const node& n) {
    if (n.outputs.size() != 1) return add(n, "is a flatten and produces one collection");
    const collection& out = graph_.collection_at(n.outputs.front());
    for (const collection_id c : n.inputs) {
      const collection& in = graph_.collection_at(c);
      if (!(in.type->coder == out.type->coder))
        add(n, "flattens \"" + path_of_producer(c) + "\", whose elements are " + in.type->coder.name() + ", not "
                   + out.type->coder.name());
      if (!compatible(in.windowing, graph_.collection_at(n.inputs.front()).windowing))
        add(n, "flattens collections that are windowed differently (\"" + path_of_producer(n.inputs.front())
                   + "\" and \"" + path_of_producer(c) + "\"); apply the same window_into to all of them");
    }
  }

  const graph& graph_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> graph_faults(const graph& of) {
  return judge(of).faults();
}

void validate(const graph& of) {
  const auto faults = graph_faults(of);
  if (faults.empty()) return;
  std::string text = faults.front();
  for (std::size_t i = 1; i < faults.size(); ++i) text += "\n" + faults[i];
  throw pipeline_error(text);
}

}  // namespace millrace
