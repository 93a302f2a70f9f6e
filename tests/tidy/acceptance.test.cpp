#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

// Every acceptance case of the papers is a transcript or a test with its number in its name, or is said not to be. What
// covers a case must be there; what is there must not be said to be missing.
namespace millrace::tidy::acceptance_test {
namespace {

namespace files = std::filesystem;

const files::path tests = files::path(MILLRACE_SOURCE_DIR) / "tests";

std::string text_of(const files::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Numbers of cases without the letters that tell several transcripts or tests of one case apart.
using case_numbers = std::set<std::string>;

case_numbers in_transcripts() {
  static const std::regex head(R"((?:^|\n)== ([0-9]+\.[0-9]+|[UV][0-9]+)[a-z]? )");
  case_numbers found;
  for (const auto& entry : files::directory_iterator(tests / "transcripts")) {
    if (entry.path().extension() != ".txt") continue;
    const std::string text = text_of(entry.path());
    for (auto at = std::sregex_iterator(text.begin(), text.end(), head); at != std::sregex_iterator(); ++at)
      found.insert((*at)[1]);
  }
  return found;
}

// The cases that a name mentions: `case_12_6`, `8_6_14_6_the_greatest`, `U47_1`.
case_numbers named(const std::string& name) {
  static const std::regex number(R"((?:^|_)(?:([UV][0-9]+)|([0-9]+)_([0-9]+)[a-z]?)(?=_|$))");
  case_numbers found;
  for (auto at = std::sregex_iterator(name.begin(), name.end(), number); at != std::sregex_iterator(); ++at)
    found.insert((*at)[1].matched ? (*at)[1].str() : (*at)[2].str() + "." + (*at)[3].str());
  return found;
}

case_numbers in_names_of_tests(const files::path& folder) {
  static const std::regex test(R"(\nTEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\))");
  case_numbers found;
  for (const auto& entry : files::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".test.cpp") || path.find("/tests/reference/") != std::string::npos) continue;
    const std::string text = text_of(entry.path());
    for (auto at = std::sregex_iterator(text.begin(), text.end(), test); at != std::sregex_iterator(); ++at)
      for (int part = 1; part <= 2; ++part) found.merge(named((*at)[static_cast<std::size_t>(part)]));
  }
  return found;
}

// The lines of acceptance_cases.txt: what follows each number.
std::map<std::string, std::string> listed_cases() {
  std::istringstream text(text_of(tests / "tidy" / "acceptance_cases.txt"));
  std::map<std::string, std::string> cases;
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t space = line.find(' ');
    const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
    EXPECT_TRUE(cases.emplace(line.substr(0, space), rest).second) << line << " is there twice";
  }
  return cases;
}

TEST(acceptance_cases, are_transcripts_or_tests_or_said_not_to_be) {
  const auto cases = listed_cases();
  EXPECT_EQ(cases.size(), 138U) << "110 of the model, 28 of users";
  const case_numbers transcripts = in_transcripts();
  const case_numbers programs = in_names_of_tests(tests / "programs");
  const case_numbers anywhere = in_names_of_tests(tests);
  for (const auto& [number, how] : cases) {
    const bool program = programs.contains(number);
    if (how.empty()) EXPECT_TRUE(program || transcripts.contains(number)) << number << " is nowhere";
    else if (how.starts_with("program: ")) EXPECT_TRUE(program) << number << " is in no test of tests/programs";
    else if (how.starts_with("piece: ")) EXPECT_TRUE(anywhere.contains(number)) << number << " is in no test";
    else if (how.starts_with("not: ")) EXPECT_FALSE(anywhere.contains(number)) << number << " is there: say so";
    else ADD_FAILURE() << number << " " << how << ": say program, piece or not";
  }
}

TEST(acceptance_cases, are_found_in_names) {
  EXPECT_EQ(named("case_12_6"), (case_numbers{"12.6"}));
  EXPECT_EQ(named("8_6_14_6_the_greatest"), (case_numbers{"8.6", "14.6"}));
  EXPECT_EQ(named("1_4_U05_an_open_bundle"), (case_numbers{"1.4", "U05"}));
  EXPECT_EQ(named("keeps_state_9_2c"), (case_numbers{"9.2"}));
  EXPECT_EQ(named("knows_returns_U47_1"), (case_numbers{"U47"}));
  EXPECT_EQ(named("hold_526_cases_of_2_kinds"), case_numbers{});
}

}  // namespace
}  // namespace millrace::tidy::acceptance_test
