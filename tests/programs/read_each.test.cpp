#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/io/compression.hpp>
#include <millrace/io/read_lines.hpp>
#include <millrace/tests/io/temporary_folder.hpp>
#include <millrace/tests/sanitizer.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/sequence.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace millrace::read_each_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

std::vector<std::string> sorted(const recording<std::string>& lines) {
  auto all = lines.values();
  std::ranges::sort(all);
  return all;
}
std::int64_t counted(const job_report& r, const std::string& step, const std::string& what) {
  const auto& counters = r.metrics.at(step).counters();
  const auto found = counters.find(what);
  return found == counters.end() ? 0 : found->second;
}

// Files of which one is big and one is packed, and their lines.
class files_of_all_sizes {
 public:
  explicit files_of_all_sizes(int big_lines) {
    std::string big;
    for (int i = 0; i < big_lines; ++i) big += line("big", i);
    paths_.push_back(folder_.write("big", big).string());
    std::string packed;
    for (int i = 0; i < 9'000; ++i) packed += line("packed", i);
    const auto plain = folder_.write("packed", packed).string();
    if (std::system(("gzip " + plain).c_str()) != 0) throw std::runtime_error("gzip failed");
    paths_.push_back(plain + ".gz");
    for (int f = 0; f < 5; ++f)
      paths_.push_back(folder_.write("small" + std::to_string(f), line("small" + std::to_string(f), 0)).string());
    paths_.push_back(folder_.write("empty", "").string());
    std::ranges::sort(lines_);
  }
  void read(pipeline& p, const recording<std::string>& to) const {
    p | create("paths", paths_) | read_lines("lines") | collect("out", to);
  }
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::string line(const std::string& file, int i) {
    lines_.push_back(file + " line " + std::to_string(i));
    return lines_.back() + "\n";
  }

  temporary_folder folder_;
  std::vector<std::string> paths_;
  std::vector<std::string> lines_;
};

TEST(read_each, reads_the_lines_of_each_file_once_on_both_runners) {
  const files_of_all_sizes files(150'000);
  pipeline direct{"lines"};
  const recording<std::string> expected;
  files.read(direct, expected);
  run_direct(direct);
  EXPECT_EQ(sorted(expected), files.lines());
  std::int64_t given = 0;
  for (std::uint64_t seed = 5; seed <= (under_sanitizer ? 8 : 16); ++seed) {
    pipeline p{"lines"};
    const recording<std::string> out;
    files.read(p, out);
    const auto r = simulate(p, {.seed = seed, .job = {.shards = 1 + static_cast<std::uint32_t>(seed % 4)}});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    ASSERT_EQ(sorted(out), files.lines()) << "seed " << seed;
    given += counted(r.report, "lines/process", "splits_given");
  }
  EXPECT_GT(given, 0) << "the big file is read by more than one shard";
}

TEST(read_each, goes_on_at_the_line_it_had_come_to_when_shards_die) {
  const files_of_all_sizes files(30'000);
  std::uint32_t rewinds = 0;
  constexpr std::uint64_t seeds = under_sanitizer ? 4 : 12;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto shards = 1 + static_cast<std::uint32_t>(seed % 3);
    pipeline p{"lines"};
    const recording<std::string> out;
    files.read(p, out);
    std::vector<std::uint64_t> epochs;
    for (std::uint64_t i = 0; i < 12; ++i) epochs.push_back(15 + seed * 7 % 31 + i * 17);
    const auto r = simulate(p, {.seed = seed,
                                .job = {.shards = shards, .checkpoint_every = 1h, .streaming = true},
                                .kills = {{30 + seed * 13 % 60, 1, 0}, {90 + seed * 31 % 90, 1, shards - 1}},
                                .epochs = epochs});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    ASSERT_EQ(sorted(out), files.lines()) << "seed " << seed;
    rewinds += r.report.rewinds;
  }
  EXPECT_GT(rewinds, seeds);
}

// A file whose third line is too long: no attempt may leave it out.
std::string with_a_long_line(const temporary_folder& folder) {
  return folder.write("long", "one\ntwo\n" + std::string(100, 'x') + "\nfour\n").string();
}

TEST(read_each, fails_with_the_file_and_offset_of_a_line_that_is_too_long) {
  const temporary_folder folder;
  const auto path = with_a_long_line(folder);
  pipeline p{"lines"};
  const recording<std::string> out;
  p | create("paths", {path}) | read_lines("lines", {.line_bytes_max = 50}) | collect("out", out);
  const auto r = simulate(p, {.job = {.shards = 1}});
  EXPECT_EQ(r.report.state, job_state::failed);
  EXPECT_THAT(r.report.error, HasSubstr("\"lines/process\""));
  EXPECT_THAT(r.report.error, HasSubstr(path));
  EXPECT_THAT(r.report.error, HasSubstr("offset 8"));
}

TEST(read_each, gives_faulty_lines_to_an_error_output) {
  const temporary_folder folder;
  const auto path = with_a_long_line(folder);
  pipeline p{"lines"};
  const recording<std::string> good;
  const recording<failed<std::string>> bad;
  const auto [lines, errors] = p | create("paths", {path}) | read_lines("lines", {.line_bytes_max = 50}, with_errors);
  lines | collect("good", good);
  errors | collect("bad", bad);
  run_direct(p);
  EXPECT_THAT(good.values(), UnorderedElementsAre("one", "two", "four"));
  ASSERT_EQ(bad.values().size(), 1U);
  EXPECT_EQ(bad.values().front().step, "lines");
  EXPECT_THAT(bad.values().front().message, HasSubstr("offset 8"));
}

TEST(read_each, gives_an_element_whose_source_cannot_be_read_to_an_error_output) {
  const temporary_folder folder;
  const auto there = folder.write("there", "one\n").string();
  const auto missing = (folder.path() / "missing").string();
  pipeline p{"lines"};
  const recording<std::string> good;
  const recording<failed<std::string>> bad;
  const auto [lines, errors] =
      p | create("paths", {missing, there})
      | read_each("read", [](const std::string& path) { return text_source(path); }, with_errors);
  lines | collect("good", good);
  errors | collect("bad", bad);
  run_direct(p);
  EXPECT_THAT(good.values(), ElementsAre("one"));
  ASSERT_EQ(bad.values().size(), 1U);
  EXPECT_EQ(bad.values().front().element, missing);
  EXPECT_THAT(bad.values().front().message, HasSubstr("missing"));
}

TEST(read_each, takes_a_watched_file_by_its_very_name) {
  const temporary_folder folder;
  const auto odd = folder.write("a[1]*.txt", "odd\n").string();
  folder.write("a1b.txt", "not this\n");
  pipeline p{"lines"};
  const recording<std::string> out;
  p | create("files", {watched_file{odd, 4, timestamp{0}}}) | read_lines("lines") | collect("out", out);
  run_direct(p);
  EXPECT_THAT(out.values(), ElementsAre("odd"));
}

struct place {
  std::string name;
  std::int64_t height = 0;
  friend bool operator==(const place&, const place&) = default;
};

TEST(read_each, reads_records_of_csv_files) {
  const temporary_folder folder;
  const auto first = folder.write("1.csv", "name,height\n\"two\nlines\",3\nzwei,2\n").string();
  const auto second = folder.write("2.csv", "height,name\n5,five\n").string();
  pipeline p{"records"};
  const recording<place> out;
  p | create("paths", {first, second}) | read_csv_records<place>("records") | collect("out", out);
  run_direct(p);
  EXPECT_THAT(out.values(), UnorderedElementsAre(place{"two\nlines", 3}, place{"zwei", 2}, place{"five", 5}));
}

TEST(read_each, reads_any_source_that_ends) {
  pipeline p{"numbers"};
  const recording<std::int64_t> out;
  p | create("ends", {3, 0, 2}) | read_each("read", [](int end) { return sequence_source({.to = end}); })
      | collect("out", out);
  run_direct(p);
  EXPECT_THAT(out.values(), UnorderedElementsAre(0, 1, 2, 0, 1));
}

TEST(read_each, refuses_a_source_without_an_end) {
  pipeline p{"numbers"};
  const recording<std::int64_t> out;
  p | create("ends", {1}) | read_each("read", [](int /*end*/) { return sequence_source({.rate = 10}); })
      | collect("out", out);
  try {
    run_direct(p);
    FAIL() << "a source without an end was read";
  } catch (const std::exception& e) {
    EXPECT_THAT(e.what(), HasSubstr("only sources that end are read by element"));
  }
}

}  // namespace
}  // namespace millrace::read_each_test
