#pragma once

#include <millrace/transforms/sources/read.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace millrace {

// The numbers from `from` down to 1, as a source.
class countdown {
 public:
  using element = std::int64_t;
  using split = std::int64_t;  // the next number: what is still to be read, and so what a checkpoint keeps

  explicit countdown(std::int64_t from) : from_(from) {}

  [[nodiscard]] bool bounded() const { return true; }
  [[nodiscard]] std::vector<split> splits(std::size_t /*desired*/) const { return {from_}; }
  [[nodiscard]] std::string describe() const { return "a countdown from " + std::to_string(from_); }

  class number_reader {
   public:
    explicit number_reader(split next) : next_(next) {}
    read_status read(source_output<std::int64_t>& out, timestamp /*now*/) {
      for (; next_ > 0 && !out.full(); --next_) out(next_);
      return next_ > 0 ? read_status::more : read_status::ended;
    }
    [[nodiscard]] split remaining() const { return next_; }
    [[nodiscard]] watermark promise() const { return {}; }  // of elements without an event time there is none
    [[nodiscard]] timestamp next_read() const { return timestamp::min(); }

   private:
    split next_;
  };
  [[nodiscard]] number_reader open(split next) const { return number_reader(next); }

 private:
  std::int64_t from_;
};

}  // namespace millrace
