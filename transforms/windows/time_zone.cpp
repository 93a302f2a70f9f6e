#include <millrace/transforms/windows/time_zone.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <utility>

namespace millrace {

namespace {

constexpr std::int64_t minute_millis = 60'000;
constexpr std::int64_t day_millis = 86'400'000;

void require_offset(const std::string& zone, duration offset) {
  if (std::abs(offset.count()) > day_millis)
    throw std::invalid_argument("time zone \"" + zone + "\" is more than a day from UTC; offsets are milliseconds");
}

std::string two_digits(std::int64_t n) {
  return (n < 10 ? "0" : "") + std::to_string(n);
}

// The changes that lie at or before an instant.
std::size_t changes_until(const std::vector<offset_change>& changes, std::int64_t millis) {
  const auto after =
      std::ranges::upper_bound(changes, millis, {}, [](const offset_change& c) { return c.since.millis(); });
  return static_cast<std::size_t>(after - changes.begin());
}

}  // namespace

time_zone::time_zone(std::string name, duration first, std::vector<offset_change> changes)
    : rules_(std::make_shared<const rules>(rules{std::move(name), first, std::move(changes)})) {
  if (rules_->name.empty()) throw std::invalid_argument("a time zone without a name is UTC; give it one");
  require_offset(rules_->name, first);
  for (const offset_change& c : rules_->changes) require_offset(rules_->name, c.offset);
  if (!std::ranges::is_sorted(rules_->changes, {}, &offset_change::since))
    throw std::invalid_argument("the changes of time zone \"" + rules_->name + "\" are not in the order of time");
}

duration time_zone::offset_at(timestamp t) const {
  if (!rules_) return duration{0};
  const std::size_t past = changes_until(rules_->changes, t.millis());
  return past == 0 ? rules_->first : rules_->changes[past - 1].offset;
}

std::int64_t time_zone::start_of_day(std::int64_t days) const {
  const std::int64_t midnight = days * day_millis;
  if (!rules_) return midnight;
  const auto& changes = rules_->changes;
  // A day before, no clock of the place can show the date.
  for (std::size_t past = changes_until(changes, midnight - day_millis);; ++past) {
    const std::int64_t since = past == 0 ? std::numeric_limits<std::int64_t>::min() : changes[past - 1].since.millis();
    const std::int64_t offset = (past == 0 ? rules_->first : changes[past - 1].offset).count();
    const std::int64_t reached = std::max(since, midnight - offset);
    if (past == changes.size() || reached < changes[past].since.millis()) return reached;
  }
}

time_zone utc_offset(duration offset) {
  if (std::abs(offset.count()) > day_millis || offset.count() % minute_millis != 0)
    throw std::invalid_argument("an offset from UTC is whole minutes, at most a day");
  if (offset.count() == 0) return {};
  const std::int64_t minutes = std::abs(offset.count()) / minute_millis;
  const std::string name =
      std::string("utc") + (offset.count() < 0 ? "-" : "+") + two_digits(minutes / 60) + ":" + two_digits(minutes % 60);
  return {name, offset, {}};
}

}  // namespace millrace
