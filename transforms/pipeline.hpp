#pragma once

#include <millrace/transforms/pcollection.hpp>

#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

// Owns the graph that a program builds: `pipeline p{"wordcount"}; p | read_text("read", "king_lear.txt") | ...`.
// Building reads no data. The name is the job's name unless --job_name gives another.
class pipeline {
 public:
  explicit pipeline(std::string name) : graph_(std::make_shared<graph>(std::move(name))) {}

  [[nodiscard]] const std::string& name() const { return graph_->name(); }
  [[nodiscard]] const graph& description() const { return *graph_; }
  [[nodiscard]] const std::shared_ptr<graph>& shared_graph() const { return graph_; }
  // Accepts triggers that may finish while data can still arrive; such data is dropped and counted as `closed_window`.
  pipeline& allow_unsafe_triggers() {
    graph_->allow_unsafe_triggers();
    return *this;
  }

 private:
  std::shared_ptr<graph> graph_;
};

// Applies a source (or a composite that begins with one) to the pipeline. The type of `p` is deduced so that nobody
// asks whether the body of a composite takes a pipeline when it is applied to a collection.
template <class Pipeline, class Source>
  requires std::is_same_v<Pipeline, pipeline> && std::is_invocable_v<Source, Pipeline&>
auto operator|(Pipeline& p, Source&& source) {
  return std::forward<Source>(source)(p);
}

namespace detail {

// Keeps a composite open while it lives.
class open_composite {
 public:
  open_composite(graph& of, std::string_view name) : of_(of) { of_.open_composite(name); }
  open_composite(const open_composite&) = delete;
  open_composite& operator=(const open_composite&) = delete;
  ~open_composite() { of_.close_composite(); }

 private:
  graph& of_;
};

}  // namespace detail

// Groups what `body` applies under one name: `lines | composite("parse", [](const auto& c) { return c | ...; })`.
template <class Body>
auto composite(std::string name, Body body) {
  return [name = std::move(name), body = std::move(body)]<class In>(In&& in) {
    graph* g = nullptr;
    if constexpr (std::is_same_v<std::remove_cvref_t<In>, pipeline>) g = in.shared_graph().get();
    else g = &in.owner();
    const detail::open_composite open(*g, name);
    return body(std::forward<In>(in));
  };
}

namespace detail {

// How a transform reaches its input: one per kind of thing that can stand left of a pipe.
template <class T>
output_spec output_like(const pcollection<T>& in, const element_type& type) {
  return {&type, in.windowing(), in.bounded()};
}

// Adds a node with one main input and one output whose windowing and boundedness are the input's.
template <class Out, class In>
pcollection<Out> add_transform(const pcollection<In>& in, std::string_view name,
                               std::shared_ptr<const operator_spec> spec, std::source_location where) {
  node added;
  added.spec = std::move(spec);
  added.inputs = {in.id()};
  added.where = where;
  const node& n = in.owner().add(name, std::move(added), {output_like(in, element_type::of<Out>())});
  return {in.shared_owner(), n.outputs[0]};
}

// Adds a node without inputs.
template <class Out>
pcollection<Out> add_source(pipeline& p, std::string_view name, std::shared_ptr<const operator_spec> spec, bool bounded,
                            std::source_location where) {
  node added;
  added.spec = std::move(spec);
  added.where = where;
  const node& n =
      p.shared_graph()->add(name, std::move(added), {{&element_type::of<Out>(), windowing_strategy{}, bounded}});
  return {p.shared_graph(), n.outputs[0]};
}

}  // namespace detail

}  // namespace millrace
