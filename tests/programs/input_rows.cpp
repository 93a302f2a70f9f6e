#include "input_rows.hpp"

#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace millrace::programs {

namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

}  // namespace

std::vector<std::string> input_lines(const std::string& name) {
  const std::string path = MILLRACE_SOURCE_DIR "/tests/programs/input/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("there is no input " + path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::vector<kv<std::string, std::string>> input_pairs(const std::string& name) {
  std::vector<kv<std::string, std::string>> pairs;
  auto lines = input_lines(name);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto cells = cells_of(lines[i]);
    pairs.push_back({cells.at(0), cells.at(1)});
  }
  return pairs;
}

std::vector<order> orders() {
  std::vector<order> all;
  auto lines = input_lines("orders.csv");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto cells = cells_of(lines[i]);
    all.push_back({std::stoll(cells.at(0)), std::stoll(cells.at(1)), cells.at(2), cells.at(3), cells.at(4),
                   std::stoll(cells.at(5))});
  }
  return all;
}

std::vector<timestamped_value<order>> timed_orders() {
  std::vector<timestamped_value<order>> all;
  for (order& o : orders()) {
    const timestamp at{o.time};
    all.emplace_back(std::move(o), at);
  }
  return all;
}

}  // namespace millrace::programs
