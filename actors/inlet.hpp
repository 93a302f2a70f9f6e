#pragma once

#include <millrace/transforms/sources/read.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// How much an inlet holds.
struct inlet_options {
  std::size_t elements_max = 1 << 20;  // pushed and not yet committed by an epoch; push() refuses beyond it
};

namespace detail {

// The queue behind the copies of one inlet: the only place in the runtime that several threads share, hence the lock.
// Positions count all elements ever pushed, also into the inlets of the jobs before that this one goes on from: the
// first reader says where they begin. What no epoch has committed is kept, since a rewind reads it again.
template <class T>
class inlet_queue {
 public:
  struct entry {
    T value;
    timestamp at;
  };

  explicit inlet_queue(const inlet_options& options) : options_(options) {}

  bool push(T value, timestamp at) {
    const std::lock_guard lock(mutex_);
    if (closed_ || kept_.size() >= options_.elements_max) return false;
    last_ = std::max(last_, at);
    kept_.push_back({std::move(value), last_});
    return true;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  // A reader begins there. The first one does so before anything has been read.
  void open_at(std::uint64_t position) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(opened_, true)) return;
    first_ = began_ = position;
  }
  // Copies elements from a position on until `take` refuses; returns the next position.
  template <class Take>
  std::uint64_t read(std::uint64_t from, Take&& take) {
    const std::lock_guard lock(mutex_);
    check(from >= first_ && from <= first_ + kept_.size(), "an inlet keeps what has not been committed");
    while (from < first_ + kept_.size() && take(kept_[from - first_])) ++from;
    return from;
  }
  // Nothing will follow the element before this position.
  bool ended_at(std::uint64_t position) {
    const std::lock_guard lock(mutex_);
    return closed_ && position == first_ + kept_.size();
  }
  // Everything before this position is durable elsewhere. Of a queue that nobody has opened that is nothing.
  void committed(std::uint64_t position) {
    const std::lock_guard lock(mutex_);
    if (!opened_) return;
    while (first_ < position && !kept_.empty()) {
      kept_.pop_front();
      ++first_;
    }
  }
  [[nodiscard]] std::uint64_t committed_position() {
    const std::lock_guard lock(mutex_);
    return first_;
  }
  // How many elements of its own it has been given, and how many of them are committed.
  [[nodiscard]] std::uint64_t pushed_count() {
    const std::lock_guard lock(mutex_);
    return first_ - began_ + kept_.size();
  }
  [[nodiscard]] std::uint64_t committed_count() {
    const std::lock_guard lock(mutex_);
    return first_ - began_;
  }

 private:
  std::mutex mutex_;
  inlet_options options_;
  std::deque<entry> kept_;
  std::uint64_t first_ = 0;  // the position of the first that is kept
  std::uint64_t began_ = 0;  // the position of the first that was pushed here
  bool opened_ = false;
  timestamp last_ = timestamp::min();
  bool closed_ = false;
};

// How long a reader of an empty inlet waits before it looks again.
inline constexpr duration inlet_pause{2};

template <class T>
class inlet_source {
 public:
  using element = T;
  using split = std::uint64_t;  // the next position

  explicit inlet_source(std::shared_ptr<inlet_queue<T>> of) : of_(std::move(of)) {}

  [[nodiscard]] bool bounded() const { return false; }
  [[nodiscard]] std::vector<split> splits(std::size_t /*desired*/) const { return {of_->committed_position()}; }
  [[nodiscard]] std::string describe() const { return "an inlet of " + coder<T>::name(); }
  void committed(split position) const { of_->committed(position); }

  class queue_reader {
   public:
    queue_reader(std::shared_ptr<inlet_queue<T>> of, split from) : of_(std::move(of)), next_(from) {}

    read_status read(source_output<T>& out, timestamp now) {
      const std::uint64_t before = next_;
      next_ = of_->read(next_, [&](const auto& e) {
        if (out.full()) return false;
        out.slot() = e.value;
        out.placed(e.at);
        greatest_ = std::max(greatest_, e.at);
        return true;
      });
      if (next_ != before) return read_status::more;
      now_ = now;
      return of_->ended_at(next_) ? read_status::ended : read_status::waiting;
    }
    [[nodiscard]] split remaining() const { return next_; }
    [[nodiscard]] watermark promise() const { return {greatest_, false}; }
    [[nodiscard]] timestamp next_read() const { return now_ + inlet_pause; }

   private:
    std::shared_ptr<inlet_queue<T>> of_;
    std::uint64_t next_;
    timestamp greatest_ = timestamp::min();
    timestamp now_ = timestamp::min();
  };
  [[nodiscard]] queue_reader open(split from) const {
    of_->open_at(from);
    return {of_, from};
  }

 private:
  std::shared_ptr<inlet_queue<T>> of_;
};

}  // namespace detail

// A door into a job: a source that any thread or actor of the application may push into. Copies share one queue; apply
// it to one pipeline, with `p | door`, and run that pipeline once.
//
// Guarantee: an element whose push() returned true is processed exactly once as far as the job's state and its sinks
// are concerned, whatever shards crash; it is kept until an epoch that contains it is complete. If the process dies,
// elements that no epoch has committed are lost: committed() tells how many are safe. A job that goes on from a
// checkpoint has an inlet of its own, whose elements come behind those of the one before.
//
// Elements are in event time at the moment they were pushed, or at the time that push() is given; a time before that of
// an earlier element is moved up to it, and the watermark is the time of the last element read.
template <class T>
class inlet {
 public:
  explicit inlet(std::string name, const inlet_options& options = {})
      : name_(std::move(name)), queue_(std::make_shared<detail::inlet_queue<T>>(options)) {
    require_codable<T>();
  }

  // Hands an element in. False if the inlet is full or closed: nothing was taken, try again when the job has caught up.
  bool push(T value) const { return push(std::move(value), timestamp{std::chrono::system_clock::now()}); }
  bool push(T value, timestamp at) const { return queue_->push(std::move(value), at); }
  // No more elements will come: the job may end once everything is read.
  void close() const { queue_->close(); }
  // How many elements this inlet's push() has taken, and how many of them are part of a complete epoch.
  [[nodiscard]] std::uint64_t pushed() const { return queue_->pushed_count(); }
  [[nodiscard]] std::uint64_t committed() const { return queue_->committed_count(); }

  pcollection<T> operator()(pipeline& p) const {
    return read(name_, detail::inlet_source<T>(queue_), std::source_location::current())(p);
  }

 private:
  std::string name_;
  std::shared_ptr<detail::inlet_queue<T>> queue_;
};

}  // namespace millrace
