#pragma once

#include <millrace/transforms/operators/global_combine.hpp>
#include <millrace/transforms/side/piecewise.hpp>
#include <millrace/transforms/side/view.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <utility>

namespace millrace {

namespace detail {

// Collects the elements of a pane.
template <class T>
struct gather {
  [[nodiscard]] element_blocks create() const { return {}; }
  void add(element_blocks& to, const T& element) const { to.add(element); }
  void merge(element_blocks& to, const element_blocks& other) const { to.add(other); }
  [[nodiscard]] element_blocks extract(const element_blocks& all) const { return all; }
  [[nodiscard]] std::string name() const { return "gather"; }
};

// The gathering of a view: a combine of all elements whose results leave in pieces, so that no bundle is as large as
// the contents.
template <class T>
class gather_spec final : public operator_spec {
 public:
  explicit gather_spec(const windowing_strategy& strategy)
      : kept_(kept_by_grouping<void>(strategy).template part<T>("element")), combine_(strategy, gather<T>{}, false) {}
  [[nodiscard]] operator_kind kind() const override { return combine_.kind(); }
  [[nodiscard]] std::string describe() const override { return combine_.describe(); }
  [[nodiscard]] state_schema state() const override { return kept_; }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& in) const override {
    return make_operator<piecewise>(combine_.make(in));
  }
  [[nodiscard]] std::unique_ptr<edge_writer> make_writer(const edge_environment& to) const override {
    return combine_.make_writer(to);
  }
  [[nodiscard]] std::string why_not_lifted() const override { return combine_.why_not_lifted(); }
  [[nodiscard]] std::string why_not_fast() const override { return combine_.why_not_fast(); }
  [[nodiscard]] std::optional<std::uint32_t> fixed_shards() const override { return combine_.fixed_shards(); }

 private:
  state_schema kept_;
  global_combine_spec<T, gather<T>> combine_;
};

class view_spec final : public operator_spec {
 public:
  explicit view_spec(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] operator_kind kind() const override { return operator_kind::view; }
  [[nodiscard]] std::string describe() const override { return text_; }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& /*in*/) const override {
    check(false, "a view has no operator: its elements go to every shard of its consumers");
    return nullptr;
  }

 private:
  std::string text_;
};

// A view is two steps: a grouping gathers the elements of each pane, so that triggers, accumulation and lateness are
// those of the viewed collection; then each pane goes, in pieces, to every shard of the consumers.
template <class Shape>
view<Shape> add_view(const pcollection<typename Shape::element>& in, const std::string& name, Shape shape,
                     std::source_location where) {
  using element = typename Shape::element;
  require_codable<element>();
  graph& g = in.owner();
  if (in.windowing().into.merging())
    throw pipeline_error(g.path_of(name), "a side input cannot be in sessions, which belong to single keys; window it "
                                          "into fixed, sliding or global windows first");
  refuse_unsound_grouping(in, name);
  struct scope {
    graph& of;
    scope(graph& owner, const std::string& composite) : of(owner) { of.open_composite(composite); }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;
    ~scope() { of.close_composite(); }
  };
  const scope open(g, name);
  const auto panes = add_grouping<view_piece>(in, "gather", make_spec<gather_spec<element>>(in.windowing()), where);
  return {add_transform<view_piece>(
              panes, "view",
              make_spec<view_spec>("view as " + Shape::name() + " of " + element_type::of<element>().coder.name()),
              where),
          {name, in.windowing(), std::move(shape)}};
}

}  // namespace detail

// Side inputs: collections small enough to be held in memory whole, which a step reads beside its main input.
// `with(view)` gives one to a step.

// A collection of one element per window.
[[nodiscard]] inline auto as_singleton(std::string name, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    return detail::add_view(in, name, singleton_shape<T>{}, where);
  };
}
// The same; an empty window shows `fallback`.
template <class T>
[[nodiscard]] auto as_singleton(std::string name, T fallback,
                                std::source_location where = std::source_location::current()) {
  return [name = std::move(name), fallback = std::move(fallback), where]<class U>(const pcollection<U>& in) {
    static_assert(std::is_convertible_v<T, U>, "millrace: as_singleton: the default must be of the element type");
    if constexpr (std::is_convertible_v<T, U>)
      return detail::add_view(in, name, singleton_shape<U>{static_cast<U>(fallback)}, where);
  };
}

// All elements of a window, as element_range<T>, which stays encoded and is decoded as it is read: for many elements.
[[nodiscard]] inline auto as_iterable(std::string name, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    return detail::add_view(in, name, iterable_shape<T>{}, where);
  };
}

// All elements of a window, as std::vector<T>.
[[nodiscard]] inline auto as_list(std::string name, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    return detail::add_view(in, name, list_shape<T>{}, where);
  };
}

// The pairs of a window, as std::map<K, V>; a key must not come twice.
[[nodiscard]] inline auto as_map(std::string name, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    static_assert(is_kv<T>, "millrace: as_map takes a collection of kv");
    if constexpr (is_kv<T>) return detail::add_view(in, name, map_shape<decltype(T::key), decltype(T::value)>{}, where);
  };
}

// The pairs of a window, as std::multimap<K, V>.
[[nodiscard]] inline auto as_multimap(std::string name, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    static_assert(is_kv<T>, "millrace: as_multimap takes a collection of kv");
    if constexpr (is_kv<T>)
      return detail::add_view(in, name, multimap_shape<decltype(T::key), decltype(T::value)>{}, where);
  };
}

}  // namespace millrace
