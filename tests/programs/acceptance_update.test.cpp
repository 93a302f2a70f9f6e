#include "updating.hpp"

#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gmock/gmock.h>

// A running job gives way to a changed program: section 17 of the model, and U40 of the user cases. A recording shows
// what earlier programs of the job have committed, too.
namespace millrace::programs::acceptance_update_test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class update_cases : public updating {};
INSTANTIATE_TEST_SUITE_P(on, update_cases, ::testing::ValuesIn(all_ways), way_name);

// Counts what comes for each key, each time anew.
struct running_total {
  using output = pair;
  value_state<std::int64_t> total{"total"};
  auto cells() { return std::tie(total); }
  void process(const pair& in, emitter<pair>& out) {
    total.set(total.get() + in.value);
    out({in.key, total.get()});
  }
};

struct totals {
  recording<pair> out;
  pipeline p{"totals"};
  totals(const text& name, const std::vector<std::int64_t>& all) {
    keyed_numbers(p, all) | par_do(name, running_total{}) | collect("out", out);
  }
};

TEST_P(update_cases, 17_3_a_step_with_a_new_name_goes_on_where_the_old_one_was_if_it_is_mapped) {
  const totals old("Count", {2, 3});
  const totals renamed("Total", {2, 99});
  const auto job = session(old.p);
  job->play(0);
  job->play(1);
  job->checkpoint();
  EXPECT_THAT(texts_of(old.out), ElementsAre("k 2", "k 5"));

  EXPECT_THAT(refusal(*job, renamed.p), AllOf(HasSubstr("\"Count\""), HasSubstr("cell \"total\" value<int64>"),
                                              HasSubstr("\"Total\""), HasSubstr("map")));
  EXPECT_THAT(texts_of(renamed.out), IsEmpty());

  EXPECT_EQ(refusal(*job, renamed.p, name_mapping{{{"Count", "Total"}}}), "");
  job->play(0);
  job->checkpoint();
  EXPECT_EQ(job->error(), "");
  EXPECT_THAT(texts_of(renamed.out), ElementsAre("k 2", "k 5", "k 7"));
}

TEST_P(update_cases, 17_3_a_refused_job_runs_on) {
  const totals old("Count", {2, 3, 2});
  const totals renamed("Total", {2});
  const auto job = session(old.p);
  job->play(0);
  job->play(1);
  EXPECT_THAT(refusal(*job, renamed.p), Not(IsEmpty()));
  job->play(2);
  job->checkpoint();
  EXPECT_EQ(job->error(), "");
  EXPECT_THAT(texts_of(old.out), ElementsAre("k 2", "k 5", "k 7"));
}

TEST_P(update_cases, 17_3_state_is_given_up_only_where_that_is_said) {
  const totals old("Count", {5});
  const totals other("Total", {2});
  const auto job = session(old.p);
  job->play(0);
  EXPECT_EQ(refusal(*job, other.p, name_mapping{{{"Count", ""}}}), "");
  job->play(0);
  job->checkpoint();
  EXPECT_THAT(texts_of(other.out), ElementsAre("k 2", "k 5"));
  EXPECT_THAT(job->notices(), ::testing::Contains(AllOf(HasSubstr("\"Count\""), HasSubstr("given up"))));
}

TEST_P(update_cases, 17_3_a_crash_after_an_update_goes_on_from_it) {
  const totals old("Count", {5});
  const totals renamed("Total", {2, 1});
  const auto job = session(old.p);
  job->play(0);
  EXPECT_EQ(refusal(*job, renamed.p, name_mapping{{{"Count", "Total"}}}), "");
  job->play(0);
  job->crash(std::nullopt);
  job->play(0);
  job->checkpoint();
  job->crash(std::nullopt);
  job->play(1);
  job->checkpoint();
  EXPECT_EQ(job->error(), "");
  EXPECT_THAT(texts_of(renamed.out), ElementsAre("k 5", "k 7", "k 8"));
}

TEST_P(update_cases, 17_3_a_mapping_names_steps_that_there_are) {
  const totals old("Count", {5});
  const totals renamed("Total", {2});
  const auto job = session(old.p);
  job->play(0);
  EXPECT_THAT(refusal(*job, renamed.p, name_mapping{{{"Cuont", "Total"}, {"Count", "Totla"}}}),
              AllOf(HasSubstr("no step \"Cuont\""), HasSubstr("no step \"Totla\"")));
}

// The versions of a type that is kept.
struct amount_1 {
  std::int64_t a = 0;
};
struct amount_2 {
  std::int64_t a = 0;
  std::optional<std::int64_t> b;
};
struct amount_3 {
  text a;
};
struct amount_4 {
  std::int64_t a = 0;
  std::int64_t b = 0;
};

text text_of_amount(const amount_1& of) {
  return std::to_string(of.a);
}
text text_of_amount(const amount_2& of) {
  return std::to_string(of.a) + "," + (of.b ? std::to_string(*of.b) : "null");
}
text text_of_amount(const amount_3& of) {
  return of.a;
}
text text_of_amount(const amount_4& of) {
  return std::to_string(of.a) + "," + std::to_string(of.b);
}

