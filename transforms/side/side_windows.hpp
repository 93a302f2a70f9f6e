#pragma once

#include <millrace/transforms/coders/reader.hpp>
#include <millrace/transforms/coders/writer.hpp>
#include <millrace/transforms/element/stamp.hpp>
#include <millrace/transforms/windows/windowing.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

namespace millrace {

// What one consumer knows of one side input: which window of it belongs to a window of the main input, whether that
// window is ready to be read, and when nobody can ask for it any more. A window is ready once a pane of it has arrived,
// or once the producer's watermark says that none needs to come. It belongs to an operator with side inputs.
class side_windows {
 public:
  // `side` is the windowing of the side input as its panes were made; `main_lateness` is the allowed lateness of the
  // main input, whose elements may ask for a window that long after its end.
  side_windows(const windowing_strategy& side, duration main_lateness) : side_(side), main_lateness_(main_lateness) {}

  // The side window for a window of the main input. Throws window_error where there is none.
  [[nodiscard]] window of(const window& main) const { return side_.into.side_window(main); }

  // Whether elements that need this side window can be processed.
  [[nodiscard]] bool ready(const window& side) const { return panes_.contains(side) || is_past(side); }

  // What a pane that has arrived means for the contents of its window.
  enum class effect : std::uint8_t { replaces, adds, is_outdated };
  effect arrived(const window& side, const pane_info& pane);

  // Records the output watermark of the side input's producer; it never moves back.
  void advance(timestamp producer) { producer_ = std::max(producer_, producer); }
  [[nodiscard]] timestamp producer() const { return producer_; }

  // Whether no element of the main input that still counts can ask for this side window. `waiting` is the earliest time
  // of an element that was put aside.
  [[nodiscard]] bool collectable(const window& side, timestamp main_watermark, timestamp waiting) const {
    if (side.is_global()) return false;
    return side.max_timestamp() + main_lateness_ + side_.into.side_lookback() < std::min(main_watermark, waiting);
  }
  // Forgets which panes have come of such windows, as their contents are forgotten, except where more may come: a
  // window that was ready stays so.
  void collect(timestamp main_watermark, timestamp waiting) {
    std::erase_if(panes_,
                  [&](const auto& of) { return collectable(of.first, main_watermark, waiting) && is_past(of.first); });
  }

  void snapshot(writer& to) const;
  void restore(reader& from);

 private:
  // Whether the producer's watermark says that a window without panes is empty.
  [[nodiscard]] bool is_past(const window& side) const {
    return producer_ > std::min(side_.expiry(side), side_.fire.guaranteed_firing(side.max_timestamp()));
  }

  windowing_strategy side_;
  duration main_lateness_;
  timestamp producer_ = timestamp::min();
  std::map<window, std::uint32_t> panes_;  // the index of the newest pane of each window
};

}  // namespace millrace
