#pragma once

#include <millrace/transforms/operators/window_operator.hpp>
#include <millrace/transforms/pipeline.hpp>
#include <millrace/transforms/windows/windowing.hpp>

#include <memory>
#include <source_location>
#include <string>
#include <utility>

namespace millrace {

namespace detail {

template <class T>
pcollection<T> add_windowing(const pcollection<T>& in, const std::string& name, windowing_strategy strategy,
                             std::shared_ptr<const operator_spec> spec, std::source_location where) {
  node added;
  added.spec = std::move(spec);
  added.inputs = {in.id()};
  added.where = where;
  const node& n = in.owner().add(name, std::move(added), {{&element_type::of<T>(), std::move(strategy), in.bounded()}});
  return {in.shared_owner(), n.outputs[0]};
}

// Throws pipeline_error where a window function of a user looks at elements of another type.
template <class T>
void refuse_other_elements(const pcollection<T>& in, const std::string& name, const windowing& options) {
  if (!options.into || !options.into->custom()) return;
  const looked_at wanted = options.into->custom()->looks_at();
  if (!wanted.tag || wanted.tag == looked_at::of<T>().tag) return;
  throw pipeline_error(in.owner().path_of(name), "the window function looks at elements of type " + wanted.name
                                                     + ", the collection has " + type_name<T>()
                                                     + "; apply it to a collection of that type");
}

}  // namespace detail

// Says how what follows is grouped in time: assigns windows, and sets when and how results appear (see windowing). What
// `options` leaves out continues as it was; without `into` elements keep their windows.
//   views | window_into("per minute", {.into = fixed(1min)})
[[nodiscard]] inline auto window_into(std::string name, windowing options,
                                      std::source_location where = std::source_location::current()) {
  return [name = std::move(name), options = std::move(options), where]<class T>(const pcollection<T>& in) {
    detail::refuse_other_elements(in, name, options);
    windowing_strategy strategy = compose(in.windowing(), options);
    if (const auto why = window_refusal(strategy)) throw pipeline_error(in.owner().path_of(name), *why);
    auto spec = options.into
                    ? make_element_spec<window_operator<T>>("window_into " + strategy.describe(), *options.into)
                    : make_element_spec<pass_operator<T>>("window_into " + strategy.describe());
    return detail::add_windowing(in, name, std::move(strategy), std::move(spec), where);
  };
}

// Lets windows that a grouping has merged merge again at the next one.
[[nodiscard]] inline auto remerge(std::string name, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    windowing_strategy strategy = remerged(in.windowing());
    auto spec = make_element_spec<pass_operator<T>>("remerge " + strategy.describe());
    return detail::add_windowing(in, name, std::move(strategy), std::move(spec), where);
  };
}

}  // namespace millrace
