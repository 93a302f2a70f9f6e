#include "both_runners.hpp"

#include <millrace/io/regex.hpp>
#include <millrace/transforms/approximate_distinct.hpp>
#include <millrace/transforms/approximate_quantiles.hpp>
#include <millrace/transforms/co_group_by_key.hpp>
#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/group_into_batches.hpp>
#include <millrace/transforms/hot_key_fanout.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/latest.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/top.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>
#include <millrace/transforms/windows/sessions.hpp>

#include <gmock/gmock.h>

#include <bit>
#include <cctype>

// Grouping, combining and the library: acceptance cases of the paper, sections 7, 8 and 14, and user case U38.
namespace millrace::programs::acceptance_library_test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using text = std::string;
using texts = std::vector<text>;
using number = std::int64_t;
using numbers = std::vector<number>;
using pair = kv<text, number>;
using line = kv<text, text>;

class library_cases : public both_runners {
 protected:
  // What a pipeline of one collection gives.
  template <class Build>
  [[nodiscard]] texts given(Build&& build) const {
    pipeline p("library");
    const auto built = build(p);
    recording<typename std::remove_cvref_t<decltype(built)>::element> all;
    built | collect("given", all);
    run(p);
    return texts_of(all);
  }
};
INSTANTIATE_TEST_SUITE_P(on, library_cases, ::testing::ValuesIn(all_ways), way_name);

// What building a pipeline is refused with; empty if it is not.
template <class Build>
text refusal_of(Build&& build) {
  pipeline p("refused");
  try {
    build(p);
    return {};
  } catch (const pipeline_error& error) {
    return error.what();
  }
}

TEST_P(library_cases, 7_1_only_unbounded_input_without_windows_or_trigger_is_not_grouped) {
  const auto grouped = [](const auto& source) {
    return refusal_of([&](pipeline& p) { static_cast<void>(p | source | group_by_key("group")); });
  };
  EXPECT_THAT(grouped(create("in", {line{"k", "a"}})), IsEmpty());
  EXPECT_THAT(grouped(test_stream<line>("in").add({line{"k", "a"}})),
              AllOf(HasSubstr("\"group\""), HasSubstr("window"), HasSubstr("trigger")));
  EXPECT_THAT(given([](pipeline& p) { return p | create("in", {line{"k", "a"}}) | group_by_key("group"); }),
              ElementsAre("k [a]"));
}

// That floating-point keys do not compile is in tests/rejected.
TEST_P(library_cases, 7_2_zeros_of_both_signs_are_two_groups_by_their_bits) {
  const auto bits = [](const double& x) { return std::bit_cast<std::uint64_t>(x); };
  EXPECT_THAT(given([&](pipeline& p) {
                return p | create("zeros", {0.0, -0.0, 0.0}) | with_keys("bits", bits) | count_per_key("count")
                       | values("counts");
              }),
              ElementsAre("1", "2"));
}

TEST_P(library_cases, 7_3_flatten_takes_what_is_windowed_alike) {
  const auto flattened = [](const windowing& a, const windowing& b) {
    return refusal_of([&](pipeline& p) {
      const auto in = p | test_stream<text>("in").add({"a"});
      static_cast<void>(flatten("both", in | window_into("wa", a), in | window_into("wb", b)));
    });
  };
  EXPECT_THAT(flattened({.into = fixed(10ms)}, {.into = fixed(20ms)}),
              AllOf(HasSubstr("\"both\""), HasSubstr("fixed(10ms)"), HasSubstr("fixed(20ms)")));
  EXPECT_THAT(flattened({.into = sessions(10ms)}, {.into = sessions(20ms)}), IsEmpty());
  EXPECT_THAT(flattened({.into = fixed(10ms)}, {.into = fixed(10ms),
                                                .fire = repeatedly(after_count(1)),
                                                .keep = panes::discarding,
                                                .allowed_lateness = 0ms}),
              HasSubstr("windowed differently"));
}

TEST_P(library_cases, 7_3_flatten_of_one_twice_and_of_none) {
  EXPECT_THAT(given([](pipeline& p) {
                const auto a = p | create("a", {text("a")});
                return flatten("twice", a, a);
              }),
              ElementsAre("a", "a"));
  EXPECT_THAT(given([](pipeline& p) {
                const auto none = flatten<text>(p, "none");
                EXPECT_TRUE(none.bounded());
                return none;
              }),
              IsEmpty());
  EXPECT_THAT(given([](pipeline& p) { return flatten<number>(p, "none") | combine_globally("sum", sum); }),
              ElementsAre("0"));
}

TEST_P(library_cases, 7_4_co_group_by_key_gives_what_each_collection_has) {
  EXPECT_THAT(given([](pipeline& p) {
                const auto a = p | create("a", {pair{"k", 1}});
                const auto b = p | create("b", {line{"k", "x"}, line{"j", "y"}});
                return co_group_by_key("join", a, b);
              }),
              ElementsAre("j [] [y]", "k [1] [x]"));
}

TEST_P(library_cases, 8_1_a_global_sum_of_nothing_is_0_once) {
  const auto none = create("none", numbers{});
  EXPECT_THAT(given([&](pipeline& p) { return p | none | combine_globally("sum", sum); }), ElementsAre("0"));
  EXPECT_THAT(given([&](pipeline& p) { return p | none | combine_globally("sum", sum, without_defaults); }), IsEmpty());
  EXPECT_THAT(refusal_of([&](pipeline& p) {
                static_cast<void>(p | none | window_into("tens", {.into = fixed(10ms)}) | combine_globally("sum", sum));
              }),
              AllOf(HasSubstr("\"sum\""), HasSubstr("without_defaults")));
}

