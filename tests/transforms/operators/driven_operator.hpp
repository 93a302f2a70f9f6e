#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/operators/operator.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// What one shard of one stage tells its operators, for tests that drive an operator by hand.
struct driven_environment {
  stage_clock clock{};
  metric_board metrics{};
  std::uint32_t shard = 0;
  std::uint32_t shards = 1;
  std::uint32_t batch_rows_max = UINT32_MAX;
  std::string step = "step";

  [[nodiscard]] operator_environment get() {
    return {.step = step,
            .shard = shard,
            .shards = shards,
            .clock = clock,
            .metrics = metrics,
            .batch_rows_max = batch_rows_max,
            .job = "job"};
  }
};

// Takes what an operator passes on.
template <class T>
struct caught final : receiver<T> {
  void accept(const batch<T>& in) override {
    batches.push_back(in.count);
    in.each([&](std::uint32_t p, const T& value) {
      values.push_back(value);
      times.push_back(in.at->time_at(p).millis());
      contexts.push_back(in.at->context_at(p));
    });
    bounds.emplace_back(in.at->least.millis(), in.at->greatest.millis());
    had_times.push_back(in.at->times != nullptr);
  }

  std::vector<T> values;
  std::vector<std::int64_t> times;
  std::vector<context> contexts;
  std::vector<std::uint32_t> batches;
  std::vector<std::pair<std::int64_t, std::int64_t>> bounds;
  std::vector<bool> had_times;
};

// The bytes of an operator's snapshot.
inline std::string snapshot_of(const stage_operator& op) {
  writer bytes;
  op.snapshot(bytes);
  return std::string(bytes.bytes());
}

inline void restore_from(stage_operator& op, const std::string& bytes) {
  reader from{std::string_view(bytes)};
  op.restore(from);
  from.expect_end();
}

// What a call throws, as text; empty if it throws nothing.
template <class Exception, class Call>
std::string refusal_of(Call&& call) {
  try {
    call();
  } catch (const Exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace millrace
