#include <millrace/tests/transforms/operators/keyed_step.hpp>
#include <millrace/transforms/combiners.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/state/combining_state.hpp>
#include <millrace/transforms/state/map_state.hpp>
#include <millrace/transforms/state/multimap_state.hpp>
#include <millrace/transforms/state/ordered_list_state.hpp>
#include <millrace/transforms/state/set_state.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace millrace::testing::cells_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using number = std::int64_t;
using row = kv<std::string, number>;

timestamp at(number millis) {
  return timestamp{millis};
}

// A key type without an order of its own.
struct place {
  number shelf = 0;
  std::string box;
};

// One cell of each kind. What a call does with them is asked of the test: the value of an element is the number of the
// action. A call whose action is negative fails once after it.
struct all_kinds {
  using output = std::string;
  using action = std::function<void(all_kinds&, emitter<std::string>&)>;

  auto cells() { return std::tie(sum, words, prices, lists, log, places, best); }
  void process(const row& x, emitter<output>& out) {
    const bool fails = x.value < 0 && ++*attempts == 1;
    (*actions)[static_cast<std::size_t>(x.value < 0 ? -x.value : x.value)](*this, out);
    if (fails) throw std::runtime_error("not yet");
    if (x.value < 0) *attempts = 0;
  }

  const std::vector<action>* actions = nullptr;
  int* attempts = nullptr;
  combining_state<sum_of<number>> sum{"sum"};
  set_state<std::string> words{"words"};
  map_state<std::string, number> prices{"prices"};
  multimap_state<std::string, number> lists{"lists"};
  ordered_list_state<std::string> log{"log"};
  map_state<place, std::string> places{"places"};
  combining_state<top_of<number, std::less<>>> best{"best", top_of<number, std::less<>>(2, {})};
};

std::string text_of(const all_kinds& c) {
  std::string text = std::to_string(c.sum.read()) + " |";
  for (const std::string& w : c.words.read()) text += " " + w;
  text += " |";
  for (const auto& [key, value] : c.prices.entries()) text += " " + key + "=" + std::to_string(value);
  text += " |";
  for (const auto& [key, values] : c.lists.entries())
    for (const number v : values) text += " " + key + ":" + std::to_string(v);
  text += " |";
  for (const auto& [time, value] : c.log.read()) text += " " + std::to_string(time.millis()) + value;
  text += " |";
  for (const auto& [where, what] : c.places.entries())
    text += " " + std::to_string(where.shelf) + where.box + "=" + what;
  text += " |";
  for (const number v : c.best.read()) text += " " + std::to_string(v);
  return text;
}
void show(all_kinds& c, emitter<std::string>& out) {
  out(text_of(c));
}
void fill(all_kinds& c, emitter<std::string>& /*out*/) {
  for (const number v : {3, 9, 4}) {
    c.sum.add(v);
    c.best.add(v);
  }
  c.words.add("b");
  c.words.add("a");
  c.prices.put("pear", 2);
  c.prices.put("apple", 1);
  c.lists.put("a", 1);
  c.lists.put("a", 2);
  c.lists.put("b", 3);
  c.log.add(at(5), "a");
  c.log.add(at(3), "b");
  c.log.add(at(5), "c");
  c.log.add(at(9), "d");
  c.places.put({2, "x"}, "spoon");
  c.places.put({1, "y"}, "fork");
}
constexpr const char* filled = "16 | a b | apple=1 pear=2 | a:1 a:2 b:3 | 3b 5a 5c 9d | 1y=fork 2x=spoon | 9 4";
// Every way of changing every kind, some of them twice.
void change(all_kinds& c, emitter<std::string>& /*out*/) {
  c.sum.add(100);
  c.best.add(50);
  c.words.remove("a");
  c.words.add("c");
  c.words.add("a");
  c.words.remove("b");
  c.prices.put("pear", 20);
  c.prices.put("pear", 21);
  c.prices.remove("apple");
  c.prices.put_if_absent("apple", 7);
  c.prices.put("plum", 3);
  c.prices.remove("plum");
  c.lists.put("a", 8);
  c.lists.remove("a");
  c.lists.put("a", 9);
  c.lists.put("z", 1);
  c.lists.remove("b");
  c.log.add(at(5), "e");
  c.log.clear_range(at(5), at(6));
  c.log.add(at(5), "f");
  c.log.add(at(1), "g");
  c.log.clear_range(at(0), at(4));
  c.places.remove({2, "x"});
  c.places.put({1, "y"}, "knife");
}
constexpr const char* changed = "116 | a c | apple=7 pear=21 | a:9 z:1 | 5f 9d | 1y=knife | 50 9";
void clear(all_kinds& c, emitter<std::string>& /*out*/) {
  c.sum.clear();
  c.best.clear();
  c.words.clear();
  c.prices.clear();
  c.lists.clear();
  c.log.clear();
  c.places.clear();
}
constexpr const char* nothing = "0 | | | | | |";

