#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace millrace {

// How the transforms of a program are called in the one that replaces it: old full names to new ones, as Dataflow's
// transformNameMapping. The name of a composite stands for all that is in it; the longest name that fits counts. What
// is not named keeps its name. An empty new name gives the state of the transform up.
class name_mapping {
 public:
  name_mapping() = default;
  explicit name_mapping(std::map<std::string, std::string> names) : names_(std::move(names)) {}

  // The new full name of a transform; nothing if its state is given up.
  [[nodiscard]] std::optional<std::string> renamed(const std::string& path) const;
  [[nodiscard]] const std::map<std::string, std::string>& names() const { return names_; }

 private:
  std::map<std::string, std::string> names_;
};

// Whether a full name is that of a transform, or of a composite around it.
[[nodiscard]] bool stands_for(std::string_view name, std::string_view path);

}  // namespace millrace
