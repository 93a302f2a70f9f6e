#include <millrace/transforms/map.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/transcripts/case_output.hpp>
#include <millrace/transforms/transcripts/case_side.hpp>

#include <map>
#include <utility>
#include <vector>

namespace millrace::transcripts {

namespace {

using rows = pcollection<case_row>;

// A step that reads one view: `text` says what is in it.
template <class View, class Text>
rows add_step(const rows& in, const std::string& name, const View& of, Text text) {
  return in
         | map(
             name,
             [text](const case_row& x, const typename View::contents& contents) {
               return case_row{x.key, x.value + text(contents)};
             },
             with(of));
}

std::string text_of_map(const std::map<std::string, std::string>& contents) {
  std::vector<std::string> pairs;
  for (const auto& [key, value] : contents) pairs.push_back(key + "=" + value);
  return bag_text(std::move(pairs));
}

std::string text_of_multimap(const std::multimap<std::string, std::string>& contents) {
  std::map<std::string, std::vector<std::string>> lists;
  for (const auto& [key, value] : contents) lists[key].push_back(value);
  std::vector<std::string> pairs;
  for (auto& [key, values] : lists) pairs.push_back(key + "=" + bag_text(std::move(values)));
  return bag_text(std::move(pairs));
}

}  // namespace

rows add_reader(const rows& in, const rows& side, const case_transform& of, const std::string& prefix) {
  const std::string name = prefix + of.name;
  const std::string view = name + " view";
  if (of.name == "map") return add_step(in, name, side | as_map(view), text_of_map);
  if (of.name == "multimap") return add_step(in, name, side | as_multimap(view), text_of_multimap);
  const auto values = side | map(prefix + "side values", &case_row::value);
  if (of.name == "list")
    return add_step(in, name, values | as_list(view), [](const auto& contents) {
      return bag_text(std::vector<std::string>(contents.begin(), contents.end()));
    });
  const auto one = [](const std::string& value) { return value; };
  if (of.fallback) return add_step(in, name, values | as_singleton(view, *of.fallback), one);
  return add_step(in, name, values | as_singleton(view), one);
}

}  // namespace millrace::transcripts