struct all_kinds_step {
  explicit all_kinds_step(std::vector<all_kinds::action> to_do) : actions(std::move(to_do)) {
    windowing_strategy s;
    s.into = fixed(duration{10});
    all_kinds fn;
    fn.actions = &actions;
    fn.attempts = &attempts;
    pipeline p{"p"};
    step.emplace(keyed_input<row>(p, s) | par_do("step", fn));
  }
  // The text of what the action gave out.
  std::vector<std::string> act(number action, const std::string& key = "k") {
    std::vector<std::string> texts;
    for (const std::string& line : step->element({key, action}, 1))
      texts.push_back(line.substr(1, line.find("\" [") - 1));
    return texts;
  }

  std::vector<all_kinds::action> actions;
  int attempts = 0;
  std::optional<keyed_step<row, std::string>> step;
};

TEST(state_cells, keep_what_is_put_into_them) {
  all_kinds_step s({show, fill, change});
  EXPECT_THAT(s.act(0), ElementsAre(nothing));
  s.act(1);
  EXPECT_THAT(s.act(0), ElementsAre(filled));
  s.act(2);
  EXPECT_THAT(s.act(0), ElementsAre(changed));
  EXPECT_THAT(s.act(0, "j"), ElementsAre(nothing));
}

TEST(state_cells, take_back_what_a_failed_call_did_13_1) {
  all_kinds_step s({show, [](all_kinds&, emitter<std::string>&) {}, fill, change,
                    [](all_kinds& c, emitter<std::string>& out) {
                      if (*c.attempts == 1) change(c, out);
                      else show(c, out);
                    },
                    [](all_kinds& c, emitter<std::string>& out) {
                      if (*c.attempts == 1) {
                        change(c, out);
                        clear(c, out);
                        fill(c, out);
                        change(c, out);
                        clear(c, out);
                      } else {
                        show(c, out);
                      }
                    }});
  EXPECT_THAT(s.act(-4), ElementsAre(nothing));
  EXPECT_THAT(s.act(-5), ElementsAre(nothing));
  s.act(-2);
  EXPECT_THAT(s.act(0), ElementsAre(filled));
  EXPECT_THAT(s.act(-4), ElementsAre(filled));
  EXPECT_THAT(s.act(-5), ElementsAre(filled));
  s.act(-3);
  EXPECT_THAT(s.act(0), ElementsAre(changed));
}

TEST(state_cells, leave_nothing_once_they_are_cleared) {
  all_kinds_step s({show, fill, clear, change, [](all_kinds& c, emitter<std::string>& out) {
                      clear(c, out);
                      fill(c, out);
                      show(c, out);
                    }});
  const std::string empty = s.step->snapshot();
  s.act(1);
  EXPECT_NE(s.step->snapshot(), empty);
  s.act(2);
  EXPECT_EQ(s.step->snapshot(), empty);
  s.act(3);
  EXPECT_THAT(s.act(4), ElementsAre(filled));
}

TEST(state_cells, are_restored_from_a_snapshot) {
  all_kinds_step s({show, fill, change});
  s.act(1);
  s.step->restart();
  EXPECT_THAT(s.act(0), ElementsAre(filled));
  s.act(2);
  s.step->restart();
  EXPECT_THAT(s.act(0), ElementsAre(changed));
}

TEST(state_cells, refuse_a_snapshot_that_is_cut_short) {
  all_kinds_step s({show, fill});
  s.act(1);
  const std::string state = s.step->snapshot();
  reader bytes(state);
  const std::string_view own = bytes.take(bytes.count());
  for (std::size_t n = 1; n < own.size(); ++n) {
    all_kinds_step fresh({show, fill});
    reader cut(own.substr(0, n));
    EXPECT_THROW(fresh.step->running().restore(cut), decode_error) << n;
  }
}

