#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>

namespace millrace::properties {

// Numbers drawn at random from a seed: equal seeds draw equal ones, with any standard library.
class draws {
 public:
  explicit draws(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::int64_t number(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }
  [[nodiscard]] bool chance(std::int64_t percent) { return number(0, 99) < percent; }
  template <class T>
  [[nodiscard]] T one_of(std::initializer_list<T> among) {
    return among.begin()[number(0, static_cast<std::int64_t>(among.size()) - 1)];
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace millrace::properties
