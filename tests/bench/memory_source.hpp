#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/element/watermark.hpp>
#include <millrace/transforms/operators/operator.hpp>
#include <millrace/transforms/sources/read.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace millrace::bench {

// What a shard has still to read: every `parts`-th block of rows.
struct block_split {
  std::uint64_t part = 0;
  std::uint64_t parts = 1;
  std::uint64_t block = 0;  // of this part
};

// Rows that lie in memory and outlive the job, read `repeat` times over. TimeOf gives a row's event time. The watermark
// is the greatest time so far less `disorder`, and moves with each block.
template <class T, class TimeOf>
class memory_source {
 public:
  using element = T;
  using split = block_split;
  struct input {
    std::span<const T> rows;
    std::uint64_t repeat = 1;
    duration disorder{0};
  };

  memory_source(input in, TimeOf time_of) : in_(in), time_of_(time_of) {}

  [[nodiscard]] bool bounded() const { return true; }
  [[nodiscard]] std::vector<block_split> splits(std::size_t desired) const {
    std::vector<block_split> all;
    for (std::size_t i = 0; i < desired; ++i) all.push_back({i, desired, 0});
    return all;
  }
  [[nodiscard]] std::string describe() const { return std::to_string(in_.rows.size()) + " rows in memory"; }

  class block_reader {
   public:
    block_reader(const memory_source& of, block_split from) : in_(of.in_), time_of_(of.time_of_), at_(from) {
      blocks_ = (in_.rows.size() + block_rows - 1) / block_rows;
    }
    // A template, so that many rows are placed at once where the output can take them.
    template <class Output>
    read_status read(Output& out, timestamp /*now*/) {
      const std::uint64_t block = at_.block * at_.parts + at_.part;
      if (block >= blocks_ * in_.repeat) return read_status::ended;
      const std::uint64_t first = block % blocks_ * block_rows;
      const std::uint64_t end = std::min<std::uint64_t>(first + block_rows, in_.rows.size());
      const T* row = in_.rows.data() + first + in_block_;
      timestamp greatest = greatest_;
      const auto next = [&](T& slot) {
        const timestamp t = time_of_(*row);
        slot = *row++;
        greatest = std::max(greatest, t);
        return t;
      };
      if constexpr (requires { out.place_many(end, next); }) out.place_many(end - first - in_block_, next);
      else
        while (row != in_.rows.data() + end && !out.full()) out.placed(next(out.slot()));
      greatest_ = greatest;
      in_block_ = static_cast<std::uint64_t>(row - in_.rows.data()) - first;
      if (first + in_block_ == end) {
        in_block_ = 0;
        ++at_.block;
        promised_ = greatest_ - in_.disorder;
      }
      return read_status::more;
    }
    // A restart reads the rest of the open block again: benchmarks are not restarted.
    [[nodiscard]] block_split remaining() const { return at_; }
    [[nodiscard]] watermark promise() const { return {promised_}; }
    [[nodiscard]] timestamp next_read() const { return timestamp::min(); }

   private:
    static constexpr std::uint64_t block_rows = 4096;

    input in_;
    TimeOf time_of_;
    block_split at_;
    std::uint64_t blocks_ = 0;
    std::uint64_t in_block_ = 0;
    timestamp greatest_ = timestamp::min();
    timestamp promised_ = timestamp::min();
  };
  [[nodiscard]] block_reader open(block_split from) const { return {*this, from}; }

 private:
  input in_;
  TimeOf time_of_;
};

// The time of rows whose time nobody knows.
struct no_time {
  template <class T>
  timestamp operator()(const T& /*row*/) const {
    return timestamp::min();
  }
};

// `p | read_rows<T>({rows}, time_of)`.
template <class T, class TimeOf = no_time>
auto read_rows(typename memory_source<T, TimeOf>::input in, TimeOf time_of = {}) {
  return read("rows", memory_source<T, TimeOf>(in, time_of));
}

}  // namespace millrace::bench
