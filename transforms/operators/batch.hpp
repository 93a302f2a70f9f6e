#pragma once

#include <millrace/transforms/element/stamp.hpp>

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace millrace {

// The most positions a batch has; selections and codes fit their types because of it.
inline constexpr std::uint32_t batch_max = 512;

// How many elements a source or reader puts into one batch of T: 2 KB of them, but 16 at least. Batches of consecutive
// steps then stay in the first-level cache.
template <class T>
inline constexpr std::uint32_t batch_rows = sizeof(T) * batch_max <= 2048 ? batch_max
                                            : sizeof(T) * 16 >= 2048      ? 16
                                                                     : static_cast<std::uint32_t>(2048 / sizeof(T));

// The stamps of a batch as columns: times are one per position or all equal, contexts are a dictionary with one code
// per position, and nearly always with a single entry and no codes. Written once by whoever fills the batch.
struct stamps {
  const timestamp* times = nullptr;    // null: every element is at `least`
  timestamp least = timestamp::min();  // bounds of `times` over all positions
  timestamp greatest = timestamp::min();
  const std::uint8_t* codes = nullptr;  // null: every element has contexts[0]
  std::span<const context> contexts;

  [[nodiscard]] timestamp time_at(std::uint32_t position) const { return times ? times[position] : least; }
  [[nodiscard]] const context& context_at(std::uint32_t position) const {
    return contexts[codes ? codes[position] : 0];
  }
};

// What travels between fused steps: at most batch_max elements of one type at stable positions. map writes result p at
// position p and filter only narrows the selection, so element-wise steps never touch the stamps. Only selected
// positions hold live objects. A batch is lent for the duration of accept() and nobody changes it, so several consumers
// may see the same one. `stride` lets a step hand on a member of every row without a copy.
template <class T>
struct batch {
  const T* values = nullptr;
  std::uint32_t stride = sizeof(T);         // bytes from position to position
  std::uint32_t count = 0;                  // of selected positions
  const std::uint16_t* selected = nullptr;  // ascending positions; null: all of [0, count)
  const stamps* at = nullptr;

  [[nodiscard]] const T& value(std::uint32_t position) const {
    return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(values) + std::size_t{position} * stride);
  }
  // Calls f(position, value) for each element in order. Two loops, so that the plain one vectorises.
  template <class F>
  void each(F&& f) const {
    if (!selected && stride == sizeof(T))
      for (std::uint32_t p = 0; p < count; ++p) f(p, values[p]);
    else
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t p = selected ? selected[i] : i;
        f(p, value(p));
      }
  }
};

// Uninitialised room for one batch of T, allocated once per operator. The objects in it belong to built_values.
template <class T>
class value_buffer {
 public:
  value_buffer() : values_(static_cast<T*>(::operator new(sizeof(T) * batch_max, alignment))) {}
  value_buffer(const value_buffer&) = delete;
  value_buffer& operator=(const value_buffer&) = delete;
  ~value_buffer() { ::operator delete(values_, alignment); }
  [[nodiscard]] T* get() { return values_; }

 private:
  static constexpr std::align_val_t alignment{alignof(T) > 64 ? alignof(T) : 64};
  T* values_;
};

// Owns the objects that a step has built so far in a value_buffer, and destroys them when the batch is done or an
// exception passes. Positions are built in the order of the selection.
template <class T>
class built_values {
 public:
  built_values(T* values, const std::uint16_t* selected) : values_(values), selected_(selected) {}
  built_values(const built_values&) = delete;
  built_values& operator=(const built_values&) = delete;
  ~built_values() { clear(); }

  // Builds make() in its place: a temporary would cost a copy and a store-forwarding stall.
  template <class Make>
  void emplace(std::uint32_t position, Make&& make) {
    ::new (static_cast<void*>(values_ + position)) T(std::forward<Make>(make)());
    if constexpr (!std::is_trivially_destructible_v<T>) ++count_;
  }
  // Destroys the values built last until `kept` are left: how outputs of a failed attempt are taken back.
  void keep_first(std::uint32_t kept) {
    if constexpr (!std::is_trivially_destructible_v<T>)
      while (count_ > kept) {
        --count_;
        std::destroy_at(values_ + (selected_ ? selected_[count_] : count_));
      }
  }
  void clear() { keep_first(0); }

 private:
  T* values_;
  const std::uint16_t* selected_;
  std::uint32_t count_ = 0;
};

}  // namespace millrace
