#pragma once

#include <millrace/transforms/coders/scalar.hpp>
#include <millrace/transforms/element/time.hpp>

#include <cstdint>
#include <string>

namespace millrace {

// Which clock a timer waits for.
enum class time_domain : std::uint8_t { event, processing };

// Says that a timer holds no watermark.
struct no_output_option {};
inline constexpr no_output_option no_output{};

// The output timestamp of a timer: until it fires it holds the output watermark there, and what its callback emits has
// that timestamp. Without being told, an event timer takes the time it fires, and one of the clock the timestamp of the
// current element or timer. An explicit one is not before that of the current element or timer.
class timer_output {
 public:
  constexpr timer_output() = default;
  constexpr timer_output(timestamp at) : kind_(kind::at), at_(at) {}        // NOLINT(google-explicit-constructor)
  constexpr timer_output(no_output_option /*none*/) : kind_(kind::none) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] constexpr bool is_explicit() const { return kind_ == kind::at; }
  // The timestamp, where `usual` is that of a timer which was not told; max() for none.
  [[nodiscard]] constexpr timestamp or_else(timestamp usual) const {
    if (kind_ == kind::none) return timestamp::max();
    return kind_ == kind::at ? at_ : usual;
  }

 private:
  enum class kind : std::uint8_t { usual, at, none };
  kind kind_ = kind::usual;
  timestamp at_;
};

namespace detail {

// A timer of one key and window, as it is stored. The output timestamp max() stands for none.
struct timer_slot {
  bool pending = false;
  timestamp fires;
  timestamp output;
  bool at_expiration = false;  // `fires` is the end of the window's state, wherever that is
  bool of_drain = false;       // set by a callback that a drain has caused: what its own sets is ignored

  // Moves a pending timer that was set when the window had another expiry: none is behind the new one.
  void move_to(time_domain domain, timestamp expiry);

  friend bool operator==(const timer_slot&, const timer_slot&) = default;
};

// What a timer that is set must know of the call in which that happens.
struct timer_scope {
  timestamp watermark;  // of the input
  timestamp now;
  timestamp expiry;  // of the window
  timestamp at;      // of the element or timer being processed
  bool may_set = true;

  [[nodiscard]] timestamp clock(time_domain of) const { return of == time_domain::event ? watermark : now; }
};

// The setting of a timer: its clock, its name for errors, and the call in which it is set.
struct timer_setting {
  time_domain domain;
  const std::string& name;
  const timer_scope& scope;

  // Set for an instant of its clock. Throws std::invalid_argument where the model does not allow that.
  [[nodiscard]] timer_slot at(timestamp fires, timer_output output) const;
  // For `delay` after the present of its clock; an event timer no later than the expiry of the window.
  [[nodiscard]] timer_slot after(duration delay, timer_output output) const;
  // For the end of the window's state.
  [[nodiscard]] timer_slot at_expiration(timestamp output) const;
  // For the first t of its clock, not before the present, of which t + offset is a multiple of `period`.
  [[nodiscard]] timer_slot aligned(duration period, duration offset, timer_output output) const;

 private:
  [[nodiscard]] timestamp bounded(timestamp fires) const;
  void check_output(timestamp output, timestamp latest) const;
  [[noreturn]] void refuse(const std::string& why) const;
};

}  // namespace detail

template <>
struct coder<detail::timer_slot> {
  // A byte of what it is, then its times if it is pending.
  static void encode(writer& out, const detail::timer_slot& value) {
    const unsigned is = !value.pending ? 0U : 1U | (value.at_expiration ? 2U : 0U) | (value.of_drain ? 4U : 0U);
    coder<std::uint8_t>::encode(out, static_cast<std::uint8_t>(is));
    if (!value.pending) return;
    coder<timestamp>::encode(out, value.fires);
    coder<timestamp>::encode(out, value.output);
  }
  static detail::timer_slot decode(reader& in) {
    const unsigned is = coder<std::uint8_t>::decode(in);
    if (is > 7 || (is != 0 && (is & 1U) == 0)) in.fail("a timer that is neither pending nor not");
    if (is == 0) return {};
    detail::timer_slot slot;
    slot.pending = true;
    slot.at_expiration = (is & 2U) != 0;
    slot.of_drain = (is & 4U) != 0;
    slot.fires = coder<timestamp>::decode(in);
    slot.output = coder<timestamp>::decode(in);
    return slot;
  }
  static constexpr bool deterministic = true;
  static std::string name() { return "timer"; }
};

}  // namespace millrace
