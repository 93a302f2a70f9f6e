#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/filter.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/window_into.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace millrace::as_view_test {
namespace {

using namespace std::chrono_literals;

// One script for both inputs, so that their order is fixed: numbers are the side input, letters the main input.
bool is_number(const std::string& s) {
  return s[0] >= '0' && s[0] <= '9';
}
pcollection<int> numbers_of(const pcollection<std::string>& all) {
  return all | filter("numbers", is_number) | map("to int", [](const std::string& s) { return std::stoi(s); });
}
pcollection<std::string> letters_of(const pcollection<std::string>& all) {
  return all | filter("letters", [](const std::string& s) { return !is_number(s); });
}
timestamp at(std::int64_t millis) {
  return timestamp{millis};
}

std::string with_number(const std::string& letter, const int& n) {
  return letter + std::to_string(n);
}
std::string with_all(const std::string& letter, const std::vector<int>& all) {
  std::vector<int> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  std::string text = letter;
  for (const int n : sorted) text += " " + std::to_string(n);
  return text;
}

test_stream<std::string> three_and_three() {
  test_stream<std::string> script("in");
  script.add({{"1", at(1)}, {"2", at(11)}, {"3", at(13)}}).add({{"A", at(4)}, {"B", at(15)}, {"C", at(7)}});
  return script.advance_watermark_to_infinity();
}

TEST(as_singleton, gives_each_element_the_window_that_its_own_belongs_to) {
  pipeline p{"p"};
  const auto all = p | three_and_three() | window_into("tens", {.into = fixed(10ms)});
  const auto sums = numbers_of(all) | combine_globally("sum", sum, without_defaults) | as_singleton("sums");
  expectations e;
  e.that("joined", letters_of(all) | map("join", with_number, with(sums))).contains_in_any_order({"A1", "B5", "C1"});
  run_direct(p);
  e.verify();
}

TEST(as_singleton, gives_every_window_the_global_one) {
  pipeline p{"p"};
  const auto all = p | three_and_three();
  const auto sums = numbers_of(all) | window_into("each", {.fire = each_element{}, .keep = panes::accumulating})
                    | combine_globally("sum", sum, without_defaults) | as_singleton("sums");
  expectations e;
  e.that("joined", letters_of(all) | window_into("tens", {.into = fixed(10ms)}) | map("join", with_number, with(sums)))
      .contains_in_any_order({"A6", "B6", "C6"});
  run_direct(p);
  e.verify();
}

TEST(as_singleton, shows_its_default_in_an_empty_window) {
  pipeline p{"p"};
  const auto all = p
                   | test_stream<std::string>("in")
                         .add({{"2", at(11)}, {"3", at(13)}})
                         .add({{"A", at(4)}, {"B", at(15)}})
                         .advance_watermark_to_infinity()
                   | window_into("tens", {.into = fixed(10ms)});
  const auto sums = numbers_of(all) | combine_globally("sum", sum, without_defaults) | as_singleton("sums", 0);
  expectations e;
  e.that("joined", letters_of(all) | map("join", with_number, with(sums))).contains_in_any_order({"A0", "B5"});
  run_direct(p);
  e.verify();
}

TEST(as_singleton, fails_the_job_in_an_empty_window_without_a_default) {
  pipeline p{"p"};
  const auto all =
      p | test_stream<std::string>("in").add({{"2", at(11)}}).add({{"A", at(4)}}).advance_watermark_to_infinity()
      | window_into("tens", {.into = fixed(10ms)});
  const auto joined = letters_of(all) | map("join", with_number, with(numbers_of(all) | as_singleton("sums")));
  static_cast<void>(joined);
  try {
    run_direct(p);
    FAIL();
  } catch (const element_failure& e) {
    EXPECT_EQ(e.step(), "join");
    EXPECT_THAT(e.cause(), ::testing::HasSubstr("is empty where a singleton has one element"));
  }
}

TEST(as_singleton, keeps_elements_until_the_watermark_passes_the_end_of_the_side_window) {
  pipeline p{"p"};
  const auto all = p
                   | test_stream<std::string>("in")
                         .add({{"A", at(4)}})
                         .advance_watermark_to(at(9))
                         .add({{"1", at(5)}, {"2", at(6)}})
                         .advance_watermark_to(at(10))
                         .add({{"C", at(12)}})
                         .advance_watermark_to_infinity()
                   | window_into("tens", {.into = fixed(10ms)});
  expectations e;
  e.that("joined", letters_of(all) | map("join", with_all, with(numbers_of(all) | as_list("numbers"))))
      .contains_in_any_order({"A 1 2", "C"});
  run_direct(p);
  e.verify();
}

TEST(side_inputs, of_one_type_are_told_apart_by_their_place) {
  pipeline p{"p"};
  expectations e;
  const auto all = p | three_and_three() | window_into("hours", {.into = fixed(1h)});
  const auto numbers = numbers_of(all);
  const auto doubled = numbers | map("double", [](const int& n) { return 2 * n; });
  const auto both = [](const std::string& letter, const std::vector<int>& a, const std::vector<int>& b) {
    return with_all(with_all(letter, a), b);
  };
  e.that("joined",
         letters_of(all) | map("join", both, with(numbers | as_list("numbers"), doubled | as_list("doubled"))))
      .contains_in_any_order({"A 1 2 3 2 4 6", "B 1 2 3 2 4 6", "C 1 2 3 2 4 6"});
  run_direct(p);
  e.verify();
}

pcollection<std::string> early_panes(pipeline& p, panes keep) {
  const auto all =
      p | test_stream<std::string>("in").add({"1"}).add({"a"}).add({"2"}).add({"b"}).advance_watermark_to_infinity();
  const auto numbers = numbers_of(all) | window_into("each", {.fire = repeatedly(after_count(1)), .keep = keep});
  return letters_of(all) | map("join", with_all, with(numbers | as_list("numbers")));
}

TEST(as_list, shows_all_of_an_accumulating_side_input_so_far) {
  pipeline p{"p"};
  expectations e;
  e.that("joined", early_panes(p, panes::accumulating)).contains_in_any_order({"a 1", "b 1 2"});
  run_direct(p);
  e.verify();
}

TEST(as_list, shows_only_the_newest_pane_of_a_discarding_side_input) {
  pipeline p{"p"};
  expectations e;
  e.that("joined", early_panes(p, panes::discarding)).contains_in_any_order({"a 1", "b 2"});
  run_direct(p);
  e.verify();
}

}  // namespace
}  // namespace millrace::as_view_test
