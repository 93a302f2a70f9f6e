#pragma once

#include <millrace/transforms/flat_map.hpp>
#include <millrace/transforms/map.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace millrace {

// A group of a pattern: its number (0 is all of it) or its name, which the pattern writes as (?P<name>...).
struct regex_group {
  regex_group(int number) : of(number) {}                                       // NOLINT(google-explicit-constructor)
  regex_group(std::string name) : of(std::move(name)) {}                        // NOLINT(google-explicit-constructor)
  regex_group(const char* name) : of(std::in_place_type<std::string>, name) {}  // NOLINT(google-explicit-constructor)
  std::variant<int, std::string> of;
};

// A compiled regular expression in the syntax of RE2, which matches in linear time, has no back references, and uses at
// most 8 MB. A value that is cheap to copy; all copies may be used at once.
class regex {
 public:
  // Throws pipeline_error naming `step` where the pattern is wrong.
  regex(const std::string& step, std::string_view pattern);

  // The number of a group. Throws pipeline_error naming `step` where the pattern has no such group.
  [[nodiscard]] std::size_t number_of(const std::string& step, const regex_group& group) const;
  // Throws pipeline_error naming `step` where a replacement refers to a group that the pattern does not have.
  void check_replacement(const std::string& step, std::string_view replacement) const;

  // The groups of a match of the whole text, or of its first match inside the text, all of them or the given ones. No
  // groups at all without a match; a group that took no part is empty text.
  using groups = std::optional<std::vector<std::string>>;
  [[nodiscard]] groups match(std::string_view text, const std::vector<std::size_t>& of) const;
  [[nodiscard]] groups find(std::string_view text, const std::vector<std::size_t>& of) const;
  // The numbers of all groups, 0 included.
  [[nodiscard]] std::vector<std::size_t> all_groups() const;

  // The text with matches replaced; \0 to \9 in the replacement stand for groups.
  [[nodiscard]] std::string replace_all(std::string_view text, const std::string& replacement) const;
  [[nodiscard]] std::string replace_first(std::string_view text, const std::string& replacement) const;
  // The parts between matches. An empty match splits nothing.
  [[nodiscard]] std::vector<std::string> split(std::string_view text) const;

 private:
  struct compiled;
  std::shared_ptr<const compiled> of_;
};

namespace detail {

// Where a text is looked at: the whole of it must match, or a part of it.
enum class regex_scope : bool { whole, part };

inline regex::groups groups_of(const regex& r, regex_scope scope, std::string_view text,
                               const std::vector<std::size_t>& of) {
  return scope == regex_scope::whole ? r.match(text, of) : r.find(text, of);
}

template <class T>
consteval bool require_text() {
  constexpr bool text = std::is_convertible_v<const T&, std::string_view>;
  static_assert(text, "millrace: transforms by regular expressions take a collection of text");
  return text;
}

// One group of each text that matches.
template <class T>
auto add_regex_group(const pcollection<T>& in, const std::string& name, std::pair<regex, regex_scope> by,
                     const regex_group& group, std::source_location where) {
  const std::vector<std::size_t> wanted{by.first.number_of(in.owner().path_of(name), group)};
  const auto matched = [by, wanted](const T& text, emitter<std::string>& out) {
    if (auto found = groups_of(by.first, by.second, text, wanted)) out(std::move(found->front()));
  };
  return in | flat_map(name, matched, where);
}

template <class T>
auto add_regex_kv(const pcollection<T>& in, const std::string& name, std::pair<regex, regex_scope> by,
                  const std::pair<regex_group, regex_group>& of, std::source_location where) {
  using output = kv<std::string, std::string>;
  const std::string path = in.owner().path_of(name);
  const std::vector<std::size_t> wanted{by.first.number_of(path, of.first), by.first.number_of(path, of.second)};
  const auto matched = [by, wanted](const T& text, emitter<output>& out) {
    if (auto found = groups_of(by.first, by.second, text, wanted))
      out(output{std::move(found->at(0)), std::move(found->at(1))});
  };
  return in | flat_map(name, matched, where);
}

template <class T>
auto add_regex_groups(const pcollection<T>& in, const std::string& name, std::pair<regex, regex_scope> by,
                      std::source_location where) {
  using output = std::vector<std::string>;
  const auto matched = [by, wanted = by.first.all_groups()](const T& text, emitter<output>& out) {
    if (auto found = groups_of(by.first, by.second, text, wanted)) out(*std::move(found));
  };
  return in | flat_map(name, matched, where);
}

}  // namespace detail

