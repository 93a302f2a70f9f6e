#pragma once

#include <millrace/transforms/errors.hpp>
#include <millrace/transforms/functions/do_fn.hpp>
#include <millrace/transforms/operators/batch.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/operators/operator.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

namespace millrace {

// Calls a user's function for the elements of batches and answers for what it throws: calls it again for the element
// that failed and for no other, then gives the element to the error output if the step has one, else throws
// element_failure. One try block around a whole batch, the position outside of it: nothing is paid until a throw.
template <class T>
class element_calls {
 public:
  explicit element_calls(const operator_environment& in)
      : step_(in.step), attempts_max_(std::max(1U, in.attempts_max)), metrics_(in.metrics) {}

  void connect_errors(receiver_ref to) { errors_ = &to.as<failed<T>>(); }

  // Calls call(position, value) for the elements from the one with index `first` on. Inside a catch block take_back()
  // undoes what a failed call has left and returns whether that was possible. Returns the index of the first element
  // that went to the error output, or in.count.
  template <class Call, class TakeBack>
  std::uint32_t run(const batch<T>& in, std::uint32_t first, Call&& call, TakeBack&& take_back) {
    std::uint32_t now = first;
    std::uint32_t failing = in.count;
    std::uint32_t attempts = 0;
    for (;;) {
      try {
        call_from(in, now, call);
        return in.count;
      } catch (...) {
        const std::string cause = message_of_current_exception();
        attempts = now == failing ? attempts + 1 : 1;
        failing = now;
        const bool again = take_back();
        metrics_.take_back_call();
        if (again && attempts < attempts_max_) {
          metrics_.attempt_again();
          continue;
        }
        give_up(in, position_of(in, now), cause, attempts, again);
        return now;
      }
    }
  }
  // The same for calls that leave nothing when they throw.
  template <class Call>
  std::uint32_t run(const batch<T>& in, std::uint32_t first, Call&& call) {
    return run(in, first, std::forward<Call>(call), [] { return true; });
  }

  static std::uint32_t position_of(const batch<T>& in, std::uint32_t index) {
    return in.selected ? in.selected[index] : index;
  }

 private:
  template <class Call>
  static void call_from(const batch<T>& in, std::uint32_t& now, Call& call) {
    if (!in.selected && in.stride == sizeof(T))
      for (; now < in.count; ++now) call(now, in.values[now]);
    else
      for (; now < in.count; ++now) {
        const std::uint32_t p = position_of(in, now);
        call(p, in.value(p));
      }
  }

  // Inside the catch block of the last attempt.
  [[gnu::noinline]] void give_up(const batch<T>& in, std::uint32_t position, const std::string& cause,
                                 std::uint32_t attempts, bool nothing_left) {
    const timestamp time = in.at->time_at(position);
    const context& c = in.at->context_at(position);
    if (!errors_ || !nothing_left)
      std::throw_with_nested(element_failure(
          {step_, describe_stamped(describe_element(in.value(position)), time, c.windows),
           nothing_left ? cause : cause + "; some of the element's outputs had already left the step", attempts}));
    ++metrics_.error_elements;
    const failed<T> one{in.value(position), step_, cause, attempts};
    const stamps at{nullptr, time, time, nullptr, {&c, 1}};
    errors_->accept({&one, sizeof one, 1, nullptr, &at});
  }

  std::string step_;
  std::uint32_t attempts_max_;
  metric_board& metrics_;
  receiver<failed<T>>* errors_ = nullptr;
};

// The rest of a batch behind its first `skipped` elements. `room` is used for positions if the batch selects all.
template <class T>
batch<T> rest_of(const batch<T>& in, std::uint32_t skipped, std::array<std::uint16_t, batch_max>& room) {
  batch<T> rest = in;
  rest.count = in.count - skipped;
  if (in.selected) {
    rest.selected = in.selected + skipped;
  } else {
    for (std::uint32_t p = skipped; p < in.count; ++p) room[p] = static_cast<std::uint16_t>(p);
    rest.selected = room.data() + skipped;
  }
  return rest;
}

// Puts the result for position p at position p: neither stamps nor selection change.
template <class In, class Out, class Call>
class map_operator final : public stage_operator, public receiver<In> {
 public:
  template <class Fn>
  map_operator(const operator_environment& in, Fn fn)
      : metrics_(in.metrics), calls_(in), call_(std::move(fn), in.metrics) {}

  [[nodiscard]] Call& call() { return call_; }
  receiver_ref input(std::size_t /*port*/) override { return static_cast<receiver<In>&>(*this); }
  void connect(std::size_t output, receiver_ref next) override {
    if (output == 0) next_ = &next.as<Out>();
    else calls_.connect_errors(next);
  }

