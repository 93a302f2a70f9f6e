#pragma once

#include <millrace/transforms/combine.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

// What quantiles are computed from: values of level i stand for 2^i values each.
template <class T>
struct quantile_sketch {
  std::uint64_t count = 0;
  std::optional<T> least;
  std::optional<T> greatest;
  std::vector<std::vector<T>> levels;
  std::vector<std::uint8_t> odd;  // of each level: which half its next halving keeps
};

// Values that divide all values in n - 1 parts of equal size: the least, n - 2 between, the greatest. Least and
// greatest are exact. Every other is at most `error` times the number of values away, in rank, from rank i * (count -
// 1) / (n - 1), rounded down; with fewer values than about 1 / error, or than 1024, it is exact. Where levels are
// halved, the order of arrival may change the result within that bound.
//
// A full level is sorted and every second value moves up a level: that displaces a rank by at most the weight of a
// value. A level holds levels / error values before it is halved, so all halvings together displace by error * count.
template <class T, class Less>
class quantiles_of {
 public:
  quantiles_of(std::size_t n, double error, Less less) : n_(n), error_(error), less_(std::move(less)) {}

  [[nodiscard]] quantile_sketch<T> create() const { return {}; }
  void add(quantile_sketch<T>& to, const T& value) const {
    ++to.count;
    if (!to.least || precedes(value, *to.least)) to.least = value;
    if (!to.greatest || precedes(*to.greatest, value)) to.greatest = value;
    level(to, 0).push_back(value);
    if (to.levels[0].size() >= capacity(to)) halve_full(to);
  }
  void merge(quantile_sketch<T>& to, const quantile_sketch<T>& other) const {
    if (other.count == 0) return;
    to.count += other.count;
    if (!to.least || precedes(*other.least, *to.least)) to.least = other.least;
    if (!to.greatest || precedes(*to.greatest, *other.greatest)) to.greatest = other.greatest;
    for (std::size_t i = 0; i < other.levels.size(); ++i) {
      auto& mine = level(to, i);
      mine.insert(mine.end(), other.levels[i].begin(), other.levels[i].end());
    }
    halve_full(to);
  }
  [[nodiscard]] std::vector<T> extract(const quantile_sketch<T>& of) const {
    if (of.count == 0) return {};
    const auto sorted = weighted(of);
    std::vector<T> quantiles{*of.least};
    std::size_t at = 0;
    std::uint64_t before = 0;  // how many values those before `at` stand for
    for (std::size_t i = 1; i + 1 < n_; ++i) {
      const auto rank = static_cast<std::uint64_t>(static_cast<unsigned __int128>(of.count - 1) * i / (n_ - 1));
      while (at + 1 < sorted.size() && before + sorted[at].second <= rank) before += sorted[at++].second;
      quantiles.push_back(*sorted[at].first);
    }
    quantiles.push_back(*of.greatest);
    return quantiles;
  }
  [[nodiscard]] bool has_result(const quantile_sketch<T>& of) const { return of.count > 0; }
  [[nodiscard]] std::string name() const { return std::to_string(n_) + " quantiles, error " + std::to_string(error_); }

 private:
  static constexpr std::size_t exact_values = 1024;

