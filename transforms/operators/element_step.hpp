#pragma once

#include <millrace/transforms/operators/element_operator.hpp>
#include <millrace/transforms/operators/element_operator_viewing.hpp>
#include <millrace/transforms/pipeline.hpp>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace::detail {

// The options of an element-wise step: an error output, side inputs, both or none.
template <bool Errors, class... Shapes>
struct step_options {
  static constexpr bool errors = Errors;
  std::tuple<view<Shapes>...> views;
};

template <class Option>
inline constexpr bool is_side_inputs = false;
template <class... Shapes>
inline constexpr bool is_side_inputs<side_inputs<Shapes...>> = true;

// What may follow the function of a step.
template <class Option>
concept step_option = std::is_same_v<Option, error_output> || is_side_inputs<Option>;

inline step_options<false> options_from() {
  return {};
}
inline step_options<true> options_from(error_output /*asked*/) {
  return {};
}
template <class... Shapes>
step_options<false, Shapes...> options_from(side_inputs<Shapes...> in) {
  return {std::move(in.views)};
}
template <class... Shapes>
step_options<true, Shapes...> options_from(side_inputs<Shapes...> in, error_output /*asked*/) {
  return {std::move(in.views)};
}
template <class... Shapes>
step_options<true, Shapes...> options_from(error_output /*asked*/, side_inputs<Shapes...> in) {
  return {std::move(in.views)};
}

template <class Options>
struct options_traits;
template <bool Errors, class... Shapes>
struct options_traits<step_options<Errors, Shapes...>> {
  // Whether Fn can be called with an element, the contents of the side inputs, emitters, and a metric_board if it
  // likes.
  template <class Fn, class T, class... Outs>
  static constexpr bool callable = callable_step<Fn, const T&, const typename Shapes::contents&..., Outs...>;
  // Whether it can be called with a bundle_finalizer behind them.
  template <class Fn, class T, class... Outs>
  static constexpr bool finalizes = finalizing_step<Fn, const T&, const typename Shapes::contents&..., Outs...>;
  template <class Fn, class T>
  using result = step_result<Fn, const T&, const typename Shapes::contents&...>;
  template <class Fn>
  using call = user_function<Fn, Shapes...>;
};

// The spec of an element-wise operator for a function, behind the handling of its side inputs if it has any.
template <class In, class Inner, class Fn, bool Errors, class... Shapes>
std::shared_ptr<const operator_spec> step_spec(std::string text, const pcollection<In>& in, Fn fn,
                                               const step_options<Errors, Shapes...>& options) {
  if constexpr (Errors) text += ", with errors";
  if constexpr (sizeof...(Shapes) == 0) return make_element_spec<Inner>(std::move(text), std::move(fn));
  else {
    require_codable<In>();
    std::apply([&](const auto&... v) { ((text += ", with " + Shapes::name() + " \"" + v.name() + "\""), ...); },
               options.views);
    return make_element_spec<viewing_operator<In, Inner, Shapes...>>(
        std::move(text), std::move(fn), in.windowing().allowed_lateness,
        std::apply([](const auto&... v) { return std::tuple{v.source()...}; }, options.views));
  }
}

template <class... Outs, std::size_t... Indices>
std::tuple<pcollection<Outs>...> tuple_of(const std::shared_ptr<graph>& of, const std::vector<collection_id>& ids,
                                          std::index_sequence<Indices...> /*all*/) {
  return {pcollection<Outs>{of, ids[Indices]}...};
}

// What a step with these outputs gives: one collection as it is, several as a tuple, the error output last.
template <class... Outs>
auto collections_of(const std::shared_ptr<graph>& of, const std::vector<collection_id>& ids) {
  if constexpr (sizeof...(Outs) == 1) return pcollection<Outs...>{of, ids[0]};
  else return tuple_of<Outs...>(of, ids, std::index_sequence_for<Outs...>{});
}

// Adds a node for a step with outputs Outs and those that its options ask for; what fails is given out as
// failed<Failing>.
template <class Failing, class... Outs, class In, class Options>
auto add_step_of(const pcollection<In>& in, std::string_view name, std::shared_ptr<const operator_spec> spec,
                 const Options& options, std::source_location where) {
  node added;
  added.spec = std::move(spec);
  added.inputs = {in.id()};
  added.where = where;
  std::apply(
      [&](const auto&... v) {
        for (const graph* g : std::initializer_list<const graph*>{&in.owner(), &v.owner()...})
          if (g != &in.owner()) throw pipeline_error(in.owner().path_of(name), "a side input is of another pipeline");
        added.views = {v.id()...};
      },
      options.views);
  std::vector<output_spec> outputs{output_like(in, element_type::of<Outs>())...};
  if constexpr (!Options::errors) {
    const node& n = in.owner().add(name, std::move(added), outputs);
    return collections_of<Outs...>(in.shared_owner(), n.outputs);
  } else {
    outputs.push_back(output_like(in, element_type::of<failed<Failing>>()));
    const node& n = in.owner().add(name, std::move(added), outputs);
    return collections_of<Outs..., failed<Failing>>(in.shared_owner(), n.outputs);
  }
}
template <class... Outs, class In, class Options>
auto add_step(const pcollection<In>& in, std::string_view name, std::shared_ptr<const operator_spec> spec,
              const Options& options, std::source_location where) {
  return add_step_of<In, Outs...>(in, name, std::move(spec), options, where);
}

// "string -> order": types as descriptions show them.
template <class In, class... Outs>
std::string arrow_text(std::string_view what) {
  std::string outs;
  ((outs += (outs.empty() ? "" : ", ") + element_type::of<Outs>().coder.name()), ...);
  return std::string(what) + " " + element_type::of<In>().coder.name() + " -> " + outs;
}

}  // namespace millrace::detail
