#include <millrace/tests/tidy/rules.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace millrace::tidy::tree_test {
namespace {

namespace files = std::filesystem;

std::string text_of(const files::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// All sources of the tree, in the order of their paths.
std::vector<source> all_sources() {
  std::vector<source> found;
  const files::path root = MILLRACE_SOURCE_DIR;
  for (const char* folder : {"transforms", "io", "actors", "examples", "tools", "tests"}) {
    for (const auto& entry : files::recursive_directory_iterator(root / folder)) {
      const auto ending = entry.path().extension();
      if (ending != ".hpp" && ending != ".cpp") continue;
      found.push_back({entry.path().lexically_relative(root).generic_string(), text_of(entry.path())});
    }
  }
  std::sort(found.begin(), found.end(), [](const source& a, const source& b) { return a.path < b.path; });
  return found;
}

template <class Rule>
void expect_none(const Rule& rule) {
  const std::vector<source> sources = all_sources();
  ASSERT_GT(sources.size(), 10U) << "the tree was not found at " << MILLRACE_SOURCE_DIR;
  for (const source& file : sources) {
    for (const offence& here : rule(file)) {
      ADD_FAILURE_AT((std::string(MILLRACE_SOURCE_DIR "/") + here.path).c_str(), static_cast<int>(here.line))
          << here.what;
    }
  }
}

TEST(tidy_tree, includes_only_in_the_directions_of_the_table) {
  expect_none(wrong_includes);
}

TEST(tidy_tree, has_no_long_file_and_no_long_function) {
  expect_none(too_long);
}

TEST(tidy_tree, shares_no_state_in_transforms_and_actors) {
  expect_none(shared_state);
}

TEST(tidy_tree, has_names_that_say_something) {
  expect_none(bad_names);
}

TEST(tidy_tree, has_a_namespace_for_each_test) {
  expect_none(shared_namespace);
}

TEST(tidy_tree, lists_every_source_in_its_folder) {
  expect_none([](const source& file) -> offences {
    if (file.path.starts_with("tests/")) return {};
    const std::string folder = file.path.substr(0, file.path.find('/'));
    return unlisted(file, text_of(files::path(MILLRACE_SOURCE_DIR) / folder / "CMakeLists.txt"));
  });
}

}  // namespace
}  // namespace millrace::tidy::tree_test
