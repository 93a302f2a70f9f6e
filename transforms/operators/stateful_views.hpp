#pragma once

#include <millrace/transforms/bundles/bundle.hpp>
#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/side/view_contents.hpp>
#include <millrace/transforms/windows/windowing.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace millrace::detail {

// The side inputs of a stateful function on one shard, and the elements that were put aside until those of their window
// are ready. A window whose side inputs are not ready is left alone: no element of it is processed and no timer of it
// fires, so that the order of both within the window stays as it is. Elements put aside hold the watermark at their
// times. Owned by the function's operator.
template <class Value, class... Shapes>
class stateful_views {
 public:
  // An element of one window that waits.
  struct waiting_element {
    std::string key;  // key bytes
    Value value;
    timestamp time;
    pane_info pane;
  };

  stateful_views(const operator_environment& in, const std::tuple<view_source<Shapes>...>& views,
                 duration main_lateness)
      : step_(in.step),
        views_(
            std::apply([&](const auto&... of) { return std::tuple{view_contents(of, main_lateness, in)...}; }, views)),
        held_(in.side_inputs, &side_input_budget::waiting_bytes) {}

  // Whether no view keeps elements and timers of a window waiting.
  [[nodiscard]] bool ready(const window& main) const {
    return std::apply([&](const auto&... v) { return (v.ready_for(main) && ...); }, views_);
  }
  // Whether contents for a window may be forgotten, since no element that still counts could ask for them.
  [[nodiscard]] bool may_be_forgotten(const window& main, timestamp watermark) const {
    const auto one = [&](const auto& v) {
      try {
        return v.windows().collectable(v.windows().of(main), watermark, timestamp::max());
      } catch (const window_error&) {
        return false;
      }
    };
    return std::apply([&](const auto&... v) { return (one(v) || ...); }, views_);
  }
  // The contents for the calls of one window; to be looked up again when a view has changed.
  const view_arguments<Shapes...>& arguments(const window& main) {
    if constexpr (sizeof...(Shapes) > 0) arguments_.look(views_, main);
    return arguments_;
  }

  void park(const window& in, waiting_element e) {
    scratch_.clear();
    coder<Value>::encode(scratch_, e.value);
    if (hold(waiting_[in], std::move(e), scratch_.bytes().size())) return;
    if constexpr (sizeof...(Shapes) > 0) refuse_more_waiting(step_, views_, in, held_);
  }
  // About how many bytes of elements wait.
  [[nodiscard]] std::size_t waiting_bytes() const { return held_.bytes(); }
  [[nodiscard]] bool waits(const window& in) const { return waiting_.contains(in); }
  // Gives the elements of windows that have become ready to process(window, element), in the order in which they came.
  template <class Process>
  void release(Process&& process) {
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      if (!ready(at->first)) {
        ++at;
        continue;
      }
      for (const waiting_element& e : at->second.all) process(at->first, e);
      held_.set(held_.bytes() - at->second.bytes);
      at = waiting_.erase(at);
    }
  }

  void accept(std::uint32_t view, const bundle& in) {
    at_view(view, [&](auto& v) { v.accept(in); });
  }
  void advance(std::uint32_t view, timestamp mark) {
    at_view(view, [&](auto& v) { v.windows().advance(mark); });
  }
  // Forgets contents that no element can ask for, nor any window whose end is not before `least_end`.
  void collect(timestamp watermark, timestamp least_end) {
    for (const auto& [in, elements] : waiting_) least_end = std::min(least_end, in.max_timestamp());
    std::apply([&](auto&... v) { (v.collect(watermark, least_end), ...); }, views_);
  }

  [[nodiscard]] timestamp hold() const {
    timestamp least = timestamp::max();
    for (const auto& [in, elements] : waiting_) least = std::min(least, elements.earliest);
    return least;
  }

  void snapshot(writer& to) const {
    std::apply([&](const auto&... v) { (v.snapshot(to), ...); }, views_);
    to.varint(waiting_.size());
    for (const auto& [in, elements] : waiting_) {
      coder<window>::encode(to, in);
      to.varint(elements.all.size());
      for (const waiting_element& e : elements.all) {
        coder<std::string>::encode(to, e.key);
        coder<Value>::encode(to, e.value);
        coder<timestamp>::encode(to, e.time);
        coder<pane_info>::encode(to, e.pane);
      }
    }
  }
  void restore(reader& from) {
    std::apply([&](auto&... v) { (v.restore(from), ...); }, views_);
    waiting_.clear();
    held_.set(0);
    for (std::size_t n = from.count(3); n > 0; --n) {
      auto& elements = waiting_[coder<window>::decode(from)];
      for (std::size_t m = from.count(4); m > 0; --m) {
        std::string key = coder<std::string>::decode(from);
        const std::size_t before = from.remaining();
        Value value = coder<Value>::decode(from);
        const timestamp time = coder<timestamp>::decode(from);
        const std::size_t bytes = before - from.remaining();
        hold(elements, {std::move(key), std::move(value), time, coder<pane_info>::decode(from)}, bytes);
      }
    }
  }

 private:
  struct waiting_window {
    std::vector<waiting_element> all;
    timestamp earliest = timestamp::max();
    std::size_t bytes = 0;

    void add(waiting_element e, std::size_t encoded) {
      bytes += sizeof e + e.key.size() + encoded;
      earliest = std::min(earliest, e.time);
      all.push_back(std::move(e));
    }
  };

  // Adds an element that waits; false if that is more than the shard may hold.
  bool hold(waiting_window& in, waiting_element e, std::size_t encoded) {
    const std::size_t before = in.bytes;
    in.add(std::move(e), encoded);
    return held_.set(held_.bytes() + in.bytes - before);
  }
  template <class F>
  void at_view(std::uint32_t view, F&& f) {
    std::uint32_t i = 0;
    std::apply([&](auto&... v) { ((i++ == view ? f(v) : void()), ...); }, views_);
    check(view < sizeof...(Shapes), "a step is given the side inputs that it names");
  }

  std::string step_;
  std::tuple<view_contents<Shapes>...> views_;
  view_arguments<Shapes...> arguments_;
  std::map<window, waiting_window> waiting_;
  side_input_share held_;  // by what waits
  writer scratch_;
};

}  // namespace millrace::detail
