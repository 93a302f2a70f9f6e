#pragma once

#include <millrace/transforms/bundles/bundle_builder.hpp>
#include <millrace/transforms/bundles/key_hash.hpp>
#include <millrace/transforms/bundles/text_rows.hpp>
#include <millrace/transforms/element/kv.hpp>
#include <millrace/transforms/operators/edge.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/operators/operator.hpp>

#include <array>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

// The row width of a column of key bytes: the key's memory where that is its canonical form, else variable.
template <class Key>
inline constexpr std::uint32_t key_width =
    fixed_width_key<Key> ? static_cast<std::uint32_t>(sizeof(Key)) : column::variable;

// The canonical bytes of a key that is a view of text: those of the text itself.
inline std::string_view key_bytes(std::string_view key, writer& /*scratch*/) {
  return key;
}

// Appends key bytes. Equal keys have equal bytes, whichever process wrote them.
template <class Key>
void append_key(column& to, const Key& key, writer& scratch) {
  if constexpr (fixed_width_key<Key>) std::memcpy(to.grow(1), &key, sizeof(Key));
  else if constexpr (std::is_same_v<Key, std::string>) to.append_bytes(key, string_readable);
  else to.append_bytes(key_bytes(key, scratch));
}

template <class Key>
[[nodiscard]] std::uint64_t hash_of_key(const Key& key, writer& scratch) {
  if constexpr (fixed_width_key<Key>) return key_hash({reinterpret_cast<const char*>(&key), sizeof(Key)});
  else return key_hash(key_bytes(key, scratch));
}

// The members of a kv, as the key and value functions of an edge.
struct key_member {
  const auto& operator()(const auto& row) const { return row.key; }
};
struct value_member {
  const auto& operator()(const auto& row) const { return row.value; }
};

// The sending end of a shuffle by key: each row's key is hashed to a slice, whose owner gets its key bytes and value.
// `with_times` tells whether the consumer looks at event times; a column that nobody reads is not made.
template <class Row, class KeyOf = key_member, class ValueOf = value_member>
class keyed_writer final : public edge_writer, public receiver<Row> {
  using key = std::remove_cvref_t<std::invoke_result_t<KeyOf, const Row&>>;
  using value = std::remove_cvref_t<std::invoke_result_t<ValueOf, const Row&>>;

 public:
  keyed_writer(const edge_environment& in, bool with_times, KeyOf key_of = {}, ValueOf value_of = {})
      : step_(in.step), with_times_(with_times), key_of_(std::move(key_of)), value_of_(std::move(value_of)) {
    for (std::uint32_t s = 0; s < in.to.shards(); ++s)
      builders_.emplace_back(in.to, s, key_width<key>, column_width<value>, in.bundle_rows_max);
    for (std::uint32_t s = 0; s < slices_max; ++s) owners_[s] = static_cast<std::uint16_t>(in.to.owner(s));
  }

  receiver_ref input() override { return static_cast<receiver<Row>&>(*this); }
  void accept(const batch<Row>& in) override {
    try {
      each_context(in, [&](const context& c, const batch<Row>& part) {
        if (builders_.size() == 1) append(builders_[0], c, part);
        else split(c, part);
      });
    } catch (...) {
      name_failure(in);
    }
  }
  void flush() override {
    for (auto& b : builders_) b.flush();
  }

 private:
  // Passes on what is being handled, naming the element if it came from the key or value function: these are called
  // again, row by row.
  [[noreturn]] void name_failure(const batch<Row>& in) {
    static_cast<void>(message_of_current_exception());
    in.each([&](std::uint32_t, const Row& row) {
      try {
        static_cast<void>(key_of_(row));
        static_cast<void>(value_of_(row));
      } catch (...) {
        std::throw_with_nested(element_failure({step_, describe_element(row), message_of_current_exception(), 2}));
      }
    });
    throw;
  }

