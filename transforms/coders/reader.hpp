#pragma once

#include <millrace/transforms/coders/writer.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace millrace {

// Bytes are not what a coder wrote: cut short, damaged, or of another type.
class decode_error : public std::runtime_error {
 public:
  // `what` says what is wrong at `position`, counted in bytes from the start of the outermost value.
  decode_error(std::size_t position, std::string_view what);
  [[nodiscard]] std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

// A cursor over encoded bytes which it does not own. No read passes the end and no count is believed before it is
// compared with the bytes that remain, so damaged bytes give a decode_error and never a large allocation. It belongs to
// the call that decodes.
class reader {
 public:
  explicit reader(std::string_view bytes) : bytes_(bytes) {}
  explicit reader(std::span<const std::byte> bytes)
      : bytes_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

  [[nodiscard]] std::size_t remaining() const { return bytes_.size() - at_; }
  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  // Bytes read so far, counted from the start of the outermost value.
  [[nodiscard]] std::size_t position() const { return before_ + at_; }

  // The next `size` bytes, as a view of what the reader was given.
  std::string_view take(std::size_t size) {
    if (size > remaining()) [[unlikely]]
      fail_short(size);
    const std::string_view taken{bytes_.data() + at_, size};
    at_ += size;
    return taken;
  }

  // Reads what writer::fixed wrote.
  template <fixed_number Number>
  Number fixed() {
    Number value;
    std::memcpy(&value, take(sizeof(Number)).data(), sizeof(Number));
    return value;
  }

  // Reads what writer::varint wrote; a longer encoding of the same number is refused.
  std::uint64_t varint() {
    if (at_ < bytes_.size() && static_cast<unsigned char>(bytes_[at_]) < 0x80) [[likely]]
      return static_cast<unsigned char>(bytes_[at_++]);
    return long_varint();
  }

  // Reads a varint that counts what follows, each at least `bytes_each` (1 or more) bytes long, and refuses a count
  // that cannot fit into the bytes that remain. Every coder writes at least one byte for this.
  std::size_t count(std::size_t bytes_each = 1) {
    const std::size_t before = position();
    const std::uint64_t counted = varint();
    if (counted > remaining() / bytes_each) [[unlikely]]
      fail_count(before, counted, bytes_each);
    return static_cast<std::size_t>(counted);
  }

  // Reads a length and gives a reader of the section that writer::open and close made; this one moves past it.
  reader section() {
    const std::size_t length = count();
    reader part{*this};
    part.before_ = position();
    part.at_ = 0;
    part.bytes_ = take(length);
    return part;
  }

  // Refuses bytes after the last one that was read.
  void expect_end() const {
    if (!at_end()) [[unlikely]]
      fail_end();
  }

  // Throws decode_error for the current position.
  [[noreturn]] void fail(std::string_view what) const;

  // Counts one level of containers while it lives and refuses more than depth_max, so that bytes for a type that
  // contains itself cannot exhaust the stack.
  class nested {
   public:
    explicit nested(reader& in) : in_(in) {
      if (in_.depth_ >= depth_max) [[unlikely]]
        in_.fail_depth();
      ++in_.depth_;
    }
    nested(const nested&) = delete;
    nested& operator=(const nested&) = delete;
    ~nested() { --in_.depth_; }

   private:
    reader& in_;
  };

  // How many containers may be inside each other.
  static constexpr unsigned depth_max = 256;

 private:
  std::uint64_t long_varint();
  [[noreturn]] void fail_short(std::size_t wanted) const;
  [[noreturn]] static void fail_count(std::size_t position, std::uint64_t counted, std::size_t bytes_each);
  [[noreturn]] void fail_end() const;
  [[noreturn]] void fail_depth() const;

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t before_ = 0;  // position of bytes_ in the outermost value
  unsigned depth_ = 0;
};

}  // namespace millrace
