#include <millrace/tests/properties/statistics.hpp>

#include <algorithm>
#include <iomanip>
#include <set>
#include <sstream>

namespace millrace::properties {

namespace {

using reference::event_kind;
using reference::output;
using reference::pane_timing;

// A session that is longer than the gap is one that has merged.
bool is_merged(const random_case& of, const output& one) {
  return std::ranges::any_of(of.pipeline.steps, [&](const reference::step& s) {
    return s.windows && s.windows->kind == reference::window_kind::sessions
           && one.in.end - one.in.start > s.windows->size && &s == &of.pipeline.steps[0];
  });
}

std::set<std::string> traits_of(const random_case& of, const reference_run& run) {
  std::set<std::string> traits;
  bool fired = false;
  bool saved = false;  // a firing is in a checkpoint
  for (std::size_t i = 0; i < run.reports.size(); ++i) {
    const event_kind kind = of.events[i].kind;
    if (kind == event_kind::checkpoint) saved = fired;
    if (kind == event_kind::crash && saved) traits.insert("restarts after a firing");
    if (kind == event_kind::crash && of.events[i].time) traits.insert("clock after crash");
    if (kind == event_kind::drain) traits.insert("drains");
    fired = fired || !run.reports[i].outputs.empty();
    for (const output& one : run.reports[i].outputs) {
      if (one.which.timing == pane_timing::late) traits.insert("late panes");
      if (one.which.timing == pane_timing::early) traits.insert("early panes");
      if (is_merged(of, one)) traits.insert("merges");
    }
  }
  if (run.reports.empty()) return traits;
  const reference::drops dropped = run.reports.back().dropped_in_all();
  if (dropped.late > 0) traits.insert("dropped late");
  if (dropped.closed_window > 0) traits.insert("dropped closed");
  return traits;
}

}  // namespace

void statistics::count(const random_case& of, const reference_run& run, const comparison& compared) {
  ++programs_;
  std::set<std::string> traits = traits_of(of, run);
  if (run.refused) traits.insert("refused");
  if (has_updates(of)) traits.insert("updates");
  if (compared.sharding_shows) traits.insert("sharding shows");
  if (compared.fast) traits.insert("fast path");
  if (compared.general) traits.insert("general path");
  if (std::ranges::any_of(of.pipeline.steps, keeps_state)) traits.insert("state");
  if (of.pipeline.steps.size() > 1) traits.insert("several steps");
  if (!of.pipeline.side.empty()) traits.insert("side inputs");
  for (const std::string& trait : traits) ++counts_[trait];
}

double statistics::share(const std::string& trait) const {
  return 100.0 * static_cast<double>(counts_.at(trait)) / static_cast<double>(std::max<std::uint64_t>(programs_, 1));
}

std::string statistics::text() const {
  std::ostringstream out;
  out << programs_ << " programs:" << std::fixed << std::setprecision(1);
  for (const auto& [trait, count] : counts_) out << ' ' << trait << ' ' << count << " (" << share(trait) << " %);";
  return out.str();
}

}  // namespace millrace::properties
