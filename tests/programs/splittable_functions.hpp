#pragma once

#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/par_do_splittable.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

namespace millrace::programs {

inline std::vector<int> in_order(const recording<int>& of) {
  auto values = of.values();
  std::ranges::sort(values);
  return values;
}
inline std::vector<int> up_to(int end, int from = 0) {
  std::vector<int> all(static_cast<std::size_t>(end - from));
  std::iota(all.begin(), all.end(), from);
  return all;
}

// Counts from 0 to below the element.
struct counting {
  using output = int;
  static offset_range initial_restriction(int n) { return {0, n}; }
  static void process(int /*n*/, tracker<offset_range>& range, emitter<int>& out) {
    for (auto i = range.restriction().from; range.try_claim(i); ++i) out(static_cast<int>(i));
  }
};

// The same, three numbers a second.
struct counting_slowly {
  using output = int;
  static constexpr bool bounded_per_element = true;
  static offset_range initial_restriction(int n) { return {0, n}; }
  static process_result process(int /*n*/, tracker<offset_range>& range, emitter<int>& out) {
    const auto from = range.restriction().from;
    for (auto i = from;; ++i) {
      if (i == from + 3) return process_result::resume(duration{1000});
      if (!range.try_claim(i)) return process_result::stop();
      out(static_cast<int>(i));
    }
  }
};

// Gives 0 to 3, then waits for a day.
template <std::int64_t End>
struct waiting_at_four {
  using output = int;
  static offset_range initial_restriction(int /*n*/) { return {0, End}; }
  static process_result process(int /*n*/, tracker<offset_range>& range, emitter<int>& out) {
    const auto from = range.restriction().from;
    for (auto i = from;; ++i) {
      if (from < 4 && i == 4) return process_result::resume(std::chrono::hours{24});
      if (!range.try_claim(i)) return process_result::stop();
      out(static_cast<int>(i));
    }
  }
};

// Each position takes a while by the clock of the job; notes where each call begins.
struct counting_in_time {
  using output = int;
  std::shared_ptr<std::atomic<std::int64_t>> clock = std::make_shared<std::atomic<std::int64_t>>(0);
  std::shared_ptr<std::vector<int>> begins = std::make_shared<std::vector<int>>();
  static offset_range initial_restriction(int n) { return {0, n}; }
  void process(int /*n*/, tracker<offset_range>& range, emitter<int>& out) const {
    begins->push_back(static_cast<int>(range.restriction().from));
    for (auto i = range.restriction().from; range.try_claim(i); ++i) {
      out(static_cast<int>(i));
      *clock += 300;
    }
  }
};

}  // namespace millrace::programs
