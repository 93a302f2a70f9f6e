#pragma once

#include <millrace/transforms/element/stamp.hpp>
#include <millrace/transforms/operators/environment.hpp>
#include <millrace/transforms/sources/sink.hpp>
#include <millrace/transforms/sources/write.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace millrace::bench {

// A sink that folds what it is given into a number that does not depend on the order: the sum of what a function says
// of each element. The number is complete once the job has ended.
template <class T, class Weigh>
class checksum_sink {
 public:
  using element = T;

  class writer_of_one_shard {
   public:
    writer_of_one_shard(std::shared_ptr<std::atomic<std::uint64_t>> total, Weigh weigh)
        : total_(std::move(total)), weigh_(std::move(weigh)) {}
    void write(const T& value, timestamp /*at*/, const context& in) { sum_ += weigh_(value, in); }
    void prepare(std::uint64_t /*epoch*/) { prepared_ = sum_; }
    void commit(std::uint64_t /*epoch*/) {
      *total_ += std::exchange(prepared_, 0) - std::exchange(committed_, prepared_);
    }
    void abort() {}
    void snapshot(writer& to) const { to.fixed(sum_); }
    void restore(reader& from) { sum_ = from.fixed<std::uint64_t>(); }

   private:
    std::shared_ptr<std::atomic<std::uint64_t>> total_;
    Weigh weigh_;
    std::uint64_t sum_ = 0;
    std::uint64_t prepared_ = 0;
    std::uint64_t committed_ = 0;
  };

  checksum_sink(std::shared_ptr<std::atomic<std::uint64_t>> total, Weigh weigh)
      : total_(std::move(total)), weigh_(std::move(weigh)) {}
  [[nodiscard]] writer_of_one_shard open(const operator_environment& /*in*/) const { return {total_, weigh_}; }
  [[nodiscard]] std::string describe() const { return "checksum"; }

 private:
  std::shared_ptr<std::atomic<std::uint64_t>> total_;
  Weigh weigh_;
};

// `results | checksum_into<T>(total, weigh)`, where weigh(element, context) is an element's share.
template <class T, class Weigh>
auto checksum_into(std::shared_ptr<std::atomic<std::uint64_t>> total, Weigh weigh) {
  return write("checksum", checksum_sink<T, Weigh>(std::move(total), std::move(weigh)));
}

}  // namespace millrace::bench
