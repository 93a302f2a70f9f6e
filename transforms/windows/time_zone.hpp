#pragma once

#include <millrace/transforms/element/time.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace millrace {

// From an instant on, local time is UTC plus an offset.
struct offset_change {
  timestamp since;
  duration offset{0};
};

// How the clocks of a place differ from UTC: a name, an offset and its changes. A value that is cheap to copy; zones of
// one name are the same zone. `utc_offset(1h)` makes one that never changes, `named_zone("Europe/Berlin")`
// (io/named_zone.hpp) one of the machine's time zone database.
class time_zone {
 public:
  // UTC.
  time_zone() = default;
  // `first` is the offset before the first change; the changes are in the order of time. Throws std::invalid_argument
  // if they are not, or if an offset is more than a day.
  time_zone(std::string name, duration first, std::vector<offset_change> changes);

  // Empty for UTC.
  [[nodiscard]] std::string name() const { return rules_ ? rules_->name : std::string(); }
  // Local time less UTC.
  [[nodiscard]] duration offset_at(timestamp t) const;
  // The first instant at which the local date is `days` after 1970-01-01, or a later one, in milliseconds since then:
  // midnight, the first of two where clocks go back over it, or what comes after a midnight that clocks leave out.
  [[nodiscard]] std::int64_t start_of_day(std::int64_t days) const;

  friend bool operator==(const time_zone& a, const time_zone& b) { return a.name() == b.name(); }

 private:
  struct rules {
    std::string name;
    duration first{0};
    std::vector<offset_change> changes;
  };
  std::shared_ptr<const rules> rules_;  // null for UTC
};

// A zone that is always `offset` from UTC: whole minutes, at most a day, or std::invalid_argument. Named "utc+01:00".
[[nodiscard]] time_zone utc_offset(duration offset);

}  // namespace millrace
