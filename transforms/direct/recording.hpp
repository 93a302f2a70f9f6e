#pragma once

#include <millrace/transforms/bundles/bundle.hpp>
#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/direct/recording_slots.hpp>
#include <millrace/transforms/sources/write.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// An element that came out of a pipeline, with its stamp. An element in several windows is recorded once in each.
template <class T>
struct recorded {
  T value;
  stamp at;

  friend bool operator==(const recorded&, const recorded&) = default;
};

namespace detail {

template <class T>
struct recording_slot {
  std::vector<recorded<T>> rows;  // of committed epochs only
  slot_state state;
};

template <class T>
using recording_slots = std::vector<recording_slot<T>>;

// Keeps everything its shard was given, in its snapshot too, and shows in the shard's slot what is committed. So a
// rewind repeats nothing, and a resumed job shows what came before.
template <class T>
class recording_writer {
 public:
  recording_writer(std::shared_ptr<recording_slots<T>> slots, const operator_environment& in)
      : slots_(std::move(slots)), slot_(slots_->at(in.shard)) {
    slot_.state = {.opened = true};
  }

  void write(const T& value, timestamp at, const context& in) {
    for (const window& w : in.windows) rows_.push_back({value, {at, w, in.pane}});
  }
  void prepare(std::uint64_t epoch) { prepared_[epoch] = rows_.size(); }
  void commit(std::uint64_t epoch) {
    const auto last = prepared_.upper_bound(epoch);
    if (last == prepared_.begin()) return;
    const std::size_t count = std::prev(last)->second;
    slot_.rows.assign(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(count));
    slot_.state.committed = true;
    prepared_.erase(prepared_.begin(), last);
  }
  void abort() { slot_.state.aborted = true; }

  void snapshot(writer& to) const {
    to.varint(rows_.size());
    for (const auto& r : rows_) {
      coder<T>::encode(to, r.value);
      coder<timestamp>::encode(to, r.at.time);
      coder<window>::encode(to, r.at.in);
      coder<pane_info>::encode(to, r.at.pane);
    }
    to.varint(prepared_.size());
    for (const auto& [epoch, count] : prepared_) {
      to.varint(epoch);
      to.varint(count);
    }
  }
  void restore(reader& from) {
    rows_.clear();
    prepared_.clear();
    const std::size_t rows = from.count();
    for (std::size_t i = 0; i < rows; ++i) {
      T value = coder<T>::decode(from);
      const auto time = coder<timestamp>::decode(from);
      const auto in = coder<window>::decode(from);
      rows_.push_back({std::move(value), {time, in, coder<pane_info>::decode(from)}});
    }
    const std::size_t epochs = from.count(2);
    for (std::size_t i = 0; i < epochs; ++i) {
      const std::uint64_t epoch = from.varint();
      const std::uint64_t count = from.varint();
      if (count > rows_.size()) from.fail("a recording prepared more rows than it has");
      prepared_[epoch] = static_cast<std::size_t>(count);
    }
  }

 private:
  std::shared_ptr<recording_slots<T>> slots_;
  recording_slot<T>& slot_;
  std::vector<recorded<T>> rows_;
  std::map<std::uint64_t, std::size_t> prepared_;  // how many rows an epoch ends with
};

template <class T>
class recording_sink {
 public:
  using element = T;
  explicit recording_sink(std::shared_ptr<recording_slots<T>> slots) : slots_(std::move(slots)) {}
  [[nodiscard]] recording_writer<T> open(const operator_environment& in) const { return {slots_, in}; }
  [[nodiscard]] std::string describe() const { return "a recording of " + coder<T>::name(); }

 private:
  std::shared_ptr<recording_slots<T>> slots_;
};

}  // namespace detail

// Remembers what a collection gave, for tests on any runner: `recording<std::string> words; c | collect("words",
// words)`. Every shard writes to a slot of its own and only what is committed, so the rows are exact even where shards
// crashed; they may be read once the job has ended. Copies share the rows.
template <class T>
class recording {
 public:
  // What was committed: shard after shard, in the order in which each got it.
  [[nodiscard]] std::vector<recorded<T>> rows() const {
    std::vector<recorded<T>> all;
    for (const auto& s : *slots_) all.insert(all.end(), s.rows.begin(), s.rows.end());
    return all;
  }
  // The same without the stamps.
  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> all;
    for (const auto& s : *slots_)
      for (const auto& r : s.rows) all.push_back(r.value);
    return all;
  }
  // Forgets everything, for another run of the same pipeline.
  void clear() { slots_->assign(recording_shards_max, {}); }
  // Whether a job ran with it, and how that went.
  [[nodiscard]] recording_outcome outcome() const {
    recording_outcome outcome;
    for (const auto& s : *slots_) outcome.add(s.state);
    return outcome;
  }
  [[nodiscard]] const std::shared_ptr<detail::recording_slots<T>>& slots() const { return slots_; }

 private:
  std::shared_ptr<detail::recording_slots<T>> slots_ =
      std::make_shared<detail::recording_slots<T>>(recording_shards_max);
};

// Records a collection: see recording.
template <class T>
auto collect(std::string name, const recording<T>& to, std::source_location where = std::source_location::current()) {
  return write(std::move(name), detail::recording_sink<T>(to.slots()), where);
}

}  // namespace millrace
