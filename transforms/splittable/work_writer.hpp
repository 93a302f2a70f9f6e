#pragma once

#include <millrace/transforms/operators/edge.hpp>
#include <millrace/transforms/operators/operator.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace millrace::detail {

// Deals rows out to the shards one by one, in small bundles: each row is work that may be long, so that neither their
// number on a shard nor in a bundle may be left to chance.
template <class Row>
class work_writer final : public edge_writer, public receiver<Row> {
 public:
  explicit work_writer(const edge_environment& in) : next_(in.sender_shard % in.to.shards()) {
    for (std::uint32_t s = 0; s < in.to.shards(); ++s)
      builders_.emplace_back(in.to, s, column::variable, column_width<Row>, std::min(rows_max, in.bundle_rows_max));
  }

  receiver_ref input() override { return static_cast<receiver<Row>&>(*this); }
  void accept(const batch<Row>& in) override {
    in.each([&](std::uint32_t p, const Row& row) {
      bundle_builder& to = builders_[next_];
      append_value<Row>(to.begin_rows(in.at->context_at(p)).values, row, scratch_);
      to.end_rows(1, in.at->time_at(p));
      next_ = (next_ + 1) % builders_.size();
    });
  }
  void flush() override {
    for (auto& b : builders_) b.flush();
  }

 private:
  static constexpr std::uint32_t rows_max = 16;

  std::vector<bundle_builder> builders_;
  std::size_t next_;
  writer scratch_;
};

}  // namespace millrace::detail
