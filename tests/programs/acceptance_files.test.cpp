#include "both_runners.hpp"

#include <millrace/io/watch_files.hpp>
#include <millrace/io/write_text.hpp>
#include <millrace/tests/io/temporary_folder.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/state/cell.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gmock/gmock.h>

#include <filesystem>
#include <sstream>
#include <stdexcept>

// Files: acceptance cases of the paper, section 15, and user cases of group F, with V7.
namespace millrace::programs::acceptance_files_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::IsSupersetOf;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
using text = std::string;
using texts = std::vector<text>;
using number = std::int64_t;

class file_cases : public both_runners {
 protected:
  temporary_folder folder;
  [[nodiscard]] text prefix() const { return (folder.path() / "out").string(); }

  // The lines of all files, sorted. There is nothing but complete files.
  [[nodiscard]] texts lines_of_all_files() const {
    texts all;
    for (const text& name : folder.names()) {
      EXPECT_THAT(name, StartsWith("out-"));
      std::istringstream file(content_of(folder.path() / name));
      for (text one; std::getline(file, one);) all.push_back(one);
    }
    std::ranges::sort(all);
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(on, file_cases, ::testing::ValuesIn(all_ways), way_name);

text window_name(number start, number end) {
  return millrace::name_of(text_file_name{.prefix = "out", .in = {timestamp{start}, timestamp{end}}});
}

TEST_P(file_cases, 15_1_files_are_named_by_window_and_shard) {
  pipeline p("names");
  p | create_timestamped("in", {timestamped_value<text>{"a", timestamp{0}}})
      | window_into("windows", {.into = fixed(10min)}) | write_text("write", prefix(), {.shards = 1, .suffix = ".txt"});
  run(p);
  EXPECT_THAT(folder.names(), ElementsAre("out-1970-01-01T00:00:00.000Z-1970-01-01T00:10:00.000Z-00000-of-00001.txt"));
}

// Adds and removes files as it sees them: polls find {a}, {a,b} and {b,c}.
class changes_folder {
 public:
  using output = text;
  explicit changes_folder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void process(const watched_file& file, emitter<text>& out) {
    const text name = std::filesystem::path(file.path).filename().string();
    if (name == "a.in") add("b.in");
    if (name == "b.in") {
      std::filesystem::remove(folder_ / "a.in");
      add("c.in");
    }
    out(name);
  }

 private:
  void add(const char* name) const { std::ofstream(folder_ / name) << name; }
  std::filesystem::path folder_;
};

TEST_P(file_cases, 15_3_each_file_is_found_once) {
  folder.write("a.in", "a");
  pipeline p("watch");
  recording<text> found;
  p | watch_files("watch", (folder.path() / "*.in").string(), {.every = 10ms, .stop_after_silence = 30ms})
      | par_do("change", changes_folder(folder.path())) | collect("found", found);
  run(p);
  EXPECT_THAT(found.values(), UnorderedElementsAre("a.in", "b.in", "c.in"));
}

// Throws at the third element when it comes for the first time, in a bundle that has written two already.
class fails_once {
 public:
  using output = text;
  explicit fails_once(std::shared_ptr<int> failures) : failures_(std::move(failures)) {}
  void start_bundle() {}
  void process(const text& x, emitter<text>& out) {
    out(x);
    if (x == "c" && (*failures_)-- > 0) throw std::runtime_error("not yet");
  }

 private:
  std::shared_ptr<int> failures_;
};

TEST_P(file_cases, 15_4_a_bundle_that_is_retried_is_in_the_files_once) {
  pipeline p("retried");
  p | test_stream<text>("in").add({"a", "b", "c", "d", "e"}).advance_watermark_to_infinity().bounded()
      | par_do("fail", fails_once(std::make_shared<int>(1))) | write_text("write", prefix());
  run(p);
  EXPECT_THAT(lines_of_all_files(), ElementsAre("a", "b", "c", "d", "e"));
}

TEST_P(file_cases, 15_4_an_empty_input_gives_one_empty_file_a_shard) {
  pipeline p("empty");
  p | create("none", texts{}) | write_text("write", prefix(), {.shards = 1});
  run(p);
  EXPECT_THAT(folder.names(), ElementsAre("out-00000-of-00001"));
  EXPECT_EQ(content_of(folder.path() / "out-00000-of-00001"), "");
}

TEST_P(file_cases, 15_4_an_empty_input_that_is_skipped_gives_no_file) {
  pipeline p("empty");
  p | create("none", texts{}) | write_text("write", prefix(), {.shards = 2, .header = "x", .skip_if_empty = true});
  run(p);
  EXPECT_THAT(folder.names(), SizeIs(0));
}

TEST_P(file_cases, 15_4_lines_are_written_where_empty_files_are_skipped) {
  pipeline p("lines");
  p | create("lines", texts{"a"}) | write_text("write", prefix(), {.shards = 2, .skip_if_empty = true});
  run(p);
  EXPECT_THAT(folder.names(), SizeIs(1));
  EXPECT_THAT(lines_of_all_files(), ElementsAre("a"));
}

// A number a second, and a watermark behind each.
test_stream<text> a_number_a_second(number count) {
  test_stream<text> numbers("numbers");
  for (number n = 0; n < count; ++n) {
    numbers.add_at(timestamp{n * 1000}, {std::to_string(n)});
    numbers.advance_watermark_to(timestamp{n * 1000});
  }
  return numbers.advance_watermark_to_infinity();
}

// The snapshot is a checkpoint, and what is stopped a process that is killed after twenty more.
TEST_P(file_cases, U28_a_restart_neither_repeats_nor_changes_finished_files) {
  pipeline p("minutes");
  p | a_number_a_second(300) | window_into("minutes", {.into = fixed(60s)})
      | write_text("write", prefix(), {.shards = 1});
  const auto job = session(p);
  const auto play = [&](std::size_t from, std::size_t to) {
    for (std::size_t event = 2 * from; event < 2 * to; ++event) job->play(event);
  };
  play(0, 150);
  job->checkpoint();
  const texts finished{window_name(0, 60000), window_name(60000, 120000)};
  EXPECT_THAT(folder.names(), IsSupersetOf(finished));
  std::map<text, std::filesystem::file_time_type> written;
  for (const text& name : finished) written[name] = last_write_time(folder.path() / name);
  play(150, 170);
  job->crash(std::nullopt);
  play(150, 300);
  job->play(600);
  job->checkpoint();
  EXPECT_EQ(job->error(), "");
  texts expected;
  for (number n = 0; n < 300; ++n) expected.push_back(std::to_string(n));
  std::ranges::sort(expected);
  EXPECT_EQ(lines_of_all_files(), expected);
  EXPECT_THAT(folder.names(), SizeIs(5));
  for (const auto& [name, when] : written) {
    EXPECT_EQ(last_write_time(folder.path() / name), when) << name;
    EXPECT_EQ(std::ranges::count(content_of(folder.path() / name), '\n'), 60) << name;
  }
}

// Destinations are windows here: there are no others.
TEST_P(file_cases, U30_a_thousand_rows_for_250_files_leave_nothing_behind) {
  std::vector<timestamped_value<text>> rows;
  texts expected;
  for (number n = 0; n < 1000; ++n) {
    rows.push_back({std::to_string(n), timestamp{n % 250}});
    expected.push_back(std::to_string(n));
  }
  std::ranges::sort(expected);
  pipeline p("destinations");
  p | create_timestamped("rows", rows) | window_into("windows", {.into = fixed(1ms)})
      | write_text("write", prefix(), {.shards = 1});
  run(p);
  EXPECT_THAT(folder.names(), SizeIs(250));
  EXPECT_EQ(lines_of_all_files(), expected);
}

// Draws a number for each element, as a call of a service would.
class asks_once {
 public:
  static constexpr bool requires_stable_input = true;
  using output = text;
  auto cells() { return std::tie(asked_); }
  void process(const kv<text, text>& x, emitter<text>& out) {
    asked_.set(asked_.get() + 1);
    out(x.value + " " + std::to_string(asked_.get()));
  }

 private:
  value_state<number> asked_{"asked"};
};

// That it is the same after a kill is in tests/actors/stable_input.test.cpp.
TEST_P(file_cases, V7_a_drain_completes_what_waits_for_its_epoch) {
  pipeline p("drained");
  recording<text> answers;
  p | test_stream<kv<text, text>>("in").add({{"k", "a"}}).add({{"k", "b"}}) | par_do("ask", asks_once{})
      | collect("answers", answers);
  const auto job = session(p);
  job->play(0);
  job->checkpoint();
  job->play(1);
  job->drain();
  EXPECT_EQ(job->state(), session_state::drained) << job->error();
  EXPECT_THAT(texts_of(answers), ElementsAre("a 1", "b 2"));
}

}  // namespace
}  // namespace millrace::programs::acceptance_files_test
