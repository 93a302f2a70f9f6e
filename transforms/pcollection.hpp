#pragma once

#include <millrace/transforms/graph/graph.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace millrace {

// A typed handle on a collection of a pipeline's graph: cheap to copy, holds no elements. Only transforms make one. It
// keeps the graph alive.
template <class T>
class pcollection {
 public:
  using element = T;

  pcollection(std::shared_ptr<graph> of, collection_id id) : graph_(std::move(of)), id_(id) {}

  [[nodiscard]] graph& owner() const { return *graph_; }
  [[nodiscard]] const std::shared_ptr<graph>& shared_owner() const { return graph_; }
  [[nodiscard]] collection_id id() const { return id_; }
  // By value, since what the graph holds moves when a transform is added.
  [[nodiscard]] windowing_strategy windowing() const { return graph_->collection_at(id_).windowing; }
  [[nodiscard]] bool bounded() const { return graph_->collection_at(id_).bounded; }

 private:
  std::shared_ptr<graph> graph_;
  collection_id id_;
};

template <class T>
inline constexpr bool is_pcollection = false;
template <class T>
inline constexpr bool is_pcollection<pcollection<T>> = true;

// Applies a transform, which is anything that can be called with the collection: so a composite is a function.
template <class T, class Transform>
  requires std::is_invocable_v<Transform, const pcollection<T>&>
auto operator|(const pcollection<T>& in, Transform&& transform) {
  return std::forward<Transform>(transform)(in);
}

}  // namespace millrace
