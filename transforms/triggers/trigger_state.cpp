#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/triggers/trigger_state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace millrace {

namespace {

constexpr std::int64_t no_target = std::numeric_limits<std::int64_t>::min();

bool is_clock(trigger_kind kind) {
  return kind == trigger_kind::after_delay || kind == trigger_kind::after_synchronized_time;
}

std::int64_t unset(trigger_kind kind) {
  return is_clock(kind) ? no_target : 0;
}

}  // namespace

// Reads a state by its program: the meaning of each kind of node.
class trigger_view {
 public:
  trigger_view(const trigger_program& program, const trigger_state& state, const trigger_facts& facts)
      : program_(program), facts_(facts), seen_(state) {}

  [[nodiscard]] bool ready(std::size_t i) const;
  [[nodiscard]] std::optional<timestamp> next_clock(std::size_t i) const;

 protected:
  [[nodiscard]] trigger_kind kind(std::size_t i) const { return program_.at(i).kind; }
  [[nodiscard]] std::size_t end(std::size_t i) const { return program_.at(i).end; }
  [[nodiscard]] std::int64_t value(std::size_t i) const { return seen_.slots_[program_.at(i).slot]; }
  [[nodiscard]] bool finished(std::size_t i) const { return seen_.finished_at(i); }

  // at_watermark with early and maybe late parts. It is late, and its late part's turn, once the early part has been
  // ended by the end of the window.
  [[nodiscard]] bool has_parts(std::size_t i) const { return end(i) > i + 1; }
  [[nodiscard]] std::size_t early_of(std::size_t i) const { return i + 1; }
  [[nodiscard]] std::size_t late_of(std::size_t i) const { return end(i + 1); }
  [[nodiscard]] bool has_late(std::size_t i) const { return late_of(i) < end(i); }
  [[nodiscard]] bool is_late(std::size_t i) const { return finished(early_of(i)); }

  template <class Visit>
  void each_part(std::size_t i, Visit visit) const {
    for (std::size_t part = i + 1; part < end(i); part = end(part)) visit(part);
  }
  template <class Holds>
  [[nodiscard]] bool any_part(std::size_t i, Holds holds) const {
    for (std::size_t part = i + 1; part < end(i); part = end(part))
      if (holds(part)) return true;
    return false;
  }
  template <class Holds>
  [[nodiscard]] bool every_part(std::size_t i, Holds holds) const {
    return !any_part(i, [&](std::size_t part) { return !holds(part); });
  }
  // The first part that has not finished, or end(i).
  [[nodiscard]] std::size_t current(std::size_t i) const {
    std::size_t part = i + 1;
    while (part < end(i) && finished(part)) part = end(part);
    return part;
  }
  [[nodiscard]] bool watermark_ready(std::size_t i) const;

  const trigger_program& program_;
  const trigger_facts& facts_;

 private:
  const trigger_state& seen_;
};

// Changes a state by its program, node by node.
class trigger_walk : public trigger_view {
 public:
  using states = std::span<const trigger_state* const>;

  trigger_walk(const trigger_program& program, trigger_state& state, const trigger_facts& facts)
      : trigger_view(program, state, facts), state_(state) {}

  void element(std::size_t i);
  void merge(std::size_t i, states merging, const trigger_state* survivor);
  void fire(std::size_t i);

 private:
  [[nodiscard]] std::int64_t& slot(std::size_t i) { return state_.slots_[program_.at(i).slot]; }
  void finish(std::size_t i, bool value) { state_.set_finished(i, value); }
  // Sets the counters and targets of a subtree to what they are without elements.
  void clear(std::size_t i);
  // Makes a subtree as if new.
  void reset(std::size_t i);

  void fire_watermark(std::size_t i);
  void fire_until(std::size_t i);
  void merge_watermark(std::size_t i, states merging, const trigger_state* survivor);
  void merge_count(std::size_t i, states merging);
  void merge_clock(std::size_t i, states merging, const trigger_state* survivor);
  void merge_in_order(std::size_t i, states merging, const trigger_state* survivor);

  trigger_state& state_;
};

void trigger_walk::element(std::size_t i) {
  switch (kind(i)) {
  case trigger_kind::by_default:
  case trigger_kind::never:
  case trigger_kind::always:
    break;
  case trigger_kind::after_count:
    ++slot(i);
    break;
  case trigger_kind::after_delay:
  case trigger_kind::after_synchronized_time:
    if (slot(i) == no_target) slot(i) = delayed_until(facts_.clock, program_.at(i).steps).millis();
    break;
  case trigger_kind::at_watermark:
    if (!has_parts(i)) break;
    if (program_.merging() || !is_late(i)) element(early_of(i));
    if (has_late(i) && (program_.merging() || is_late(i))) element(late_of(i));
    break;
  case trigger_kind::in_order:
    if (program_.merging()) each_part(i, [this](std::size_t part) { element(part); });
    else if (const std::size_t part = current(i); part < end(i)) element(part);
    break;
  case trigger_kind::repeatedly:
  case trigger_kind::first_of:
  case trigger_kind::all_of:
  case trigger_kind::until:
    each_part(i, [this](std::size_t part) { element(part); });
    break;
  }
}

