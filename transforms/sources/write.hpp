#pragma once

#include <millrace/transforms/operators/write_operator.hpp>
#include <millrace/transforms/pipeline.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

namespace millrace {

// What a write gives back: nothing can be applied to it.
struct written {};

namespace detail {

// The description of a write: the sink by value, shared by all runs.
template <writable Sink>
class write_spec final : public operator_spec {
 public:
  explicit write_spec(Sink sink) : sink_(std::move(sink)) {}
  [[nodiscard]] operator_kind kind() const override { return operator_kind::element; }
  [[nodiscard]] std::string describe() const override { return "write " + std::string(sink_.describe()); }
  [[nodiscard]] state_schema state() const override {
    if constexpr (requires { sink_.state(); }) return sink_.state();
    else return state_schema{}.text("sink", sink_.describe());
  }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& in) const override {
    return make_operator<write_operator<Sink>>(sink_, in);
  }
  [[nodiscard]] operator_traits traits() const override {
    if constexpr (requires { sink_.traits(); }) return sink_.traits();
    else return {};
  }
  [[nodiscard]] std::optional<std::uint32_t> fixed_shards() const override {
    if constexpr (requires { sink_.fixed_shards(); }) return sink_.fixed_shards();
    else return std::nullopt;
  }

 private:
  Sink sink_;
};

}  // namespace detail

// Writes a collection to a sink: `orders | write("write", my_sink)`. A sink that has fixed_shards() decides how many
// writers there are. What it guarantees is the sink's own statement.
template <class Sink>
auto write(std::string name, Sink sink, std::source_location where = std::source_location::current()) {
  static_assert(writable<Sink>, "millrace: write takes a sink, which has element, open and describe (see "
                                "transforms/sources/sink.hpp)");
  return [name = std::move(name), sink = std::move(sink), where]<class T>(const pcollection<T>& in) -> written {
    if constexpr (writable<Sink>) {
      static_assert(std::is_same_v<T, typename Sink::element>,
                    "millrace: the sink takes elements of another type than the collection has; map them first");
      node added;
      added.spec = make_spec<detail::write_spec<Sink>>(sink);
      added.inputs = {in.id()};
      added.where = where;
      in.owner().add(name, std::move(added), {});
    }
    return {};
  };
}

}  // namespace millrace
