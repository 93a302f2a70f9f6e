#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/pipeline.hpp>

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

// The shapes that a side input may have. A shape turns the elements of one pane into the `contents` that functions get.

// One element.
template <class T>
struct singleton_shape {
  using element = T;
  using contents = T;
  std::optional<T> fallback;  // what an empty window shows, if it may be empty

  [[nodiscard]] contents shaped(std::vector<T> elements) const {
    if (elements.size() > 1)
      throw view_error("has " + std::to_string(elements.size())
                       + " elements where a singleton has one; combine them first, or use as_list");
    if (elements.empty() && !fallback)
      throw view_error("is empty where a singleton has one element; give as_singleton a default");
    return elements.empty() ? *fallback : std::move(elements.front());
  }
  static std::string name() { return "singleton"; }
};

// All elements, in no particular order.
template <class T>
struct list_shape {
  using element = T;
  using contents = std::vector<T>;

  [[nodiscard]] contents shaped(std::vector<T> elements) const { return elements; }
  static std::string name() { return "list"; }
};

// The value of each key, which must have one.
template <class Key, class Value>
struct map_shape {
  using element = kv<Key, Value>;
  using contents = std::map<Key, Value>;

  [[nodiscard]] contents shaped(std::vector<element> elements) const {
    contents found;
    for (auto& e : elements)
      if (const auto [at, is_new] = found.try_emplace(std::move(e.key), std::move(e.value)); !is_new)
        throw view_error("has several values for key " + describe_element(at->first)
                         + "; combine per key first, or use as_multimap");
    return found;
  }
  static std::string name() { return "map"; }
};

// The values of each key.
template <class Key, class Value>
struct multimap_shape {
  using element = kv<Key, Value>;
  using contents = std::multimap<Key, Value>;

  [[nodiscard]] contents shaped(std::vector<element> elements) const {
    contents found;
    for (auto& e : elements) found.emplace(std::move(e.key), std::move(e.value));
    return found;
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

// A typed handle on a side input: what as_singleton, as_list, as_map and as_multimap give and `with` takes. Functions
// see it as one more argument, `const contents&`. Each element sees the window of the side input that belongs to its
// own, with the newest pane of it, and waits until there is one or the watermark says that none will come.
template <class Shape>
class view {
 public:
  using shape = Shape;
  using element = typename Shape::element;
  using contents = typename Shape::contents;

  // `panes` is the output of the view node: each element of it is the content of one pane.
  view(pcollection<std::vector<element>> panes, view_source<Shape> source)
      : panes_(std::move(panes)), source_(std::move(source)) {}

  [[nodiscard]] graph& owner() const { return panes_.owner(); }
  [[nodiscard]] collection_id id() const { return panes_.id(); }
  [[nodiscard]] const std::string& name() const { return source_.name; }
  [[nodiscard]] const view_source<Shape>& source() const { return source_; }

 private:
  pcollection<std::vector<element>> panes_;
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
