#pragma once

#include <millrace/transforms/sources/source.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace telemetry {

// A source that is read by one shard, whatever the number of shards. Whoever takes its records then learns its
// watermark between the very records where the reader had it: which records are late follows from the input alone. With
// several readers, or with the records spread over several shards before they are judged, it would depend on the least
// advanced.
template <millrace::readable Source>
class in_order_source {
 public:
  using element = typename Source::element;
  using split = typename Source::split;

  explicit in_order_source(Source of) : of_(std::move(of)) {}

  [[nodiscard]] bool bounded() const { return of_.bounded(); }
  [[nodiscard]] std::vector<split> splits(std::size_t desired) const { return of_.splits(desired); }
  [[nodiscard]] auto open(const split& part) const { return of_.open(part); }
  [[nodiscard]] std::string describe() const { return of_.describe(); }
  [[nodiscard]] std::uint32_t fixed_shards() const { return 1; }

 private:
  Source of_;
};

template <millrace::readable Source>
[[nodiscard]] auto in_order(Source source) {
  return in_order_source<Source>(std::move(source));
}

}  // namespace telemetry
