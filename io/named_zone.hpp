#pragma once

#include <millrace/transforms/windows/time_zone.hpp>

#include <string>

namespace millrace {

// A zone of the machine's time zone database, such as "Europe/Berlin", for calendar windows. After the last change that
// the database lists (2037, as a rule) its offset stays. Throws std::invalid_argument for a name that it does not have.
[[nodiscard]] time_zone named_zone(const std::string& name);

}  // namespace millrace
