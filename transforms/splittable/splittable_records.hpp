#pragma once

#include <millrace/transforms/bundles/bundle.hpp>
#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/element/kv.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace millrace::detail {

// An element with a restriction of it that is still to be worked off, or the rest of one.
template <class Element, class Restriction, class State>
struct splittable_work {
  kv<Element, Restriction> pair;
  timestamp time;  // of the element
  context in;      // with one window
  timestamp due;   // processing time before which it does not come again
  timestamp mark;  // what its estimator has reported
  State state;     // of its estimator
  bool truncated = false;
  std::uint32_t attempts = 0;  // that failed at its first position; forgotten by a checkpoint
};

// What a splittable function has put off on one shard, in the order in which it is taken up: after a split, until a
// delay is over. Owned by the function's operator. It holds the watermark at the least report of what it keeps.
template <class Element, class Restriction, class State>
class splittable_records {
 public:
  using work = splittable_work<Element, Restriction, State>;

  void add(work w) { waiting_.push_back(std::move(w)); }
  [[nodiscard]] bool empty() const { return waiting_.empty(); }

  // When the first of them is due.
  [[nodiscard]] std::optional<timestamp> next_due() const {
    const auto first = std::ranges::min_element(waiting_, {}, &work::due);
    return first == waiting_.end() ? std::nullopt : std::optional(first->due);
  }
  // Takes out the first that is due at `now`.
  std::optional<work> take_due(timestamp now) {
    const auto first = std::ranges::find_if(waiting_, [&](const work& w) { return w.due <= now; });
    if (first == waiting_.end()) return std::nullopt;
    std::optional<work> taken(std::move(*first));
    waiting_.erase(first);
    return taken;
  }
  // Moves the later half of those that may go; of a single one nothing.
  template <class May>
  void give_half(splittable_records& to, May&& may) {
    auto half = std::ranges::count_if(waiting_, may) / 2;
    for (auto w = waiting_.end(); half > 0;) {
      if (!may(*--w)) continue;
      to.waiting_.push_front(std::move(*w));
      w = waiting_.erase(w);
      --half;
    }
  }
  void give_all(splittable_records& to) {
    for (work& w : waiting_) to.waiting_.push_back(std::move(w));
    waiting_.clear();
  }
  [[nodiscard]] std::deque<work>& all() { return waiting_; }
  [[nodiscard]] const std::deque<work>& all() const { return waiting_; }
  [[nodiscard]] timestamp hold() const {
    timestamp least = timestamp::max();
    for (const work& w : waiting_) least = std::min(least, w.mark);
    return least;
  }

  // The least end of a window with work.
  [[nodiscard]] timestamp least_end() const {
    timestamp least = timestamp::max();
    for (const work& w : waiting_) least = std::min(least, w.in.windows.front().max_timestamp());
    return least;
  }

  void encode(writer& to) const {
    to.varint(waiting_.size());
    for (const work& w : waiting_) {
      coder<kv<Element, Restriction>>::encode(to, w.pair);
      coder<timestamp>::encode(to, w.time);
      encode_context(to, w.in);
      coder<timestamp>::encode(to, w.due);
      coder<timestamp>::encode(to, w.mark);
      coder<State>::encode(to, w.state);
      coder<bool>::encode(to, w.truncated);
    }
  }
  void decode(reader& from) {
    waiting_.clear();
    const std::size_t count = from.count(work_bytes_min);
    for (std::size_t i = 0; i < count; ++i) {
      auto pair = coder<kv<Element, Restriction>>::decode(from);
      const timestamp time = coder<timestamp>::decode(from);
      context in = decode_context(from);
      const timestamp due = coder<timestamp>::decode(from);
      const timestamp mark = coder<timestamp>::decode(from);
      State state = coder<State>::decode(from);
      const bool truncated = coder<bool>::decode(from);
      waiting_.push_back({std::move(pair), time, std::move(in), due, mark, std::move(state), truncated});
    }
  }

 private:
  static constexpr std::size_t work_bytes_min = 7;  // each part has one at least

  std::deque<work> waiting_;
};

}  // namespace millrace::detail
