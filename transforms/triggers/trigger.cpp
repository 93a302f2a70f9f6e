#include <millrace/transforms/triggers/trigger.hpp>
#include <millrace/transforms/windows/duration_text.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace {

namespace {

void require_parts(const std::vector<trigger>& parts, const char* name) {
  if (parts.empty()) throw std::invalid_argument(std::string(name) + " needs at least one trigger");
}

std::string steps_text(std::span<const clock_step> steps) {
  std::string text;
  for (const clock_step& s : steps) {
    if (!text.empty()) text += ", ";
    if (s.what == clock_step::kind::plus) text += duration_text(s.amount);
    else text += "align " + duration_text(s.amount);
    if (s.offset.count() != 0) text += " offset " + duration_text(s.offset);
  }
  return "after_delay(" + text + ")";
}

std::string_view name_of(trigger_kind kind) {
  switch (kind) {
  case trigger_kind::by_default:
    return "default";
  case trigger_kind::never:
    return "never";
  case trigger_kind::always:
    return "always";
  case trigger_kind::at_watermark:
    return "at_watermark";
  case trigger_kind::after_count:
    return "after_count";
  case trigger_kind::after_delay:
    return "after_delay";
  case trigger_kind::after_synchronized_time:
    return "after_synchronized_processing_time";
  case trigger_kind::repeatedly:
    return "repeatedly";
  case trigger_kind::first_of:
    return "first_of";
  case trigger_kind::all_of:
    return "all_of";
  case trigger_kind::in_order:
    return "in_order";
  case trigger_kind::until:
    return "until";
  }
  return "";
}

std::vector<trigger> continuations(std::span<const trigger> parts) {
  std::vector<trigger> all;
  all.reserve(parts.size());
  for (const trigger& t : parts) all.push_back(t.continuation());
  return all;
}

}  // namespace

trigger trigger::of(trigger_kind kind, std::vector<trigger> parts) {
  trigger made;
  made.kind_ = kind;
  made.parts_ = std::move(parts);
  return made;
}

trigger trigger::counting(std::uint64_t count) {
  if (count == 0) throw std::invalid_argument("after_count needs a count of at least 1");
  trigger made;
  made.kind_ = trigger_kind::after_count;
  made.count_ = count;
  return made;
}

trigger trigger::delaying(std::vector<clock_step> steps) {
  for (const clock_step& s : steps) {
    if (s.what == clock_step::kind::plus && s.amount.count() < 0)
      throw std::invalid_argument("after_delay needs a delay of at least 0, not " + duration_text(s.amount));
    if (s.what == clock_step::kind::align && s.amount.count() <= 0)
      throw std::invalid_argument("after_delay needs a positive period to align to, not " + duration_text(s.amount));
  }
  trigger made;
  made.kind_ = trigger_kind::after_delay;
  made.steps_ = std::move(steps);
  return made;
}

trigger trigger::until(trigger limit) const {
  return of(trigger_kind::until, {*this, std::move(limit)});
}

trigger trigger::continuation() const {
  switch (kind_) {
  case trigger_kind::by_default:
  case trigger_kind::never:
  case trigger_kind::always:
  case trigger_kind::after_synchronized_time:
    return *this;
  case trigger_kind::after_count:
    return counting(1);
  case trigger_kind::after_delay:
    return of(trigger_kind::after_synchronized_time);
  case trigger_kind::in_order:
    return repeatedly(first_of(continuations(parts_)));
  case trigger_kind::until:
    return repeatedly(of(trigger_kind::until, continuations(parts_)));
  case trigger_kind::at_watermark:
  case trigger_kind::repeatedly:
  case trigger_kind::first_of:
  case trigger_kind::all_of:
    break;
  }
  return of(kind_, continuations(parts_));
}

bool trigger::may_finish() const {
  const auto finishes = [](const trigger& t) { return t.may_finish(); };
  switch (kind_) {
  case trigger_kind::by_default:
  case trigger_kind::always:
  case trigger_kind::repeatedly:
    return false;
  case trigger_kind::at_watermark:
    return parts_.size() < 2;
  case trigger_kind::in_order:
    return std::ranges::all_of(parts_, finishes);
  case trigger_kind::until:
    return std::ranges::any_of(parts_, finishes);
  case trigger_kind::never:
  case trigger_kind::after_count:
  case trigger_kind::after_delay:
  case trigger_kind::after_synchronized_time:
  case trigger_kind::first_of:
  case trigger_kind::all_of:
    break;
  }
  return true;
}

bool trigger::observes_element_counts() const {
  if (kind_ == trigger_kind::after_count || kind_ == trigger_kind::always) return true;
  return std::ranges::any_of(parts_, [](const trigger& t) { return t.observes_element_counts(); });
}

