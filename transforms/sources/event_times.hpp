#pragma once

#include <millrace/transforms/sources/source.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

// How far behind the greatest event time seen so far elements may come without being late.
struct bounded_out_of_orderness {
  duration bound{0};
};

// A split of a source with event times: the inner split, and the greatest event time that was seen in it.
template <class Split>
struct timed_split {
  Split inner{};
  timestamp greatest = timestamp::min();

  friend bool operator==(const timed_split&, const timed_split&) = default;
};

// Gives the elements of another source the event time that a function finds in them, and promises as watermark the
// greatest time so far less a bound. The function returns a timestamp, or an optional one: an element without a time
// (it may be malformed) gets the watermark, so that it is never late. What it saw is part of the split, so that the
// promise does not fall back at a restart.
template <class Source, class Function>
class timed_source {
 public:
  using element = typename Source::element;
  using split = timed_split<typename Source::split>;

  timed_source(Source inner, Function time_of, bounded_out_of_orderness order)
      : of_(std::make_shared<const parts>(parts{std::move(inner), std::move(time_of), order.bound})) {}

  [[nodiscard]] bool bounded() const { return of_->inner.bounded(); }
  [[nodiscard]] std::vector<split> splits(std::size_t desired) const {
    std::vector<split> all;
    for (auto& s : of_->inner.splits(desired)) all.push_back({std::move(s)});
    return all;
  }
  [[nodiscard]] std::string describe() const {
    return std::string(of_->inner.describe()) + ", at event times of a function, out of order by at most "
           + std::to_string(of_->bound.count()) + "ms";
  }
  [[nodiscard]] std::string name_of(const split& s) const
    requires requires(const Source& inner) { inner.name_of(s.inner); }
  {
    return of_->inner.name_of(s.inner);
  }

 private:
  struct parts {
    Source inner;
    Function time_of;
    duration bound;
  };
  using inner_reader = decltype(std::declval<const Source&>().open(std::declval<typename Source::split>()));

  class timed_reader {
   public:
    timed_reader(std::shared_ptr<const parts> of, const split& s)
        : of_(std::move(of)), inner_(of_->inner.open(s.inner)), greatest_(s.greatest) {}

    read_status read(source_output<element>& out, timestamp now) {
      timing_output timed{out, *this};
      return inner_.read(timed, now);
    }
    [[nodiscard]] split remaining() const { return {inner_.remaining(), greatest_}; }
    [[nodiscard]] watermark promise() const { return {mark(), inner_.promise().idle}; }
    [[nodiscard]] timestamp next_read() const { return inner_.next_read(); }

   private:
    class timing_output final : public source_output<element> {
     public:
      timing_output(source_output<element>& to, timed_reader& of) : to_(to), of_(of) {}
      [[nodiscard]] bool full() const override { return to_.full(); }
      [[nodiscard]] element& slot() override { return to_.slot(); }
      void placed(timestamp /*at*/) override {
        const std::optional<timestamp> at = of_.of_->time_of(std::as_const(to_.slot()));
        if (at && *at > of_.greatest_) of_.greatest_ = *at;
        to_.placed(at ? *at : of_.mark());
      }

     private:
      source_output<element>& to_;
      timed_reader& of_;
    };
    [[nodiscard]] timestamp mark() const { return greatest_ == timestamp::min() ? greatest_ : greatest_ - of_->bound; }

    std::shared_ptr<const parts> of_;
    inner_reader inner_;
    timestamp greatest_;
  };

 public:
  [[nodiscard]] timed_reader open(const split& s) const { return {of_, s}; }

 private:
  std::shared_ptr<const parts> of_;
};

// A source whose elements have the event times that `time_of` finds in them:
//   read("read", with_event_times(sensors, &measurement::time, bounded_out_of_orderness{30s}))
template <class Source, class Function>
auto with_event_times(Source source, Function time_of, bounded_out_of_orderness order) {
  static_assert(readable<Source>, "millrace: with_event_times takes a source and a function of its elements");
  constexpr bool gives_times = [] {
    if constexpr (std::is_invocable_v<const Function&, const typename Source::element&>)
      return std::is_convertible_v<std::invoke_result_t<const Function&, const typename Source::element&>,
                                   std::optional<timestamp>>;
    else return false;
  }();
  static_assert(gives_times, "millrace: the function of with_event_times takes an element of the source and returns a "
                             "timestamp or an optional one");
  if constexpr (readable<Source> && gives_times) {
    auto call = [time_of = std::move(time_of)](const typename Source::element& e) -> std::optional<timestamp> {
      return std::invoke(time_of, e);
    };
    return timed_source<Source, decltype(call)>(std::move(source), std::move(call), order);
  }
}

}  // namespace millrace
