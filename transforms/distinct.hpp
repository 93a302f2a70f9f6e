#pragma once

#include <millrace/transforms/count.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/pipeline.hpp>

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <utility>

namespace millrace {

namespace detail {

// The element with the least encoding of all.
template <class T>
struct least_encoded {
  using accumulator = std::optional<T>;
  [[nodiscard]] accumulator create() const { return std::nullopt; }
  void add(accumulator& to, const T& value) const {
    if (!to || encode_whole(value) < encode_whole(*to)) to = value;
  }
  void merge(accumulator& to, const accumulator& other) const {
    if (other) add(to, *other);
  }
  [[nodiscard]] T extract(const accumulator& of) const { return of.value(); }
  [[nodiscard]] bool has_result(const accumulator& of) const { return of.has_value(); }
  [[nodiscard]] std::string name() const { return "least encoded"; }
};

// Of the panes of an element lets the first pass.
template <class Pane, class Out, Out Pane::* Given>
struct first_pane {
  static constexpr bool picks_panes = true;
  void operator()(const Pane& x, emitter<Out>& out) const {
    if (out.at().pane.is_first) out(x.*Given);
  }
};

// A window that grows after its first pane would give its elements again, as a window that was not there before.
template <class T>
void refuse_growing_windows(const pcollection<T>& in, const std::string& name) {
  const windowing_strategy strategy = in.windowing();
  if (!strategy.merges()) return;
  if (strategy.fire.kind() == trigger_kind::by_default && strategy.allowed_lateness.count() == 0) return;
  throw pipeline_error(in.owner().path_of(name),
                       "elements cannot be made distinct in windows that merge unless each gives one pane; use the "
                       "default trigger without allowed lateness, or windows that do not merge, instead of "
                           + strategy.describe());
}

}  // namespace detail

// Each element of a window once, with the first pane that has it: pcollection<T> -> pcollection<T>. Equal elements are
// those with equal encodings. Windows that merge need the default trigger and no allowed lateness.
[[nodiscard]] inline auto distinct(std::string name, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    detail::require_group_key<T>();
    detail::refuse_growing_windows(in, name);
    using stored = detail::stored_key<T>;
    using counted = kv<stored, std::uint64_t>;
    const auto body = [&](const pcollection<T>& all) {
      return all | count_per_element("count", where)
             | par_do("first pane", detail::first_pane<counted, stored, &counted::key>{}, where);
    };
    return composite(name, body)(in);
  };
}

// One element for each representative, which a function or a member gives: `orders | distinct("customers",
// by(&order::customer))`. Of the elements that the first pane has, that with the least encoding comes out.
template <class F>
[[nodiscard]] auto distinct(std::string name, key_function<F> representative,
                            std::source_location where = std::source_location::current()) {
  return [name = std::move(name), representative, where]<class T>(const pcollection<T>& in) {
    detail::require_combine<T, key_function<F>, value_function<detail::whole_row>, detail::least_encoded<T>>();
    detail::refuse_growing_windows(in, name);
    using kept = kv<detail::stored_key<detail::row_part<key_function<F>, T>>, T>;
    const auto body = [&](const pcollection<T>& all) {
      return all | combine_per_key("least", representative, of(detail::whole_row{}), detail::least_encoded<T>{}, where)
             | par_do("first pane", detail::first_pane<kept, T, &kept::value>{}, where);
    };
    return composite(name, body)(in);
  };
}

}  // namespace millrace
