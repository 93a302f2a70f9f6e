#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/fast/fast_windowing.hpp>

#include <optional>

namespace millrace {

namespace {

// An early or late part starts anew at each firing, so repeating it says nothing more.
const trigger& without_repeat(const trigger& part) {
  const trigger* inner = &part;
  while (inner->kind() == trigger_kind::repeatedly) inner = &inner->parts().front();
  return *inner;
}

bool fires_each_bundle(const trigger& part) {
  const trigger& t = without_repeat(part);
  return t.kind() == trigger_kind::always || (t.kind() == trigger_kind::after_count && t.count() == 1);
}

std::optional<fast_firing> early_firing(const trigger& part) {
  using enum fast_firing::early_kind;
  const trigger& t = without_repeat(part);
  if (t.kind() == trigger_kind::never) return fast_firing{};
  if (fires_each_bundle(t)) return fast_firing{.early = each_bundle, .steps = {}};
  if (t.kind() == trigger_kind::after_synchronized_time) return fast_firing{.early = delay, .steps = {}};
  if (t.kind() == trigger_kind::after_delay)
    return fast_firing{.early = delay, .steps = {t.steps().begin(), t.steps().end()}};
  return std::nullopt;
}

std::optional<fast_firing> firing(const windowing_strategy& strategy) {
  const trigger& t = strategy.fire;
  if (t.kind() == trigger_kind::by_default) return fast_firing{};
  if (t.kind() != trigger_kind::at_watermark) return std::nullopt;
  // Without lateness a window expires when it ends, and what its trigger would do then does not matter.
  const bool ends_at_once = strategy.allowed_lateness.count() == 0 || strategy.into.global();
  const bool late_is_fast = t.parts().size() > 1 && fires_each_bundle(t.parts()[1]);
  if (!ends_at_once && !late_is_fast) return std::nullopt;
  return t.parts().empty() ? fast_firing{} : early_firing(t.parts().front());
}

}  // namespace

std::string why_not_fast(const windowing_strategy& strategy) {
  if (strategy.into.merging()) return "its windows, " + strategy.into.describe() + ", belong to single keys";
  if (strategy.timestamps != timestamp_combiner::end_of_window)
    return "the times of its panes depend on the times of their elements";
  if (!firing(strategy)) return "its trigger, " + strategy.fire.describe() + ", decides key by key";
  return {};
}

bool fires_with_bundles(const windowing_strategy& strategy) {
  const auto found = firing(strategy);
  return found && found->early == fast_firing::early_kind::each_bundle;
}

fast_firing fast_firing_of(const windowing_strategy& strategy) {
  const auto found = firing(strategy);
  check(found.has_value(), "a combine on the fast path has a trigger that flat tables can fire");
  return *found;
}

}  // namespace millrace
