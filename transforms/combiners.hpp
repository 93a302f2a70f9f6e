#pragma once

#include <millrace/transforms/combine_fn.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

// The combine functions that every pipeline needs. `sum`, `count`, `least`, `greatest` and `mean` below take the type
// of their input from the collection: combine_per_key("total", mr::sum). Results do not depend on the order of the
// input, except in the last bits of sums of floating-point values.

namespace detail {

template <class T>
concept arithmetic = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

// Integers wrap around as unsigned ones do.
template <arithmetic T>
void add_to(T& sum, T value) {
  if constexpr (std::is_integral_v<T>) {
    T result;
    static_cast<void>(__builtin_add_overflow(sum, value, &result));
    sum = result;
  } else {
    sum += value;
  }
}

}  // namespace detail

// Sum of numbers, in their own type; 0 for none.
template <class T>
struct sum_of {
  static_assert(detail::arithmetic<T>, "millrace: sum adds numbers; for another type write a combine function");
  [[nodiscard]] T create() const { return 0; }
  void add(T& to, T value) const { detail::add_to(to, value); }
  void merge(T& to, T other) const { detail::add_to(to, other); }
  [[nodiscard]] T extract(T of) const { return of; }
  [[nodiscard]] std::string name() const { return "sum"; }
};

// The number of elements; 0 for none.
template <class T>
struct count_of {
  [[nodiscard]] std::uint64_t create() const { return 0; }
  void add(std::uint64_t& to, const T& /*value*/) const { ++to; }
  void merge(std::uint64_t& to, std::uint64_t other) const { to += other; }
  [[nodiscard]] std::uint64_t extract(std::uint64_t of) const { return of; }
  [[nodiscard]] std::string name() const { return "count"; }
};

// A value that may not be there, as plain memory where T is.
template <class T>
struct maybe {
  T value{};
  bool there = false;
};

// The value that no other one is `Before`; of equal ones, that with the least encoding. Nothing comes out of no values.
template <class T, class Before>
struct first_by {
  using accumulator = maybe<T>;
  [[nodiscard]] accumulator create() const { return {}; }
  void add(accumulator& to, const T& value) const {
    if (!to.there || precedes(value, to.value)) to = {value, true};
  }
  void merge(accumulator& to, const accumulator& other) const {
    if (other.there) add(to, other.value);
  }
  [[nodiscard]] T extract(const accumulator& of) const { return of.value; }
  [[nodiscard]] bool has_result(const accumulator& of) const { return of.there; }
  [[nodiscard]] std::string name() const { return called; }

  [[no_unique_address]] Before before{};
  const char* called = "first";

 private:
  [[nodiscard]] bool precedes(const T& a, const T& b) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
    }
    if (before(a, b)) return true;
    if constexpr (std::is_arithmetic_v<T>) return false;
    else return !before(b, a) && encode_whole(a) < encode_whole(b);
  }
};

// What a mean is made of. Integers are summed exactly in 64 bits.
template <class Sum>
struct mean_parts {
  Sum sum = 0;
  std::uint64_t count = 0;
};

// The arithmetic mean as a double. Nothing comes out of no values.
template <class T>
struct mean_of {
  static_assert(detail::arithmetic<T>, "millrace: mean averages numbers; for another type write a combine function");
  using sum_type = std::conditional_t<std::is_floating_point_v<T>, double,
                                      std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
  using accumulator = mean_parts<sum_type>;
  [[nodiscard]] accumulator create() const { return {}; }
  void add(accumulator& to, T value) const {
    detail::add_to(to.sum, static_cast<sum_type>(value));
    ++to.count;
  }
  void merge(accumulator& to, const accumulator& other) const {
    detail::add_to(to.sum, other.sum);
    to.count += other.count;
  }
  [[nodiscard]] double extract(const accumulator& of) const {
    return static_cast<double>(of.sum) / static_cast<double>(of.count);
  }
  [[nodiscard]] bool has_result(const accumulator& of) const { return of.count > 0; }
  [[nodiscard]] std::string name() const { return "mean"; }
};

// The n greatest by `less`, greatest first; of equal ones those with the least encoding, in its order.
template <class T, class Less>
class top_of {
 public:
  top_of(std::size_t n, Less less) : n_(n), less_(std::move(less)) {}

  [[nodiscard]] std::vector<T> create() const { return {}; }
  void add(std::vector<T>& to, const T& value) const {
    const auto ahead = [this](const T& a, const T& b) { return precedes(a, b); };
    if (to.size() == n_ && !ahead(value, to.back())) return;
    to.insert(std::upper_bound(to.begin(), to.end(), value, ahead), value);
    if (to.size() > n_) to.pop_back();
  }
  void merge(std::vector<T>& to, const std::vector<T>& other) const {
    for (const T& value : other) add(to, value);
  }
  [[nodiscard]] std::vector<T> extract(const std::vector<T>& of) const { return of; }
  [[nodiscard]] std::string name() const { return "top " + std::to_string(n_); }

 private:
  [[nodiscard]] bool precedes(const T& a, const T& b) const {
    if (less_(b, a)) return true;
    return !less_(a, b) && encode_whole(a) < encode_whole(b);
  }

  std::size_t n_;
  [[no_unique_address]] Less less_;
};

namespace detail {

struct sum_of_input {
  template <class T>
  auto for_input() const {
    return sum_of<T>{};
  }
};
struct count_of_input {
  template <class T>
  auto for_input() const {
    return count_of<T>{};
  }
};
struct mean_of_input {
  template <class T>
  auto for_input() const {
    return mean_of<T>{};
  }
};
template <class Before>
struct first_of_input {
  template <class T>
  auto for_input() const {
    return first_by<T, Before>{before, called};
  }
  Before before;
  const char* called;
};
template <class Less>
struct top_of_input {
  template <class T>
  auto for_input() const {
    return top_of<T, Less>{n, less};
  }
  std::size_t n;
  Less less;
};

}  // namespace detail

// The sum of the values.
[[nodiscard]] inline auto sum() {
  return detail::sum_of_input{};
}
// How many values there are.
[[nodiscard]] inline auto count() {
  return detail::count_of_input{};
}
// Their mean as a double.
[[nodiscard]] inline auto mean() {
  return detail::mean_of_input{};
}
// The least value.
[[nodiscard]] inline auto min() {
  return detail::first_of_input<std::less<>>{{}, "min"};
}
// The greatest value.
[[nodiscard]] inline auto max() {
  return detail::first_of_input<std::greater<>>{{}, "max"};
}
// The n greatest values by `less`, greatest first. Throws std::invalid_argument for none.
template <class Less = std::less<>>
[[nodiscard]] auto top(std::size_t n, Less less = {}) {
  if (n == 0) throw std::invalid_argument("top: the number of values to keep must be at least 1");
  return detail::top_of_input<Less>{n, std::move(less)};
}

}  // namespace millrace