  [[nodiscard]] bool precedes(const T& a, const T& b) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);  // what is no number comes last
    }
    if (less_(a, b)) return true;
    if constexpr (std::is_arithmetic_v<T>) return false;
    else return !less_(b, a) && encode_whole(a) < encode_whole(b);
  }
  static std::vector<T>& level(quantile_sketch<T>& of, std::size_t i) {
    if (of.levels.size() <= i) {
      of.levels.resize(i + 1);
      of.odd.resize(i + 1);
    }
    return of.levels[i];
  }
  [[nodiscard]] std::size_t capacity(const quantile_sketch<T>& of) const {
    const auto needed = static_cast<std::size_t>(std::ceil(static_cast<double>(of.levels.size()) / error_));
    return std::max(exact_values, needed);
  }
  void halve_full(quantile_sketch<T>& of) const {
    for (std::size_t i = 0; i < of.levels.size(); ++i)
      if (of.levels[i].size() >= capacity(of)) halve(of, i);
  }
  void halve(quantile_sketch<T>& of, std::size_t i) const {
    static_cast<void>(level(of, i + 1));
    std::vector<T>& full = of.levels[i];
    std::vector<T>& next = of.levels[i + 1];
    std::sort(full.begin(), full.end(), [this](const T& a, const T& b) { return precedes(a, b); });
    const std::size_t pairs = full.size() / 2;
    for (std::size_t p = 0; p < pairs; ++p) next.push_back(std::move(full[2 * p + of.odd[i]]));
    of.odd[i] ^= 1U;
    const bool one_left = full.size() % 2 != 0;
    if (one_left) full.front() = std::move(full.back());
    full.resize(one_left ? 1 : 0);
  }
  // All values of the sketch with their weights, the least first.
  [[nodiscard]] std::vector<std::pair<const T*, std::uint64_t>> weighted(const quantile_sketch<T>& of) const {
    std::vector<std::pair<const T*, std::uint64_t>> all;
    for (std::size_t i = 0; i < of.levels.size(); ++i)
      for (const T& value : of.levels[i]) all.emplace_back(&value, std::uint64_t{1} << i);
    std::sort(all.begin(), all.end(), [this](const auto& a, const auto& b) { return precedes(*a.first, *b.first); });
    return all;
  }

  std::size_t n_;
  double error_;
  [[no_unique_address]] Less less_;
};

// How far quantiles may be off, as a part of the number of values.
struct quantile_error {
  double at_most = 0.01;
};

namespace detail {

template <class Less>
struct quantiles_of_input {
  template <class T>
  auto for_input() const {
    return quantiles_of<T, Less>{n, error, less};
  }
  std::size_t n;
  double error;
  Less less;
};

template <class Less = std::less<>>
[[nodiscard]] quantiles_of_input<Less> quantiles(const std::string& step, std::size_t n, quantile_error error,
                                                 Less less = {}) {
  if (n < 2)
    throw pipeline_error(step, std::to_string(n) + " quantiles are too few; least and greatest are two of them");
  if (!(error.at_most >= 0.00001 && error.at_most <= 0.5))
    throw pipeline_error(step, "an error of " + std::to_string(error.at_most)
                                   + " is not a part of the number of values between 0.00001 and 0.5");
  return {n, error.at_most, std::move(less)};
}

}  // namespace detail

// A combine function: n quantiles as a std::vector, see quantiles_of for their error. Nothing comes out of no values.
// Throws pipeline_error for fewer than 2 and for an error that is not between 0.00001 and 0.5.
template <class Less = std::less<>>
[[nodiscard]] auto approximate_quantiles(std::size_t n, quantile_error error = {}, Less less = {}) {
  return detail::quantiles("approximate_quantiles", n, error, std::move(less));
}

// The quantiles of the elements of each window: pcollection<T> -> pcollection<std::vector<T>>.
[[nodiscard]] inline auto approximate_quantiles_globally(std::string name, std::size_t n, quantile_error error = {},
                                                         std::source_location where = std::source_location::current()) {
  const auto function = detail::quantiles(name, n, error);
  return combine_globally(std::move(name), function, without_defaults, where);
}
// The quantiles of the values of each key: pcollection<kv<K, V>> -> pcollection<kv<K, std::vector<V>>>.
[[nodiscard]] inline auto approximate_quantiles_per_key(std::string name, std::size_t n, quantile_error error = {},
                                                        std::source_location where = std::source_location::current()) {
  const auto function = detail::quantiles(name, n, error);
  return combine_per_key(std::move(name), function, where);
}

}  // namespace millrace
