#pragma once

#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/operators/batch.hpp>
#include <millrace/transforms/operators/receiver.hpp>

#include <algorithm>
#include <cstdint>

namespace millrace::detail {

// The outputs of a splittable function that were passed on: how many ever, and the greatest time in one call.
struct output_tally {
  std::uint64_t outputs = 0;
  timestamp greatest = timestamp::min();
};

// Counts the outputs of a splittable function on their way to the next step.
template <class X>
class output_watch final : public receiver<X> {
 public:
  explicit output_watch(output_tally& in) : in_(in) {}
  receiver_ref watch(receiver_ref next) {
    next_ = &next.as<X>();
    return static_cast<receiver<X>&>(*this);
  }
  void accept(const batch<X>& in) override {
    in_.outputs += in.count;
    in.each([&](std::uint32_t p, const X&) { in_.greatest = std::max(in_.greatest, in.at->time_at(p)); });
    next_->accept(in);
  }

 private:
  output_tally& in_;
  receiver<X>* next_ = nullptr;
};

}  // namespace millrace::detail
