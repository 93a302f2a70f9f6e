#pragma once

#include <millrace/transforms/sources/read.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace millrace::programs {

// What a reader of a marked_source does when the clock has come to `clock`: gives an element out, unless it is empty,
// and then promises.
struct marked_read {
  std::int64_t clock = 0;
  std::string element = {};
  std::int64_t time = 0;
  watermark promise = {};
};

// An unbounded source whose splits say themselves what they give out and promise, and when. Unlike a test stream it
// does not wait until what it gave has been dealt with, its promises may fall back, and a split may be idle.
class marked_source {
 public:
  using element = std::string;
  using split = std::pair<std::uint64_t, std::uint64_t>;  // which one, and the next of its reads

  explicit marked_source(std::vector<std::vector<marked_read>> splits) : splits_(std::move(splits)) {}

  [[nodiscard]] bool bounded() const { return false; }
  [[nodiscard]] std::vector<split> splits(std::size_t /*desired*/) const {
    std::vector<split> all;
    for (std::uint64_t i = 0; i < splits_.size(); ++i) all.emplace_back(i, 0);
    return all;
  }
  [[nodiscard]] std::string describe() const { return "a marked source"; }
  [[nodiscard]] static std::string name_of(const split& of) { return "P" + std::to_string(of.first); }

  class marked_reader {
   public:
    marked_reader(split at, std::vector<marked_read> reads) : at_(at), reads_(std::move(reads)) {}
    read_status read(source_output<std::string>& out, timestamp now) {
      for (; at_.second < reads_.size(); ++at_.second) {
        const marked_read& next = reads_[at_.second];
        if (timestamp{next.clock} > now) return read_status::waiting;
        if (out.full()) return read_status::more;
        if (!next.element.empty()) out(next.element, timestamp{next.time});
        promise_ = next.promise;
      }
      return read_status::ended;
    }
    [[nodiscard]] split remaining() const { return at_; }
    [[nodiscard]] watermark promise() const { return promise_; }
    [[nodiscard]] timestamp next_read() const {
      return at_.second < reads_.size() ? timestamp{reads_[at_.second].clock} : timestamp::max();
    }

   private:
    split at_;
    std::vector<marked_read> reads_;
    watermark promise_;
  };
  [[nodiscard]] marked_reader open(split at) const { return {at, splits_.at(at.first)}; }

 private:
  std::vector<std::vector<marked_read>> splits_;
};

}  // namespace millrace::programs
