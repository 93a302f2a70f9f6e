#pragma once

#include <millrace/transforms/operators/element_step.hpp>
#include <millrace/transforms/operators/partition_operator.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

namespace detail {

// The node of a partition: `count` outputs, then maybe one of errors.
template <class T, class F>
std::vector<collection_id> add_partition(const pcollection<T>& in, const std::string& name, const F& f,
                                         std::size_t count, bool errors, std::source_location where) {
  using operator_type = partition_operator<T, user_function<F>>;
  if (count == 0)
    throw pipeline_error(in.owner().path_of(name), "a partition has no outputs; give the number of them, at least 1");
  node added;
  added.spec = make_element_spec<operator_type>("partition " + element_type::of<T>().coder.name() + " into "
                                                    + std::to_string(count) + (errors ? ", with errors" : ""),
                                                f, count);
  added.inputs = {in.id()};
  added.where = where;
  std::vector<output_spec> outputs(count, output_like(in, element_type::of<T>()));
  if (errors) outputs.push_back(output_like(in, element_type::of<failed<T>>()));
  return in.owner().add(name, std::move(added), outputs).outputs;
}

// Stops compilation with one sentence unless f(element) is the number of an output.
template <class T, class F>
consteval bool require_partition() {
  constexpr bool callable = callable_step<F, const T&>;
  static_assert(callable,
                "millrace: partition: the function must be callable with an element of the collection (const T&)");
  if constexpr (callable) {
    constexpr bool integral = std::is_integral_v<std::remove_cvref_t<step_result<F, const T&>>>;
    static_assert(integral, "millrace: partition: the function must return an integer, the number of the output");
    return integral;
  } else return false;
}

template <class T, std::size_t... Indices>
std::array<pcollection<T>, sizeof...(Indices)> array_of(const pcollection<T>& in, const std::vector<collection_id>& ids,
                                                        std::index_sequence<Indices...> /*all*/) {
  return {pcollection<T>{in.shared_owner(), ids[Indices]}...};
}

}  // namespace detail

// Sends each element to the output whose number, from 0 on, f(element) gives. The result is an array of collections:
//   auto [small, large] = orders | partition<2>("by size", [](const order& o) { return o.cents < 1000 ? 0 : 1; });
// Another number fails the job, naming step, element and number. Stamps stay.
template <std::size_t Count, class F>
[[nodiscard]] auto partition(std::string name, F f, std::source_location where = std::source_location::current()) {
  static_assert(Count > 0, "millrace: a partition needs at least one output");
  return [name = std::move(name), f = std::move(f), where]<class T>(const pcollection<T>& in) {
    using function = decltype(detail::as_function(f));
    if constexpr (detail::require_partition<T, function>()) {
      const auto ids = detail::add_partition(in, name, detail::as_function(f), Count, false, where);
      return detail::array_of(in, ids, std::make_index_sequence<Count>{});
    }
  };
}
// The same with an error output: gives {outputs, errors}. Elements for which f throws or gives a wrong number go there.
template <std::size_t Count, class F>
[[nodiscard]] auto partition(std::string name, F f, error_output /*asked*/,
                             std::source_location where = std::source_location::current()) {
  static_assert(Count > 0, "millrace: a partition needs at least one output");
  return [name = std::move(name), f = std::move(f), where]<class T>(const pcollection<T>& in) {
    using function = decltype(detail::as_function(f));
    if constexpr (detail::require_partition<T, function>()) {
      const auto ids = detail::add_partition(in, name, detail::as_function(f), Count, true, where);
      return std::pair{detail::array_of(in, ids, std::make_index_sequence<Count>{}),
                       pcollection<failed<T>>{in.shared_owner(), ids[Count]}};
    }
  };
}
// The same for a number of outputs that is known when the program runs; the result is a vector of collections.
template <class F>
[[nodiscard]] auto partition(std::string name, std::size_t count, F f,
                             std::source_location where = std::source_location::current()) {
  return [name = std::move(name), count, f = std::move(f), where]<class T>(const pcollection<T>& in) {
    using function = decltype(detail::as_function(f));
    if constexpr (detail::require_partition<T, function>()) {
      std::vector<pcollection<T>> outputs;
      for (const collection_id id : detail::add_partition(in, name, detail::as_function(f), count, false, where))
        outputs.emplace_back(in.shared_owner(), id);
      return outputs;
    }
  };
}

}  // namespace millrace
