#pragma once

#include <millrace/transforms/operators/element_operator.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <variant>

namespace millrace {

// Hands each alternative of the variants that a function returns to an output of its own. The variants are built at the
// positions of their elements, and an output is a selection of positions with the variant's size as stride:
// alternatives are not copied.
template <class In, class Call, class... Outs>
class split_operator final : public stage_operator, public receiver<In> {
  using choice = std::variant<Outs...>;

 public:
  template <class Fn>
  split_operator(const operator_environment& in, Fn fn)
      : metrics_(in.metrics), calls_(in), call_(std::move(fn), in.metrics) {}

  receiver_ref input(std::size_t /*port*/) override { return static_cast<receiver<In>&>(*this); }
  void connect(std::size_t output, receiver_ref next) override {
    connect(output, next, std::index_sequence_for<Outs...>{});
  }

  void accept(const batch<In>& in) override {
    built_values<choice> out{buffer_.get(), in.selected};
    calls_.run(in, 0,
               [&](std::uint32_t p, const In& x) { out.emplace(p, [&]() -> decltype(auto) { return call_(x); }); });
    metrics_.elements_in += in.count;
    metrics_.elements_out += in.count;
    pass_on({buffer_.get(), sizeof(choice), in.count, in.selected, in.at}, std::index_sequence_for<Outs...>{});
  }

 private:
  template <std::size_t... Indices>
  void connect(std::size_t output, receiver_ref next, std::index_sequence<Indices...> /*all*/) {
    ((output == Indices ? void(std::get<Indices>(next_) = &next.as<Outs>()) : void()), ...);
  }

  template <std::size_t... Indices>
  void pass_on(const batch<choice>& all, std::index_sequence<Indices...> /*all*/) {
    (pass_on_one<Indices>(all), ...);
  }
  template <std::size_t Index>
  void pass_on_one(const batch<choice>& all) {
    using out = std::variant_alternative_t<Index, choice>;
    std::uint32_t count = 0;
    all.each([&](std::uint32_t p, const choice& c) {
      selected_[count] = static_cast<std::uint16_t>(p);
      count += c.index() == Index ? 1 : 0;
    });
    if (count == 0) return;
    const std::uint32_t first = selected_[0];
    const auto* held = reinterpret_cast<const char*>(std::get_if<Index>(&all.value(first)));
    const auto* origin = reinterpret_cast<const out*>(held - std::size_t{first} * sizeof(choice));
    std::get<Index>(next_)->accept({origin, sizeof(choice), count, selected_.data(), all.at});
  }

  metric_board& metrics_;
  element_calls<In> calls_;
  Call call_;
  std::tuple<receiver<Outs>*...> next_;
  value_buffer<choice> buffer_;
  std::array<std::uint16_t, batch_max + 1> selected_;
};

}  // namespace millrace