bool trigger::allows_lifting() const {
  switch (kind_) {
  case trigger_kind::by_default:
  case trigger_kind::never:
  case trigger_kind::after_delay:
  case trigger_kind::after_synchronized_time:
    return true;
  case trigger_kind::at_watermark:
  case trigger_kind::repeatedly:
  case trigger_kind::first_of:
    return std::ranges::all_of(parts_, [](const trigger& t) { return t.allows_lifting(); });
  case trigger_kind::always:
  case trigger_kind::after_count:
  case trigger_kind::all_of:
  case trigger_kind::in_order:
  case trigger_kind::until:
    break;
  }
  return false;
}

timestamp trigger::guaranteed_firing(timestamp window_max) const {
  const auto of_part = [window_max](const trigger& t) { return t.guaranteed_firing(window_max); };
  switch (kind_) {
  case trigger_kind::by_default:
  case trigger_kind::at_watermark:
    return window_max;
  case trigger_kind::never:
  case trigger_kind::always:
  case trigger_kind::after_count:
  case trigger_kind::after_delay:
  case trigger_kind::after_synchronized_time:
    return timestamp::max();
  case trigger_kind::repeatedly:
  case trigger_kind::in_order:
    return of_part(parts_.front());
  case trigger_kind::first_of:
  case trigger_kind::until:
    return std::ranges::min(parts_, {}, of_part).guaranteed_firing(window_max);
  case trigger_kind::all_of:
    break;
  }
  return std::ranges::max(parts_, {}, of_part).guaranteed_firing(window_max);
}

bool trigger::unsafe(duration allowed_lateness) const {
  if (!may_finish() || kind_ == trigger_kind::never) return false;
  return kind_ != trigger_kind::at_watermark || allowed_lateness.count() != 0;
}

std::string trigger::describe() const {
  if (kind_ == trigger_kind::after_count) return "after_count(" + std::to_string(count_) + ")";
  if (kind_ == trigger_kind::after_delay) return steps_text(steps_);
  if (kind_ == trigger_kind::until) return parts_[0].describe() + ".until(" + parts_[1].describe() + ")";
  if (kind_ == trigger_kind::at_watermark) {
    std::string text{"at_watermark"};
    if (!parts_.empty() && parts_[0].kind_ != trigger_kind::never) text += ".early(" + parts_[0].describe() + ")";
    if (parts_.size() > 1) text += ".late(" + parts_[1].describe() + ")";
    return text;
  }
  std::string text{name_of(kind_)};
  for (std::size_t i = 0; i < parts_.size(); ++i) text += (i == 0 ? "(" : ", ") + parts_[i].describe();
  return parts_.empty() ? text : text + ")";
}

trigger default_trigger() {
  return {};
}
trigger never() {
  return trigger::of(trigger_kind::never);
}
trigger always() {
  return trigger::of(trigger_kind::always);
}
trigger after_count(std::uint64_t elements) {
  return trigger::counting(elements);
}
trigger after_synchronized_processing_time() {
  return trigger::of(trigger_kind::after_synchronized_time);
}
trigger repeatedly(trigger part) {
  return trigger::of(trigger_kind::repeatedly, {std::move(part)});
}

trigger first_of(std::vector<trigger> parts) {
  require_parts(parts, "first_of");
  return trigger::of(trigger_kind::first_of, std::move(parts));
}

trigger all_of(std::vector<trigger> parts) {
  require_parts(parts, "all_of");
  return trigger::of(trigger_kind::all_of, std::move(parts));
}

trigger in_order(std::vector<trigger> parts) {
  require_parts(parts, "in_order");
  return trigger::of(trigger_kind::in_order, std::move(parts));
}

after_delay after_delay::plus(duration delay) const {
  after_delay longer = *this;
  longer.steps_.push_back({clock_step::kind::plus, delay, duration{0}});
  return longer;
}

after_delay after_delay::align(duration period, duration offset) const {
  after_delay aligned = *this;
  aligned.steps_.push_back({clock_step::kind::align, period, offset});
  return aligned;
}

at_watermark at_watermark::early(trigger part) const {
  at_watermark changed = *this;
  changed.early_.assign(1, std::move(part));
  return changed;
}

at_watermark at_watermark::late(trigger part) const {
  at_watermark changed = *this;
  changed.late_.assign(1, std::move(part));
  return changed;
}

at_watermark::operator trigger() const {
  if (early_.empty() && late_.empty()) return trigger::of(trigger_kind::at_watermark);
  std::vector<trigger> parts{early_.empty() ? never() : early_.front()};
  if (!late_.empty()) parts.push_back(late_.front());
  return trigger::of(trigger_kind::at_watermark, std::move(parts));
}

}  // namespace millrace
