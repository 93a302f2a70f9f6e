#include <millrace/tests/io/temporary_folder.hpp>
#include <millrace/transforms/options.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

// The documents say what is so: code in them is code that is compiled, and the files that they name are there.
namespace millrace::documents_test {
namespace {

namespace files = std::filesystem;

const files::path root = MILLRACE_SOURCE_DIR;
const std::vector<std::string> documents{"README.md",        "CONTRIBUTING.md",     "docs/architecture.md",
                                         "docs/protocol.md", "docs/transcripts.md", "examples/README.md"};

// The blocks of a document that stand under a remark `<!-- from PATH -->`, by path.
std::map<std::string, std::string> borrowed_blocks(const std::string& document) {
  static const std::regex remark(R"(^<!-- from (\S+) -->$)");
  std::map<std::string, std::string> found;
  std::istringstream text(content_of(root / document));
  std::string path;
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    std::smatch match;
    if (std::regex_match(line, match, remark)) path = match[1];
    else if (line.starts_with("```") && !path.empty()) {
      if (inside) path.clear();
      inside = !inside;
    } else if (inside) found[path] += line + "\n";
  }
  return found;
}

TEST(documents, show_code_that_is_in_the_files_they_name) {
  std::size_t blocks = 0;
  for (const auto& document : documents) {
    for (const auto& [path, text] : borrowed_blocks(document)) {
      EXPECT_NE(content_of(root / path).find(text), std::string::npos)
          << document << " shows something else than " << path << " has:\n"
          << text;
      ++blocks;
    }
  }
  EXPECT_GE(blocks, 3U);
}

TEST(documents, begin_with_a_program_of_thirty_lines) {
  const auto blocks = borrowed_blocks("README.md");
  ASSERT_EQ(blocks.count("tests/documents/readme_program.cpp"), 1U);
  const std::string program = blocks.at("tests/documents/readme_program.cpp");
  EXPECT_EQ(program, content_of(root / "tests/documents/readme_program.cpp"));
  EXPECT_LE(std::count(program.begin(), program.end(), '\n'), 32);
}

TEST(documents, have_a_first_program_that_counts_words) {
  const temporary_folder folder;
  folder.write("king_lear.txt", "Never, never, never, never, never!\nnever\n");
  const std::string command = "cd '" + folder.path().string() + "' && " + MILLRACE_README_PROGRAM;
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::string counts;
  for (const auto& name : folder.names())
    if (name.starts_with("counts-")) counts += content_of(folder.path() / name);
  EXPECT_TRUE(counts == "Never: 1\nnever: 5\n" || counts == "never: 5\nNever: 1\n") << counts;
}

// `transforms/stages/stage_instance`, `io/all.hpp`, `script/run`: whatever begins with one of our folders.
TEST(documents, name_files_that_are_there) {
  static const std::regex name(R"(`((?:transforms|io|actors|examples|tests|docs|script|cmake)/[A-Za-z0-9_./]*)`)");
  std::size_t names = 0;
  for (const auto& document : documents) {
    const std::string text = content_of(root / document);
    for (auto at = std::sregex_iterator(text.begin(), text.end(), name); at != std::sregex_iterator(); ++at, ++names) {
      const std::string path = (*at)[1];
      const bool there = files::exists(root / path) || files::exists(root / (path + ".hpp"));
      EXPECT_TRUE(there) << document << " names " << path << ", which is not there";
    }
  }
  EXPECT_GT(names, 30U);
}

TEST(documents, list_every_option) {
  const std::string readme = content_of(root / "README.md");
  std::istringstream help(pipeline_options{}.help_text("program"));
  std::size_t options = 0;
  for (std::string line; std::getline(help, line);) {
    if (!line.starts_with("  --")) continue;
    const std::string option = line.substr(2, line.find(' ', 2) - 2);
    EXPECT_NE(readme.find("`" + option + "`"), std::string::npos) << "README.md does not tell of " << option;
    ++options;
  }
  EXPECT_GT(options, 10U);
}

TEST(documents, list_every_example) {
  const std::string text = content_of(root / "examples/README.md");
  for (const auto& entry : files::directory_iterator(root / "examples")) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".cpp" && !entry.is_directory()) continue;
    EXPECT_NE(text.find("`" + name + "`"), std::string::npos) << "examples/README.md does not tell of " << name;
  }
}

}  // namespace
}  // namespace millrace::documents_test