TEST_P(library_cases, 8_3_a_fan_out_counts_nothing_twice_in_accumulating_panes) {
  const texts sums = given([](pipeline& p) {
    return p
           | test_stream<pair>("in")
                 .add_at(timestamp{1}, {pair{"k", 1}})
                 .add_at(timestamp{2}, {pair{"k", 2}, pair{"k", 3}})
                 .add_at(timestamp{3}, {pair{"k", 4}, pair{"k", 5}})
                 .advance_watermark_to_infinity()
           | window_into("tens", {.into = fixed(10ms),
                                  .fire = repeatedly(after_count(1)),
                                  .keep = panes::accumulating,
                                  .allowed_lateness = 5ms,
                                  .closing = fires::always})
           | combine_per_key("sum", sum, with_hot_key_fanout(2)) | values("sums");
  });
  EXPECT_THAT(sums, Contains("15"));
  for (const text& one : sums) EXPECT_LE(std::stoll(one), 15);
}

TEST_P(library_cases, 8_6_14_6_the_greatest_come_first_wherever_they_were) {
  const auto top_of = [&](numbers of, std::size_t n) {
    return given([&](pipeline& p) { return p | create("in", of) | top_globally("top", n); });
  };
  EXPECT_THAT(top_of({5, 1, 4}, 2), ElementsAre("[5 4]"));
  EXPECT_THAT(top_of({1}, 5), ElementsAre("[1]"));
}

// The batches of one key's values, which come in this order.
auto batches_of(const texts& of, batch_limits limits) {
  return [of, limits](pipeline& p) {
    std::vector<line> lines;
    for (const text& x : of) lines.push_back({"k", x});
    return p | create("in", lines) | group_into_batches("batch", limits) | values("batches");
  };
}

TEST_P(library_cases, 14_1_batches_end_by_count_and_by_bytes) {
  EXPECT_THAT(given(batches_of({"a", "b", "c", "d", "e", "f", "g", "h"}, {.count = 3})),
              ElementsAre("[a b c]", "[d e f]", "[g h]"));
  const batch_limits ten{.bytes = 10};
  EXPECT_THAT(given(batches_of({"aaaa", "bbbb", "cccc"}, ten)), ElementsAre("[aaaa bbbb]", "[cccc]"));
  EXPECT_THAT(given(batches_of({"aaaaaaaaaaaa"}, ten)), ElementsAre("[aaaaaaaaaaaa]"));
}

TEST_P(library_cases, 14_1_a_batch_that_has_its_bytes_comes_at_once) {
  pipeline p("at once");
  recording<texts> found;
  p | test_stream<line>("in").add({line{"k", "aaaaaa"}}).add({line{"k", "bbbb"}})
      | group_into_batches("batch", {.bytes = 10}) | values("batches") | collect("found", found);
  const auto job = session(p);
  job->play(0);
  job->checkpoint();
  EXPECT_THAT(texts_of(found), IsEmpty());
  job->play(1);
  job->checkpoint();
  EXPECT_THAT(texts_of(found), ElementsAre("[aaaaaa bbbb]"));
}

TEST_P(library_cases, 14_5_quantiles_estimates_and_expressions) {
  numbers all;
  for (number i = 0; i <= 100; ++i) all.push_back(i * 37 % 101);
  EXPECT_THAT(given([&](pipeline& p) { return p | create("in", all) | approximate_quantiles_globally("parts", 5); }),
              ElementsAre("[0 25 50 75 100]"));
  EXPECT_THAT(refusal_of([](pipeline& p) {
                static_cast<void>(p | create("in", {1}) | approximate_distinct_globally("about", 15));
              }),
              HasSubstr("\"about\""));
  const auto words = create("words", {text("aab"), text("xaab")});
  EXPECT_THAT(given([&](pipeline& p) { return p | words | regex_matches("match", "a+(b)", 1); }), ElementsAre("b"));
  EXPECT_THAT(given([&](pipeline& p) { return p | create("word", {text("xaab")}) | regex_find("find", "a+(b)", 1); }),
              ElementsAre("b"));
}

TEST_P(library_cases, 14_6_the_latest_does_not_depend_on_the_order) {
  std::vector<timestamped_value<text>> all{{"a", timestamp{1}}, {"b", timestamp{3}}, {"c", timestamp{3}}};
  const auto less = [](const auto& a, const auto& b) { return a.value < b.value; };
  do {
    EXPECT_THAT(given([&](pipeline& p) { return p | create_timestamped("in", all) | latest_globally("latest"); }),
                ElementsAre("c"));
  } while (std::ranges::next_permutation(all, less).found);
}

// A name that compares without regard to case, which its bytes do not.
struct name_of_city {
  text letters;
  friend bool operator==(const name_of_city& a, const name_of_city& b) {
    return std::ranges::equal(a.letters, b.letters,
                              [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
  }
};

TEST_P(library_cases, U38_keys_are_equal_if_their_bytes_are) {
  EXPECT_TRUE((name_of_city{"Ab"} == name_of_city{"AB"}));
  EXPECT_THAT(given([](pipeline& p) {
                return p | create("cities", {name_of_city{"Ab"}, name_of_city{"AB"}, name_of_city{"Ab"}})
                       | count_per_element("count") | map("text", [](const kv<name_of_city, std::uint64_t>& c) {
                           return c.key.letters + " " + std::to_string(c.value);
                         });
              }),
              ElementsAre("AB 1", "Ab 2"));
}

}  // namespace
}  // namespace millrace::programs::acceptance_library_test
