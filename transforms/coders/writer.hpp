#pragma once

#include <millrace/transforms/element/check.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace millrace {

static_assert(std::endian::native == std::endian::little, "millrace: encoded bytes are little-endian, as is the memory "
                                                          "of keys, so only little-endian machines are supported");

// A number whose memory is its encoding.
template <class T>
concept fixed_number = std::integral<T> || std::same_as<T, float> || std::same_as<T, double>;

// A growing buffer of encoded bytes. It keeps its memory when it is cleared, so that one writer serves many values
// without allocating. Whoever encodes owns it; views of its bytes end with the next call that changes it.
class writer {
 public:
  writer() = default;
  writer(writer&& other) noexcept
      : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  writer& operator=(writer&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;
  ~writer() = default;

  // Everything written since the last clear.
  [[nodiscard]] std::string_view bytes() const { return {bytes_.get(), size_}; }
  // The same bytes for interfaces that take std::byte.
  [[nodiscard]] std::span<const std::byte> span() const { return std::as_bytes(std::span{bytes_.get(), size_}); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  // Forgets the bytes and keeps the memory.
  void clear() { size_ = 0; }
  // Forgets the bytes after the first `size`.
  void truncate(std::size_t size) { size_ = std::min(size, size_); }
  // Makes room for `more` further bytes.
  void reserve(std::size_t more) {
    if (capacity_ - size_ < more) [[unlikely]]
      grow(more);
  }

  // Appends raw bytes, without their length.
  void put(std::string_view raw) {
    if (raw.empty()) return;
    reserve(raw.size());
    std::memcpy(bytes_.get() + size_, raw.data(), raw.size());
    size_ += raw.size();
  }
  // Appends raw bytes, without their length.
  void put(std::span<const std::byte> raw) { put({reinterpret_cast<const char*>(raw.data()), raw.size()}); }

  // Appends the sizeof(Number) little-endian bytes of `value`.
  template <fixed_number Number>
  void fixed(Number value) {
    reserve(sizeof(Number));
    std::memcpy(bytes_.get() + size_, &value, sizeof(Number));
    size_ += sizeof(Number);
  }

  // Appends `value` in groups of seven bits, least first: one byte below 128, ten at most.
  void varint(std::uint64_t value) {
    reserve(varint_bytes_max);
    while (value >= 0x80) {
      bytes_[size_++] = static_cast<char>(value | 0x80);
      value >>= 7;
    }
    bytes_[size_++] = static_cast<char>(value);
  }

  // Starts a section that is preceded by its length in bytes. The result goes to `close`; sections nest.
  [[nodiscard]] std::size_t open() {
    fixed(std::uint8_t{0});
    return size_;
  }

  // Ends the section that `open` began by writing its length, a varint, before it.
  void close(std::size_t opened) {
    check(opened > 0 && opened <= size_, "a section is closed after it was opened");
    const std::size_t length = size_ - opened;
    if (length < 0x80) {
      bytes_[opened - 1] = static_cast<char>(length);
      return;
    }
    const std::size_t length_bytes = (static_cast<std::size_t>(std::bit_width(length)) + 6) / 7;
    reserve(varint_bytes_max);  // while size_ covers the section: growing copies only that much
    std::memmove(bytes_.get() + opened + length_bytes - 1, bytes_.get() + opened, length);
    size_ = opened - 1;
    varint(length);
    size_ += length;
  }

 private:
  static constexpr std::size_t varint_bytes_max = 10;

  void grow(std::size_t more) {
    const std::size_t capacity = std::max<std::size_t>({64, capacity_ * 2, size_ + more});
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace millrace
