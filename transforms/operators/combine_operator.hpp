#pragma once

#include <millrace/transforms/combine_fn.hpp>
#include <millrace/transforms/element/kv.hpp>
#include <millrace/transforms/operators/buffer_pool.hpp>
#include <millrace/transforms/operators/combine_form.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/operators/grouped_head.hpp>
#include <millrace/transforms/operators/pane_output.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace {

// combine_per_key on one shard, the general path: any windows and trigger. The engine decides, this keeps an
// accumulator for each key and window and gives panes out as kv<Key, result>. Bundles bring inputs, or partial
// accumulators of a combine that was begun before the edge.
template <class Key, class In, class Fn>
class combine_operator final : public stage_operator, public stage_head, private group_buffers {
 public:
  using accumulator = accumulator_of<Fn>;
  using output = kv<Key, combined_by<Fn>>;

  combine_operator(const operator_environment& in, const windowing_strategy& strategy, Fn fn)
      : step_(in.step), fn_(std::move(fn)), strategy_(strategy), out_(in), head_(in, strategy, *this) {}

  void connect(std::size_t /*output*/, receiver_ref next) override { out_.connect(next.as<output>()); }
  stage_head* as_head() override { return this; }

  void accept(const bundle& in) override {
    rows_ = &in;
    added_ = 0;
    head_.accept(in);
    if (in.header.accumulators) head_.count_dropped(dropped_of(in));
    else head_.count_dropped();
    rows_ = nullptr;
    out_.flush();
  }
  void advance() override {
    head_.advance();
    out_.flush();
  }
  [[nodiscard]] std::optional<timestamp> next_clock_timer() const override { return head_.next_clock_timer(); }
  [[nodiscard]] timestamp hold() const override { return head_.hold(); }
  [[nodiscard]] bool has_state() const override { return head_.has_state(); }
  void snapshot(writer& to) const override {
    coder<combine_form>::encode(to, combine_form::general);
    head_.snapshot(to);
  }
  void restore(reader& from) override {
    const auto form = coder<combine_form>::decode(from);
    if (form == combine_form::general) return head_.restore(from);
    if (form != combine_form::flat_tables) from.fail("the state of a combine has an unknown form");
    static_cast<void>(coder<std::string>::decode(from));  // its trigger
    grouping& engine = head_.taking_over();
    engine.resume_at(coder<timestamp>::decode(from));
    for (std::size_t windows = from.count(sizeof(window)); windows > 0; --windows) take_table(from, engine);
  }

 private:
  // The rows of one window as the flat tables have written them, with those whose elements wait for a pane.
  void take_table(reader& from, grouping& engine) {
    struct row {
      std::string_view key;
      grouping::taken_window at;
    };
    const auto in = coder<window>::decode(from);
    const bool past_end = coder<bool>::decode(from);
    std::vector<row> rows;
    for (std::size_t n = from.count(3); n > 0; --n) {
      row& r = rows.emplace_back();
      if constexpr (fixed_width_key<Key>) r.key = from.take(sizeof(Key));
      else r.key = from.take(from.count());
      r.at.buffer = accumulators_.take(coder<accumulator>::decode(from));
      const std::uint64_t panes = from.varint();
      const std::uint64_t early = from.varint();
      if (panes > UINT32_MAX || early > panes) from.fail("the pane numbers of a window are malformed");
      r.at.panes = {static_cast<std::uint32_t>(panes), static_cast<std::uint32_t>(early)};
    }
    const bool tracked = coder<bool>::decode(from);
    for (std::size_t fresh = from.count(2); fresh > 0; --fresh) {
      const std::uint64_t number = from.varint();
      static_cast<void>(coder<timestamp>::decode(from));  // its delay, which begins anew
      if (number >= rows.size() || !tracked) from.fail("a fresh row of a window is malformed");
      rows[number].at.fresh = true;
    }
    for (row& r : rows) {
      r.at.in = in;
      r.at.past_end = past_end;
      if (!tracked) r.at.fresh = !past_end;
      if (!engine.take_over(r.key, r.at)) from.fail("a key comes twice in one window");
    }
  }
  buffer_id create() override { return accumulators_.take(fn_.create()); }
  void add(buffer_id to, std::uint32_t row) override {
    if (!rows_->header.accumulators) {
      const In value = value_at<In>(rows_->values, row);
      call([&] { fn_.add(accumulators_.at(to), value); },
           [&] { return describe_element(kv{decode_key<Key>(rows_->keys.bytes_at(row)), value}); });
    } else {
      const auto part = value_at<partial<accumulator>>(rows_->values, row);
      added_ += part.elements;
      call([&] { fn_.merge(accumulators_.at(to), part.accumulator); }, [] { return std::string("a partial result"); });
    }
  }
  void merge(buffer_id into, buffer_id from) override {
    call([&] { fn_.merge(accumulators_.at(into), accumulators_.at(from)); },
         [] { return std::string("the results of windows that merge"); });
  }
  void clear(buffer_id of) override { accumulators_.at(of) = fn_.create(); }
  void release(buffer_id of) override { accumulators_.release(of, fn_.create()); }
  void emit(const fired_pane& pane) override {
    const accumulator& of = accumulators_.at(pane.buffer);
    if (!detail::has_result(fn_, of)) return;
    out_.put(pane.at, [&] {
      const auto describe = [&] { return "the result of key " + describe_element(decode_key<Key>(pane.key)); };
      return output{decode_key<Key>(pane.key), call([&] { return fn_.extract(of); }, describe)};
    });
  }
  void encode(buffer_id of, writer& to) const override { coder<accumulator>::encode(to, accumulators_.at(of)); }
  buffer_id decode(reader& from) override { return accumulators_.take(coder<accumulator>::decode(from)); }

  // Calls the user's function once: what it has left in an accumulator when it throws cannot be taken back.
  template <class F, class Describe>
  decltype(auto) call(F&& f, Describe&& describe) {
    try {
      return f();
    } catch (...) {
      std::throw_with_nested(element_failure({step_, describe(), message_of_current_exception(), 1}));
    }
  }

  // The engine counts dropped rows, of which each may stand for many elements: late ones are those of expired windows,
  // and what was neither late nor added met a closed window.
  [[nodiscard]] dropped_elements dropped_of(const bundle& in) const {
    dropped_elements dropped;
    std::uint64_t seen = 0;
    std::uint32_t row = 0;
    for (const row_run& run : in.runs) {
      const window_set& windows = in.contexts[run.context].windows;
      for (; row < run.end; ++row) {
        const std::uint64_t elements = value_at<partial<accumulator>>(in.values, row).elements;
        seen += elements * windows.size();
        for (const window& w : windows)
          if (strategy_.expiry(w) < head_.input_watermark()) dropped.late += elements;
      }
    }
    dropped.closed_window = seen - dropped.late - added_;
    return dropped;
  }

  std::string step_;
  Fn fn_;
  windowing_strategy strategy_;
  const bundle* rows_ = nullptr;
  std::uint64_t added_ = 0;  // elements of the open bundle that reached an accumulator, once for each window
  buffer_pool<accumulator> accumulators_;
  pane_output<output> out_;
  detail::grouped_head head_;
};

}  // namespace millrace
