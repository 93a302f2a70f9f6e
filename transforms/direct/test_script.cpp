#include <millrace/transforms/direct/test_script.hpp>
#include <millrace/transforms/graph/graph.hpp>

#include <string>

namespace millrace {

void test_script::check_element(timestamp at) const {
  if (mark_ == timestamp::max() && !after_end_)
    throw pipeline_error(name_, "a test stream gives no elements after advance_watermark_to_infinity()");
  if (at < timestamp::min() || at >= timestamp::max())
    throw pipeline_error(name_, "an element of a test stream is before the end of time, not at "
                                    + std::to_string(at.millis()));
}

void test_script::add_elements(std::size_t total) {
  if (total == elements_) throw pipeline_error(name_, "a test stream adds at least one element at a time");
  events_.push_back({.first = elements_, .count = total - elements_});
  elements_ = total;
}

void test_script::pause() {
  events_.push_back({.first = elements_});
}

void test_script::advance_watermark_to(timestamp to) {
  if (to < mark_)
    throw pipeline_error(name_, "the watermark of a test stream never falls: it is at " + std::to_string(mark_.millis())
                                    + " and cannot go to " + std::to_string(to.millis()));
  if (to == mark_ && to == timestamp::max())
    throw pipeline_error(name_, "a test stream ends once: its watermark is at infinity already");
  mark_ = to;
  events_.push_back({.kind = scripted_head::event_kind::watermark, .mark = to});
}

void test_script::advance_processing_time(duration by) {
  if (by <= duration{0})
    throw pipeline_error(name_,
                         "the clock of a test stream moves forward, not by " + std::to_string(by.count()) + "ms");
  events_.push_back({.kind = scripted_head::event_kind::processing_time, .clock_advance = by});
}

std::string test_script::describe() const {
  std::string text;
  for (const event& e : events_) {
    if (!text.empty()) text += ", ";
    switch (e.kind) {
    case scripted_head::event_kind::elements:
      text += e.count == 0 ? "pause" : "add " + std::to_string(e.count);
      break;
    case scripted_head::event_kind::watermark:
      text += "watermark " + std::to_string(e.mark.millis());
      break;
    case scripted_head::event_kind::processing_time:
      text += "clock +" + std::to_string(e.clock_advance.count()) + "ms";
      break;
    }
  }
  return text.empty() ? "no events" : text;
}

}  // namespace millrace
