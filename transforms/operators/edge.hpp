#pragma once

#include <millrace/transforms/bundles/bundle_builder.hpp>
#include <millrace/transforms/operators/operator.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace millrace {

// The most contexts that the codes of a batch tell apart.
inline constexpr std::size_t codes_max = 256;

// Calls f(context, part) for the elements of each context of a batch; `part` selects just those. One call for the batch
// as it is when it has a single context, which is nearly always.
template <class T, class F>
void each_context(const batch<T>& in, F&& f) {
  if (!in.at->codes) return f(in.at->contexts[0], in);
  const std::uint8_t* codes = in.at->codes;
  const std::size_t contexts = in.at->contexts.size();
  std::array<std::uint16_t, codes_max> end{};  // of each context's part of `chosen`; first its size
  std::array<std::uint16_t, batch_max> chosen;
  in.each([&](std::uint32_t p, const T&) { ++end[codes[p]]; });
  std::uint16_t begin = 0;
  for (std::size_t code = 0; code < contexts; ++code) {
    const std::uint16_t size = end[code];
    end[code] = begin;
    begin = static_cast<std::uint16_t>(begin + size);
  }
  in.each([&](std::uint32_t p, const T&) { chosen[end[codes[p]]++] = static_cast<std::uint16_t>(p); });
  begin = 0;
  for (std::size_t code = 0; code < contexts; ++code) {
    batch<T> part = in;
    part.selected = chosen.data() + begin;
    part.count = end[code] - begin;
    if (part.count > 0) f(in.at->contexts[code], part);
    begin = end[code];
  }
}

// The sending end of an edge without keys: whole elements, spread, broadcast or forwarded.
template <class T>
class value_writer final : public edge_writer, public receiver<T> {
 public:
  explicit value_writer(const edge_environment& in) : in_(in) {
    for (std::uint32_t s = 0; s < in.to.shards(); ++s)
      builders_.emplace_back(in.to, s, column::variable, column_width<T>, in.bundle_rows_max);
    next_ = in.sender_shard % in.to.shards();
  }

  receiver_ref input() override { return static_cast<receiver<T>&>(*this); }
  void accept(const batch<T>& in) override {
    each_context(in, [&](const context& c, const batch<T>& part) {
      if (in_.by == routing::broadcast)
        for (auto& b : builders_) append(b, c, part);
      else append(builders_[next_], c, part);
    });
    if (in_.by == routing::spread && (rows_ += in.count) >= in_.bundle_rows_max) move_on();
  }
  void flush() override {
    for (auto& b : builders_) b.flush();
    if (in_.by == routing::spread && rows_ > 0) move_on();
  }

 private:
  void move_on() {
    builders_[next_].flush();
    rows_ = 0;
    next_ = (next_ + 1) % static_cast<std::uint32_t>(builders_.size());
  }
  void append(bundle_builder& to, const context& c, const batch<T>& part) {
    for (std::uint32_t from = 0; from < part.count;) {
      const std::uint32_t n = std::min(part.count - from, to.room());
      column& values = to.begin_rows(c).values;
      const auto position = [&](std::uint32_t i) {
        return part.selected ? std::uint32_t{part.selected[from + i]} : from + i;
      };
      for (std::uint32_t i = 0; i < n; ++i) append_value<T>(values, part.value(position(i)), scratch_);
      to.end_rows(n, *part.at, position);
      from += n;
    }
  }

  edge_environment in_;
  std::vector<bundle_builder> builders_;
  std::uint32_t next_ = 0;
  std::uint32_t rows_ = 0;
  writer scratch_;
};

// Turns the rows of bundles without keys back into batches: the head of a stage behind such an edge.
template <class T>
class bundle_reader final : public stage_operator, public stage_head {
 public:
  explicit bundle_reader(const operator_environment& in) : metrics_(in.metrics) {}

  void connect(std::size_t /*output*/, receiver_ref next) override { next_ = &next.as<T>(); }
  stage_head* as_head() override { return this; }
  void accept(const bundle& in) override {
    metrics_.elements_in += in.rows;
    metrics_.elements_out += in.rows;
    std::uint32_t row = 0;
    for (const row_run& run : in.runs)
      while (row < run.end) {
        const std::uint32_t n = std::min(run.end - row, batch_rows<T>);
        pass_on(in, row, n, in.contexts[run.context]);
        row += n;
      }
  }

 private:
  void pass_on(const bundle& in, std::uint32_t from, std::uint32_t n, const context& c) {
    built_values<T> out{buffer_.get(), nullptr};
    for (std::uint32_t i = 0; i < n; ++i) out.emplace(i, [&] { return value_at<T>(in.values, from + i); });
    stamps at;
    at.least = in.least;
    at.greatest = in.greatest;
    at.contexts = {&c, 1};
    if (in.has_times()) {
      std::memcpy(static_cast<void*>(times_.data()), in.times.fixed(from), n * sizeof(timestamp));
      at.times = times_.data();
    }
    next_->accept({buffer_.get(), sizeof(T), n, nullptr, &at});
  }

  metric_board& metrics_;
  receiver<T>* next_ = nullptr;
  value_buffer<T> buffer_;
  std::array<timestamp, batch_max> times_;
};

// Hands one collection to several consumers of a stage: all see the same batch, none may change it.
template <class T>
class tee_operator final : public stage_operator, public receiver<T> {
 public:
  receiver_ref input(std::size_t /*port*/) override { return static_cast<receiver<T>&>(*this); }
  void connect(std::size_t /*output*/, receiver_ref next) override { next_.push_back(&next.as<T>()); }
  void accept(const batch<T>& in) override {
    for (auto* n : next_) n->accept(in);
  }

 private:
  std::vector<receiver<T>*> next_;
};

}  // namespace millrace
