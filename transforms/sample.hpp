#pragma once

#include <millrace/transforms/bundles/key_hash.hpp>
#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/flat_map.hpp>
#include <millrace/transforms/scattered.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// The n values with the least encodings: some n of them, always the same ones, but no fair choice.
template <class T>
class any_sample_of {
 public:
  explicit any_sample_of(std::size_t n) : n_(n) {}

  // Encodings, the least first.
  [[nodiscard]] std::vector<std::string> create() const { return {}; }
  void add(std::vector<std::string>& to, const T& value) const { add_encoding(to, encode_whole(value)); }
  void merge(std::vector<std::string>& to, const std::vector<std::string>& other) const {
    for (const std::string& encoding : other) add_encoding(to, encoding);
  }
  [[nodiscard]] std::vector<T> extract(const std::vector<std::string>& of) const {
    std::vector<T> values;
    for (const std::string& encoding : of) values.push_back(decode_whole<T>(encoding));
    return values;
  }
  [[nodiscard]] std::string name() const { return "any " + std::to_string(n_); }

 private:
  void add_encoding(std::vector<std::string>& to, std::string encoding) const {
    if (to.size() == n_ && encoding >= to.back()) return;
    to.insert(std::upper_bound(to.begin(), to.end(), encoding), std::move(encoding));
    if (to.size() > n_) to.pop_back();
  }

  std::size_t n_;
};

// What a uniform sample is made of: how many values there were, and those that were drawn so far.
template <class T>
struct reservoir {
  std::uint64_t count = 0;
  std::vector<T> kept;
};

// n of the values, each choice of n equally likely over all seeds. Equal values cannot be told apart when they are
// drawn, so which ones come out depends on the order of arrival beside the seed; the same order gives the same ones.
template <class T>
class uniform_sample_of {
 public:
  uniform_sample_of(std::size_t n, std::uint64_t seed) : n_(n), seed_(seed) {}

  [[nodiscard]] reservoir<T> create() const { return {}; }
  void add(reservoir<T>& to, const T& value) const {
    ++to.count;
    if (to.kept.size() < n_) {
      to.kept.push_back(value);
      return;
    }
    const std::uint64_t position = drawn(to.count, key_hash(encode_whole(value)), to.count);
    if (position < n_) to.kept[position] = value;
  }
  // Draws from both as if their values lay in one bag, of which each holds a fair sample.
  void merge(reservoir<T>& to, const reservoir<T>& other) const {
    if (other.count == 0) return;
    if (to.count == 0) {
      to = other;
      return;
    }
    std::vector<T> left[2] = {std::move(to.kept), other.kept};
    std::uint64_t remaining[2] = {to.count, other.count};
    to.count += other.count;
    to.kept.clear();
    const std::uint64_t salt = key_hash(encode_whole(other.kept.front())) ^ remaining[0];
    for (std::uint64_t draws = 0; to.kept.size() < n_ && remaining[0] + remaining[1] > 0; ++draws) {
      const std::size_t from = drawn(draws, salt, remaining[0] + remaining[1]) < remaining[0] ? 0 : 1;
      const std::uint64_t position = drawn(draws, ~salt, left[from].size());
      to.kept.push_back(std::move(left[from][position]));
      left[from].erase(left[from].begin() + static_cast<std::ptrdiff_t>(position));
      --remaining[from];
    }
  }
  [[nodiscard]] std::vector<T> extract(const reservoir<T>& of) const { return of.kept; }
  [[nodiscard]] std::string name() const {
    return "sample of " + std::to_string(n_) + ", seed " + std::to_string(seed_);
  }

 private:
  // A number below `limit`.
  [[nodiscard]] std::uint64_t drawn(std::uint64_t step, std::uint64_t salt, std::uint64_t limit) const {
    const std::uint64_t bits = detail::scattered(detail::scattered(detail::scattered(seed_) ^ step) ^ salt);
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(bits) * limit >> 64U);
  }

  std::size_t n_;
  std::uint64_t seed_;
};

namespace detail {

struct any_sample_of_input {
  template <class T>
  auto for_input() const {
    return any_sample_of<T>{n};
  }
  std::size_t n;
};
struct uniform_sample_of_input {
  template <class T>
  auto for_input() const {
    return uniform_sample_of<T>{n, seed};
  }
  std::size_t n;
  std::uint64_t seed;
};

}  // namespace detail

// Combine functions: combine_per_key("some", any_sample(5)). The result is a std::vector of at most n values.

// Any n values, without a claim to fairness, but independent of their order. Throws std::invalid_argument for none.
[[nodiscard]] inline auto any_sample(std::size_t n) {
  if (n == 0) throw std::invalid_argument("any_sample: the number of values to keep must be at least 1");
  return detail::any_sample_of_input{n};
}
// A uniform sample of n values, drawn by `seed`: see uniform_sample_of. Throws std::invalid_argument for none.
[[nodiscard]] inline auto uniform_sample(std::size_t n, std::uint64_t seed) {
  if (n == 0) throw std::invalid_argument("uniform_sample: the number of values to keep must be at least 1");
  return detail::uniform_sample_of_input{n, seed};
}

// At most n elements of each window, as elements: Beam's Sample.any.
[[nodiscard]] inline auto sample_any(std::string name, std::size_t n,
                                     std::source_location where = std::source_location::current()) {
  return [name = std::move(name), some = any_sample(n), where]<class T>(const pcollection<T>& in) {
    const auto body = [&](const pcollection<T>& all) {
      return all | combine_globally("sample", some, without_defaults, where)
             | flat_map("elements", [](const std::vector<T>& values) { return values; }, where);
    };
    return composite(name, body)(in);
  };
}

// A uniform sample of the elements of each window as one vector: pcollection<T> -> pcollection<std::vector<T>>.
[[nodiscard]] inline auto sample_globally(std::string name, std::size_t n, std::uint64_t seed,
                                          std::source_location where = std::source_location::current()) {
  return combine_globally(std::move(name), uniform_sample(n, seed), without_defaults, where);
}
// The same of the values of each key: pcollection<kv<K, V>> -> pcollection<kv<K, std::vector<V>>>.
[[nodiscard]] inline auto sample_per_key(std::string name, std::size_t n, std::uint64_t seed,
                                         std::source_location where = std::source_location::current()) {
  return combine_per_key(std::move(name), uniform_sample(n, seed), where);
}

}  // namespace millrace
