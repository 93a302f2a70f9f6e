#pragma once

#include <millrace/transforms/operators/operator.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace millrace {

// The events of a test stream without its elements, which are numbered instead. It enforces the rules of time: the
// watermark never falls, the clock always moves on, and no element is at or beyond the end of time.
class test_script {
 public:
  struct event {
    scripted_head::event_kind kind = scripted_head::event_kind::elements;
    std::size_t first = 0;  // of elements: the number of the first, and how many
    std::size_t count = 0;
    timestamp mark = timestamp::min();
    duration clock_advance{0};
  };

  test_script() = default;
  // `name` is the transform's, for errors.
  explicit test_script(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] const std::vector<event>& events() const { return events_; }
  // The watermark after the events so far.
  [[nodiscard]] timestamp watermark() const { return mark_; }

  // Elements may come after the watermark has come to infinity.
  void allow_elements_after_end() { after_end_ = true; }
  // Throws pipeline_error unless an element at `at` may be added now.
  void check_element(timestamp at) const;
  // Adds the elements from the last one added to `total`, exclusive. They are one bundle.
  void add_elements(std::size_t total);
  // Adds an event in which nothing happens.
  void pause();
  void advance_watermark_to(timestamp to);
  void advance_processing_time(duration by);

  // Readable and exact but for the elements.
  [[nodiscard]] std::string describe() const;

 private:
  std::string name_;
  std::vector<event> events_;
  std::size_t elements_ = 0;
  timestamp mark_ = timestamp::min();
  bool after_end_ = false;
};

}  // namespace millrace
