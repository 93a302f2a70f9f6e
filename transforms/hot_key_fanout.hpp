#pragma once

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/scattered.hpp>
#include <millrace/transforms/window_into.hpp>

#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace millrace {

// Over how many parts the values of a key are spread: see with_hot_key_fanout.
template <class PartsOf>
struct hot_key_fanout {
  [[no_unique_address]] PartsOf parts_of;
};

namespace detail {

// The same number of parts for every key.
struct same_parts {
  template <class Key>
  std::uint32_t operator()(const Key& /*key*/) const {
    return parts;
  }
  std::uint32_t parts;
};

// The first half of a combine: gives out accumulators.
template <class Fn>
struct begun_combine {
  using accumulator = accumulator_of<Fn>;
  [[nodiscard]] accumulator create() const { return fn.create(); }
  template <class Value>
  void add(accumulator& to, const Value& value) const {
    fn.add(to, value);
  }
  void merge(accumulator& to, const accumulator& other) const { fn.merge(to, other); }
  void compact(accumulator& to) const { detail::compact(fn, to); }
  [[nodiscard]] accumulator extract(const accumulator& of) const {
    accumulator result = of;
    detail::compact(fn, result);
    return result;
  }
  [[nodiscard]] std::string name() const { return "parts of " + combine_fn_name(fn); }

  Fn fn;
};

// The second half: takes accumulators as its values.
template <class Fn>
struct finished_combine {
  using accumulator = accumulator_of<Fn>;
  [[nodiscard]] accumulator create() const { return fn.create(); }
  void add(accumulator& to, const accumulator& part) const { fn.merge(to, part); }
  void merge(accumulator& to, const accumulator& other) const { fn.merge(to, other); }
  void compact(accumulator& to) const { detail::compact(fn, to); }
  [[nodiscard]] auto extract(const accumulator& of) const { return fn.extract(of); }
  [[nodiscard]] bool has_result(const accumulator& of) const { return detail::has_result(fn, of); }
  [[nodiscard]] std::string name() const { return combine_fn_name(fn) + " of parts"; }

  Fn fn;
};

// Adds the number of a part to each key. Which part an element goes to does not matter for the result, so it may differ
// when the element is processed again.
template <class Row, class KeyOf, class ValueOf, class PartsOf>
class spread_keys {
  using key = stored_key<row_part<KeyOf, Row>>;

 public:
  using output = kv<kv<key, std::uint32_t>, row_part<ValueOf, Row>>;

  spread_keys(KeyOf key_of, ValueOf value_of, PartsOf parts_of)
      : key_of_(std::move(key_of)), value_of_(std::move(value_of)), parts_of_(std::move(parts_of)) {}

  void process(const Row& row, emitter<output>& out) {
    const auto& of_row = key_of_(row);
    const auto parts = parts_of_(of_row);
    if (parts < 1)
      throw std::invalid_argument("the fan-out of a key is " + std::to_string(parts)
                                  + "; it must be the number of its parts, at least 1");
    const std::uint64_t part = parts == 1 ? 0 : scattered(++elements_) % static_cast<std::uint64_t>(parts);
    out(output{{key(of_row), static_cast<std::uint32_t>(part)}, value_of_(row)});
  }

