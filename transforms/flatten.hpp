#pragma once

#include <millrace/transforms/pipeline.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <algorithm>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

namespace detail {

// A flatten is no operator: its consumers take several inputs.
class flatten_spec final : public operator_spec {
 public:
  explicit flatten_spec(std::string element) : element_(std::move(element)) {}

  [[nodiscard]] operator_kind kind() const override { return operator_kind::flatten; }
  [[nodiscard]] std::string describe() const override { return "flatten " + element_; }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& /*in*/) const override {
    check(false, "a flatten is planned away");
    return nullptr;
  }

 private:
  std::string element_;
};

// Throws pipeline_error unless all collections belong together.
template <class T>
void refuse_unlike(const std::string& name, const std::vector<pcollection<T>>& all) {
  const graph& g = all.front().owner();
  for (const auto& c : all) {
    if (&c.owner() != &g) throw pipeline_error(g.path_of(name), "its inputs are of different pipelines");
    if (!compatible(all.front().windowing(), c.windowing()))
      throw pipeline_error(g.path_of(name), "its inputs are windowed differently, one by "
                                                + all.front().windowing().describe() + " and one by "
                                                + c.windowing().describe()
                                                + "; give them one window_into each, or one after the flatten of their "
                                                  "sources");
  }
}

// A name with the place where it was written, for functions whose last parameters are a pack.
struct placed_name {
  template <class Text>
    requires std::is_convertible_v<Text, std::string>
  placed_name(Text&& text,
              std::source_location at = std::source_location::current())  // NOLINT(google-explicit-constructor)
      : name(std::forward<Text>(text)), where(at) {}
  std::string name;
  std::source_location where;
};

}  // namespace detail

// The elements of all collections in one, in no particular order, with their stamps. The collections must be windowed
// alike; the result is windowed as the first is, and unbounded if one of them is.
template <class T>
[[nodiscard]] pcollection<T> flatten(const std::string& name, const std::vector<pcollection<T>>& all,
                                     std::source_location where = std::source_location::current()) {
  if (all.empty())
    throw pipeline_error(name, "there is nothing to flatten; flatten<T>(pipeline, name) makes an empty collection");
  detail::refuse_unlike(name, all);
  node added;
  added.spec = make_spec<detail::flatten_spec>(element_type::of<T>().coder.name());
  for (const auto& c : all) added.inputs.push_back(c.id());
  added.where = where;
  const bool bounded = std::all_of(all.begin(), all.end(), [](const auto& c) { return c.bounded(); });
  const node& n =
      all.front().owner().add(name, std::move(added), {{&element_type::of<T>(), all.front().windowing(), bounded}});
  return {all.front().shared_owner(), n.outputs[0]};
}
template <class T, class... Others>
[[nodiscard]] pcollection<T> flatten(const detail::placed_name& name, const pcollection<T>& first,
                                     const Others&... others) {
  constexpr bool alike = (std::is_same_v<Others, pcollection<T>> && ...);
  static_assert(alike, "millrace: flatten takes collections of one element type");
  if constexpr (alike) return flatten(name.name, std::vector<pcollection<T>>{first, others...}, name.where);
  else return first;
}

// An empty, bounded collection. It is a source of nothing, so that whatever reads it has an input that ends.
template <class T>
[[nodiscard]] pcollection<T> flatten(pipeline& p, const std::string& name,
                                     std::source_location where = std::source_location::current()) {
  return p | read(name, value_source<T>({}, {}), where);
}

}  // namespace millrace
