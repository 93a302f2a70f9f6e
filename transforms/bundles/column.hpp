#pragma once

#include <millrace/transforms/coders/column_traits.hpp>
#include <millrace/transforms/coders/reader.hpp>
#include <millrace/transforms/coders/writer.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace millrace {

// One column of a bundle: rows of a fixed width, or byte strings behind end offsets when the width is 0. Nothing in it
// needs an element type: typed access is `append` and `value_at` below. Memory is kept when the column is reset, since
// a fresh page costs more than everything else done with a row. At least 16 readable bytes follow the last row, so that
// a reader may load a short key at once.
class column {
 public:
  static constexpr std::uint32_t variable = 0;
  // The bytes that are copied at once.
  static constexpr std::size_t short_row = 16;

  // Empties the column and sets the width of its rows in bytes, or `variable`. Memory is kept.
  void reset(std::uint32_t width) {
    width_ = width;
    rows_ = 0;
    used_ = 0;
  }

  [[nodiscard]] std::uint32_t width() const { return width_; }
  [[nodiscard]] std::uint32_t rows() const { return rows_; }
  // Bytes of the rows, offsets included.
  [[nodiscard]] std::size_t size_bytes() const {
    return used_ + (width_ == variable ? rows_ * sizeof(std::uint32_t) : 0);
  }

  // Makes n more rows of a fixed-width column and returns the first; the caller writes all of them.
  std::byte* grow(std::uint32_t n) {
    const std::size_t wanted = used_ + std::size_t{n} * width_;
    if (wanted + padding > capacity_) [[unlikely]]
      enlarge(wanted);
    std::byte* first = bytes_.get() + used_;
    used_ = wanted;
    rows_ += n;
    return first;
  }
  // Appends one row to a variable column. From its beginning on `readable` bytes can be read, those of the row at
  // least: where they are 16, a short row is copied without a look at its length.
  void append_bytes(std::string_view row, std::size_t readable) {
    if (rows_ == ends_capacity_) [[unlikely]]
      enlarge_ends();
    if (used_ + row.size() + padding > capacity_) [[unlikely]]
      enlarge(used_ + row.size());
    if (readable >= short_row && row.size() <= short_row) [[likely]]
      std::memcpy(bytes_.get() + used_, row.data(), short_row);
    else copy_row(bytes_.get() + used_, row);
    used_ += row.size();
    ends_[++rows_] = static_cast<std::uint32_t>(used_);
  }
  void append_bytes(std::string_view row) { append_bytes(row, row.size()); }

  [[nodiscard]] const std::byte* fixed(std::uint32_t row) const { return bytes_.get() + std::size_t{row} * width_; }
  [[nodiscard]] std::string_view bytes_at(std::uint32_t row) const {
    if (width_ != variable) return {reinterpret_cast<const char*>(fixed(row)), width_};
    return strings()[row];
  }
  // The rows of a variable column, for loops over many of them; valid until the column changes.
  struct string_rows {
    const char* bytes;
    const std::uint32_t* ends;
    std::string_view operator[](std::uint32_t row) const { return {bytes + ends[row], ends[row + 1] - ends[row]}; }
  };
  [[nodiscard]] string_rows strings() const { return {reinterpret_cast<const char*>(bytes_.get()), ends_.get()}; }

  void encode(writer& to) const;
  // Replaces the content. Throws decode_error when the bytes are not a column.
  void decode(reader& from);

 private:
  static constexpr std::size_t padding = 32;
  void enlarge(std::size_t wanted);
  void enlarge_ends();
  // Rows are short, and a call for each would cost more than the copy.
  static void copy_row(std::byte* to, std::string_view row) {
    const char* from = row.data();
    const std::size_t n = row.size();
    if (n > 16) std::memcpy(to, from, n);
    else if (n >= 8) copy_overlapping<std::uint64_t>(to, from, n);
    else if (n >= 4) copy_overlapping<std::uint32_t>(to, from, n);
    else if (n >= 2) copy_overlapping<std::uint16_t>(to, from, n);
    else if (n == 1) *to = static_cast<std::byte>(*from);
  }
  // The first and the last word of a row that is at most two words long.
  template <class Word>
  static void copy_overlapping(std::byte* to, const char* from, std::size_t n) {
    Word first;
    Word last;
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&last, from + n - sizeof last, sizeof last);
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + n - sizeof last, &last, sizeof last);
  }

  std::uint32_t width_ = variable;
  std::uint32_t rows_ = 0;
  std::size_t used_ = 0;
  std::size_t capacity_ = 0;
  std::uint32_t ends_capacity_ = 0;
  std::unique_ptr<std::byte[]> bytes_;
  std::unique_ptr<std::uint32_t[]> ends_;  // of the row before each row, so that row r ends at ends_[r + 1]
};

// Bytes that can be read from the beginning of any std::string: the memory of one is never smaller, in the libraries of
// g++, clang and Microsoft alike.
inline constexpr std::size_t string_readable = 16;

// The row width of a column of T, or column::variable.
template <class T>
inline constexpr std::uint32_t column_width =
    column_traits<T>::kind == column_kind::fixed ? static_cast<std::uint32_t>(sizeof(T)) : column::variable;

// Appends one value. `scratch` is used for types that need encoding.
template <class T>
void append_value(column& to, const T& value, writer& scratch) {
  if constexpr (column_traits<T>::kind == column_kind::fixed) {
    std::memcpy(to.grow(1), &value, sizeof(T));
  } else if constexpr (column_traits<T>::kind == column_kind::text) {
    if constexpr (std::is_same_v<T, std::string>) to.append_bytes(value, string_readable);
    else to.append_bytes(value);
  } else {
    scratch.clear();
    coder<T>::encode(scratch, value);
    to.append_bytes(scratch.bytes());
  }
}

// Reads row `row` back: a copy of a fixed value, a std::string or the decoded value.
template <class T>
[[nodiscard]] T value_at(const column& from, std::uint32_t row) {
  if constexpr (column_traits<T>::kind == column_kind::fixed) {
    alignas(T) std::byte room[sizeof(T)];
    std::memcpy(room, from.fixed(row), sizeof(T));
    return *std::launder(reinterpret_cast<const T*>(room));
  } else if constexpr (column_traits<T>::kind == column_kind::text) {
    return T(from.bytes_at(row));
  } else {
    reader bytes(from.bytes_at(row));
    return coder<T>::decode(bytes);
  }
}

}  // namespace millrace
