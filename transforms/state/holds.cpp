#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/state/holds.hpp>

namespace millrace {

void holds::remove(timestamp at) {
  const auto found = counts_.find(at);
  check(found != counts_.end(), "a hold that is removed stands");
  if (--found->second == 0) counts_.erase(found);
}

}  // namespace millrace
