#include <millrace/transforms/windows/duration_text.hpp>
#include <millrace/transforms/windows/window_fn.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <variant>

namespace millrace {

namespace {

template <class... Fs>
struct overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
overloaded(Fs...) -> overloaded<Fs...>;

void require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

std::string offset_text(duration offset) {
  return offset.count() == 0 ? "" : ", offset " + duration_text(offset);
}

duration period_for(duration size) {
  using namespace std::chrono_literals;
  if (size > 1h) return 1h;
  if (size > 1min) return 1min;
  if (size > 1s) return 1s;
  return 1ms;
}

window sliding_side_window(const sliding_windows& fn, timestamp at) {
  std::int64_t first = fn.last_start(at);
  if (first <= at.millis() - fn.size.count())
    throw window_error("no window of the side input contains the end of the main window, since its sliding windows "
                       "begin less often than they last; give the side input a period of at most its size");
  while (first - fn.period.count() > at.millis() - fn.size.count()) first -= fn.period.count();
  return detail::clipped_window(first, fn.size);
}

// The function's own rule, else the earliest of the windows at the end of the main window.
window custom_side_window(const custom_window_fn& fn, const window& main) {
  const timestamp at = main.max_timestamp();
  if (const auto own = fn.side_window(main)) {
    if (own->max_timestamp() + fn.side_lookback() >= at) return *own;
    throw window_error("window function " + fn.describe() + " maps " + window_text(main) + " to the side window "
                       + window_text(*own) + ", which ends more than its side_lookback() of "
                       + duration_text(fn.side_lookback()) + " earlier; give it a longer side_lookback()");
  }
  if (main.is_global())
    throw window_error("the main input is in the global window and the side input is not; give window function "
                       + fn.describe() + " a side_window(), or window the main input");
  if (fn.looks_at().tag)
    throw window_error("window function " + fn.describe()
                       + " looks at elements, so it cannot tell the side window of a main window; give it a "
                         "side_window()");
  const window_set all = fn.assign({at, window::global()});
  if (all.empty())
    throw window_error("window function " + fn.describe()
                       + " has no window at the end of the main window; give it a side_window()");
  return *std::ranges::min_element(all);
}

}  // namespace

window_set window_fn::assign(timestamp t) const {
  if (const auto* s = std::get_if<sliding_windows>(&fn_)) return s->assign(t);
  if (const custom_window_fn* own = custom()) return own->assign({t, window::global()});
  return assign_one(t);
}

window window_fn::side_window(const window& main) const {
  if (global()) return window::global();
  if (merging())
    throw window_error("a side input cannot be in " + describe()
                       + " windows, which merge and so belong to single keys, as sessions do; window it into fixed, "
                         "sliding or global windows first");
  if (custom()) return custom_side_window(*custom(), main);
  if (main.is_global())
    throw window_error("the main input is in the global window and the side input is not, so no window of it belongs "
                       "to an element; window the main input, or the side input into global_windows()");
  const timestamp at = main.max_timestamp();
  if (const auto* s = std::get_if<sliding_windows>(&fn_)) return sliding_side_window(*s, at);
  return assign_one(at);
}

std::string window_fn::describe() const {
  return std::visit(
      overloaded{
          [](const all_time&) { return std::string("global"); },
          [](const fixed_windows& f) { return "fixed(" + duration_text(f.size) + offset_text(f.offset) + ")"; },
          [](const sliding_windows& s) {
            return "sliding(" + duration_text(s.size) + " every " + duration_text(s.period) + offset_text(s.offset)
                   + ")";
          },
          [](const session_windows& s) { return "sessions(" + duration_text(s.gap) + ")"; },
          [](const calendar_windows& c) { return c.describe(); },
          [](const custom_windows& c) { return c.fn->describe(); },
      },
      fn_);
}

window_fn fixed(duration size, duration offset) {
  require(size.count() > 0, "fixed windows need a positive size, not " + duration_text(size));
  require(offset.count() >= 0 && offset < size, "the offset of fixed windows must be from 0 to less than their size of "
                                                    + duration_text(size) + ", not " + duration_text(offset));
  return window_fn{fixed_windows{size, offset}};
}

window_fn sliding(duration size, duration period, duration offset) {
  require(size.count() > 0, "sliding windows need a positive size, not " + duration_text(size));
  require(period.count() > 0, "sliding windows need a positive period, not " + duration_text(period));
  require(offset.count() >= 0 && offset < period,
          "the offset of sliding windows must be from 0 to less than their period of " + duration_text(period)
              + ", not " + duration_text(offset));
  return window_fn{sliding_windows{size, period, offset}};
}

window_fn sliding(duration size) {
  return sliding(size, period_for(size));
}

window_fn sessions(duration gap) {
  require(gap.count() > 0, "sessions need a positive gap, not " + duration_text(gap));
  return window_fn{session_windows{gap}};
}

window_fn calendar_days(std::int32_t count, const calendar_options& from) {
  return window_fn{checked_calendar({calendar_unit::days, count, from.start, from.zone})};
}

window_fn calendar_months(std::int32_t count, const calendar_options& from) {
  return window_fn{checked_calendar({calendar_unit::months, count, from.start, from.zone})};
}

window_fn calendar_years(std::int32_t count, const calendar_options& from) {
  return window_fn{checked_calendar({calendar_unit::years, count, from.start, from.zone})};
}

window_fn calendar_weeks(std::int32_t count, std::chrono::weekday begins, const calendar_options& from) {
  require(begins.ok(), "weeks begin on a day of the week");
  require(from.start.ok(), "the first day of calendar windows is no day of the calendar");
  const std::chrono::sys_days first{from.start};
  const auto monday = first - (std::chrono::weekday{first} - std::chrono::Monday);
  const std::chrono::year_month_day start{monday + (begins - std::chrono::Monday)};
  require(count >= 1 && count <= 10'000, "calendar windows count from 1 to 10000 weeks, not " + std::to_string(count));
  return window_fn{checked_calendar({calendar_unit::days, 7 * count, start, from.zone})};
}

window_fn global_windows() {
  return window_fn{};
}

std::string window_text(const window& w) {
  if (w.is_global()) return "global";
  return "[" + std::to_string(w.start.millis()) + ", " + std::to_string(w.end.millis()) + ")";
}

}  // namespace millrace
