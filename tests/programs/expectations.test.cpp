#include "input_rows.hpp"
#include "result_text.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

// Expectations that have a script are what the script gives, so that nobody mends them by hand.
namespace millrace::programs::expectations_test {
namespace {

namespace fs = std::filesystem;

const fs::path folder = MILLRACE_SOURCE_DIR "/tests/programs";

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> scripts(const std::string& extension) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder / "expected"))
    if (entry.path().extension() == extension && entry.path().stem() != "tables") found.push_back(entry.path());
  return found;
}

using database = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;

void run(const database& in, const std::string& sql, std::vector<std::string>* rows = nullptr) {
  char* error = nullptr;
  const auto take = [](void* to, int, char** values, char**) {
    if (to != nullptr) static_cast<std::vector<std::string>*>(to)->emplace_back(values[0] != nullptr ? values[0] : "");
    return 0;
  };
  if (sqlite3_exec(in.get(), sql.c_str(), take, rows, &error) != SQLITE_OK)
    throw std::runtime_error(std::string(error) + " in: " + sql);
}

void fill(const database& to, const std::string& table) {
  const auto lines = input_lines(table + ".csv");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::string values;
    std::istringstream cells(lines[i]);
    for (std::string cell; std::getline(cells, cell, ',');) values += (values.empty() ? "'" : ",'") + cell + "'";
    run(to, "insert into " + table + " values (" + values + ")");
  }
}

std::vector<std::string> result_of_sql(const fs::path& script) {
  sqlite3* opened = nullptr;
  sqlite3_open(":memory:", &opened);
  const database in(opened, sqlite3_close);
  run(in, text_of_file(folder / "expected/tables.sql"));
  for (const char* table : {"orders", "customers", "complaints", "rates"}) fill(in, table);
  std::vector<std::string> rows;
  run(in, text_of_file(script), &rows);
  std::ranges::sort(rows);
  return rows;
}

std::vector<std::string> result_of_awk(const fs::path& script) {
  const std::string text = text_of_file(script);
  const std::string marker = "# input: ";
  const std::string input =
      text.starts_with(marker)
          ? (folder / "input" / text.substr(marker.size(), text.find('\n') - marker.size())).string()
          : "/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("awk -f " + script.string() + " " + input).c_str(), "r"),
                                                   pclose);
  std::string all;
  std::array<char, 4096> part{};
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe.get())) all.append(part.data(), n);
  std::vector<std::string> rows;
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line);) rows.push_back(line);
  std::ranges::sort(rows);
  return rows;
}

TEST(expectations, are_what_their_queries_give) {
  EXPECT_GE(scripts(".sql").size(), 20U);
  for (const auto& script : scripts(".sql"))
    EXPECT_EQ(difference(expected_lines(script.stem().string()), result_of_sql(script)), "") << script;
}

TEST(expectations, are_what_their_scripts_give) {
  EXPECT_GE(scripts(".awk").size(), 10U);
  for (const auto& script : scripts(".awk"))
    EXPECT_EQ(difference(expected_lines(script.stem().string()), result_of_awk(script)), "") << script;
}

}  // namespace
}  // namespace millrace::programs::expectations_test
