#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/direct/test_script.hpp>
#include <millrace/transforms/operators/read_operator.hpp>
#include <millrace/transforms/pipeline.hpp>
#include <millrace/transforms/sources/text_digest.hpp>
#include <millrace/transforms/sources/timestamped_value.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

namespace detail {

// What a test stream plays: the script, and the elements of its events one after another.
template <class T>
struct test_events {
  test_script script;
  std::vector<T> values;
  std::vector<timestamp> times;
};

// Plays the events of a test stream as the runner asks for them.
template <class T>
class test_stream_operator final : public stage_operator, public scripted_head {
 public:
  test_stream_operator(const test_events<T>& of, const operator_environment& in)
      : of_(of), metrics_(in.metrics), batch_(in.batch_rows_max) {}

  void connect(std::size_t /*output*/, receiver_ref next) override { next_ = &next.as<T>(); }
  scripted_head* as_scripted() override { return this; }

  [[nodiscard]] std::size_t events() const override { return of_.script.events().size(); }
  [[nodiscard]] event_kind kind(std::size_t event) const override { return at(event).kind; }
  [[nodiscard]] duration clock_advance(std::size_t event) const override { return at(event).clock_advance; }
  [[nodiscard]] timestamp promise() const override { return promise_; }
  void play(std::size_t event) override {
    const test_script::event& e = at(event);
    if (e.kind == event_kind::watermark) promise_ = std::max(promise_, e.mark);
    if (e.kind == event_kind::elements) pass_on(e.first, e.first + e.count);
  }

  void stop() override { promise_ = timestamp::max(); }

  void snapshot(writer& to) const override { coder<timestamp>::encode(to, promise_); }
  void restore(reader& from) override { promise_ = coder<timestamp>::decode(from); }

 private:
  [[nodiscard]] const test_script::event& at(std::size_t event) const { return of_.script.events().at(event); }
  void pass_on(std::size_t from, std::size_t to) {
    while (from < to) {
      batch_.begin(batch_max);
      for (; from < to && !batch_.full(); ++from) batch_(of_.values[from], of_.times[from]);
      metrics_.elements_out += batch_.pass_on(*next_);
    }
  }

  const test_events<T>& of_;  // of the spec, which outlives its operators
  metric_board& metrics_;
  receiver<T>* next_ = nullptr;
  source_batch<T> batch_;
  timestamp promise_ = timestamp::min();
};

template <class T>
class test_stream_spec final : public operator_spec {
 public:
  explicit test_stream_spec(test_events<T> of) : of_(std::move(of)) {}
  [[nodiscard]] operator_kind kind() const override { return operator_kind::read; }
  [[nodiscard]] std::string describe() const override {
    writer bytes;
    for (std::size_t i = 0; i < of_.values.size(); ++i) {
      coder<T>::encode(bytes, of_.values[i]);
      coder<timestamp>::encode(bytes, of_.times[i]);
    }
    return "test stream of " + coder<T>::name() + ": " + of_.script.describe() + " (digest "
           + text_digest(bytes.bytes()) + ")";
  }
  [[nodiscard]] state_schema state() const override { return state_schema{}.part<timestamp>("watermark"); }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& in) const override {
    return make_operator<test_stream_operator<T>>(of_, in);
  }
  [[nodiscard]] std::optional<std::uint32_t> fixed_shards() const override { return 1; }

 private:
  test_events<T> of_;
};

}  // namespace detail

// An unbounded source whose elements, watermark and clock follow a script, so that a test decides what comes early, on
// time and late: Beam's TestStream. Each event begins only when the pipeline has nothing left to do; the elements of
// one add() are one bundle; the clock that every step reads starts at 0. What contradicts the rules of time (a
// watermark that falls back, a clock that stands still) is refused with a pipeline_error where it is written.
//   p | test_stream<std::string>("input").add({"a"}).advance_watermark_to(t).advance_watermark_to_infinity() | ...
template <class T>
class test_stream {
 public:
  explicit test_stream(std::string name, std::source_location where = std::source_location::current())
      : name_(std::move(name)), where_(where) {
    require_codable<T>();
    of_.script = test_script(name_);
  }

  // Elements at the current watermark.
  test_stream& add(std::initializer_list<T> values) { return add(std::span<const T>(values.begin(), values.size())); }
  test_stream& add(std::span<const T> values) {
    for (const T& v : values) place(v, of_.script.watermark());
    of_.script.add_elements(of_.values.size());
    return *this;
  }
  // Nothing happens: event i of all test streams of a pipeline is one event, so that a pause in one lets another go on.
  test_stream& pause() {
    of_.script.pause();
    return *this;
  }
  // Elements at their own event times.
  test_stream& add(std::initializer_list<timestamped_value<T>> values) {
    for (const auto& v : values) place(v.value, v.at);
    of_.script.add_elements(of_.values.size());
    return *this;
  }
  test_stream& add(std::span<const timestamped_value<T>> values) {
    for (const auto& v : values) place(v.value, v.at);
    of_.script.add_elements(of_.values.size());
    return *this;
  }
  // Elements that share an event time.
  test_stream& add_at(timestamp at, std::initializer_list<T> values) {
    for (const T& v : values) place(v, at);
    of_.script.add_elements(of_.values.size());
    return *this;
  }
  // Event time has come to `to`: whatever is earlier and comes after is late.
  test_stream& advance_watermark_to(timestamp to) {
    of_.script.advance_watermark_to(to);
    return *this;
  }
  // The input ends.
  test_stream& advance_watermark_to_infinity() { return advance_watermark_to(timestamp::max()); }
  // Lets processing time pass.
  test_stream& advance_processing_time(duration by) {
    of_.script.advance_processing_time(by);
    return *this;
  }

  // Its collection counts as bounded, as that of a file does: what unbounded input is refused may be done with it.
  test_stream& bounded() {
    bounded_ = true;
    return *this;
  }

  // Elements may come after advance_watermark_to_infinity(): they are late for every window. Without it that is
  // refused, as most likely a mistake.
  test_stream& allow_elements_after_end() {
    of_.script.allow_elements_after_end();
    return *this;
  }

  // Applies it: what the pipe calls.
  pcollection<T> operator()(pipeline& p) const {
    return detail::add_source<T>(p, name_, make_spec<detail::test_stream_spec<T>>(of_), bounded_, where_);
  }

 private:
  void place(const T& value, timestamp at) {
    of_.script.check_element(at);
    of_.values.push_back(value);
    of_.times.push_back(at);
  }

  std::string name_;
  std::source_location where_;
  detail::test_events<T> of_;
  bool bounded_ = false;
};

}  // namespace millrace
