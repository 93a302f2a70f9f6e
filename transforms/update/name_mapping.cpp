#include <millrace/transforms/update/name_mapping.hpp>

#include <utility>

namespace millrace {

bool stands_for(std::string_view name, std::string_view path) {
  return path.starts_with(name) && (path.size() == name.size() || path[name.size()] == '/');
}

std::optional<std::string> name_mapping::renamed(const std::string& path) const {
  const std::pair<const std::string, std::string>* longest = nullptr;
  for (const auto& entry : names_)
    if (stands_for(entry.first, path) && (!longest || entry.first.size() > longest->first.size())) longest = &entry;
  if (!longest) return path;
  if (longest->second.empty()) return std::nullopt;
  return longest->second + path.substr(longest->first.size());
}

}  // namespace millrace
