#include "example_run.hpp"

#include <millrace/tests/io/temporary_folder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <sys/wait.h>

namespace millrace::examples {

outcome run_shell(const std::string& command) {
  const temporary_folder folder;
  const std::string out = (folder.path() / "out").string();
  const std::string err = (folder.path() / "err").string();
  const std::string here = quoted(std::string(MILLRACE_SOURCE_DIR "/tests/examples"));
  const std::string whole =
      "cd " + here + " && { " + command + "\n} >" + quoted(out) + " 2>" + quoted(err) + " </dev/null";
  const int status = std::system(whole.c_str());
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return {code, content_of(out), content_of(err)};
}

outcome run_example(const std::string& name, const std::vector<std::string>& arguments) {
  std::string command = "timeout 120 " + quoted(std::string(MILLRACE_EXAMPLES_DIR "/") + name);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  outcome result = run_shell(command);
  // Examples show how things are done: none does what is seldom meant.
  EXPECT_EQ(result.err.find("warning: transform"), std::string::npos) << name << ": " << result.err;
  return result;
}

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string expected_from(const std::string& command) {
  const outcome result = run_shell("set -e\nexport LC_ALL=C\n" + command);
  EXPECT_EQ(result.exit_code, 0) << command << ": " << result.err;
  EXPECT_FALSE(result.out.empty()) << command;
  return result.out;
}

std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string beside_tests(const std::string& name) {
  return std::string(MILLRACE_SOURCE_DIR "/tests/examples/") + name;
}

}  // namespace millrace::examples