 private:
  KeyOf key_of_;
  ValueOf value_of_;
  PartsOf parts_of_;
  std::uint64_t elements_ = 0;
};

// How the parts of a combine are windowed: they give what is new and nothing else, so that nothing counts twice.
inline windowing_strategy windowing_of_parts(windowing_strategy whole) {
  whole.keep = panes::discarding;
  whole.closing = fires::if_non_empty;
  whole.on_time = fires::if_non_empty;
  return whole;
}

template <class T>
pcollection<T> rewindowed(const pcollection<T>& in, const std::string& name, windowing_strategy strategy,
                          std::source_location where) {
  auto spec = make_element_spec<pass_operator<T>>("window_into " + strategy.describe());
  return add_windowing(in, name, std::move(strategy), std::move(spec), where);
}

// Throws pipeline_error where parts that are combined on their own would not give the same as the whole.
template <class T>
void refuse_fanout(const pcollection<T>& in, const std::string& name) {
  const windowing_strategy strategy = in.windowing();
  if (strategy.merges())
    throw pipeline_error(in.owner().path_of(name),
                         "a hot key cannot be spread in windows that merge, such as " + strategy.into.describe()
                             + ", since each part would merge windows by itself; leave out the fan-out, or use other "
                               "windows");
  if (strategy.fire.unsafe(strategy.allowed_lateness))
    throw pipeline_error(in.owner().path_of(name), "a hot key cannot be spread under trigger "
                                                       + strategy.fire.describe()
                                                       + ", which finishes: each part would finish by itself");
}

// The accumulators of all parts of all keys, windowed for the grouping that brings the parts together.
template <class Row, class KeyOf, class ValueOf, class Fn, class PartsOf>
auto combine_parts_of_keys(const pcollection<Row>& in, combine_parts<KeyOf, ValueOf, Fn> parts, const PartsOf& spread,
                           std::source_location where) {
  using spreading = spread_keys<Row, KeyOf, ValueOf, PartsOf>;
  const windowing_strategy whole = in.windowing();
  const auto spread_out = rewindowed(in | par_do("spread", spreading(parts.key_of, parts.value_of, spread), where),
                                     "what is new", windowing_of_parts(whole), where);
  const auto combined = spread_out | combine_per_key("combine parts", begun_combine<Fn>{parts.fn}, where);
  return rewindowed(combined, "parts", after_grouping(whole), where);
}

template <class Row, class KeyOf, class ValueOf, class Fn, class PartsOf>
auto add_spread_combine(const pcollection<Row>& in, const std::string& name, combine_parts<KeyOf, ValueOf, Fn> parts,
                        const PartsOf& spread, std::source_location where) {
  using key = stored_key<row_part<KeyOf, Row>>;
  using part = kv<kv<key, std::uint32_t>, accumulator_of<Fn>>;
  refuse_fanout(in, name);
  const auto body = [&](const pcollection<Row>& all) {
    return combine_parts_of_keys(all, parts, spread, where)
           | combine_per_key("merge parts", by([](const part& p) -> const key& { return p.key.key; }), of(&part::value),
                             finished_combine<Fn>{parts.fn}, where);
  };
  return composite(name, body)(in);
}

template <class Fn, class T>
auto add_spread_global_combine(const pcollection<T>& in, const std::string& name, const Fn& fn, std::uint32_t parts,
                               bool defaults, std::source_location where) {
  using combined = combine_fn_for_t<T, Fn>;
  static_assert(combine_fn<combined, T>,
                "millrace: this is no combine function for the elements: it needs create(), add(acc, value), "
                "merge(acc, acc) and extract(acc), with an accumulator that has a coder");
  if constexpr (combine_fn<combined, T>) {
    refuse_fanout(in, name);
    const combined combines = combine_fn_for<T>(fn);
    const auto body = [&](const pcollection<T>& all) {
      const auto accumulators =
          combine_parts_of_keys(all, detail::combine_parts{no_key{}, whole_row{}, combines}, same_parts{parts}, where)
          | values("accumulators", where);
      return add_global_combine(accumulators, "merge parts", finished_combine<combined>{combines}, defaults, where);
    };
    return composite(name, body)(in);
  }
}

}  // namespace detail

// An option of combine_per_key and combine_globally for keys with far more values than others: the values of a key are
// spread over `parts`, combined there, and the parts are combined again. The result is the same for every combine
// function, with discarding and with accumulating panes. Parts fire on their own, so early results may come in other
// portions. Windows must not merge.
//   clicks | combine_per_key("per page", by(&click::page), of(&click::ms), mr::mean, with_hot_key_fanout(16))
[[nodiscard]] inline auto with_hot_key_fanout(std::uint32_t parts) {
  if (parts == 0) throw pipeline_error("with_hot_key_fanout", "the number of parts is 0; it must be at least 1");
  return hot_key_fanout<detail::same_parts>{{parts}};
}
// The same where a function of the key gives the number of its parts, 1 for keys that need no spreading.
template <class F>
  requires(!std::is_arithmetic_v<F>)
[[nodiscard]] auto with_hot_key_fanout(F parts_of) {
  return hot_key_fanout<F>{std::move(parts_of)};
}

// As combine_per_key without the option.
template <class Fn, class PartsOf>
[[nodiscard]] auto combine_per_key(std::string name, Fn fn, hot_key_fanout<PartsOf> spread,
                                   std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    static_assert(is_kv<T>, "millrace: combine_per_key takes a collection of kv, or key and value functions: "
                            "combine_per_key(name, by(key), of(value), fn)");
    if constexpr (is_kv<T>) {
      detail::require_combine<T, key_member, value_member, Fn>();
      using value = detail::row_part<value_member, T>;
      return detail::add_spread_combine(
          in, name, detail::combine_parts{key_member{}, value_member{}, detail::combine_fn_for<value>(fn)},
          spread.parts_of, where);
    }
  };
}
template <class By, class Of, class Fn, class PartsOf>
[[nodiscard]] auto combine_per_key(std::string name, key_function<By> key_of, value_function<Of> value_of, Fn fn,
                                   hot_key_fanout<PartsOf> spread,
                                   std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    detail::require_combine<T, key_function<By>, value_function<Of>, Fn>();
    using value = detail::row_part<value_function<Of>, T>;
    return detail::add_spread_combine(
        in, name, detail::combine_parts{key_of, value_of, detail::combine_fn_for<value>(fn)}, spread.parts_of, where);
  };
}

// As combine_globally without the option: the elements are combined on all shards, then their results on one.
template <class Fn>
[[nodiscard]] auto combine_globally(std::string name, Fn fn, hot_key_fanout<detail::same_parts> spread,
                                    std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    return detail::add_spread_global_combine(in, name, fn, spread.parts_of.parts, true, where);
  };
}
template <class Fn>
[[nodiscard]] auto combine_globally(std::string name, Fn fn, without_defaults_option /*option*/,
                                    hot_key_fanout<detail::same_parts> spread,
                                    std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    return detail::add_spread_global_combine(in, name, fn, spread.parts_of.parts, false, where);
  };
}

}  // namespace millrace
