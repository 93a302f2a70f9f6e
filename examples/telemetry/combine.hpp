#pragma once

#include "reading.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace telemetry {

// Temperatures in hundredths of a degree.
struct statistics {
  std::int64_t count = 0;
  std::int64_t sum = 0;
  std::int64_t min = std::numeric_limits<std::int64_t>::max();
  std::int64_t max = std::numeric_limits<std::int64_t>::min();
};

// Combines hundredths to their statistics: whole numbers, so that the order does not matter.
struct measure {
  [[nodiscard]] statistics create() const { return {}; }
  void add(statistics& to, std::int64_t hundredths) const { merge(to, {1, hundredths, hundredths, hundredths}); }
  void merge(statistics& to, const statistics& other) const {
    to.count += other.count;
    to.sum += other.sum;
    to.min = std::min(to.min, other.min);
    to.max = std::max(to.max, other.max);
  }
  [[nodiscard]] statistics extract(const statistics& of) const { return of; }
  [[nodiscard]] std::string name() const { return "count, sum, min and max of hundredths"; }
};

// A reading as it competes for the ten highest of its region.
struct candidate {
  std::int64_t hundredths = 0;
  std::string device;
  std::int64_t time = 0;
};

// Whether `a` ranks after `b`: it is colder, or as hot but of a later device, or of the same one at a later time.
struct ranks_after {
  bool operator()(const candidate& a, const candidate& b) const {
    if (a.hundredths != b.hundredths) return a.hundredths < b.hundredths;
    if (a.device != b.device) return b.device < a.device;
    return b.time < a.time;
  }
};

// The key of a part of a region.
struct region_part {
  std::string region;
  std::uint32_t part = 0;
};

// Combines lists of candidates, each the best of a part, to the best of all.
class best_of_parts {
 public:
  explicit best_of_parts(std::size_t n) : n_(n) {}
  using list = std::vector<candidate>;
  [[nodiscard]] list create() const { return {}; }
  void add(list& to, const list& other) const { merge(to, other); }
  void merge(list& to, const list& other) const {
    const auto ahead = [](const candidate& a, const candidate& b) { return ranks_after{}(b, a); };
    list all;
    all.reserve(to.size() + other.size());
    std::merge(to.begin(), to.end(), other.begin(), other.end(), std::back_inserter(all), ahead);
    if (all.size() > n_) all.resize(n_);
    to = std::move(all);
  }
  [[nodiscard]] list extract(const list& of) const { return of; }
  [[nodiscard]] std::string name() const { return "best " + std::to_string(n_) + " of parts"; }

 private:
  std::size_t n_;
};

}  // namespace telemetry
