#include <millrace/tests/properties/shrinking.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace millrace::properties {

namespace {

using reference::program;
using reference::step;
using reference::trigger;

// Attempts, after which a case is small enough as it is.
constexpr int attempts_max = 4000;

template <class T>
void erase_at(std::vector<T>& from, std::size_t i) {
  from.erase(from.begin() + static_cast<std::ptrdiff_t>(i));
}

// Every case that has one event or element less.
void leave_out_events(const random_case& of, std::vector<random_case>& to) {
  for (std::size_t i = of.events.size(); i-- > 0;) {
    erase_at(to.emplace_back(of).events, i);
    if (of.events[i].elements.size() < 2) continue;
    for (std::size_t j = 0; j < of.events[i].elements.size(); ++j) erase_at(to.emplace_back(of).events[i].elements, j);
  }
  for (std::size_t i = 0; i + 2 < of.events.size(); ++i) {
    random_case& less = to.emplace_back(of);
    less.events.erase(less.events.begin() + static_cast<std::ptrdiff_t>(i),
                      less.events.begin() + static_cast<std::ptrdiff_t>(i + 3));
  }
}

// Every trigger that is simpler by one part.
std::vector<trigger> simpler(const trigger& of) {
  std::vector<trigger> all = of.parts;
  for (std::size_t i = 0; i < of.parts.size(); ++i) {
    if (of.parts.size() > 1) erase_at(all.emplace_back(of).parts, i);
    for (trigger& part : simpler(of.parts[i])) {
      trigger whole = of;
      whole.parts[i] = std::move(part);
      all.push_back(std::move(whole));
    }
  }
  std::erase_if(all, [](const trigger& t) { return t.kind == reference::trigger_kind::until && t.parts.size() < 2; });
  return all;
}

void simplify_step(const random_case& of, std::vector<step> program::* chain, std::size_t i,
                   std::vector<random_case>& to) {
  const step& now = (of.pipeline.*chain)[i];
  const auto changed = [&](auto change) {
    random_case less = of;
    change((less.pipeline.*chain)[i]);
    to.push_back(std::move(less));
  };
  if (now.rekey) changed([](step& s) { s.rekey = false; });
  if (now.remerge) changed([](step& s) { s.remerge = false; });
  if (now.timestamps) changed([](step& s) { s.timestamps.reset(); });
  if (now.on_time) changed([](step& s) { s.on_time.reset(); });
  if (now.closing) changed([](step& s) { s.closing.reset(); });
  if (now.lateness && *now.lateness > 0) changed([](step& s) { s.lateness = 0; });
  if (now.panes == reference::accumulation::accumulating)
    changed([](step& s) { s.panes = reference::accumulation::discarding; });
  if (now.windows && now.windows->offset > 0) changed([](step& s) { s.windows->offset = 0; });
  if (!now.firing_trigger) return;
  for (const trigger& t : simpler(*now.firing_trigger)) changed([&](step& s) { s.firing_trigger = t; });
}

std::vector<random_case> smaller(const random_case& of) {
  std::vector<random_case> all;
  if (of.pipeline.steps.size() > 1) {
    all.emplace_back(of).pipeline.steps.pop_back();
    erase_at(all.emplace_back(of).pipeline.steps, 0);
  }
  leave_out_events(of, all);
  for (std::size_t i = 0; i < of.pipeline.steps.size(); ++i) simplify_step(of, &program::steps, i, all);
  for (std::size_t i = 0; i < of.pipeline.side.size(); ++i) simplify_step(of, &program::side, i, all);
  return all;
}

}  // namespace

random_case shrunk(random_case of, const std::function<bool(const random_case&)>& fails) {
  int attempts = 0;
  for (bool found = true; found;) {
    found = false;
    for (random_case& less : smaller(of)) {
      if (++attempts > attempts_max) return of;
      if (!is_decided(less.events) || !fails(less)) continue;
      of = std::move(less);
      found = true;
      break;
    }
  }
  return of;
}

}  // namespace millrace::properties
