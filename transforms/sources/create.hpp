#pragma once

#include <millrace/transforms/coders/any_coder.hpp>
#include <millrace/transforms/sources/read.hpp>
#include <millrace/transforms/sources/text_digest.hpp>
#include <millrace/transforms/sources/timestamped_value.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

// A part of a list of values, by position.
struct value_range {
  std::uint64_t from = 0;
  std::uint64_t to = 0;

  friend bool operator==(const value_range&, const value_range&) = default;
};

// The values that a program holds, as a bounded source. Without times they are all at the least timestamp. Splits are
// ranges of positions.
template <class T>
class value_source {
 public:
  using element = T;
  using split = value_range;

  value_source(std::vector<T> values, std::vector<timestamp> times)
      : of_(std::make_shared<const content>(content{std::move(values), std::move(times)})) {}

  [[nodiscard]] bool bounded() const { return true; }
  [[nodiscard]] std::vector<value_range> splits(std::size_t desired) const {
    const std::uint64_t count = of_->values.size();
    const std::uint64_t parts = std::min<std::uint64_t>(count, std::max<std::size_t>(1, desired));
    std::vector<value_range> all;
    for (std::uint64_t i = 0, from = 0; i < parts; ++i) {
      const std::uint64_t to = from + count / parts + (i < count % parts ? 1 : 0);
      all.push_back({from, to});
      from = to;
    }
    return all;
  }
  [[nodiscard]] std::string describe() const {
    writer bytes;
    for (const T& v : of_->values) coder<T>::encode(bytes, v);
    for (const timestamp t : of_->times) coder<timestamp>::encode(bytes, t);
    return std::to_string(of_->values.size()) + (of_->times.empty() ? "" : " timestamped") + " values of "
           + any_coder::of<T>().name() + " (digest " + text_digest(bytes.bytes()) + ")";
  }

 private:
  struct content {
    std::vector<T> values;
    std::vector<timestamp> times;  // empty: none is known
  };
  class range_reader {
   public:
    range_reader(std::shared_ptr<const content> of, value_range range) : of_(std::move(of)), range_(range) {
      check(range.from <= range.to && range.to <= of_->values.size(), "a part of the values lies within them");
    }
    read_status read(source_output<T>& out, timestamp /*now*/) {
      for (; range_.from < range_.to && !out.full(); ++range_.from) {
        out.slot() = of_->values[range_.from];
        out.placed(of_->times.empty() ? timestamp::min() : of_->times[range_.from]);
      }
      return range_.from == range_.to ? read_status::ended : read_status::more;
    }
    [[nodiscard]] value_range remaining() const { return range_; }
    [[nodiscard]] watermark promise() const { return {}; }
    [[nodiscard]] timestamp next_read() const { return timestamp::min(); }

   private:
    std::shared_ptr<const content> of_;
    value_range range_;
  };

 public:
  [[nodiscard]] range_reader open(value_range range) const { return {of_, range}; }

 private:
  std::shared_ptr<const content> of_;
};

namespace detail {
// A literal text becomes a string that owns its characters.
template <class T>
using created = std::conditional_t<std::is_convertible_v<T, const char*>, std::string, std::remove_cv_t<T>>;
}  // namespace detail

// A bounded collection of the given values, at the least timestamp: `p | create("words", {"to", "be"})`. An empty one
// needs its type: `create<int>("none", {})`.
template <class T>
auto create(std::string name, std::initializer_list<T> values,
            std::source_location where = std::source_location::current()) {
  using element = detail::created<T>;
  return read(std::move(name), value_source<element>(std::vector<element>(values.begin(), values.end()), {}), where);
}

// The same from any range, which is copied now.
template <class T = void, std::ranges::input_range Range>
auto create(std::string name, Range&& values, std::source_location where = std::source_location::current()) {
  using element = detail::created<std::conditional_t<std::is_void_v<T>, std::ranges::range_value_t<Range>, T>>;
  std::vector<element> copy;
  for (auto&& v : values) copy.emplace_back(v);
  return read(std::move(name), value_source<element>(std::move(copy), {}), where);
}

// A bounded collection of values with event times: `create_timestamped<std::string>("words", {{"to", t}, {"be", t}})`.
template <class T>
auto create_timestamped(std::string name, std::initializer_list<timestamped_value<T>> values,
                        std::source_location where = std::source_location::current()) {
  std::vector<T> copy;
  std::vector<timestamp> times;
  for (const auto& v : values) {
    copy.push_back(v.value);
    times.push_back(v.at);
  }
  return read(std::move(name), value_source<T>(std::move(copy), std::move(times)), where);
}

// The same from any range of timestamped_value, which is copied now.
template <std::ranges::input_range Range>
auto create_timestamped(std::string name, Range&& values,
                        std::source_location where = std::source_location::current()) {
  using element = decltype(std::ranges::range_value_t<Range>::value);
  std::vector<element> copy;
  std::vector<timestamp> times;
  for (const auto& v : values) {
    copy.push_back(v.value);
    times.push_back(v.at);
  }
  return read(std::move(name), value_source<element>(std::move(copy), std::move(times)), where);
}

}  // namespace millrace
