#pragma once

#include <millrace/transforms/operators/element_operator_emitting.hpp>
#include <millrace/transforms/operators/element_type.hpp>
#include <millrace/transforms/operators/held_outputs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

// A do_fn that is told when a bundle begins or ends, and so may keep something of the bundle in itself. When it throws,
// the whole bundle is done again by a new copy of the function, after teardown() of the one that failed: elements wait
// until the bundle ends, outputs until it has succeeded, and metrics are set back. An element that fails for good goes
// to the error output, and the bundle is done without it. Its last port, if connected, is the error output.
// Whoever stands before it and knows side inputs shows them for each element as it is processed.
template <class In, class Call, class... Outs>
class bundle_operator final : public stage_operator, public receiver<In>, public epoch_participant {
  using function = typename Call::function_type;
  using inner_operator = par_do_operator<In, Call, Outs...>;

 public:
  static constexpr operator_traits traits = detail::declared_traits<function>();

  bundle_operator(const operator_environment& in, function fn)
      : in_(in), prototype_(std::move(fn)), outputs_(in.batch_rows_max) {
    in_.attempts_max = 1;
    attempts_max_ = std::max(1U, in.attempts_max);
    make_inner();
  }

  // The contents for the function's calls, and how they become those of a window.
  template <class Arguments>
  void read_views(const Arguments& arguments, std::function<void(const window&)> look) {
    show_views_ = [&arguments](inner_operator& to) { to.call().look_at(arguments); };
    show_views_(*inner_);
    look_ = std::move(look);
  }

  receiver_ref input(std::size_t /*port*/) override { return static_cast<receiver<In>&>(*this); }
  void connect(std::size_t output, receiver_ref next) override {
    if (!outputs_.connect(output, next)) errors_ = &next.as<failed<In>>();
  }
  epoch_participant* as_epoch_participant() override { return inner_->as_epoch_participant() ? this : nullptr; }
  void prepare(std::uint64_t epoch) override { inner_->prepare(epoch); }
  void commit(std::uint64_t epoch) override { inner_->commit(epoch); }
  void abort() noexcept override { inner_->abort(); }

  void setup() override { inner_->setup(); }
  void teardown() noexcept override { inner_->teardown(); }

  void accept(const batch<In>& in) override {
    in.each([&](std::uint32_t p, const In& x) {
      const context& c = in.at->context_at(p);
      if (contexts_.empty() || !(contexts_.back() == c)) contexts_.push_back(c);
      waiting_.push_back({detail::owned(x), in.at->time_at(p), contexts_.size() - 1, 0, {}});
    });
  }
  void finish_bundle() override {
    if (waiting_.empty()) return;
    const metric_board before = in_.metrics;
    const auto registered = inner_->finalizations().registered();
    std::uint32_t failures = 0;  // of calls around the elements
    while (!attempt(failures)) {
      in_.metrics.take_back_to(before);
      renew(registered);
    }
    outputs_.pass_on();
    give_up_failed();
    waiting_.clear();
    contexts_.clear();
  }

 private:
  struct waiting_element {
    detail::owning_t<In> value;
    timestamp at;
    std::size_t of;  // its context
    std::uint32_t attempts;
    std::optional<std::string> cause;  // of an element that has failed for good
  };

  void make_inner() {
    inner_ = std::make_unique<inner_operator>(in_, prototype_);
    std::size_t port = 0;
    outputs_.each([&](auto& o) { inner_->connect(port++, o); });
    if (show_views_) show_views_(*inner_);
  }

  // Does the whole bundle; false if it is to be done again.
  bool attempt(std::uint32_t& failures) {
    waiting_element* now = nullptr;
    const context* shown = nullptr;
    try {
      for (waiting_element& e : waiting_) {
        now = &e;
        if (const context* in = &contexts_[e.of]; look_ && in != std::exchange(shown, in)) look_(in->windows.front());
        const stamps at{nullptr, e.at, e.at, nullptr, {&contexts_[e.of], 1}};
        if (e.cause) in_.metrics.elements_in += 1;
        else process(e, at);
      }
      now = nullptr;
      inner_->finish_bundle();
      return true;
    } catch (const element_failure& f) {
      outputs_.forget();
      if (f.element().empty() || !now) {  // start_bundle() or finish_bundle()
        if (++failures >= attempts_max_) throw;
        return false;
      }
      if (++now->attempts < attempts_max_) return false;
      if (!errors_) std::throw_with_nested(element_failure({in_.step, f.element(), f.cause(), now->attempts}));
      now->cause = f.cause();
      return false;
    }
  }
  void process(const waiting_element& e, const stamps& at) {
    if constexpr (is_text_view<In>) {
      const In x = detail::view_of<In>(e.value);
      inner_->accept({&x, sizeof x, 1, nullptr, &at});
    } else {
      inner_->accept({&e.value, sizeof(In), 1, nullptr, &at});
    }
  }
  void renew(std::size_t registered) {
    detail::finalization calls = std::move(inner_->finalizations());
    calls.back_to(registered);
    inner_->teardown();
    make_inner();
    inner_->finalizations() = std::move(calls);
    inner_->setup();
  }
  void give_up_failed() {
    if constexpr (is_text_view<In>) return;  // they have no error output
    else
      for (const waiting_element& e : waiting_) {
        if (!e.cause) continue;
        ++in_.metrics.error_elements;
        const failed<In> one{e.value, in_.step, *e.cause, e.attempts};
        const stamps at{nullptr, e.at, e.at, nullptr, {&contexts_[e.of], 1}};
        errors_->accept({&one, sizeof one, 1, nullptr, &at});
      }
  }

  operator_environment in_;
  std::uint32_t attempts_max_ = 1;
  function prototype_;
  std::unique_ptr<inner_operator> inner_;
  std::function<void(inner_operator&)> show_views_;  // empty without side inputs
  std::function<void(const window&)> look_;
  detail::held_ports<Outs...> outputs_;
  receiver<failed<In>>* errors_ = nullptr;
  std::vector<waiting_element> waiting_;
  std::vector<context> contexts_;
};

namespace detail {

// The operator of a par_do without state.
template <class T, class Call, class... Outs>
using par_do_operator_for = std::conditional_t<bundle_function<typename Call::function_type, Outs...>,
                                               bundle_operator<T, Call, Outs...>, par_do_operator<T, Call, Outs...>>;

}  // namespace detail

}  // namespace millrace
