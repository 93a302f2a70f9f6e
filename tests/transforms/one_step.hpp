#pragma once

#include <millrace/transforms/pipeline.hpp>
#include <millrace/transforms/side/side_budget.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace millrace::testing {

// Keeps what reaches the end of a step.
template <class T>
class collected final : public receiver<T> {
 public:
  std::vector<T> values;
  std::vector<timestamp> times;
  std::vector<context> contexts;
  std::vector<std::uint32_t> batches;     // their sizes
  std::vector<const T*> addresses;        // where the values lay
  std::vector<std::size_t> dictionaries;  // how many contexts each batch had
  std::vector<bool> coded;

  void accept(const batch<T>& in) override {
    batches.push_back(in.count);
    dictionaries.push_back(in.at->contexts.size());
    coded.push_back(in.at->codes != nullptr);
    in.each([&](std::uint32_t p, const T& x) {
      values.push_back(x);
      addresses.push_back(&x);
      times.push_back(in.at->time_at(p));
      contexts.push_back(in.at->context_at(p));
      EXPECT_LE(in.at->least, times.back());
      EXPECT_GE(in.at->greatest, times.back());
    });
  }
};

// A collection that comes from nowhere: what graphs of tests begin with.
class no_source final : public operator_spec {
 public:
  [[nodiscard]] operator_kind kind() const override { return operator_kind::read; }
  [[nodiscard]] std::string describe() const override { return "nothing"; }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& /*in*/) const override {
    return nullptr;
  }
};
template <class T>
pcollection<T> input_of(pipeline& p, const std::string& name = "in", bool bounded = true) {
  return detail::add_source<T>(p, name, std::make_shared<no_source>(), bounded, std::source_location::current());
}

// A batch to feed: elements, with times if they have different ones, in one context.
template <class T>
struct rows {
  std::vector<T> values;
  std::vector<timestamp> times;
  context in;

  [[nodiscard]] batch<T> as_batch() {
    at.times = times.empty() ? nullptr : times.data();
    if (!times.empty()) {
      at.least = *std::min_element(times.begin(), times.end());
      at.greatest = *std::max_element(times.begin(), times.end());
    }
    at.contexts = {&in, 1};
    return {values.data(), sizeof(T), static_cast<std::uint32_t>(values.size()), nullptr, &at};
  }
  stamps at;
};

// Runs the step that produces a collection, alone.
class one_step {
 public:
  template <class T>
  explicit one_step(const pcollection<T>& of, std::uint32_t attempts_max = 4, std::uint32_t batch_rows_max = UINT32_MAX)
      : graph_(of.shared_owner()),
        environment_{graph_->at(graph_->collection_at(of.id()).producer).path, 0, 1, clock, metrics} {
    environment_.attempts_max = attempts_max;
    environment_.batch_rows_max = batch_rows_max;
    environment_.side_inputs = &side_inputs;
    op = graph_->at(graph_->collection_at(of.id()).producer).spec->make(environment_);
  }

  template <class T>
  collected<T>& output(std::size_t port = 0) {
    auto to = std::make_shared<collected<T>>();
    op->connect(port, static_cast<receiver<T>&>(*to));
    kept_.push_back(to);
    return *to;
  }
  template <class T>
  void feed(const batch<T>& in) {
    op->input(0).template as<T>().accept(in);
  }
  template <class T>
  void feed(rows<T> in) {
    feed(in.as_batch());
  }
  // Everything of a bundle.
  template <class T>
  void feed_bundle(rows<T> in) {
    op->start_bundle();
    feed(in.as_batch());
    op->finish_bundle();
  }

 private:
  std::shared_ptr<graph> graph_;

 public:
  stage_clock clock;
  metric_board metrics;
  side_input_budget side_inputs;

 private:
  operator_environment environment_;
  std::vector<std::shared_ptr<void>> kept_;

 public:
  std::unique_ptr<stage_operator> op;
};

inline timestamp at(std::int64_t millis) {
  return timestamp{millis};
}
inline window win(std::int64_t from, std::int64_t to) {
  return {timestamp{from}, timestamp{to}};
}

}  // namespace millrace::testing
