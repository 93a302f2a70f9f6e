#pragma once

#include <millrace/tests/properties/comparison.hpp>
#include <millrace/tests/properties/random_case.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace millrace::properties {

// How many programs of a run went through what: so that a run in which nothing happened is not taken for a good one.
class statistics {
 public:
  void count(const random_case& of, const reference_run& run, const comparison& compared);

  // The share of a trait in percent.
  [[nodiscard]] double share(const std::string& trait) const;
  // By trait.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& counts() const { return counts_; }
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t programs_ = 0;
  std::map<std::string, std::uint64_t> counts_{{"late panes", 0},
                                               {"merges", 0},
                                               {"dropped late", 0},
                                               {"dropped closed", 0},
                                               {"fast path", 0},
                                               {"restarts after a firing", 0},
                                               {"general path", 0},
                                               {"state", 0},
                                               {"several steps", 0},
                                               {"early panes", 0},
                                               {"drains", 0},
                                               {"refused", 0},
                                               {"clock after crash", 0},
                                               {"sharding shows", 0},
                                               {"side inputs", 0},
                                               {"updates", 0}};
};

}  // namespace millrace::properties
