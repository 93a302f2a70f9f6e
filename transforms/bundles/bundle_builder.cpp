#include <millrace/transforms/bundles/bundle_builder.hpp>

namespace millrace {

bundle& bundle_builder::begin_rows(const context& c) {
  if (!rows_) {
    rows_ = to_->take();
    rows_->clear(key_width_, value_width_);
    rows_->header.accumulators = accumulators_;
  }
  bundle& b = *rows_;
  if (b.runs.empty() || !(b.contexts[b.runs.back().context] == c)) {
    b.runs.push_back({b.rows, static_cast<std::uint32_t>(b.contexts.size())});
    b.contexts.push_back(c);
  }
  return b;
}

void bundle_builder::end_rows(std::uint32_t n, timestamp at) {
  bundle& b = *rows_;
  const bool uniform = b.rows == 0 || (!b.has_times() && b.least == at && b.greatest == at);
  if (!uniform && !b.has_times()) spell_times_out();
  if (at < b.least) b.least = at;
  if (at > b.greatest) b.greatest = at;
  if (!uniform) {
    auto* to = reinterpret_cast<char*>(b.times.grow(n));
    for (std::uint32_t i = 0; i < n; ++i) std::memcpy(to + std::size_t{i} * sizeof at, &at, sizeof at);
  }
  counted(n);
}

void bundle_builder::accumulators(bool are) {
  if (are == accumulators_) return;
  flush();
  accumulators_ = are;
  if (rows_) rows_->header.accumulators = are;
}

// Until now all rows had one time, which the bounds hold.
void bundle_builder::spell_times_out() {
  bundle& b = *rows_;
  if (b.rows == 0) return;
  const timestamp at = b.least;
  auto* to = reinterpret_cast<char*>(b.times.grow(b.rows));
  for (std::uint32_t i = 0; i < b.rows; ++i) std::memcpy(to + std::size_t{i} * sizeof at, &at, sizeof at);
}

}  // namespace millrace
