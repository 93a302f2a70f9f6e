#pragma once

#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/operators/failure.hpp>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// Expectations that do not hold, or that were never looked at. The message lists all of them.
class expectation_failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Which rows of a collection an assertion looks at.
struct row_filter {
  enum class which : std::uint8_t { all, early, on_time, late, last, only };

  std::optional<window> in = {};
  which panes = which::all;

  [[nodiscard]] bool takes(const stamp& at) const;
  // "", " in window [0, 60000)", " in on-time panes": for messages.
  [[nodiscard]] std::string describe() const;
};

namespace detail {

// All assertions on one collection.
class collection_expectation {
 public:
  collection_expectation() = default;
  collection_expectation(const collection_expectation&) = delete;
  collection_expectation& operator=(const collection_expectation&) = delete;
  virtual ~collection_expectation() = default;
  // What does not hold, one sentence each. Everything fails if no job ran to its end.
  [[nodiscard]] virtual std::vector<std::string> failures() const = 0;
};

// Compares two lists of elements, in order or not; empty if they are equal, else a sentence part.
template <class T>
std::string difference(const std::vector<T>& expected, const std::vector<T>& found, bool in_order);

}  // namespace detail

// What a test claims about one collection. Filters narrow what the next assertion looks at:
//   e.that("counts", counts).in_window(w).on_time().contains_in_any_order({{"a", 1}, {"b", 2}});
template <class T>
class expectation {
 public:
  using check_function = std::function<std::string(const std::vector<T>&)>;

  // Only elements in this window.
  expectation& in_window(const window& w) { return filter_.in = w, *this; }
  // Only elements of such panes: `last` panes, or the `only` pane of their key and window.
  expectation& early() { return of_panes(row_filter::which::early); }
  expectation& on_time() { return of_panes(row_filter::which::on_time); }
  expectation& late() { return of_panes(row_filter::which::late); }
  expectation& final_pane() { return of_panes(row_filter::which::last); }
  expectation& only_pane() { return of_panes(row_filter::which::only); }

  // Exactly these elements, in any order.
  expectation& contains_in_any_order(std::vector<T> values) {
    return add(
        [values = std::move(values)](const std::vector<T>& found) { return detail::difference(values, found, false); });
  }
  expectation& contains_in_any_order(std::initializer_list<T> values) {
    return contains_in_any_order(std::vector<T>(values));
  }
  // Exactly these elements in the order in which they came out, shard after shard.
  expectation& equals(std::vector<T> values) {
    return add(
        [values = std::move(values)](const std::vector<T>& found) { return detail::difference(values, found, true); });
  }
  expectation& equals(std::initializer_list<T> values) { return equals(std::vector<T>(values)); }
  expectation& is_empty() { return contains_in_any_order(std::vector<T>{}); }
  // A function of all elements returns what is wrong with them, or an empty text; or throws.
  expectation& satisfies(check_function f) { return add(std::move(f)); }

 private:
  friend class expectations;
  struct assertion {
    row_filter filter;
    check_function difference;
  };
  class checked final : public detail::collection_expectation {
   public:
    checked(std::string name, std::source_location where) : name_(std::move(name)), where_(where) {}
    [[nodiscard]] std::vector<std::string> failures() const override;

    std::vector<assertion> assertions;
    recording<T> found;

   private:
    [[nodiscard]] std::string text(const std::string& what) const {
      return std::string(where_.file_name()) + ":" + std::to_string(where_.line()) + ": \"" + name_ + "\"" + what;
    }

    std::string name_;
    std::source_location where_;
  };

  explicit expectation(std::shared_ptr<checked> of) : of_(std::move(of)) {}
  expectation& of_panes(row_filter::which panes) { return filter_.panes = panes, *this; }
  // An assertion ends the filters before it.
  expectation& add(check_function f) {
    of_->assertions.push_back({std::exchange(filter_, {}), std::move(f)});
    return *this;
  }

  std::shared_ptr<checked> of_;
  row_filter filter_;
};

// The expectations of one test: Beam's PAssert. They are stated while the pipeline is built, recorded by any runner,
// and judged by verify() when the job has ended. One that was never run fails: if the job did not run to its end, or if
// verify() was never called (then the destructor throws, unless another exception is on its way).
class expectations {
 public:
  expectations() = default;
  expectations(const expectations&) = delete;
  expectations& operator=(const expectations&) = delete;
  ~expectations() noexcept(false);

  // Begins to state what a collection gives; `name` is the name of a transform that is added.
  template <class T>
  expectation<T> that(std::string name, const pcollection<T>& in,
                      std::source_location where = std::source_location::current()) {
    using stated = typename expectation<T>::checked;
    auto of = std::make_shared<stated>(in.owner().path_of(name), where);
    in | collect(std::move(name), of->found, where);
    verified_ = false;
    all_.push_back(of);
    return expectation<T>(std::move(of));
  }

  // What does not hold, one sentence each; counts as having looked.
  [[nodiscard]] std::vector<std::string> failures();
  // Throws expectation_failure listing what does not hold.
  void verify();

 private:
  std::vector<std::shared_ptr<const detail::collection_expectation>> all_;
  bool verified_ = true;
};

template <class T>
std::vector<std::string> expectation<T>::checked::failures() const {
  const recording_outcome outcome = found.outcome();
  if (!outcome.ran()) return {text(" was never evaluated: no job ran the pipeline")};
  if (!outcome.completed()) return {text(" was never evaluated: the job did not run to its end")};
  if (assertions.empty())
    return {text(" states nothing: add contains_in_any_order(), is_empty() or another assertion")};
  std::vector<std::string> failed;
  for (const assertion& a : assertions) {
    std::vector<T> values;
    for (const auto& r : found.rows())
      if (a.filter.takes(r.at)) values.push_back(r.value);
    std::string wrong;
    try {
      wrong = a.difference(values);
    } catch (...) {
      wrong = message_of_current_exception();
    }
    if (!wrong.empty()) failed.push_back(text(a.filter.describe() + ": " + wrong));
  }
  return failed;
}

namespace detail {

template <class T>
std::string list_of(const std::vector<T>& values, const std::vector<bool>& left_out) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!left_out[i]) text += (text.empty() ? "" : ", ") + describe_element(values[i]);
  return text;
}

template <class T>
std::string difference(const std::vector<T>& expected, const std::vector<T>& found, bool in_order) {
  static_assert(std::equality_comparable<T>, "millrace: elements of an expectation are compared with ==");
  if (in_order && expected == found) return {};
  std::vector<bool> met(expected.size(), false);
  std::vector<bool> wanted(found.size(), false);
  for (std::size_t f = 0; f < found.size(); ++f)
    for (std::size_t e = 0; e < expected.size() && !wanted[f]; ++e)
      if (!met[e] && expected[e] == found[f]) met[e] = wanted[f] = true;
  const std::string missing = list_of(expected, met);
  const std::string more = list_of(found, wanted);
  if (missing.empty() && more.empty())
    return in_order ? "the order differs; it came as " + list_of(found, std::vector<bool>(found.size(), false)) : "";
  return (missing.empty() ? "" : "missing " + missing) + (missing.empty() || more.empty() ? "" : "; ")
         + (more.empty() ? "" : "unexpected " + more);
}

}  // namespace detail

}  // namespace millrace