bool trigger_view::watermark_ready(std::size_t i) const {
  if (!has_parts(i)) return facts_.past_end();
  if (!is_late(i)) return facts_.past_end() || ready(early_of(i));
  return has_late(i) && ready(late_of(i));
}

bool trigger_view::ready(std::size_t i) const {
  const auto done = [this](std::size_t part) { return finished(part) || ready(part); };
  switch (kind(i)) {
  case trigger_kind::by_default:
    return facts_.past_end();
  case trigger_kind::never:
    return false;
  case trigger_kind::always:
    return true;
  case trigger_kind::at_watermark:
    return watermark_ready(i);
  case trigger_kind::after_count:
    return static_cast<std::uint64_t>(value(i)) >= program_.at(i).count;
  case trigger_kind::after_delay:
  case trigger_kind::after_synchronized_time:
    return value(i) != no_target && facts_.clock > timestamp{value(i)};
  case trigger_kind::repeatedly:
    return ready(i + 1);
  case trigger_kind::first_of:
    return any_part(i, done);
  case trigger_kind::all_of:
    return every_part(i, done);
  case trigger_kind::in_order:
    return current(i) < end(i) && ready(current(i));
  case trigger_kind::until:
    return any_part(i, [this](std::size_t part) { return ready(part); });
  }
  return false;
}

void trigger_walk::fire_watermark(std::size_t i) {
  if (!has_parts(i)) return finish(i, true);
  // In a late firing too: where windows merge, the early part has seen the elements of the pane, and a merge may make
  // it its turn again.
  const bool ends_early = is_late(i) || facts_.past_end();
  reset(early_of(i));
  if (!ends_early) return;
  finish(early_of(i), true);
  if (has_late(i)) reset(late_of(i));
  else finish(i, true);
}

void trigger_walk::fire(std::size_t i) {
  switch (kind(i)) {
  case trigger_kind::by_default:
  case trigger_kind::never:
  case trigger_kind::always:
    break;
  case trigger_kind::at_watermark:
    fire_watermark(i);
    break;
  case trigger_kind::after_count:
  case trigger_kind::after_delay:
  case trigger_kind::after_synchronized_time:
    clear(i);
    finish(i, true);
    break;
  case trigger_kind::repeatedly:
    fire(i + 1);
    if (finished(i + 1)) reset(i + 1);
    break;
  case trigger_kind::first_of:
    each_part(i, [this](std::size_t part) { ready(part) ? fire(part) : clear(part); });
    finish(i, true);
    break;
  case trigger_kind::all_of:
    each_part(i, [this](std::size_t part) { fire(part); });
    finish(i, true);
    break;
  case trigger_kind::in_order:
    fire(current(i));
    if (program_.merging()) clear(i);
    finish(i, current(i) == end(i));
    break;
  case trigger_kind::until:
    fire_until(i);
    break;
  }
}

void trigger_walk::fire_until(std::size_t i) {
  const std::size_t limit = end(i + 1);
  if (ready(limit)) {
    fire(limit);
    clear(i + 1);
  } else {
    fire(i + 1);
  }
  finish(i, finished(i + 1) || finished(limit));
}

void trigger_walk::merge_count(std::size_t i, states merging) {
  const std::size_t at = program_.at(i).slot;
  finish(i, std::ranges::any_of(merging, [i](const trigger_state* from) { return from->finished_at(i); }));
  slot(i) = 0;
  if (finished(i)) return;
  for (const trigger_state* from : merging) slot(i) += from->slots_[at];
}

void trigger_walk::merge_clock(std::size_t i, states merging, const trigger_state* survivor) {
  const std::size_t at = program_.at(i).slot;
  finish(i, survivor != nullptr && survivor->finished_at(i));
  slot(i) = no_target;
  if (finished(i)) return;
  for (const trigger_state* from : merging) {
    const std::int64_t target = from->slots_[at];
    if (target != no_target) slot(i) = slot(i) == no_target ? target : std::min(slot(i), target);
  }
}

void trigger_walk::merge_watermark(std::size_t i, std::span<const trigger_state* const> merging,
                                   const trigger_state* survivor) {
  if (!has_parts(i)) {
    const bool all = std::ranges::all_of(merging, [i](const trigger_state* from) { return from->finished_at(i); });
    return finish(i, all && facts_.past_end());
  }
  const std::size_t early = early_of(i);
  const bool late = facts_.past_end() && std::ranges::all_of(merging, [early](const trigger_state* from) {
                      return from->finished_at(early);
                    });
  if (late) {
    reset(early);
    if (has_late(i)) merge(late_of(i), merging, survivor);
  } else {
    merge(early, merging, survivor);
    if (has_late(i)) reset(late_of(i));
  }
  finish(early, late);
  finish(i, late && !has_late(i));
}

