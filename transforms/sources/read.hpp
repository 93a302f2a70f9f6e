#pragma once

#include <millrace/transforms/operators/read_operator.hpp>
#include <millrace/transforms/pipeline.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <utility>

namespace millrace {

namespace detail {

// The description of a read: the source by value, shared by all runs.
template <readable Source>
class read_spec final : public operator_spec {
 public:
  explicit read_spec(Source source) : source_(std::move(source)) {}
  [[nodiscard]] operator_kind kind() const override { return operator_kind::read; }
  [[nodiscard]] std::string describe() const override { return "read " + std::string(source_.describe()); }
  [[nodiscard]] state_schema state() const override { return state_schema{}.part<typename Source::split>("position"); }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& in) const override {
    return make_operator<read_operator<Source>>(source_, in);
  }
  [[nodiscard]] std::optional<std::uint32_t> fixed_shards() const override {
    if constexpr (requires { source_.fixed_shards(); }) return source_.fixed_shards();
    else return std::nullopt;
  }

 private:
  Source source_;
};

}  // namespace detail

// Reads a source: `p | read("orders", my_source)`. The elements are in the global window. A source that has
// fixed_shards() decides how many readers there are.
template <class Source>
auto read(std::string name, Source source, std::source_location where = std::source_location::current()) {
  static_assert(readable<Source>, "millrace: read takes a source, which has element, split, bounded, splits, open and "
                                  "describe (see transforms/sources/source.hpp)");
  if constexpr (readable<Source>) {
    using element = typename Source::element;
    static_assert(std::default_initializable<element>,
                  "millrace: elements that a source reads must be default-constructible, since their memory is reused");
    require_codable<element>();
    return [name = std::move(name), source = std::move(source), where](pipeline& p) {
      const bool bounded = source.bounded();
      return detail::add_source<element>(p, name, make_spec<detail::read_spec<Source>>(source), bounded, where);
    };
  }
}

}  // namespace millrace
