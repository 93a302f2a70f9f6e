#include <millrace/transforms/bundles/column.hpp>

#include <algorithm>

namespace millrace {

void column::enlarge(std::size_t wanted) {
  check(wanted <= UINT32_MAX, "a column of one bundle is smaller than 4 GiB");
  const std::size_t capacity = std::max<std::size_t>({wanted + padding, capacity_ * 2, 1024});
  auto bytes = std::make_unique_for_overwrite<std::byte[]>(capacity);
  if (used_ > 0) std::memcpy(bytes.get(), bytes_.get(), used_);
  bytes_ = std::move(bytes);
  capacity_ = capacity;
}

void column::enlarge_ends() {
  const std::uint32_t capacity = std::max<std::uint32_t>(ends_capacity_ * 2, 256);
  auto ends = std::make_unique_for_overwrite<std::uint32_t[]>(std::size_t{capacity} + 1);
  ends[0] = 0;
  if (rows_ > 0) std::copy_n(ends_.get() + 1, rows_, ends.get() + 1);
  ends_ = std::move(ends);
  ends_capacity_ = capacity;
}

void column::encode(writer& to) const {
  to.varint(width_);
  to.varint(rows_);
  if (width_ == variable) {
    for (std::uint32_t i = 0; i < rows_; ++i) to.varint(ends_[i + 1] - ends_[i]);
  }
  to.put({reinterpret_cast<const char*>(bytes_.get()), used_});
}

void column::decode(reader& from) {
  const std::uint64_t width = from.varint();
  const std::uint64_t rows = from.varint();
  if (width > UINT16_MAX) from.fail("a column row is wider than 64 KiB");
  if (rows > (width == variable ? from.remaining() : from.remaining() / width))
    from.fail("a column has more rows than bytes");
  reset(static_cast<std::uint32_t>(width));
  if (width != variable) {
    const auto bytes = from.take(rows * width);
    if (rows > 0) std::memcpy(grow(static_cast<std::uint32_t>(rows)), bytes.data(), bytes.size());
    return;
  }
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < rows; ++i) {
    if (rows_ == ends_capacity_) enlarge_ends();
    total += from.varint();
    if (total > from.remaining()) from.fail("a column's offsets pass its end");
    ends_[++rows_] = static_cast<std::uint32_t>(total);
  }
  const auto bytes = from.take(total);
  if (total + padding > capacity_) enlarge(total);
  if (total > 0) std::memcpy(bytes_.get(), bytes.data(), total);
  used_ = total;
}

}  // namespace millrace
