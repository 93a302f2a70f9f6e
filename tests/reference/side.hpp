#pragma once

#include "operators.hpp"
#include "strategy.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace reference {

// What of a side input is there to read: of each of its windows the newest pane.
class side_view {
 public:
  explicit side_view(strategy windowing) : windowing_(std::move(windowing)) {}

  // Takes panes of the side input, and the watermark up to which there can be no others.
  void take(const std::vector<bundle>& panes, instant watermark);

  [[nodiscard]] window window_for(const window& main) const;

  // A pane has come, or none can come any more.
  [[nodiscard]] bool is_ready(const window& in) const;

  // The keys and values of the newest pane, in the order of their texts.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> read(const window& in) const;

 private:
  struct contents {
    std::int64_t index = 0;
    std::vector<std::string> entries;
  };

  strategy windowing_;
  std::map<window, contents> panes_;
  instant watermark_ = min_time;
};

// The chain that fills a view ends with a grouping of the elements in this form.
[[nodiscard]] std::string entry_of(const std::string& key, const std::string& value);

// A step that puts behind each value what it reads in the side input. An element whose side window is not ready waits,
// and holds the watermark.
class side_reader {
 public:
  side_reader(transform what, instant lateness) : what_(std::move(what)), lateness_(lateness) {}

  // `watermark` is what the step has promised so far: contents that nothing before it can need are gone, and elements
  // that ask for them are dropped.
  [[nodiscard]] std::vector<bundle> accept(const bundle& elements, const side_view& view, instant watermark);

  // Looks at the waiting elements again.
  [[nodiscard]] std::vector<bundle> retry(const side_view& view);

  [[nodiscard]] instant hold() const;
  [[nodiscard]] bool keeps_state() const { return !waiting_.empty(); }
  [[nodiscard]] drops dropped() const { return dropped_; }

 private:
  [[nodiscard]] std::string read(const side_view& view, const window& in) const;

  [[nodiscard]] bool is_gone(const window& main, const window& side, instant watermark) const;

  transform what_;
  instant lateness_;
  drops dropped_;
  bundle waiting_;
};

}  // namespace reference
