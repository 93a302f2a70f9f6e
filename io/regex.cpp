#include <millrace/io/regex.hpp>

#include <algorithm>
#include <cstdint>
#include <re2/re2.h>

namespace millrace {

struct regex::compiled {
  static RE2::Options options() {
    RE2::Options of;
    of.set_log_errors(false);
    of.set_max_mem(std::int64_t{8} << 20U);
    return of;
  }
  explicit compiled(std::string_view pattern) : of({pattern.data(), pattern.size()}, options()) {}

  RE2 of;
};

namespace {

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

regex::groups groups_where(const RE2& of, RE2::Anchor anchor, std::string_view text,
                           const std::vector<std::size_t>& wanted) {
  std::size_t last = 0;
  for (const std::size_t group : wanted) last = std::max(last, group);
  std::vector<re2::StringPiece> found(last + 1);
  if (!of.Match(piece(text), 0, text.size(), anchor, found.data(), static_cast<int>(found.size()))) return std::nullopt;
  std::vector<std::string> groups;
  for (const std::size_t group : wanted) groups.emplace_back(found[group]);
  return groups;
}

}  // namespace

regex::regex(const std::string& step, std::string_view pattern) : of_(std::make_shared<compiled>(pattern)) {
  if (!of_->of.ok())
    throw pipeline_error(step, "the pattern \"" + std::string(pattern)
                                   + "\" is no regular expression: " + of_->of.error() + "; see RE2's syntax");
}

std::size_t regex::number_of(const std::string& step, const regex_group& group) const {
  const int last = of_->of.NumberOfCapturingGroups();
  if (const int* number = std::get_if<int>(&group.of)) {
    if (0 <= *number && *number <= last) return static_cast<std::size_t>(*number);
    throw pipeline_error(step, "the pattern \"" + of_->of.pattern() + "\" has no group " + std::to_string(*number)
                                   + "; its groups are 0 to " + std::to_string(last));
  }
  const auto& name = std::get<std::string>(group.of);
  const auto& named = of_->of.NamedCapturingGroups();
  const auto found = named.find(name);
  if (found != named.end()) return static_cast<std::size_t>(found->second);
  throw pipeline_error(step, "the pattern \"" + of_->of.pattern() + "\" has no group named \"" + name
                                 + "\"; write it as (?P<" + name + ">...)");
}

void regex::check_replacement(const std::string& step, std::string_view replacement) const {
  std::string why;
  if (!of_->of.CheckRewriteString(piece(replacement), &why))
    throw pipeline_error(step, "the replacement \"" + std::string(replacement) + "\" does not fit the pattern \""
                                   + of_->of.pattern() + "\": " + why);
}

regex::groups regex::match(std::string_view text, const std::vector<std::size_t>& of) const {
  return groups_where(of_->of, RE2::ANCHOR_BOTH, text, of);
}

regex::groups regex::find(std::string_view text, const std::vector<std::size_t>& of) const {
  return groups_where(of_->of, RE2::UNANCHORED, text, of);
}

std::vector<std::size_t> regex::all_groups() const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(of_->of.NumberOfCapturingGroups()); ++i) all.push_back(i);
  return all;
}

std::string regex::replace_all(std::string_view text, const std::string& replacement) const {
  std::string result(text);
  RE2::GlobalReplace(&result, of_->of, replacement);
  return result;
}

std::string regex::replace_first(std::string_view text, const std::string& replacement) const {
  std::string result(text);
  RE2::Replace(&result, of_->of, replacement);
  return result;
}

std::vector<std::string> regex::split(std::string_view text) const {
  std::vector<std::string> parts;
  std::size_t part = 0;  // where it begins
  re2::StringPiece found;
  for (std::size_t at = 0; at <= text.size();) {
    if (!of_->of.Match(piece(text), at, text.size(), RE2::UNANCHORED, &found, 1)) break;
    const auto begin = static_cast<std::size_t>(found.data() - text.data());
    if (found.empty()) {
      at = begin + 1;
      continue;
    }
    parts.emplace_back(text.substr(part, begin - part));
    part = at = begin + found.size();
  }
  parts.emplace_back(text.substr(part));
  return parts;
}

}  // namespace millrace
