#pragma once

#include <millrace/transforms/bundles/outlet.hpp>
#include <millrace/transforms/operators/batch.hpp>

#include <cstdint>

namespace millrace {

// Fills the bundles for one destination: keeps runs of contexts and the times column, and sends a bundle on when it has
// its rows. Key and value columns are appended by the caller between begin_rows() and end_rows(), since only the caller
// knows their types.
class bundle_builder {
 public:
  bundle_builder(bundle_outlet& to, std::uint32_t shard, std::uint32_t key_width, std::uint32_t value_width,
                 std::uint32_t rows_max)
      : to_(&to), shard_(shard), key_width_(key_width), value_width_(value_width), rows_max_(rows_max) {}

  // The bundle to append `n` rows to, all of them in `c`. Columns are appended by the caller; then end_rows(n).
  bundle& begin_rows(const context& c);
  // Counts the n rows just appended, all of which are at `at`.
  void end_rows(std::uint32_t n, timestamp at);
  // Counts the n rows just appended, whose times nobody reads: the bundle keeps their bounds and no more. A bundle has
  // times for all of its rows or for none, so the caller stays with one way of ending.
  void end_untimed_rows(std::uint32_t n, const stamps& at) {
    bundle& b = *rows_;
    if (at.least < b.least) b.least = at.least;
    if (at.greatest > b.greatest) b.greatest = at.greatest;
    counted(n);
  }
  // Counts the n rows just appended; position_at(i) gives the batch position of row i, whose time is kept.
  template <class PositionAt>
  void end_rows(std::uint32_t n, const stamps& at, PositionAt&& position_at) {
    if (!at.times || at.least == at.greatest) return end_rows(n, at.least);
    bundle& b = *rows_;
    if (!b.has_times()) spell_times_out();
    auto* to = reinterpret_cast<char*>(b.times.grow(n));
    for (std::uint32_t i = 0; i < n; ++i) {
      const timestamp t = at.times[position_at(i)];
      std::memcpy(to + std::size_t{i} * sizeof t, &t, sizeof t);
      if (t < b.least) b.least = t;
      if (t > b.greatest) b.greatest = t;
    }
    counted(n);
  }
  // Room for that many rows before the bundle is full; at least 1.
  [[nodiscard]] std::uint32_t room() const { return rows_ ? rows_max_ - rows_->rows : rows_max_; }
  // Sends the bundle if it holds rows.
  void flush() {
    if (rows_ && rows_->rows > 0) to_->send(shard_, std::move(rows_));
  }
  // How the values of following rows are to be read (inputs or accumulators); flushes when that changes.
  void accumulators(bool are);

 private:
  void spell_times_out();
  void counted(std::uint32_t n) {
    rows_->rows += n;
    rows_->runs.back().end = rows_->rows;
    if (rows_->rows >= rows_max_) flush();
  }

  bundle_outlet* to_;
  std::uint32_t shard_;
  std::uint32_t key_width_;
  std::uint32_t value_width_;
  std::uint32_t rows_max_;
  bool accumulators_ = false;
  bundle_ptr rows_;
};

}  // namespace millrace
