#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace millrace {

// What is held for side inputs is more than the budget allows. It fails the job, not the elements that read them.
class side_input_overflow : public std::length_error {
 public:
  using std::length_error::length_error;
};

// How many bytes one shard of a stage may hold in side inputs, and as many again in elements that wait for side inputs.
// Contents that grow over it fail the job. So do elements that wait, but where the stage reads its own source: there
// reading pauses until the side inputs are ready, which never depend on it. Owned by the stage instance.
struct side_input_budget {
  std::size_t bytes_max = static_cast<std::size_t>(-1);
  bool reading_pauses = false;
  std::size_t contents_bytes = 0;
  std::size_t waiting_bytes = 0;

  // Whether no more elements should come that may have to wait.
  [[nodiscard]] bool full() const { return reading_pauses && waiting_bytes >= bytes_max; }
};

namespace detail {

// "268435456 bytes, the most that --side_input_bytes allows ..." behind what is held: how a budget is exceeded, and
// what can be done.
[[nodiscard]] std::string beyond_side_budget(const side_input_budget& in);

// What one holder has in a budget. `Kind` is the sum that it is part of. Without a budget there is no limit.
class side_input_share {
 public:
  side_input_share(side_input_budget* of, std::size_t side_input_budget::* kind) : of_(of), kind_(kind) {}

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // Changes what is held; false if the sum is over the budget now.
  bool set(std::size_t bytes) {
    const std::size_t before = std::exchange(bytes_, bytes);
    if (!of_) return true;
    of_->*kind_ += bytes - before;
    return of_->*kind_ <= of_->bytes_max;
  }
  [[nodiscard]] const side_input_budget* budget() const { return of_; }

 private:
  side_input_budget* of_;
  std::size_t side_input_budget::* kind_;
  std::size_t bytes_ = 0;
};

}  // namespace detail

}  // namespace millrace
