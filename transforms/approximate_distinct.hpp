#pragma once

#include <millrace/transforms/bundles/key_hash.hpp>
#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/scattered.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// How many different values there are, from the least hashes of their encodings: exact while they are fewer than the
// size of the sample, else off by about 2 / sqrt(size) at most (two standard deviations). The result does not depend on
// the order of the values or on how they are divided, and repeated ones change nothing.
template <class T>
class distinct_estimate_of {
 public:
  explicit distinct_estimate_of(std::size_t sample) : sample_(sample) {}

  // Different hashes, the least first.
  [[nodiscard]] std::vector<std::uint64_t> create() const { return {}; }
  void add(std::vector<std::uint64_t>& to, const T& value) const {
    add_hash(to, detail::scattered(key_hash(encode_whole(value))));
  }
  void merge(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& other) const {
    std::vector<std::uint64_t> all;
    all.reserve(to.size() + other.size());
    std::set_union(to.begin(), to.end(), other.begin(), other.end(), std::back_inserter(all));
    if (all.size() > sample_) all.resize(sample_);
    to = std::move(all);
  }
  [[nodiscard]] std::uint64_t extract(const std::vector<std::uint64_t>& of) const {
    if (of.empty() || of.size() < sample_) return of.size();
    // The hashes are spread evenly over 2^64: the greatest of the least tells how many lie in the whole range.
    const double part = (static_cast<double>(of.back()) + 1) / 0x1p64;
    return static_cast<std::uint64_t>((static_cast<double>(sample_) - 1) / part + 0.5);
  }
  [[nodiscard]] std::string name() const { return "approximate distinct, sample " + std::to_string(sample_); }

 private:
  void add_hash(std::vector<std::uint64_t>& to, std::uint64_t hash) const {
    if (to.size() == sample_ && hash >= to.back()) return;
    const auto at = std::lower_bound(to.begin(), to.end(), hash);
    if (at != to.end() && *at == hash) return;
    to.insert(at, hash);
    if (to.size() > sample_) to.pop_back();
  }

  std::size_t sample_;
};

namespace detail {

inline constexpr std::size_t distinct_sample_min = 16;
inline constexpr std::size_t distinct_sample_max = 1U << 20U;

struct distinct_estimate_of_input {
  template <class T>
  auto for_input() const {
    return distinct_estimate_of<T>{sample};
  }
  std::size_t sample;
};

[[nodiscard]] inline distinct_estimate_of_input distinct_estimate(const std::string& step, std::size_t sample) {
  if (sample < distinct_sample_min || sample > distinct_sample_max)
    throw pipeline_error(step, "a sample of " + std::to_string(sample) + " hashes is "
                                   + (sample < distinct_sample_min ? "too small" : "too large") + "; give "
                                   + std::to_string(distinct_sample_min) + " to " + std::to_string(distinct_sample_max)
                                   + ", of which s are off by about 2 / sqrt(s)");
  return {sample};
}

}  // namespace detail

// A combine function: about how many different values there are, from a sample of 16 hashes at least (see
// distinct_estimate_of for the error). Throws pipeline_error for fewer.
[[nodiscard]] inline auto approximate_distinct(std::size_t sample) {
  return detail::distinct_estimate("approximate_distinct", sample);
}

// About how many different elements each window has: pcollection<T> -> pcollection<std::uint64_t>. An empty window has
// no result.
[[nodiscard]] inline auto approximate_distinct_globally(std::string name, std::size_t sample,
                                                        std::source_location where = std::source_location::current()) {
  const auto estimate = detail::distinct_estimate(name, sample);
  return combine_globally(std::move(name), estimate, without_defaults, where);
}
// The same for the values of each key: pcollection<kv<K, V>> -> pcollection<kv<K, std::uint64_t>>.
[[nodiscard]] inline auto approximate_distinct_per_key(std::string name, std::size_t sample,
                                                       std::source_location where = std::source_location::current()) {
  const auto estimate = detail::distinct_estimate(name, sample);
  return combine_per_key(std::move(name), estimate, where);
}

}  // namespace millrace
