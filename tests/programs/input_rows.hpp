#pragma once

#include <millrace/transforms/element/kv.hpp>
#include <millrace/transforms/sources/timestamped_value.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace millrace::programs {

// A row of input/orders.csv. Times are milliseconds of event time, in no order.
struct order {
  std::int64_t id = 0;
  std::int64_t time = 0;
  std::string customer;
  std::string region;
  std::string product;
  std::int64_t cents = 0;

  friend bool operator==(const order&, const order&) = default;
};

// The lines of a file in input/.
[[nodiscard]] std::vector<std::string> input_lines(const std::string& name);
// The rows of a file in input/ whose lines are `key,value`; the first line names the columns.
[[nodiscard]] std::vector<kv<std::string, std::string>> input_pairs(const std::string& name);
[[nodiscard]] std::vector<order> orders();
// The same at their event times.
[[nodiscard]] std::vector<timestamped_value<order>> timed_orders();

}  // namespace millrace::programs
