#pragma once

#include <millrace/transforms/sources/read.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

namespace millrace {

// Which numbers a sequence has, how fast they come and when they happen.
struct sequence_options {
  std::int64_t from = 0;
  // One past the last; without it the sequence never ends and is unbounded.
  std::optional<std::int64_t> to = {};
  // Numbers a second of processing time; 0 is as fast as they are taken.
  double rate = 0;
  // The event time of a number, which must not decrease from one to the next. Without it a paced or endless sequence
  // has the processing time at which the number is due, any other the least timestamp.
  std::function<timestamp(std::int64_t)> time_of = {};
};

// Numbers that one reader still has to give: every `stride`-th from `next`. Where the sequence is paced, `origin` is
// the processing time at which the first number was due, kept over restarts: what fell due meanwhile comes at once.
struct sequence_split {
  std::int64_t next = 0;
  std::int64_t stride = 1;
  std::optional<std::int64_t> to = {};
  std::optional<std::int64_t> origin = {};

  friend bool operator==(const sequence_split&, const sequence_split&) = default;
};

// Consecutive numbers as a source. A sequence with an end and no pace is split into ranges; any other is dealt out
// number by number, so that all readers are equally far.
class sequence_source {
 public:
  using element = std::int64_t;
  using split = sequence_split;
  class split_reader;

  explicit sequence_source(sequence_options options)
      : options_(std::make_shared<const sequence_options>(std::move(options))) {}

  [[nodiscard]] bool bounded() const { return options_->to.has_value(); }
  [[nodiscard]] std::vector<sequence_split> splits(std::size_t desired) const;
  [[nodiscard]] split_reader open(const sequence_split& of) const;
  [[nodiscard]] std::string describe() const;
  // Ranges of numbers without times are divided while they are read. A pace is kept by everybody for himself, and times
  // of numbers are to move the watermark meanwhile.
  [[nodiscard]] bool divides() const { return options_->to && options_->rate == 0 && !options_->time_of; }
  // How many numbers are left.
  [[nodiscard]] static double weight(const sequence_split& of) {
    return of.to && *of.to > of.next ? static_cast<double>(*of.to) - static_cast<double>(of.next) : 0;
  }

 private:
  std::shared_ptr<const sequence_options> options_;
};

// Gives the numbers of one split.
class sequence_source::split_reader {
 public:
  split_reader(std::shared_ptr<const sequence_options> options, const sequence_split& of)
      : options_(std::move(options)), left_(of) {}

  read_status read(source_output<std::int64_t>& out, timestamp now);
  [[nodiscard]] sequence_split remaining() const { return left_; }
  // Gives the end of the range away, unless a part would be small.
  std::optional<sequence_split> try_split(double fraction);
  [[nodiscard]] watermark promise() const { return {promised_, false}; }
  [[nodiscard]] timestamp next_read() const { return paced() ? due(left_.next) : timestamp::min(); }

 private:
  [[nodiscard]] bool paced() const { return options_->rate > 0; }
  [[nodiscard]] bool ended() const { return left_.to && left_.next >= *left_.to; }
  // When a number is due in processing time, once the origin is known.
  [[nodiscard]] timestamp due(std::int64_t number) const;
  [[nodiscard]] timestamp time_of(std::int64_t number, timestamp now) const;

  std::shared_ptr<const sequence_options> options_;
  sequence_split left_;
  timestamp promised_ = timestamp::min();
};

// Numbers as a source: `p | sequence("numbers", {.from = 0, .to = 1000})`. Throws pipeline_error for a rate or an end
// that makes no sense.
inline auto sequence(std::string name, sequence_options options,
                     std::source_location where = std::source_location::current()) {
  if (!(options.rate >= 0 && options.rate <= 1e9))
    throw pipeline_error(name, "the rate of a sequence is a number a second, from 0 (unpaced) to a thousand million");
  if (options.to && *options.to < options.from)
    throw pipeline_error(name, "a sequence ends before it begins: from " + std::to_string(options.from) + " to "
                                   + std::to_string(*options.to));
  return read(std::move(name), sequence_source(std::move(options)), where);
}

}  // namespace millrace
