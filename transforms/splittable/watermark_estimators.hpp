#pragma once

#include <millrace/transforms/element/time.hpp>

#include <algorithm>
#include <concepts>

namespace millrace {

// What a splittable function knows of the event times still to come from one restriction. Its state travels with what
// is left of the restriction; what it reports never falls back, however often the rest comes again.
template <class E>
concept watermark_estimator = requires(typename E::state s, const E e, timestamp now) {
  E(s);
  // No output that is still to come should be earlier; `now` is processing time.
  { e.current(now) } -> std::same_as<timestamp>;
  { e.saved() } -> std::convertible_to<typename E::state>;
};

// Reports what the function says: `estimator.set(t)`. Begins at the time of the element; a time before the last one
// changes nothing.
class manual_watermark {
 public:
  using state = timestamp;
  explicit manual_watermark(timestamp from) : at_(from) {}
  void set(timestamp at) { at_ = std::max(at_, at); }
  [[nodiscard]] timestamp current(timestamp /*now*/) const { return at_; }
  [[nodiscard]] timestamp saved() const { return at_; }

 private:
  timestamp at_;
};

// Reports processing time: for what happens when it is read.
class wall_time_watermark {
 public:
  using state = timestamp;
  explicit wall_time_watermark(timestamp from) : at_(from) {}
  [[nodiscard]] timestamp current(timestamp now) const { return std::max(at_, now); }
  [[nodiscard]] timestamp saved() const { return at_; }

 private:
  timestamp at_;
};

// Reports the greatest time of an output so far: for what comes in the order of time.
class observed_watermark {
 public:
  using state = timestamp;
  explicit observed_watermark(timestamp from) : at_(from) {}
  void observe(timestamp at) { at_ = std::max(at_, at); }
  [[nodiscard]] timestamp current(timestamp /*now*/) const { return at_; }
  [[nodiscard]] timestamp saved() const { return at_; }

 private:
  timestamp at_;
};

namespace detail {

// Of a function without an estimator: the time of the element holds until its restriction is worked off.
class element_time_watermark {
 public:
  using state = timestamp;
  explicit element_time_watermark(timestamp at) : at_(at) {}
  [[nodiscard]] timestamp current(timestamp /*now*/) const { return at_; }
  [[nodiscard]] timestamp saved() const { return at_; }

 private:
  timestamp at_;
};

}  // namespace detail

}  // namespace millrace
