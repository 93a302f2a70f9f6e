#include <millrace/actors/transform_names.hpp>

#include <boost/json.hpp>

#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace millrace {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument("a mapping of transform names is a JSON object of old full names and new ones, such as "
                              "{\"count\": \"total\"}: "
                              + why);
}

}  // namespace

name_mapping transform_names_from(std::string_view json) {
  if (json.empty()) return {};
  boost::system::error_code error;
  const boost::json::value parsed = boost::json::parse({json.data(), json.size()}, error);
  if (error) refuse(error.message());
  const auto* object = parsed.if_object();
  if (!object) refuse("this is no object");
  std::map<std::string, std::string> names;
  for (const auto& [old, now] : *object) {
    const std::string name(old.data(), old.size());
    if (name.empty()) refuse("an old name is empty");
    if (!now.is_string()) refuse("the new name of \"" + name + "\" is no string");
    names[name] = std::string(now.get_string().data(), now.get_string().size());
  }
  return name_mapping(std::move(names));
}

}  // namespace millrace
