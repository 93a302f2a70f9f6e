#pragma once

#include <millrace/transforms/operators/edge.hpp>
#include <millrace/transforms/operators/element_operator_emitting.hpp>
#include <millrace/transforms/side/view_contents.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace millrace {

// An element-wise operator whose function reads side inputs. It stands before the operator itself and hands on only
// elements whose side windows are ready; the others are put aside, hold the watermark at their times and follow when
// their windows become ready. An element in several windows is processed once for each. What is put aside is limited by
// the shard's budget for side inputs.
template <class In, class Inner, class... Shapes>
class viewing_operator final : public stage_operator, public receiver<In>, public view_consumer {
 public:
  static constexpr operator_traits traits = [] {
    if constexpr (requires { Inner::traits; }) return Inner::traits;
    else return operator_traits{};
  }();

  // What it keeps, from the parts that it is made of.
  template <class Fn>
  static state_schema kept(const std::tuple<Fn, duration, std::tuple<view_source<Shapes>...>>& parts) {
    state_schema kept;
    kept.part<In>("element");
    add_views(kept, std::get<2>(parts));
    return kept;
  }

  template <class Fn>
  viewing_operator(const operator_environment& in, Fn fn, duration main_lateness,
                   const std::tuple<view_source<Shapes>...>& views)
      : step_(in.step), clock_(in.clock), metrics_(in.metrics), main_lateness_(main_lateness),
        rows_max_(std::max(1U, std::min(in.batch_rows_max, batch_rows<In>))),
        views_(
            std::apply([&](const auto&... of) { return std::tuple{view_contents(of, main_lateness, in)...}; }, views)),
        inner_(in, std::move(fn)), held_(in.side_inputs, &side_input_budget::waiting_bytes) {
    if constexpr (requires { inner_.call(); }) inner_.call().look_at(arguments_);
    else inner_.read_views(arguments_, [this](const window& main) { arguments_.look(views_, main); });
  }

  receiver_ref input(std::size_t /*port*/) override { return static_cast<receiver<In>&>(*this); }
  void connect(std::size_t output, receiver_ref next) override { inner_.connect(output, next); }
  void setup() override { inner_.setup(); }
  void start_bundle() override { inner_.start_bundle(); }
  void finish_bundle() override {
    inner_.finish_bundle();
    collect();
  }
  void teardown() noexcept override { inner_.teardown(); }
  view_consumer* as_view_consumer() override { return this; }
  epoch_participant* as_epoch_participant() override { return inner_.as_epoch_participant(); }

  void accept(const batch<In>& in) override {
    each_single_window(in, [&](const batch<In>& part) {
      each_context(part, [&](const context& c, const batch<In>& same) { admit(c, same); });
    });
  }

  void accept_view(std::uint32_t view, const bundle& in) override {
    at_view(view, [&](auto& v) { v.accept(in); });
    static_cast<void>(release());
  }
  void advance_view(std::uint32_t view, timestamp mark) override {
    at_view(view, [&](auto& v) { v.windows().advance(mark); });
    if (!release()) collect();  // else when the bundle of what was released ends, which may read contents until then
  }

  [[nodiscard]] timestamp hold() const override { return std::min(inner_.hold(), earliest_waiting()); }

  [[nodiscard]] std::size_t waiting_bytes() const override { return inner_.waiting_bytes() + held_.bytes(); }
  void snapshot(writer& to) const override {
    std::apply([&](const auto&... v) { (v.snapshot(to), ...); }, views_);
    to.varint(waiting_.size());
    for (const auto& [in, elements] : waiting_) {
      coder<window>::encode(to, in);
      to.varint(elements.all.size());
      for (const auto& e : elements.all) {
        coder<In>::encode(to, e.value);
        coder<timestamp>::encode(to, e.time);
        coder<pane_info>::encode(to, e.pane);
      }
    }
    inner_.snapshot(to);
  }
  void restore(reader& from) override {
    std::apply([&](auto&... v) { (v.restore(from), ...); }, views_);
    waiting_.clear();
    held_.set(0);
    for (std::size_t n = from.count(); n > 0; --n) {
      const window in = coder<window>::decode(from);
      for (std::size_t m = from.count(); m > 0; --m) {
        In value = coder<In>::decode(from);
        const timestamp time = coder<timestamp>::decode(from);
        put_aside(in, {std::move(value), time, coder<pane_info>::decode(from)});
      }
    }
    inner_.restore(from);
  }

