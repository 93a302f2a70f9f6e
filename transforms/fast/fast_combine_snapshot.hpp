#pragma once

#include <millrace/transforms/fast/fast_combine.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// What a fast combine writes for a checkpoint: its form, its trigger, its watermark, and for each open window its rows
// with keys, accumulators and pane numbers, then whether it knows which rows are fresh, and these in their order, each
// with the time it waits for. Tables are built anew from them, so the order of panes may change. The trigger may have
// changed since: then rows that never waited for a pane do, and delays begin anew. The general path reads the same
// bytes (combine_operator).

template <class Key, class In, class Fn>
void fast_combine<Key, In, Fn>::snapshot(writer& to) const {
  coder<combine_form>::encode(to, combine_form::flat_tables);
  coder<std::string>::encode(to, strategy_.fire.describe());
  coder<timestamp>::encode(to, watermark_);
  to.varint(windows_.all().size());
  for (const auto& w : windows_.all()) snapshot_window(*w, to);
}

template <class Key, class In, class Fn>
void fast_combine<Key, In, Fn>::snapshot_window(const entry& w, writer& to) const {
  coder<window>::encode(to, w.in);
  coder<bool>::encode(to, w.past_end);
  to.varint(w.rows.rows());
  std::vector<std::uint32_t> ordinal(w.rows.fresh_rows() > 0 ? w.rows.row_numbers() : 0);
  std::uint32_t next = 0;
  w.rows.sweep([&](const view& k, const accumulator& a, std::uint32_t row) {
    const std::string_view bytes = bytes_of_view<Key>(k);
    if constexpr (!fixed_width_key<Key>) to.varint(bytes.size());
    to.put(bytes);
    coder<accumulator>::encode(to, a);
    const pane_count given = w.rows.panes_so_far(row);
    to.varint(given.all);
    to.varint(given.early);
    if (!ordinal.empty()) ordinal[row] = next;
    ++next;
  });
  coder<bool>::encode(to, w.rows.tracked());
  to.varint(w.rows.fresh_rows());
  std::uint64_t place = w.rows.fresh_end() - w.rows.fresh_rows();
  auto delayed = w.delayed.begin();
  w.rows.each_fresh([&](std::uint32_t row) {
    while (delayed != w.delayed.end() && delayed->end <= place) ++delayed;
    to.varint(ordinal[row]);
    coder<timestamp>::encode(to, delayed == w.delayed.end() ? timestamp::min() : delayed->until);
    ++place;
  });
}

template <class Key, class In, class Fn>
void fast_combine<Key, In, Fn>::restore(reader& from) {
  check(windows_.all().empty(), "a fast combine without rows is restored");
  if (coder<combine_form>::decode(from) != combine_form::flat_tables)
    from.fail("the state of a combine has another form than this program writes; was it written by the general path?");
  const bool same_trigger = coder<std::string>::decode(from) == strategy_.fire.describe();
  watermark_ = coder<timestamp>::decode(from);
  const std::size_t windows = from.count(2 * sizeof(std::int64_t));
  for (std::size_t i = 0; i < windows; ++i) restore_window(from, same_trigger);
}

template <class Key, class In, class Fn>
void fast_combine<Key, In, Fn>::restore_window(reader& from, bool same_trigger) {
  const window in = coder<window>::decode(from);
  if (windows_.find(in)) from.fail("a window comes twice");
  const bool past_end = coder<bool>::decode(from);
  const std::size_t rows = from.count(3);
  if (rows > UINT32_MAX >> 4U) from.fail("a window has more keys than a table holds");
  entry& w = windows_.open(in, static_cast<std::uint32_t>(rows));
  w.past_end = past_end;
  windows_.reached(static_cast<std::uint32_t>(rows));
  std::vector<std::uint32_t> row_of(rows);
  std::string padded;  // views of keys have 16 readable bytes
  for (std::size_t i = 0; i < rows; ++i) {
    view k{};
    if constexpr (fixed_width_key<Key>) {
      k = load_key_view<Key>(from.take(sizeof(Key)).data());
    } else {
      padded.assign(from.take(from.count()));
      const std::size_t size = padded.size();
      padded.append(bytes_key::head_bytes, '\0');
      k = std::string_view{padded}.substr(0, size);
    }
    accumulator a = coder<accumulator>::decode(from);
    const std::uint64_t all = from.varint();
    const std::uint64_t early = from.varint();
    if (all > UINT32_MAX || early > all) from.fail("the pane numbers of a window are malformed");
    row_of[i] = w.rows.find_or_add(k, [&] { return a; });
    if (w.rows.rows() != i + 1) from.fail("a key comes twice in one window");
    if (all > 0) w.rows.panes(row_of[i]) = {static_cast<std::uint32_t>(all), static_cast<std::uint32_t>(early)};
  }
  const bool tracked = coder<bool>::decode(from);
  if (tracked || past_end || firing_.early != early_kind::none) w.rows.track();
  const auto wait = [&](std::uint32_t row, timestamp until) {
    w.rows.make_fresh(row);
    if (firing_.early != early_kind::delay || past_end) return;
    if (!same_trigger) until = delayed_until(clock_.now, firing_.steps);
    if (w.delayed.empty() || w.delayed.back().until != until) w.delayed.push_back({until, 0});
    w.delayed.back().end = w.rows.fresh_end();
  };
  const std::size_t fresh = from.count(1 + sizeof(std::int64_t));
  for (std::size_t i = 0; i < fresh; ++i) {
    const std::uint64_t ordinal = from.varint();
    const timestamp until = coder<timestamp>::decode(from);
    if (ordinal >= rows || !tracked) from.fail("a fresh row of a window is malformed");
    wait(row_of[ordinal], until);
  }
  if (tracked || past_end || !w.rows.tracked()) return;
  for (const std::uint32_t row : row_of) wait(row, timestamp::min());
}

}  // namespace millrace