  void accept(const batch<In>& in) override {
    metrics_.elements_in += in.count;
    std::uint32_t done = map(in);
    if (done == in.count) [[likely]]
      return;
    // The element with index `done` went to the error output: the rest is a batch of its own.
    std::array<std::uint16_t, batch_max> positions;
    batch<In> rest = rest_of(in, done + 1, positions);
    while (rest.count > 0) {
      done = map(rest);
      if (done == rest.count) break;
      rest.count -= done + 1;
      rest.selected += done + 1;
    }
  }

 private:
  // Passes the results on up to the first element that failed for good; returns its index, or in.count.
  std::uint32_t map(const batch<In>& in) {
    built_values<Out> out{buffer_.get(), in.selected};
    const std::uint32_t done = calls_.run(
        in, 0, [&](std::uint32_t p, const In& x) { out.emplace(p, [&]() -> decltype(auto) { return call_(x); }); });
    metrics_.elements_out += done;
    if (done > 0) next_->accept({buffer_.get(), sizeof(Out), done, in.selected, in.at});
    return done;
  }

  metric_board& metrics_;
  element_calls<In> calls_;
  Call call_;
  receiver<Out>* next_ = nullptr;
  value_buffer<Out> buffer_;
};

// A member of each element, where it lies: nothing is copied.
template <class In, class Out>
class member_operator final : public stage_operator, public receiver<In> {
 public:
  member_operator(const operator_environment& in, Out In::* member) : metrics_(in.metrics), member_(member) {}

  receiver_ref input(std::size_t /*port*/) override { return static_cast<receiver<In>&>(*this); }
  void connect(std::size_t /*output*/, receiver_ref next) override { next_ = &next.as<Out>(); }
  void accept(const batch<In>& in) override {
    metrics_.elements_in += in.count;
    metrics_.elements_out += in.count;
    next_->accept({&(in.values->*member_), in.stride, in.count, in.selected, in.at});
  }

 private:
  metric_board& metrics_;
  Out In::* member_;
  receiver<Out>* next_ = nullptr;
};

// Narrows the selection.
template <class T, class Call>
class filter_operator final : public stage_operator, public receiver<T> {
 public:
  static constexpr operator_traits traits = detail::declared_traits<typename Call::function_type>();

  template <class Fn>
  filter_operator(const operator_environment& in, Fn fn)
      : metrics_(in.metrics), calls_(in), call_(std::move(fn), in.metrics) {}

  [[nodiscard]] Call& call() { return call_; }
  receiver_ref input(std::size_t /*port*/) override { return static_cast<receiver<T>&>(*this); }
  void connect(std::size_t output, receiver_ref next) override {
    if (output == 0) next_ = &next.as<T>();
    else calls_.connect_errors(next);
  }

  void accept(const batch<T>& in) override {
    std::uint32_t kept = 0;
    for (std::uint32_t index = 0; index < in.count; ++index)  // once, plus once for each element that failed for good
      index = calls_.run(in, index, [&](std::uint32_t p, const T& x) {
        selected_[kept] = static_cast<std::uint16_t>(p);  // no branch to mispredict
        kept += call_(x) ? 1 : 0;
      });
    metrics_.elements_in += in.count;
    metrics_.elements_out += kept;
    if (kept == 0) return;
    batch<T> result = in;
    if (kept < in.count) {
      result.selected = selected_.data();
      result.count = kept;
    }
    next_->accept(result);
  }

 private:
  metric_board& metrics_;
  element_calls<T> calls_;
  Call call_;
  receiver<T>* next_ = nullptr;
  alignas(64) std::array<std::uint16_t, batch_max + 1> selected_;
};

// The description of a fused element-wise step: makes `Operator(environment, parts...)` with copies of the parts.
template <class Operator, class... Parts>
class element_spec final : public operator_spec {
 public:
  explicit element_spec(std::string text, Parts... parts) : text_(std::move(text)), parts_(std::move(parts)...) {}

  [[nodiscard]] operator_kind kind() const override { return operator_kind::element; }
  [[nodiscard]] std::string describe() const override { return text_; }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& in) const override {
    return std::apply([&](const Parts&... parts) { return make_operator<Operator>(in, parts...); }, parts_);
  }
  [[nodiscard]] state_schema state() const override {
    if constexpr (requires { Operator::kept(parts_); }) return Operator::kept(parts_);
    else return {};
  }
  [[nodiscard]] operator_traits traits() const override {
    if constexpr (requires { Operator::traits; }) return Operator::traits;
    else return {};
  }

 private:
  std::string text_;
  std::tuple<Parts...> parts_;
};

template <class Operator, class... Parts>
std::shared_ptr<const operator_spec> make_element_spec(std::string text, Parts... parts) {
  return make_spec<element_spec<Operator, Parts...>>(std::move(text), std::move(parts)...);
}

}  // namespace millrace