// Numbers as amounts, grouped by key in windows of 10.
template <class Amount>
struct grouped {
  recording<text> out;
  pipeline p{"grouped"};
  explicit grouped(const std::vector<std::int64_t>& all, const windowing& in = {.into = fixed(10ms)}) {
    test_stream<pair> script{"numbers"};
    for (const std::int64_t n : all) script.add({{{"k", n}, timestamp{n}}});
    script.advance_watermark_to_infinity();
    (p | script)
        | map("amounts",
              [](const pair& x) {
                kv<text, Amount> made{x.key, {}};
                if constexpr (std::is_same_v<Amount, amount_3>) made.value.a = std::to_string(x.value);
                else made.value.a = x.value;
                return made;
              })
        | window_into("windows", in) | group_by_key("group")
        | map("texts",
              [](const kv<text, std::vector<Amount>>& x) {
                text line;
                for (const Amount& a : x.value) line += (line.empty() ? "" : " ") + text_of_amount(a);
                return line;
              })
        | collect("out", out);
  }
};

TEST_P(update_cases, 17_4_a_buffered_value_may_get_a_field_that_can_be_null_and_no_other_type) {
  const grouped<amount_1> old({1, 2});
  const grouped<amount_2> wider({3});
  const grouped<amount_3> retyped({3});
  const grouped<amount_4> filled({3});
  const auto job = session(old.p);
  job->play(0);
  job->play(1);
  EXPECT_THAT(refusal(*job, retyped.p), AllOf(HasSubstr("step \"group\""), HasSubstr("amount_1{int64}"),
                                              HasSubstr("amount_3{string}"), HasSubstr("value")));
  EXPECT_THAT(refusal(*job, filled.p), AllOf(HasSubstr("amount_1{int64}"), HasSubstr("amount_4{int64,int64}")));
  EXPECT_EQ(refusal(*job, wider.p), "");
  job->play(0);
  job->play(1);
  job->checkpoint();
  EXPECT_EQ(job->error(), "");
  EXPECT_THAT(texts_of(wider.out), ElementsAre("1,null 2,null 3,null"));
  EXPECT_THAT(texts_of(old.out), IsEmpty());
}

TEST_P(update_cases, 17_4_windows_that_are_open_keep_their_function_and_others_may_change) {
  const grouped<amount_1> old({1, 2});
  const grouped<amount_1> longer({3}, {.into = fixed(20ms)});
  const auto job = session(old.p);
  EXPECT_THAT(refusal(*job, longer.p), IsEmpty()) << "nothing is in a window yet";
  job->play(0);
  EXPECT_THAT(refusal(*job, old.p), AllOf(HasSubstr("\"group\""), HasSubstr("fixed"), HasSubstr("windows with state")));
}

TEST_P(update_cases, 17_4_trigger_and_lateness_may_change) {
  const grouped<amount_1> old({1, 2, 3});
  const windowing early{.into = fixed(10ms),
                        .fire = at_watermark().early(each_element{}).late(each_element{}),
                        .keep = panes::discarding,
                        .allowed_lateness = 1h};
  const grouped<amount_1> now({4}, early);
  const auto job = session(old.p);
  job->play(0);
  job->play(1);
  EXPECT_EQ(refusal(*job, now.p), "");
  job->play(0);
  job->checkpoint();
  EXPECT_EQ(job->error(), "");
  EXPECT_THAT(texts_of(now.out), ElementsAre("1 2 4")) << "what waits comes with the next pane";
}

// Keeps the last amount of each key and gives out the one before.
template <class Amount>
struct last_amount {
  using output = text;
  value_state<Amount> last{"last"};
  auto cells() { return std::tie(last); }
  void process(const pair& in, emitter<text>& out) {
    out(last.find() ? text_of_amount(*last.find()) : text("none"));
    Amount now;
    if constexpr (std::is_same_v<Amount, amount_3>) now.a = std::to_string(in.value);
    else now.a = in.value;
    last.set(now);
  }
};

template <class Amount>
struct remembering {
  recording<text> out;
  pipeline p{"remembering"};
  explicit remembering(const std::vector<std::int64_t>& all, const text& name = "remember") {
    keyed_numbers(p, all) | par_do(name, last_amount<Amount>{}) | collect("out", out);
  }
};

TEST_P(update_cases, U40_a_field_is_added_to_state_and_its_type_is_not_changed) {
  const remembering<amount_1> first({7});
  const remembering<amount_2> second({8, 9});
  const remembering<amount_3> third({10});
  const remembering<amount_2> renamed({10}, "recall");
  const auto job = session(first.p);
  job->play(0);
  EXPECT_EQ(refusal(*job, second.p), "");
  job->play(0);
  job->checkpoint();
  EXPECT_THAT(texts_of(second.out), ElementsAre("7,null", "none"));

  EXPECT_THAT(refusal(*job, third.p),
              AllOf(HasSubstr("step \"remember\""), HasSubstr("amount_2{int64,optional<int64>}"),
                    HasSubstr("amount_3{string}")));
  EXPECT_THAT(refusal(*job, renamed.p), AllOf(HasSubstr("step \"remember\""), HasSubstr("\"recall\"")));
  job->play(1);
  job->checkpoint();
  EXPECT_EQ(job->error(), "");
  EXPECT_THAT(texts_of(second.out), ElementsAre("7,null", "8,null", "none"));
}

}  // namespace
}  // namespace millrace::programs::acceptance_update_test
