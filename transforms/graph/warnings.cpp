#include <millrace/transforms/graph/warnings.hpp>
#include <millrace/transforms/windows/duration_text.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

namespace millrace {

namespace {

constexpr duration endless_lateness = std::chrono::days{3650};

// Whether a trigger may fire more than once for a window; `late` tells whether elements may come behind its end.
bool fires_again(const trigger& fire, bool late) {
  switch (fire.kind()) {
  case trigger_kind::by_default:
    return late;
  case trigger_kind::at_watermark: {
    const auto parts = fire.parts();
    return std::ranges::any_of(
        parts, [&](const trigger& p) { return p.kind() != trigger_kind::never && (late || &p == parts.data()); });
  }
  case trigger_kind::never:
  case trigger_kind::after_count:
  case trigger_kind::after_delay:
  case trigger_kind::after_synchronized_time:
  case trigger_kind::first_of:
  case trigger_kind::all_of:
    return false;
  default:
    return true;
  }
}

// Whether the panes of a window show elements more than once.
bool repeats_elements(const windowing_strategy& s) {
  if (s.keep != panes::accumulating) return false;
  const bool late = !s.into.global() && s.allowed_lateness.count() > 0;
  return fires_again(s.fire, late) || (late && s.closing == fires::always);
}

class doubts_of {
 public:
  explicit doubts_of(const graph& of) : graph_(of) {}

  std::vector<graph_warning> all() && {
    for (const node& n : graph_.nodes()) {
      if (n.inputs.empty()) continue;
      const operator_traits traits = n.spec->traits();
      if (traits.keeps_cells) look_at_state(n, traits);
      else if (n.spec->kind() == operator_kind::keyed) look_at_grouping(n, traits);
      if (n.spec->kind() == operator_kind::keyed) look_at_lateness(n);
      if (traits.keeps_files || traits.adds_only) look_at_sink(n, traits);
    }
    return std::move(found_);
  }

 private:
  void add(const node& n, std::string text) { found_.push_back({n.path, std::move(text)}); }
  [[nodiscard]] const collection& input_of(const node& n) const { return graph_.collection_at(n.inputs.front()); }

  void look_at_state(const node& n, const operator_traits& traits) {
    const collection& in = input_of(n);
    const bool has_timers = traits.event_timers || traits.clock_timers;
    if (!in.bounded && in.windowing.into.global() && !has_timers && !traits.clears_state)
      add(n, "keeps state for every key of unbounded input in the global window and has no timer to clear it, so its "
             "state grows with the number of keys; clear it by a timer, window the input, or say `static constexpr "
             "bool clears_state = true;` in the function if process does it");
    if (in.bounded && traits.clock_timers && !traits.event_timers && !traits.tells_expiration && !traits.drops_timers
        && !traits.waits_for_timers)
      add(n, "sets processing-time timers over bounded input, and those that are pending when it ends are dropped; do "
             "what is left in on_window_expiration or by an event timer, say `static constexpr bool "
             "fires_clock_timers_at_end = true;` in the function to wait for them, or `drops_timers = true;` if "
             "nothing is lost");
  }

  void look_at_grouping(const node& n, const operator_traits& traits) {
    const collection& in = input_of(n);
    if (traits.collects && !in.bounded && in.windowing.into.global() && in.windowing.keep == panes::accumulating)
      add(n, "keeps every element of unbounded input in the global window, since its panes accumulate; combine instead "
             "of grouping, set .keep to panes::discarding, or window the input");
    if (feeds_view(n) && !repeats_elements(in.windowing)) return;
    if (const auto of = source_of_repeats(n))
      add(n, "groups the accumulating panes of \"" + *of
                 + "\" again, so that an element counts once for each pane that it was in; set .keep to "
                   "panes::discarding before \""
                 + *of + "\", or let a step between them pass one pane of each window");
  }

  void look_at_lateness(const node& n) {
    const collection& in = input_of(n);
    if (in.bounded || in.windowing.into.global() || in.windowing.allowed_lateness < endless_lateness) return;
    add(n, "keeps its windows for the allowed lateness of " + duration_text(in.windowing.allowed_lateness)
               + ", practically for ever, so its state grows without end; set .allowed_lateness to what late elements "
                 "need");
  }

  void look_at_sink(const node& n, const operator_traits& traits) {
    const collection& in = input_of(n);
    if (traits.keeps_files && !in.bounded && in.windowing.into.global())
      add(n, "writes files of unbounded input in the global window, which is never complete; apply window_into with "
             "windows that end before it");
    if (!traits.adds_only) return;
    if (const auto of = source_of_repeats(n))
      add(n, "adds what every pane of \"" + *of
                 + "\" has, and those accumulate, so results are written once for each pane; set .keep to "
                   "panes::discarding, write to a sink that replaces by key, or let a step between them pass one pane "
                   "of each window");
  }

  [[nodiscard]] bool feeds_view(const node& n) const {
    return std::ranges::any_of(n.outputs, [&](collection_id c) {
      return std::ranges::any_of(graph_.consumers(c),
                                 [&](node_id id) { return graph_.at(id).spec->kind() == operator_kind::view; });
    });
  }

  // The path of a grouping upstream whose repeating panes come here, with no step between that keeps state or picks
  // panes.
  [[nodiscard]] std::optional<std::string> source_of_repeats(const node& n) const {
    std::vector<collection_id> to_visit{n.inputs.rbegin(), n.inputs.rend()};
    std::set<node_id> visited;
    while (!to_visit.empty()) {
      const node& producer = graph_.at(graph_.collection_at(to_visit.back()).producer);
      to_visit.pop_back();
      const operator_traits traits = producer.spec->traits();
      if (!visited.insert(producer.id).second || producer.inputs.empty() || traits.keeps_cells || traits.picks_panes)
        continue;
      if (producer.spec->kind() != operator_kind::keyed)
        to_visit.insert(to_visit.end(), producer.inputs.rbegin(), producer.inputs.rend());
      else if (repeats_elements(input_of(producer).windowing)) return producer.path;
    }
    return std::nullopt;
  }

  const graph& graph_;
  std::vector<graph_warning> found_;
};

}  // namespace

std::vector<graph_warning> graph_warnings(const graph& of) {
  return doubts_of(of).all();
}

std::string to_text(const graph_warning& w) {
  return "warning: transform \"" + w.path + "\": " + w.text;
}

}  // namespace millrace
