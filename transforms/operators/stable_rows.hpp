#pragma once

#include <millrace/transforms/functions/do_fn.hpp>
#include <millrace/transforms/operators/element_type.hpp>
#include <millrace/transforms/operators/stable_input.hpp>
#include <millrace/transforms/pipeline.hpp>

#include <memory>
#include <source_location>
#include <string>
#include <string_view>

namespace millrace::detail {

// Begins a stage, behind a shuffle that spreads rows, whose elements are the same if they come again after a rewind:
// they wait until the epoch that contains them is durable. Without durable epochs nothing comes again, and nothing
// waits.
template <class T>
class stable_rows_spec final : public operator_spec {
 public:
  [[nodiscard]] operator_kind kind() const override { return operator_kind::reshuffle; }
  [[nodiscard]] std::string describe() const override { return "stable input " + element_type::of<T>().coder.name(); }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& in) const override {
    if (in.durable_epochs) return make_operator<stable_input>(in, element_type::of<T>().make_reader);
    return element_type::of<T>().make_reader(in);
  }
  [[nodiscard]] bool waits_for_epochs() const override { return true; }
  [[nodiscard]] state_schema state() const override {
    state_schema kept;
    kept.text("input", "stable");
    kept.part<T>("element", state_match::same);
    return kept;
  }
};

// The input of a step that is no stateful one: where its function asks for stable input, behind "NAME/stable_input".
template <class Fn, class T>
pcollection<T> stable_where_asked(const pcollection<T>& in, std::string_view name, std::source_location where) {
  static_assert(
      !sorts_input<Fn>(),
      "millrace: par_do: time-sorted input is for functions with cells(), which have their input by key; give "
      "it one, or leave the request away");
  if constexpr (needs_stable_input<Fn>()) {
    static_assert(!is_text_view<T>,
                  "millrace: par_do: elements that are std::string_view cannot wait until their epoch is durable, as "
                  "stable input must; map them to std::string first");
    const open_composite open(in.owner(), name);
    return add_transform<T>(in, "stable_input", make_spec<stable_rows_spec<T>>(), where);
  } else {
    return in;
  }
}

}  // namespace millrace::detail
