#include <millrace/actors/protocol/credit.hpp>

namespace millrace {

std::optional<bundle_ptr> credit_window::next() {
  if (waiting_.empty()) return std::nullopt;
  const bool costs = waiting_.front()->rows > 0;
  if (costs && left_ <= 0) return std::nullopt;
  bundle_ptr first = std::move(waiting_.front());
  waiting_.pop_front();
  if (costs) left_ -= static_cast<std::int64_t>(first->size_bytes());
  return first;
}

std::size_t credit_window::waiting_bytes() const {
  std::size_t bytes = 0;
  for (const auto& b : waiting_) bytes += b->size_bytes();
  return bytes;
}

}  // namespace millrace
