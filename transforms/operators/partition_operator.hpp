#pragma once

#include <millrace/transforms/operators/element_operator.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

// Hands each element to the output whose number a function gives: every output is a selection of positions of the same
// batch, so that nothing is copied. A number without an output fails the element.
template <class T, class Call>
class partition_operator final : public stage_operator, public receiver<T> {
 public:
  template <class Fn>
  partition_operator(const operator_environment& in, Fn fn, std::size_t outputs)
      : metrics_(in.metrics), calls_(in), call_(std::move(fn), in.metrics), next_(outputs), selected_(outputs) {}

  receiver_ref input(std::size_t /*port*/) override { return static_cast<receiver<T>&>(*this); }
  void connect(std::size_t output, receiver_ref next) override {
    if (output < next_.size()) next_[output] = &next.as<T>();
    else calls_.connect_errors(next);
  }

  void accept(const batch<T>& in) override {
    metrics_.elements_in += in.count;
    for (auto& positions : selected_) positions.clear();
    for (std::uint32_t index = 0; index < in.count; ++index)  // once, plus once for each element that failed for good
      index = calls_.run(in, index, [&](std::uint32_t p, const T& x) {
        selected_[number_of(call_(x))].push_back(static_cast<std::uint16_t>(p));
      });
    for (std::size_t output = 0; output < next_.size(); ++output) {
      const auto& positions = selected_[output];
      if (positions.empty()) continue;
      metrics_.elements_out += positions.size();
      next_[output]->accept(
          {in.values, in.stride, static_cast<std::uint32_t>(positions.size()), positions.data(), in.at});
    }
  }

 private:
  template <class Number>
  std::size_t number_of(Number given) const {
    const auto number = static_cast<std::size_t>(given);  // a negative number becomes a large one
    if (number < next_.size()) [[likely]]
      return number;
    throw std::out_of_range("the function gave output " + std::to_string(given) + ", but the outputs are 0 to "
                            + std::to_string(next_.size() - 1)
                            + "; give a number of them, or filter such elements out before");
  }

  metric_board& metrics_;
  element_calls<T> calls_;
  Call call_;
  std::vector<receiver<T>*> next_;
  std::vector<std::vector<std::uint16_t>> selected_;  // the positions of each output, in order
};

}  // namespace millrace