  // Owners first, then shard by shard, so that column pointers stay in registers.
  void split(const context& c, const batch<Row>& part) {
    std::array<std::uint16_t, batch_max> owner;
    std::array<std::uint16_t, batch_max + 1> mine;
    part.each([&](std::uint32_t p, const Row& row) {
      owner[p] = owners_[slice_of(hash_of_key<key>(key_of_(row), scratch_))];
    });
    for (std::size_t s = 0; s < builders_.size(); ++s) {
      batch<Row> own = part;
      own.selected = mine.data();
      own.count = 0;
      part.each([&](std::uint32_t p, const Row&) {
        mine[own.count] = static_cast<std::uint16_t>(p);
        own.count += owner[p] == s ? 1 : 0;
      });
      append(builders_[s], c, own);
    }
  }

  void append(bundle_builder& to, const context& c, const batch<Row>& part) {
    for (std::uint32_t from = 0; from < part.count;) {
      const std::uint32_t n = std::min(part.count - from, to.room());
      bundle& rows = to.begin_rows(c);
      append_rows(rows.keys, rows.values, slice_of_batch(part, from, n));
      if (with_times_)
        to.end_rows(n, *part.at,
                    [&](std::uint32_t i) { return part.selected ? std::uint32_t{part.selected[from + i]} : from + i; });
      else to.end_untimed_rows(n, *part.at);
      from += n;
    }
  }
  // The n elements of a batch from the one with index `from` on, without their stamps.
  static batch<Row> slice_of_batch(const batch<Row>& of, std::uint32_t from, std::uint32_t n) {
    if (of.selected) return {of.values, of.stride, n, of.selected + from, nullptr};
    return {&of.value(from), of.stride, n, nullptr, nullptr};
  }
  // Keys and values of fixed width in one pass, others one after the other: encoding uses the same scratch.
  void append_rows(column& keys, column& values, const batch<Row>& rows) {
    constexpr bool fixed_values = column_traits<value>::kind == column_kind::fixed;
    if constexpr (fixed_width_key<key> && fixed_values) {
      auto* key_at = reinterpret_cast<char*>(keys.grow(rows.count));
      auto* value_at = reinterpret_cast<char*>(values.grow(rows.count));
      rows.each([&](std::uint32_t, const Row& row) {
        store(key_at, key_of_(row));
        store(value_at, value_of_(row));
      });
    } else {
      append_keys(keys, rows);
      append_values(values, rows);
    }
  }
  void append_keys(column& to, const batch<Row>& rows) {
    if constexpr (fixed_width_key<key>) {
      auto* at = reinterpret_cast<char*>(to.grow(rows.count));
      rows.each([&](std::uint32_t, const Row& row) { store(at, key_of_(row)); });
    } else if constexpr (std::is_same_v<key, std::string_view>) {
      std::array<std::string_view, batch_max> texts;
      std::size_t count = 0;
      rows.each([&](std::uint32_t, const Row& row) { texts[count++] = key_of_(row); });
      append_texts(to, {texts.data(), count});
    } else {
      rows.each([&](std::uint32_t, const Row& row) { append_key<key>(to, key_of_(row), scratch_); });
    }
  }
  void append_values(column& to, const batch<Row>& rows) {
    if constexpr (column_traits<value>::kind == column_kind::fixed) {
      auto* at = reinterpret_cast<char*>(to.grow(rows.count));
      rows.each([&](std::uint32_t, const Row& row) { store(at, value_of_(row)); });
    } else {
      rows.each([&](std::uint32_t, const Row& row) { append_value<value>(to, value_of_(row), scratch_); });
    }
  }
  template <class T>
  static void store(char*& at, const T& x) {
    std::memcpy(at, &x, sizeof(T));
    at += sizeof(T);
  }

  std::string step_;
  bool with_times_;
  [[no_unique_address]] KeyOf key_of_;
  [[no_unique_address]] ValueOf value_of_;
  std::vector<bundle_builder> builders_;
  std::array<std::uint16_t, slices_max> owners_;
  writer scratch_;
};

}  // namespace millrace
