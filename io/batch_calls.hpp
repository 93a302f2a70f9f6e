#pragma once

#include <millrace/transforms/operators/element_operator.hpp>
#include <millrace/transforms/operators/element_step.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// What a call gave for one element: a value, or why there is none.
template <class Value>
struct call_answer {
  std::optional<Value> value;
  std::string fault;
  std::uint32_t attempts = 1;
};

// Asks something outside about whole batches of elements: `Calls` answers for all elements of a batch at once, and each
// answer is put beside its element at its position, so that stamps and panes stay. Elements without an answer go to the
// error output, or fail the job if there is none. Calls has
//   setup(), teardown(); in_shard(number), if it wants to know;
//   answer(const std::vector<const In*>&, std::vector<call_answer<Value>>&, metric_board&);  // in this order
template <class In, class Out, class Calls>
class batch_call_operator final : public stage_operator, public receiver<In> {
  using value = typename Calls::value;

 public:
  batch_call_operator(const operator_environment& in, Calls calls)
      : step_(in.step), metrics_(in.metrics), calls_(std::move(calls)) {
    if constexpr (requires { calls_.in_shard(in.shard); }) calls_.in_shard(in.shard);
  }

  receiver_ref input(std::size_t /*port*/) override { return static_cast<receiver<In>&>(*this); }
  void connect(std::size_t output, receiver_ref next) override {
    if (output == 0) next_ = &next.as<Out>();
    else errors_ = &next.as<failed<In>>();
  }
  void setup() override {
    try {
      calls_.setup();
    } catch (...) {
      std::throw_with_nested(element_failure({step_, "", "setup(): " + message_of_current_exception(), 1}));
    }
  }
  void teardown() noexcept override { calls_.teardown(); }

  void accept(const batch<In>& in) override {
    metrics_.elements_in += in.count;
    elements_.clear();
    in.each([&](std::uint32_t p, const In& x) {
      positions_[elements_.size()] = static_cast<std::uint16_t>(p);
      elements_.push_back(&x);
    });
    answers_.assign(elements_.size(), {});
    calls_.answer(elements_, answers_, metrics_);
    pass_on(in);
  }

 private:
  void pass_on(const batch<In>& in) {
    std::uint32_t answered = 0;
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      if (answers_[i].value) selected_[answered++] = positions_[i];
      else fail(in, i);
    }
    if (answered == 0) return;
    built_values<Out> out{buffer_.get(), selected_.data()};
    for (std::size_t i = 0; i < elements_.size(); ++i)
      if (answers_[i].value)
        out.emplace(positions_[i], [&] { return Out{*elements_[i], std::move(*answers_[i].value)}; });
    metrics_.elements_out += answered;
    next_->accept({buffer_.get(), sizeof(Out), answered, selected_.data(), in.at});
  }
  void fail(const batch<In>& in, std::size_t i) {
    const timestamp time = in.at->time_at(positions_[i]);
    const context& c = in.at->context_at(positions_[i]);
    const call_answer<value>& of = answers_[i];
    if (!errors_)
      throw element_failure(
          {step_, describe_stamped(describe_element(*elements_[i]), time, c.windows), of.fault, of.attempts});
    ++metrics_.error_elements;
    const failed<In> one{*elements_[i], step_, of.fault, of.attempts};
    const stamps at{nullptr, time, time, nullptr, {&c, 1}};
    errors_->accept({&one, sizeof one, 1, nullptr, &at});
  }

  std::string step_;
  metric_board& metrics_;
  Calls calls_;
  receiver<Out>* next_ = nullptr;
  receiver<failed<In>>* errors_ = nullptr;
  std::vector<const In*> elements_;
  std::vector<call_answer<value>> answers_;
  std::array<std::uint16_t, batch_max> positions_;
  std::array<std::uint16_t, batch_max> selected_;
  value_buffer<Out> buffer_;
};

namespace detail {

template <class Out, class In, class Calls, class Options>
auto add_batch_calls(const pcollection<In>& in, const std::string& name, const std::string& what, const Calls& calls,
                     const Options& options, std::source_location where) {
  using operator_type = batch_call_operator<In, Out, Calls>;
  auto spec =
      make_element_spec<operator_type>(arrow_text<In, Out>(what) + (Options::errors ? ", with errors" : ""), calls);
  return add_step<Out>(in, name, std::move(spec), options, where);
}

}  // namespace detail

}  // namespace millrace
