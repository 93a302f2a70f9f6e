#pragma once

#include <millrace/io/batch_calls.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

// An element and what a model says about it.
template <class T, class Result>
struct prediction {
  T input{};
  Result output{};

  friend bool operator==(const prediction&, const prediction&) = default;
};

namespace detail {

// A model that all shards of a process share: loaded by the first that needs it. If loading throws, the next tries
// again.
template <class Load>
class shared_model {
 public:
  using model = std::remove_cvref_t<std::invoke_result_t<Load&>>;
  explicit shared_model(Load load) : load_(std::move(load)) {}
  std::shared_ptr<const model> get() {
    const std::lock_guard lock(loading_);
    if (!model_) model_ = std::make_shared<const model>(load_());
    return model_;
  }

 private:
  std::mutex loading_;
  Load load_;
  std::shared_ptr<const model> model_;
};

// Asks a model about batches of elements.
template <class T, class Load>
class inferences {
  using model = typename shared_model<Load>::model;
  using results = decltype(std::declval<const model&>().infer(std::declval<std::span<const T>>()));

 public:
  using value = typename results::value_type;

  inferences(std::shared_ptr<shared_model<Load>> of, std::size_t batch) : of_(std::move(of)), batch_(batch) {}

  void setup() { model_ = of_->get(); }
  void teardown() noexcept { model_.reset(); }
  void answer(const std::vector<const T*>& elements, std::vector<call_answer<value>>& to, metric_board& metrics) {
    for (std::size_t from = 0; from < elements.size(); from += batch_)
      ask(elements, {from, std::min(from + batch_, elements.size()), 1}, to, metrics);
  }

 private:
  struct range {
    std::size_t from;
    std::size_t until;
    std::uint32_t attempt;
  };
  void ask(const std::vector<const T*>& elements, range of, std::vector<call_answer<value>>& to,
           metric_board& metrics) {
    const auto [from, until, attempt] = of;
    std::vector<T> inputs;
    for (std::size_t i = from; i < until; ++i) inputs.push_back(*elements[i]);
    ++metrics.counter("inferences");
    try {
      results all = model_->infer(std::span<const T>(inputs));
      if (all.size() != inputs.size())
        throw std::logic_error("the model gave " + std::to_string(all.size()) + " results for "
                               + std::to_string(inputs.size()) + " elements");
      for (std::size_t i = from; i < until; ++i) to[i].value = std::move(all[i - from]);
      return;
    } catch (...) {
      if (until - from == 1) {
        to[from].fault = message_of_current_exception();
        to[from].attempts = attempt;
        return;
      }
    }
    // One element may spoil the batch for the others: each is tried alone.
    for (std::size_t i = from; i < until; ++i) ask(elements, {i, i + 1, attempt + 1}, to, metrics);
  }

  std::shared_ptr<shared_model<Load>> of_;
  std::size_t batch_;
  std::shared_ptr<const model> model_;
};

template <class T, class Load, class Options>
auto add_inference(const pcollection<T>& in, const std::string& name, const Load& load, std::size_t batch,
                   const Options& outputs, std::source_location where) {
  using model = std::remove_cvref_t<std::invoke_result_t<const Load&>>;
  constexpr bool infers = requires(const model& m, std::span<const T> inputs) {
    typename decltype(m.infer(inputs))::value_type;
    m.infer(inputs).size();
  };
  static_assert(infers, "millrace: run_inference: the model needs std::vector<Result> infer(std::span<const T>) const "
                        "for the elements of the collection");
  if constexpr (infers) {
    if (batch == 0) throw pipeline_error(in.owner().path_of(name), "a batch has 0 elements; give at least 1");
    using calls = inferences<T, Load>;
    return add_batch_calls<prediction<T, typename calls::value>>(
        in, name, "run_inference", calls(std::make_shared<shared_model<Load>>(load), batch), outputs, where);
  }
}

}  // namespace detail

// How a model is asked.
struct inference_options {
  // The most elements in one call of the model.
  std::size_t batch_max = 64;
};

// What a model says about each element: pcollection<T> -> pcollection<prediction<T, Result>>. load() gives the model,
// once in a process, and all shards share it, so that `std::vector<Result> infer(std::span<const T>) const` must be
// safe to call from several threads at once. It gives one result for each element, in their order. If it throws for a
// batch, its elements are tried one by one; those for which it throws again fail the job.
template <class Load>
[[nodiscard]] auto run_inference(std::string name, Load load, inference_options options = {},
                                 std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    return detail::add_inference(in, name, load, options.batch_max, detail::step_options<false>{}, where);
  };
}
// The same with an error output for elements for which the model throws: gives {predictions, failed elements}.
template <class Load>
[[nodiscard]] auto run_inference(std::string name, Load load, inference_options options, error_output /*wanted*/,
                                 std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    return detail::add_inference(in, name, load, options.batch_max, detail::step_options<true>{}, where);
  };
}

}  // namespace millrace
