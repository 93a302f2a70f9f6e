#pragma once

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/par_do.hpp>

#include <optional>
#include <source_location>
#include <string>
#include <utility>

namespace millrace {

// The value with the greatest time; of those at one time, that with the greatest encoding. A combine function over
// pairs of time and value, since values alone do not know their times. Nothing comes out of no values.
template <class T>
struct latest_of {
  using timed = std::pair<timestamp, T>;
  using accumulator = std::optional<timed>;
  [[nodiscard]] accumulator create() const { return std::nullopt; }
  void add(accumulator& to, const timed& value) const {
    if (!to || follows(value, *to)) to = value;
  }
  void merge(accumulator& to, const accumulator& other) const {
    if (other) add(to, *other);
  }
  [[nodiscard]] T extract(const accumulator& of) const { return of.value().second; }
  [[nodiscard]] bool has_result(const accumulator& of) const { return of.has_value(); }
  [[nodiscard]] std::string name() const { return "latest"; }

 private:
  static bool follows(const timed& a, const timed& b) {
    if (a.first != b.first) return b.first < a.first;
    return encode_whole(b.second) < encode_whole(a.second);
  }
};

// The latest value of each key by event time: pcollection<kv<K, V>> -> pcollection<kv<K, V>>. Of values at one time
// that with the greatest encoding, so that the result does not depend on the order of arrival.
[[nodiscard]] inline auto latest_per_key(std::string name,
                                         std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    static_assert(is_kv<T>, "millrace: latest_per_key takes a collection of kv; latest_globally takes any");
    if constexpr (is_kv<T>) {
      using value = decltype(T::value);
      using timed = kv<decltype(T::key), std::pair<timestamp, value>>;
      const auto with_time = [](const T& x, emitter<timed>& out) { out(timed{x.key, {out.at().time, x.value}}); };
      const auto body = [&](const pcollection<T>& all) {
        return all | par_do("times", with_time, where) | combine_per_key("latest", latest_of<value>{}, where);
      };
      return composite(name, body)(in);
    }
  };
}

// The latest element of each window by event time: pcollection<T> -> pcollection<T>. Nothing for an empty window.
[[nodiscard]] inline auto latest_globally(std::string name,
                                          std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    using timed = std::pair<timestamp, T>;
    const auto with_time = [](const T& x, emitter<timed>& out) { out(timed{out.at().time, x}); };
    const auto body = [&](const pcollection<T>& all) {
      return all | par_do("times", with_time, where)
             | combine_globally("latest", latest_of<T>{}, without_defaults, where);
    };
    return composite(name, body)(in);
  };
}

}  // namespace millrace