 private:
  struct waiting_element {
    In value;
    timestamp time;
    pane_info pane;
  };
  struct waiting_window {
    std::vector<waiting_element> all;
    timestamp earliest = timestamp::max();
    std::size_t bytes = 0;

    void add(waiting_element e, std::size_t encoded) {
      bytes += sizeof e + encoded;
      earliest = std::min(earliest, e.time);
      all.push_back(std::move(e));
    }
  };

  template <class F>
  void at_view(std::uint32_t view, F&& f) {
    std::uint32_t i = 0;
    std::apply([&](auto&... v) { ((i++ == view ? f(v) : void()), ...); }, views_);
    check(view < sizeof...(Shapes), "a step is given the side inputs that it names");
  }

  // Whether no view keeps elements of this window waiting.
  [[nodiscard]] bool ready(const window& main) const {
    return std::apply([&](const auto&... v) { return (v.ready_for(main) && ...); }, views_);
  }
  // Whether the contents for a window may have been forgotten because it has expired in the main input; what is not
  // ready yet has not been. The main input is the output of the steps before this one in the stage: a pane which the
  // head gives out at the end of its window is not late here though the stage's own input is further, so what counts is
  // what the stage has promised.
  [[nodiscard]] bool expired(const window& main) {
    if (!(main.max_timestamp() + main_lateness_ < clock_.output_watermark)) return false;
    const auto forgotten = [&](auto& v) {
      const window side = v.windows().of(main);
      return v.windows().ready(side) && v.windows().collectable(side, clock_.output_watermark, timestamp::max());
    };
    try {
      return std::apply([&](auto&... v) { return (forgotten(v) || ...); }, views_);
    } catch (const window_error&) {
      return false;
    }
  }

  void admit(const context& c, const batch<In>& part) {
    const window& main = c.windows.front();
    if (expired(main)) metrics_.drop("late", part.count, main, clock_.output_watermark);
    else if (ready(main)) process(main, part);
    else part.each([&](std::uint32_t p, const In& x) { put_aside(main, {x, part.at->time_at(p), c.pane}); });
  }
  void put_aside(const window& main, waiting_element e) {
    scratch_.clear();
    coder<In>::encode(scratch_, e.value);
    waiting_window& in = waiting_[main];
    const std::size_t before = in.bytes;
    in.add(std::move(e), scratch_.bytes().size());
    if (!held_.set(held_.bytes() + in.bytes - before)) detail::refuse_more_waiting(step_, views_, main, held_);
  }
  void process(const window& main, const batch<In>& part) {
    arguments_.look(views_, main);
    inner_.accept(part);
  }

  // Processes what waited for contents that are there now; false if nothing did.
  bool release() {
    bool any = false;
    for (auto at = waiting_.begin(); at != waiting_.end();)
      if (ready(at->first)) {
        replay(at->first, at->second.all);
        held_.set(held_.bytes() - at->second.bytes);
        at = waiting_.erase(at);
        any = true;
      } else {
        ++at;
      }
    return any;
  }
  // The elements lie where they are: only their stamps are put into columns.
  void replay(const window& main, const std::vector<waiting_element>& elements) {
    std::vector<timestamp> times;
    for (std::size_t from = 0; from < elements.size();) {
      const context c{main, elements[from].pane};
      times.clear();
      while (times.size() < rows_max_ && from + times.size() < elements.size()
             && elements[from + times.size()].pane == c.pane)
        times.push_back(elements[from + times.size()].time);
      const auto [least, greatest] = std::minmax_element(times.begin(), times.end());
      const stamps at{times.data(), *least, *greatest, nullptr, {&c, 1}};
      process(main,
              {&elements[from].value, sizeof(waiting_element), static_cast<std::uint32_t>(times.size()), nullptr, &at});
      from += times.size();
    }
  }
  void collect() {
    const timestamp waiting = earliest_waiting();
    std::apply([&](auto&... v) { (v.collect(clock_.output_watermark, waiting), ...); }, views_);
  }
  [[nodiscard]] timestamp earliest_waiting() const {
    timestamp earliest = timestamp::max();
    for (const auto& [in, elements] : waiting_) earliest = std::min(earliest, elements.earliest);
    return earliest;
  }

  std::string step_;
  const stage_clock& clock_;
  metric_board& metrics_;
  duration main_lateness_;
  std::uint32_t rows_max_;
  std::tuple<view_contents<Shapes>...> views_;
  detail::view_arguments<Shapes...> arguments_;
  Inner inner_;
  std::map<window, waiting_window> waiting_;
  detail::side_input_share held_;  // by what waits
  writer scratch_;
};

}  // namespace millrace
