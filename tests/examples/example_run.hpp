#pragma once

#include <string>
#include <vector>

namespace millrace::examples {

// How a program ended.
struct outcome {
  int exit_code = 0;  // 128 + the signal that ended it
  std::string out;
  std::string err;
};

// Runs an example program in a process of its own and waits for its end, at most 120 s. Fails the test if the
// program warns of its own pipeline.
outcome run_example(const std::string& name, const std::vector<std::string>& arguments);

// Runs a command of the shell, in the folder of these tests. Used for everything that is expected of an example.
outcome run_shell(const std::string& command);

// The lines of a text in the order of their bytes, for outputs whose order is not fixed.
std::vector<std::string> sorted_lines(const std::string& text);

// What awk, sort and the like say; fails the test if they do not end well.
std::string expected_from(const std::string& command);

// A word of the shell that stands for exactly this text.
std::string quoted(const std::string& text);

// The path of a file beside the tests.
std::string beside_tests(const std::string& name);

}  // namespace millrace::examples