TEST(ordered_list_state, gives_and_clears_ranges_9_3) {
  all_kinds_step s({[](all_kinds& c, emitter<std::string>& out) {
    fill(c, out);
    std::string text;
    for (const auto& [time, value] : c.log.read_range(at(3), at(9)))
      text += std::to_string(time.millis()) + value + " ";
    c.log.clear_range(at(5), at(6));
    text += "|";
    for (const auto& [time, value] : c.log.read()) text += " " + std::to_string(time.millis()) + value;
    text += std::string("| ") + (c.log.read_range(at(9), at(3)).empty() ? "none" : "some");
    out(text);
  }});
  EXPECT_THAT(s.act(0), ElementsAre("3b 5a 5c | 3b 9d| none"));
}

TEST(multimap_state, forgets_all_values_of_a_key_9_4) {
  all_kinds_step s({[](all_kinds& c, emitter<std::string>& out) {
    fill(c, out);
    c.lists.remove("a");
    out(c.lists.keys() == std::vector<std::string>{"b"} && !c.lists.empty() && c.lists.get("a").empty()
                && !c.lists.contains("a") && c.lists.get("b") == std::vector<number>{3}
            ? "yes"
            : "no");
  }});
  EXPECT_THAT(s.act(0), ElementsAre("yes"));
}

TEST(map_state, puts_what_is_absent_though_nobody_reads_it_9_5) {
  all_kinds_step s({[](all_kinds& c, emitter<std::string>&) {
                      c.prices.put_if_absent("k", 1);
                      c.prices.put_if_absent("k", 2);
                    },
                    [](all_kinds& c, emitter<std::string>& out) { out(std::to_string(c.prices.get("k"))); }});
  s.act(0);
  EXPECT_THAT(s.act(1), ElementsAre("1"));
}

TEST(map_state, answers_for_keys_that_are_there_and_that_are_not) {
  all_kinds_step s({[](all_kinds& c, emitter<std::string>& out) {
    EXPECT_EQ(c.prices.find("pear"), nullptr);
    EXPECT_EQ(c.prices.get("pear"), 0);
    EXPECT_EQ(c.prices.get_or("pear", 4), 4);
    EXPECT_EQ(c.prices.compute_if_absent("pear", [](const std::string& k) { return number(k.size()); }), 4);
    EXPECT_EQ(c.prices.compute_if_absent("pear", [](const std::string&) { return number(9); }), 4);
    EXPECT_EQ(*c.prices.put_if_absent("pear", 9), 4);
    EXPECT_TRUE(c.prices.contains("pear"));
    EXPECT_THAT(c.prices.keys(), ElementsAre("pear"));
    EXPECT_THAT(c.prices.values(), ElementsAre(4));
    EXPECT_EQ(c.prices.size(), 1U);
    out("done");
  }});
  EXPECT_THAT(s.act(0), ElementsAre("done"));
}

TEST(set_state, tells_whether_a_value_was_absent) {
  all_kinds_step s({[](all_kinds& c, emitter<std::string>& out) {
    EXPECT_TRUE(c.words.add_if_absent("a"));
    EXPECT_FALSE(c.words.add_if_absent("a"));
    EXPECT_TRUE(c.words.contains("a"));
    c.words.remove("b");
    EXPECT_EQ(c.words.size(), 1U);
    out("done");
  }});
  EXPECT_THAT(s.act(0), ElementsAre("done"));
}

TEST(combining_state, reads_that_of_nothing_and_merges_accumulators) {
  all_kinds_step s({[](all_kinds& c, emitter<std::string>& out) {
    EXPECT_TRUE(c.sum.empty());
    EXPECT_EQ(c.sum.read(), 0);
    c.sum.add(number{4});
    c.sum.merge(5);
    EXPECT_EQ(c.sum.read_accumulator(), 9);
    c.best.merge({7, 1});
    c.best.merge({5});
    EXPECT_THAT(c.best.read(), ElementsAre(7, 5));
    out("done");
  }});
  EXPECT_THAT(s.act(0), ElementsAre("done"));
}

TEST(state_cells, name_their_kinds_in_the_description) {
  pipeline p{"p"};
  static_cast<void>(keyed_input<row>(p, {}) | par_do("step", all_kinds{}));
  EXPECT_THAT(p.description().nodes().back().spec->describe(),
              HasSubstr("cells sum (sum in int64), words (set of string), prices (map of string to int64), "
                        "lists (multimap of string to int64), log (ordered list of string)"));
}

}  // namespace
}  // namespace millrace::testing::cells_test
