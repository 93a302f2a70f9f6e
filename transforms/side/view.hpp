#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/pipeline.hpp>
#include <millrace/transforms/side/element_blocks.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace millrace {

// A side input cannot be read as its view says: no element or several where there must be one, a key twice. It is
// raised for each element that reads it.
class view_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {
inline constexpr std::size_t tree_node_bytes = 4 * sizeof(void*);  // of a node of std::map beside its value
}  // namespace detail

// The shapes that a side input may have. A shape turns the encoded elements of one pane into the `contents` that
// functions get, once somebody reads them. Contents that replace the blocks give the elements back for a snapshot, by
// `each`; `overhead_bytes` is what an element costs in them beside its own bytes.

// One element.
template <class T>
struct singleton_shape {
  using element = T;
  using contents = T;
  static constexpr bool keeps_blocks = true;
  static constexpr std::size_t overhead_bytes = sizeof(T);
  std::optional<T> fallback;  // what an empty window shows, if it may be empty

  [[nodiscard]] contents shaped(element_blocks& of) const {
    if (of.count > 1)
      throw view_error("has " + std::to_string(of.count)
                       + " elements where a singleton has one; combine them first, or use as_list");
    if (of.count == 0 && !fallback)
      throw view_error("is empty where a singleton has one element; give as_singleton a default");
    return of.count == 0 ? *fallback : *element_range<T>(of).begin();
  }
  static std::string name() { return "singleton"; }
};

// All elements, in no particular order, decoded as they are read.
template <class T>
struct iterable_shape {
  using element = T;
  using contents = element_range<T>;
  static constexpr bool keeps_blocks = true;
  static constexpr std::size_t overhead_bytes = 0;

  [[nodiscard]] contents shaped(element_blocks& of) const { return element_range<T>(of); }
  static std::string name() { return "iterable"; }
};

// All elements, in no particular order.
template <class T>
struct list_shape {
  using element = T;
  using contents = std::vector<T>;
  static constexpr bool keeps_blocks = false;
  static constexpr std::size_t overhead_bytes = sizeof(T);

  [[nodiscard]] contents shaped(element_blocks& of) const {
    contents all;
    all.reserve(of.count);
    detail::drain_blocks<T>(of, [&](T one) { all.push_back(std::move(one)); });
    return all;
  }
  template <class F>
  static void each(const contents& all, F&& f) {
    for (const auto& one : all) f(one);
  }
  static std::string name() { return "list"; }
};

// The value of each key, which must have one.
template <class Key, class Value>
struct map_shape {
  using element = kv<Key, Value>;
  using contents = std::map<Key, Value>;
  static constexpr bool keeps_blocks = false;
  static constexpr std::size_t overhead_bytes = sizeof(element) + detail::tree_node_bytes;

  [[nodiscard]] contents shaped(element_blocks& of) const {
    contents found;
    for (const element& e : element_range<element>(of))
      if (const auto [at, is_new] = found.try_emplace(e.key, e.value); !is_new)
        throw view_error("has several values for key " + describe_element(at->first)
                         + "; combine per key first, or use as_multimap");
    of.blocks.clear();
    return found;
  }
  template <class F>
  static void each(const contents& all, F&& f) {
    for (const auto& [key, value] : all) f(element{key, value});
  }
  static std::string name() { return "map"; }
};

// The values of each key.
template <class Key, class Value>
struct multimap_shape {
  using element = kv<Key, Value>;
  using contents = std::multimap<Key, Value>;
  static constexpr bool keeps_blocks = false;
  static constexpr std::size_t overhead_bytes = sizeof(element) + detail::tree_node_bytes;

  [[nodiscard]] contents shaped(element_blocks& of) const {
    contents found;
    detail::drain_blocks<element>(of, [&](element e) { found.emplace(std::move(e.key), std::move(e.value)); });
    return found;
  }
  template <class F>
  static void each(const contents& all, F&& f) {
    for (const auto& [key, value] : all) f(element{key, value});
  }
  static std::string name() { return "multimap"; }
};

// What an operator that reads a view knows of it; no part of the graph.
template <class Shape>
struct view_source {
  std::string name;
  windowing_strategy windowing;  // of the collection that is viewed
  Shape shape;
};

// What a consumer keeps of its side inputs, which it knows by their numbers: their names may change.
template <class... Shapes>
void add_views(state_schema& kept, const std::tuple<view_source<Shapes>...>& views) {
  int number = 0;
  const auto add = [&]<class Shape>(const view_source<Shape>& v) {
    const std::string name = " of side input " + std::to_string(++number);
    kept.template part<typename Shape::element>("element" + name);
    kept.text("windows" + name, v.windowing.into.describe());
  };
  std::apply([&](const auto&... v) { (add(v), ...); }, views);
}

// A typed handle on a side input: what as_singleton, as_iterable, as_list, as_map and as_multimap give and `with`
// takes. Functions see it as one more argument, `const contents&`. Each element sees the window of the side input that
// belongs to its own, with the newest pane of it, and waits until there is one or the watermark says that none will
// come.
template <class Shape>
class view {
 public:
  using shape = Shape;
  using element = typename Shape::element;
  using contents = typename Shape::contents;

  // `panes` is the output of the view node: the contents of each pane, in pieces.
  view(pcollection<view_piece> panes, view_source<Shape> source)
      : panes_(std::move(panes)), source_(std::move(source)) {}

  [[nodiscard]] graph& owner() const { return panes_.owner(); }
  [[nodiscard]] collection_id id() const { return panes_.id(); }
  [[nodiscard]] const std::string& name() const { return source_.name; }
  [[nodiscard]] const view_source<Shape>& source() const { return source_; }

 private:
  pcollection<view_piece> panes_;
  view_source<Shape> source_;
};

// Views that a step reads, as an option of it.
template <class... Shapes>
struct side_inputs {
  std::tuple<view<Shapes>...> views;
};

// Gives a step side inputs: `orders | map("to euros", convert, with(rates))` calls convert(order, rates' contents).
template <class... Shapes>
[[nodiscard]] side_inputs<Shapes...> with(view<Shapes>... views) {
  return {{std::move(views)...}};
}

}  // namespace millrace
