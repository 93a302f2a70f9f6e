#pragma once

#include <millrace/transforms/functions/emitter.hpp>
#include <millrace/transforms/metric.hpp>
#include <millrace/transforms/splittable/offset_range.hpp>
#include <millrace/transforms/splittable/tracker.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// A splittable function that keeps something of its bundle, and sees what it is called for.
namespace millrace::programs {

inline std::vector<std::int64_t> numbers_below(std::int64_t end) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(end));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// What copies of a function share, to see them from outside: how often calls still fail, by what they are about.
struct call_witness {
  std::string log;
  std::map<std::string, int> failures_left;
  void call(const std::string& what) {
    log += what + " ";
    if (failures_left[what]-- > 0) throw std::runtime_error("not yet");
  }
};
using watched = std::shared_ptr<call_witness>;

// Counts from 0 to below the element and keeps all until the bundle ends. Another copy pairs the elements with their
// restrictions: it is set up and torn down once.
class keeping {
 public:
  using output = std::int64_t;
  explicit keeping(watched of) : of_(std::move(of)) {}
  static offset_range initial_restriction(std::int64_t n) { return {0, n}; }
  void setup() { of_->log += "setup "; }
  void start_bundle() { of_->call("start"); }
  void process(std::int64_t /*n*/, tracker<offset_range>& range, emitter<std::int64_t>& out) {
    for (auto i = range.restriction().from; range.try_claim(i); ++i) keep(i, out.at());
  }
  void finish_bundle(emitter<std::int64_t>& out) {
    for (const auto& [x, at] : kept_) out.emit(x, at.time, at.in);
    kept_.clear();
    of_->call("finish");
  }
  void teardown() { of_->log += "teardown "; }
  auto metrics() { return std::tie(seen_); }

 protected:
  void keep(std::int64_t i, const stamp& at) {
    ++seen_;
    kept_.emplace_back(i, at);
    of_->call(std::to_string(i));
  }
  void call(const std::string& what) { of_->call(what); }

 private:
  watched of_;
  std::vector<std::pair<std::int64_t, stamp>> kept_;
  counter seen_{"seen"};
};

}  // namespace millrace::programs
