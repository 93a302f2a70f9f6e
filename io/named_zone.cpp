#include <millrace/io/named_zone.hpp>

#include <chrono>
#include <cstddef>
#include <date/tz.h>
#include <stdexcept>
#include <utility>
#include <vector>

namespace millrace {

namespace {

// Far more than any place has changed its clocks.
constexpr std::size_t changes_max = 10'000;

const date::time_zone& located(const std::string& name) {
  try {
    return *date::locate_zone(name);
  } catch (const std::runtime_error&) {
    throw std::invalid_argument("time zone \"" + name
                                + "\" is not in the time zone database; its names are like \"Europe/Berlin\", and "
                                  "Debian's package tzdata has it");
  }
}

}  // namespace

time_zone named_zone(const std::string& name) {
  const date::time_zone& zone = located(name);
  date::sys_info info = zone.get_info(date::sys_seconds::min());
  const duration first = info.offset;
  std::vector<offset_change> changes;
  while (info.end < date::sys_seconds::max() && changes.size() < changes_max) {
    info = zone.get_info(info.end);
    changes.push_back({timestamp{info.begin}, info.offset});
  }
  return {name, first, std::move(changes)};
}

}  // namespace millrace
