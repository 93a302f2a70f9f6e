#pragma once

#include <millrace/transforms/pipeline.hpp>

#include <memory>
#include <source_location>
#include <string>
#include <utility>

namespace millrace {

namespace detail {

// The planner puts an edge that spreads rows before it; its stage only reads them.
template <class T>
class reshuffle_spec final : public operator_spec {
 public:
  [[nodiscard]] operator_kind kind() const override { return operator_kind::reshuffle; }
  [[nodiscard]] std::string describe() const override { return "reshuffle " + element_type::of<T>().coder.name(); }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& in) const override {
    return element_type::of<T>().make_reader(in);
  }
};

}  // namespace detail

// Spreads the elements evenly over the shards of what follows, which becomes a stage of its own: after a step that
// makes many elements of few, or before one that is slow. Elements keep their stamps, panes included.
[[nodiscard]] inline auto reshuffle(std::string name, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    require_codable<T>();
    return detail::add_transform<T>(in, name, make_spec<detail::reshuffle_spec<T>>(), where);
  };
}

}  // namespace millrace