void trigger_walk::merge_in_order(std::size_t i, std::span<const trigger_state* const> merging,
                                  const trigger_state* survivor) {
  bool all_finished = true;
  each_part(i, [&](std::size_t part) {
    if (all_finished) merge(part, merging, survivor);
    else reset(part);
    all_finished = all_finished && finished(part);
  });
  finish(i, all_finished);
}

void trigger_walk::merge(std::size_t i, states merging, const trigger_state* survivor) {
  switch (kind(i)) {
  case trigger_kind::by_default:
  case trigger_kind::never:
  case trigger_kind::always:
    return;
  case trigger_kind::at_watermark:
    return merge_watermark(i, merging, survivor);
  case trigger_kind::after_count:
    return merge_count(i, merging);
  case trigger_kind::after_delay:
  case trigger_kind::after_synchronized_time:
    return merge_clock(i, merging, survivor);
  case trigger_kind::in_order:
    return merge_in_order(i, merging, survivor);
  case trigger_kind::repeatedly:
  case trigger_kind::first_of:
  case trigger_kind::all_of:
  case trigger_kind::until:
    break;
  }
  each_part(i, [&](std::size_t part) { merge(part, merging, survivor); });
  const auto done = [this](std::size_t part) { return finished(part); };
  if (kind(i) == trigger_kind::repeatedly) {
    if (finished(i + 1)) reset(i + 1);
  } else if (kind(i) == trigger_kind::all_of) {
    finish(i, every_part(i, done));
  } else {
    finish(i, any_part(i, done));
  }
}

std::optional<timestamp> trigger_view::next_clock(std::size_t i) const {
  if (finished(i)) return std::nullopt;
  if (is_clock(kind(i))) {
    if (value(i) == no_target || facts_.clock > timestamp{value(i)}) return std::nullopt;
    return timestamp{value(i)};
  }
  if (kind(i) == trigger_kind::at_watermark && has_parts(i)) {
    if (!is_late(i)) return next_clock(early_of(i));
    return has_late(i) ? next_clock(late_of(i)) : std::nullopt;
  }
  if (kind(i) == trigger_kind::in_order) return current(i) < end(i) ? next_clock(current(i)) : std::nullopt;
  std::optional<timestamp> least;
  each_part(i, [&](std::size_t part) {
    const std::optional<timestamp> of_part = next_clock(part);
    if (of_part && (!least || *of_part < *least)) least = of_part;
  });
  return least;
}

void trigger_walk::clear(std::size_t i) {
  for (std::size_t node = i; node < end(i); ++node)
    if (kind(node) == trigger_kind::after_count || is_clock(kind(node))) slot(node) = unset(kind(node));
}

void trigger_walk::reset(std::size_t i) {
  for (std::size_t node = i; node < end(i); ++node) finish(node, false);
  clear(i);
}

trigger_state::trigger_state(const trigger_program& program)
    : finished_(program.words(), 0), slots_(program.slots(), 0) {
  for (std::size_t i = 0; i < program.size(); ++i)
    if (is_clock(program.at(i).kind)) slots_[program.at(i).slot] = no_target;
}

void trigger_state::on_element(const trigger_program& program, const trigger_facts& facts) {
  trigger_walk{program, *this, facts}.element(0);
}

void trigger_state::on_merge(const trigger_program& program, std::span<const trigger_state* const> merging,
                             const trigger_state* survivor, const trigger_facts& facts) {
  trigger_state merged{program};
  trigger_walk{program, merged, facts}.merge(0, merging, survivor);
  *this = std::move(merged);
}

bool trigger_state::ready(const trigger_program& program, const trigger_facts& facts) const {
  return trigger_view{program, *this, facts}.ready(0);
}

void trigger_state::on_fire(const trigger_program& program, const trigger_facts& facts) {
  check(!finished(), "a trigger that fires has not finished");
  trigger_walk{program, *this, facts}.fire(0);
}

std::optional<timestamp> trigger_state::next_clock(const trigger_program& program, const trigger_facts& facts) const {
  return trigger_view{program, *this, facts}.next_clock(0);
}

trigger_state trigger_state::decode(const trigger_program& program, reader& in) {
  trigger_state state{program};
  for (std::uint64_t& word : state.finished_) word = in.varint();
  for (std::int64_t& slot : state.slots_) slot = in.fixed<std::int64_t>();
  for (std::size_t i = 0; i < program.size(); ++i) {
    const trigger_program::node& node = program.at(i);
    if (node.kind == trigger_kind::after_count && state.slots_[node.slot] < 0)
      in.fail("a trigger has counted less than nothing");
    if (!is_clock(node.kind) || state.slots_[node.slot] == no_target) continue;
    const timestamp target{state.slots_[node.slot]};
    if (target < timestamp::min() || target > timestamp::max()) in.fail("a trigger waits for a time that is none");
  }
  return state;
}

}  // namespace millrace