// Transforms of text by regular expressions in RE2's syntax: pcollection<std::string> -> pcollection<std::string> where
// nothing else is said. A pattern, group or replacement that is wrong throws pipeline_error when it is applied.

// A group (all of it, unless another is asked for) of the texts that the pattern matches as a whole; others are
// dropped.
[[nodiscard]] inline auto regex_matches(std::string name, std::string pattern, regex_group group = 0,
                                        std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    if constexpr (detail::require_text<T>())
      return detail::add_regex_group(in, name, {regex(in.owner().path_of(name), pattern), detail::regex_scope::whole},
                                     group, where);
  };
}
// The same of the first match inside each text.
[[nodiscard]] inline auto regex_find(std::string name, std::string pattern, regex_group group = 0,
                                     std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    if constexpr (detail::require_text<T>())
      return detail::add_regex_group(in, name, {regex(in.owner().path_of(name), pattern), detail::regex_scope::part},
                                     group, where);
  };
}

// Two groups as key and value, of the texts that match as a whole: -> pcollection<kv<std::string, std::string>>.
[[nodiscard]] inline auto regex_matches_kv(std::string name, std::string pattern, regex_group key, regex_group value,
                                           std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    if constexpr (detail::require_text<T>())
      return detail::add_regex_kv(in, name, {regex(in.owner().path_of(name), pattern), detail::regex_scope::whole},
                                  {key, value}, where);
  };
}
// The same of the first match inside each text.
[[nodiscard]] inline auto regex_find_kv(std::string name, std::string pattern, regex_group key, regex_group value,
                                        std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    if constexpr (detail::require_text<T>())
      return detail::add_regex_kv(in, name, {regex(in.owner().path_of(name), pattern), detail::regex_scope::part},
                                  {key, value}, where);
  };
}

// All groups, the whole match first, of the texts that match as a whole: -> pcollection<std::vector<std::string>>.
[[nodiscard]] inline auto regex_all_matches(std::string name, std::string pattern,
                                            std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    if constexpr (detail::require_text<T>())
      return detail::add_regex_groups(in, name, {regex(in.owner().path_of(name), pattern), detail::regex_scope::whole},
                                      where);
  };
}
// The same of the first match inside each text.
[[nodiscard]] inline auto regex_find_all(std::string name, std::string pattern,
                                         std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    if constexpr (detail::require_text<T>())
      return detail::add_regex_groups(in, name, {regex(in.owner().path_of(name), pattern), detail::regex_scope::part},
                                      where);
  };
}

// Each text with every match replaced. \1 in the replacement stands for group 1, \0 for the whole match.
[[nodiscard]] inline auto regex_replace_all(std::string name, std::string pattern, std::string replacement,
                                            std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    if constexpr (detail::require_text<T>()) {
      const regex r(in.owner().path_of(name), pattern);
      r.check_replacement(in.owner().path_of(name), replacement);
      return in | map(name, [r, replacement](const T& text) { return r.replace_all(text, replacement); }, where);
    }
  };
}
// Each text with its first match replaced.
[[nodiscard]] inline auto regex_replace_first(std::string name, std::string pattern, std::string replacement,
                                              std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    if constexpr (detail::require_text<T>()) {
      const regex r(in.owner().path_of(name), pattern);
      r.check_replacement(in.owner().path_of(name), replacement);
      return in | map(name, [r, replacement](const T& text) { return r.replace_first(text, replacement); }, where);
    }
  };
}

// What regex_split does with parts that are empty.
enum class empty_parts : bool { left_out, kept };

// The parts of each text between matches, each an element.
[[nodiscard]] inline auto regex_split(std::string name, std::string pattern, empty_parts empty = empty_parts::left_out,
                                      std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    if constexpr (detail::require_text<T>()) {
      const regex r(in.owner().path_of(name), pattern);
      const auto parts = [r, empty](const T& text, emitter<std::string>& out) {
        for (std::string& part : r.split(text))
          if (empty == empty_parts::kept || !part.empty()) out(std::move(part));
      };
      return in | flat_map(name, parts, where);
    }
  };
}

}  // namespace millrace
