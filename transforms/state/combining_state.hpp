#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/combine_fn.hpp>
#include <millrace/transforms/state/cell_slot.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace millrace {

// The accumulator of a combine function for each key and window, as in `combining_state<sum_of<double>>
// spent_{"spent"}`: values are folded as they come, and nothing else of them is kept.
template <class Fn>
class combining_state {
 public:
  using accumulator = accumulator_of<Fn>;
  using result = combined_by<Fn>;
  using stored = std::optional<accumulator>;

  explicit combining_state(std::string name, Fn fn = {}) : slot_(std::move(name)), fn_(std::move(fn)) {
    require_codable<accumulator>();
  }

  template <class In>
  void add(const In& value) {
    static_assert(
        requires(const Fn f, accumulator& to) { f.add(to, value); },
        "millrace: combining_state: the combine function does not take values of this type");
    fn_.add(change(), value);
  }
  // Folds all values of another accumulator in.
  void merge(const accumulator& other) { fn_.merge(change(), other); }
  // The result; that of no values if there are none.
  [[nodiscard]] result read() const { return fn_.extract(slot_.read() ? *slot_.read() : fn_.create()); }
  [[nodiscard]] accumulator read_accumulator() const { return slot_.read() ? *slot_.read() : fn_.create(); }
  [[nodiscard]] bool empty() const { return !slot_.read().has_value(); }
  void clear() { slot_.replace().reset(); }
  [[nodiscard]] const std::string& name() const { return slot_.name(); }

 private:
  friend struct detail::cell_access;
  // Adding cannot be undone, so the accumulator before the call is kept: it is one value, as large as the state.
  accumulator& change() {
    stored& now = slot_.change();
    return now ? *now : now.emplace(fn_.create());
  }
  static constexpr std::string_view form = "combining";
  [[nodiscard]] std::string kind() const { return detail::combine_fn_name(fn_) + " in " + coder<accumulator>::name(); }

  detail::replaced_slot<stored> slot_;
  Fn fn_;
};

}  // namespace millrace
