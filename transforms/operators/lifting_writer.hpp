#pragma once

#include <millrace/transforms/combine_fn.hpp>
#include <millrace/transforms/operators/keyed_writer.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// The sending end of a shuffle into a combine that begins the work itself: elements of one key and the same windows
// become one partial accumulator, sent when the table is full or flushed. It is only made where that changes no result.
// Where few elements meet their key it stops looking for a while and sends them as they are.
template <class Row, class KeyOf, class ValueOf, class Fn>
class lifting_writer final : public edge_writer, public receiver<Row> {
  using key = std::remove_cvref_t<std::invoke_result_t<KeyOf, const Row&>>;
  using part = partial<accumulator_of<Fn>>;

 public:
  lifting_writer(const edge_environment& in, KeyOf key_of, ValueOf value_of, Fn fn)
      : step_(in.step), plain_(in, false, key_of, value_of), key_of_(std::move(key_of)), value_of_(std::move(value_of)),
        fn_(std::move(fn)), slots_(slots_max, free) {
    for (std::uint32_t s = 0; s < in.to.shards(); ++s) {
      builders_.emplace_back(in.to, s, key_width<key>, column_width<part>, in.bundle_rows_max);
      builders_.back().accumulators(true);
    }
    for (std::uint32_t s = 0; s < slices_max; ++s) owners_[s] = static_cast<std::uint16_t>(in.to.owner(s));
  }

  receiver_ref input() override { return static_cast<receiver<Row>&>(*this); }
  void accept(const batch<Row>& in) override {
    if (paused_ > 0) {
      paused_ -= std::min<std::uint64_t>(paused_, in.count);
      return plain_.accept(in);
    }
    at_.least = at_.greatest = in.at->least;
    each_context(in, [&](const context& c, const batch<Row>& rows) {
      std::uint32_t code = code_of(c);
      rows.each([&](std::uint32_t, const Row& row) {
        if (entries_.size() == entries_max) {
          send_full_table();
          code = code_of(c);
        }
        add(code, row);
      });
    });
  }
  void flush() override {
    send_table();
    plain_.flush();
    for (auto& b : builders_) b.flush();
  }

 private:
  struct entry {
    std::uint64_t hash;
    std::uint32_t code;  // of its context
    std::string key;
    part sum;
  };
  static constexpr std::size_t entries_max = 4096;
  static constexpr std::size_t contexts_max = 16;
  static constexpr std::size_t slots_max = 2 * entries_max;
  static constexpr std::uint32_t free = UINT32_MAX;
  static constexpr std::uint64_t pause_max = 1 << 20;

  // Groupings see the windows of an element, never its pane.
  std::uint32_t code_of(const context& c) {
    const auto found = std::ranges::find(contexts_, c.windows, &context::windows);
    if (found != contexts_.end()) return static_cast<std::uint32_t>(found - contexts_.begin());
    if (contexts_.size() == contexts_max) send_table();
    contexts_.push_back(c);
    return static_cast<std::uint32_t>(contexts_.size() - 1);
  }

  // The functions are called once: what they have left in a partial result when they throw cannot be taken back.
  void add(std::uint32_t code, const Row& row) {
    try {
      part& to = part_of(code, row);
      fn_.add(to.accumulator, value_of_(row));
      ++to.elements;
    } catch (...) {
      std::throw_with_nested(element_failure({step_, describe_element(row), message_of_current_exception(), 1}));
    }
  }

  part& part_of(std::uint32_t code, const Row& row) {
    const auto& k = key_of_(row);
    const std::uint64_t hash = hash_of_key<key>(k, scratch_);
    const std::string_view bytes = key_bytes(k, scratch_);
    std::size_t slot = (hash + code) % slots_max;
    ++rows_;
    for (; slots_[slot] != free; slot = (slot + 1) % slots_max) {
      entry& e = entries_[slots_[slot]];
      if (e.hash == hash && e.code == code && e.key == bytes) return e.sum;
    }
    slots_[slot] = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({hash, code, std::string(bytes), {0, fn_.create()}});
    return entries_.back().sum;
  }

  void send_full_table() {
    const bool pays = rows_ >= 2 * entries_.size();
    send_table();
    pause_ = pays ? entries_max : std::min(2 * pause_, pause_max);
    if (!pays) paused_ = pause_;
  }

  // Context by context, so that the rows of a bundle come in few runs.
  void send_table() {
    for (std::uint32_t code = 0; code < contexts_.size(); ++code)
      for (entry& e : entries_)
        if (e.code == code) send(contexts_[code], e);
    entries_.clear();
    contexts_.clear();
    std::ranges::fill(slots_, free);
    rows_ = 0;
  }
  void send(const context& c, entry& e) {
    detail::compact(fn_, e.sum.accumulator);
    bundle_builder& to = builders_[owners_[slice_of(e.hash)]];
    bundle& rows = to.begin_rows(c);
    if constexpr (fixed_width_key<key>) std::memcpy(rows.keys.grow(1), e.key.data(), sizeof(key));
    else rows.keys.append_bytes(e.key);
    append_value<part>(rows.values, e.sum, scratch_);
    to.end_untimed_rows(1, at_);
  }

  std::string step_;
  keyed_writer<Row, KeyOf, ValueOf> plain_;
  [[no_unique_address]] KeyOf key_of_;
  [[no_unique_address]] ValueOf value_of_;
  [[no_unique_address]] Fn fn_;
  std::vector<bundle_builder> builders_;
  std::array<std::uint16_t, slices_max> owners_;
  std::vector<entry> entries_;
  std::vector<std::uint32_t> slots_;  // entries by hash
  std::vector<context> contexts_;
  stamps at_;               // a time for all rows: nobody reads it
  std::uint64_t rows_ = 0;  // elements that the table stands for
  std::uint64_t pause_ = entries_max;
  std::uint64_t paused_ = 0;  // elements to pass on without looking
  writer scratch_;
};

}  // namespace millrace
