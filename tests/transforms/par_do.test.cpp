#include "one_step.hpp"

#include <millrace/transforms/par_do.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace millrace::testing::par_do_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

// Writes down how it is called; puts each element off until the bundle is finished.
class logging_fn {
 public:
  using output = std::string;
  explicit logging_fn(std::shared_ptr<std::string> log) : log_(std::move(log)) {}

  void setup() { *log_ += "setup "; }
  void start_bundle() { *log_ += "start "; }
  void process(const std::string& x, emitter<output>& out) {
    *log_ += x + " ";
    kept_.emplace_back(x, out.at());
  }
  void finish_bundle(emitter<output>& out) {
    *log_ += "finish ";
    for (const auto& [x, at] : kept_) out.emit(x, at.time, at.in);
    kept_.clear();
  }
  void teardown() { *log_ += "teardown"; }

 private:
  std::shared_ptr<std::string> log_;
  std::vector<std::pair<std::string, stamp>> kept_;
};

TEST(par_do, calls_a_function_in_the_order_of_its_life) {
  pipeline p{"p"};
  const auto log = std::make_shared<std::string>();
  one_step step(input_of<std::string>(p) | par_do("log", logging_fn{log}));
  step.output<std::string>();
  step.op->setup();
  step.feed_bundle(rows<std::string>{{"a", "b"}, {}, {}, {}});
  step.feed_bundle(rows<std::string>{{"c"}, {}, {}, {}});
  step.op->teardown();
  EXPECT_EQ(*log, "setup start a b finish start c finish teardown");
}

TEST(par_do, takes_outputs_with_time_and_window_when_a_bundle_is_finished) {
  pipeline p{"p"};
  one_step step(input_of<std::string>(p) | par_do("log", logging_fn{std::make_shared<std::string>()}));
  auto& out = step.output<std::string>();
  step.op->setup();
  step.op->start_bundle();
  step.feed(
      rows<std::string>{{"a", "b"}, {at(5), at(3)}, {win(0, 10), {1, 0, pane_timing::on_time, false, false}}, {}});
  step.feed(rows<std::string>{{"c"}, {at(15)}, {win(10, 20), {}}, {}});
  EXPECT_THAT(out.values, ElementsAre());
  step.op->finish_bundle();
  EXPECT_THAT(out.values, ElementsAre("a", "b", "c"));
  EXPECT_THAT(out.times, ElementsAre(at(5), at(3), at(15)));
  EXPECT_EQ(out.contexts[0], (context{win(0, 10), pane_info{}}));
  EXPECT_EQ(out.contexts[2], (context{win(10, 20), pane_info{}}));
  EXPECT_EQ(step.metrics.elements_out, 3U);
}

TEST(par_do, keeps_a_bundle_with_more_windows_than_codes_apart) {
  struct many {
    using output = int;
    void process(const int&, emitter<int>&) {}
    void finish_bundle(emitter<int>& out) {
      for (int i = 0; i < 300; ++i) out.emit(i, at(10 * i + 5), win(10 * i, 10 * i + 10));
    }
  };
  pipeline p{"p"};
  one_step step(input_of<int>(p) | par_do("many", many{}));
  auto& out = step.output<int>();
  step.feed_bundle(rows<int>{{1}, {}, {}, {}});
  ASSERT_EQ(out.values.size(), 300U);
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(out.values[i], static_cast<int>(i));
    EXPECT_TRUE(out.contexts[i].windows.front().contains(out.times[i]));
  }
}

TEST(par_do, refuses_an_output_without_a_stamp_when_a_bundle_is_finished) {
  struct wrong {
    using output = int;
    void process(const int&, emitter<int>&) {}
    void finish_bundle(emitter<int>& out) { out(1); }
  };
  pipeline p{"p"};
  one_step step(input_of<int>(p) | par_do("wrong", wrong{}));
  step.output<int>();
  step.op->start_bundle();
  step.feed(rows<int>{{1}, {}, {}, {}});
  try {
    step.op->finish_bundle();
    FAIL();
  } catch (const element_failure& e) {
    EXPECT_EQ(e.step(), "wrong");
    EXPECT_THAT(e.what(), HasSubstr("finish_bundle(): finish_bundle has no current element"));
  }
}

TEST(par_do, has_an_output_for_each_type_that_the_function_names) {
  struct sorting {
    using output = std::tuple<int, std::string>;
    void process(const int& x, emitter<int>& even, emitter<std::string>& odd) {
      if (x % 2 == 0) even(x);
      else odd(std::to_string(x));
    }
  };
  pipeline p{"p"};
  auto [even, odd] = input_of<int>(p) | par_do("sort", sorting{});
  one_step step(odd);
  auto& evens = step.output<int>(0);
  auto& odds = step.output<std::string>(1);
  step.feed(rows<int>{{1, 2, 3}, {at(1), at(2), at(3)}, {}, {}});
  EXPECT_THAT(evens.values, ElementsAre(2));
  EXPECT_THAT(evens.times, ElementsAre(at(2)));
  EXPECT_THAT(odds.values, ElementsAre("1", "3"));
  EXPECT_THAT(odds.times, ElementsAre(at(1), at(3)));
}

TEST(par_do, deduces_the_output_of_a_lambda_from_its_emitter) {
  pipeline p{"p"};
  one_step step(input_of<int>(p)
                | par_do("l", [](const int& x, emitter<std::string>& out) { out(std::to_string(x)); }));
  auto& out = step.output<std::string>();
  step.feed(rows<int>{{7}, {}, {}, {}});
  EXPECT_THAT(out.values, ElementsAre("7"));
}

TEST(par_do, shows_the_stamp_of_the_element) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | par_do("stamp", [](const int&, emitter<std::int64_t>& out) {
                  out(out.at().time.millis());
                  out(out.at().in.start.millis());
                  out(static_cast<std::int64_t>(out.at().pane.index));
                }));
  auto& out = step.output<std::int64_t>();
  step.feed(rows<int>{{1}, {at(42)}, {win(40, 50), {3, 3, pane_timing::late, false, false}}, {}});
  EXPECT_THAT(out.values, ElementsAre(42, 40, 3));
}

TEST(par_do, emits_at_a_later_time_but_never_at_an_earlier_one) {
  pipeline p{"p"};
  auto [good, bad] = input_of<int>(p)
                     | par_do(
                         "move",
                         [](const int& by, emitter<int>& out) {
                           out(0);
                           out.emit(by, out.at().time + duration{by});
                           out(1);
                         },
                         with_errors);
  one_step step(good, 1);
  auto& out = step.output<int>(0);
  auto& errors = step.output<failed<int>>(1);
  step.feed(rows<int>{{5, -1, 0}, {at(10), at(20), at(30)}, {}, {}});
  EXPECT_THAT(out.values, ElementsAre(0, 5, 1, 0, 0, 1));
  EXPECT_THAT(out.times, ElementsAre(at(10), at(15), at(10), at(30), at(30), at(30)));
  ASSERT_EQ(errors.values.size(), 1U);
  EXPECT_THAT(errors.values[0].message, HasSubstr("an output at time 19 is before its element's, 20"));
}

TEST(par_do, writes_times_out_when_only_some_outputs_move) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | par_do("move", [](const int& by, emitter<int>& out) {
                  if (by == 0) out(by);
                  else out.emit(by, at(by));
                }));
  auto& out = step.output<int>();
  step.feed(rows<int>{{0, 0, 9, 0}, {}, {}, {}});
  EXPECT_THAT(out.times, ElementsAre(timestamp::min(), timestamp::min(), at(9), timestamp::min()));
}

TEST(par_do, calls_for_each_window_of_an_element_once) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | par_do("windows", [](const int& x, emitter<std::int64_t>& out) {
                  out(x + out.at().in.start.millis());
                }));
  auto& out = step.output<std::int64_t>();
  const window both[] = {win(5, 15), win(0, 10)};
  step.feed(rows<int>{{100, 200}, {at(7), at(8)}, {window_set{both}, {}}, {}});
  EXPECT_THAT(out.values, ElementsAre(105, 205, 100, 200));
  EXPECT_EQ(out.contexts[0].windows, window_set{win(5, 15)});
  EXPECT_EQ(out.contexts[2].windows, window_set{win(0, 10)});
  EXPECT_THAT(out.times, ElementsAre(at(7), at(8), at(7), at(8)));
}

TEST(par_do, never_sees_an_element_without_windows) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | par_do("none", [](const int& x, emitter<int>& out) { out(x); }));
  auto& out = step.output<int>();
  step.feed(rows<int>{{1}, {}, {window_set{}, {}}, {}});
  EXPECT_TRUE(out.values.empty());
}

TEST(par_do, binds_the_metrics_of_a_function) {
  struct counting {
    using output = int;
    void process(const int& x, emitter<int>& out) {
      ++words_;
      sizes_.add(x);
      last_.set(x);
      out(x);
    }
    auto metrics() { return std::tie(words_, sizes_, last_); }

   private:
    counter words_{"words"};
    distribution sizes_{"sizes"};
    gauge last_{"last"};
  };
  pipeline p{"p"};
  one_step step(input_of<int>(p) | par_do("count", counting{}));
  step.output<int>();
  step.feed(rows<int>{{3, 5, 1}, {}, {}, {}});
  EXPECT_EQ(step.metrics.counter("words"), 3);
  EXPECT_EQ(step.metrics.distribution("sizes"), (distribution_value{3, 9, 1, 5}));
  EXPECT_EQ(step.metrics.gauge("last"), 1.0);
}

TEST(metric, says_how_to_bind_it_when_nobody_has) {
  counter words{"words"};
  try {
    ++words;
    FAIL();
  } catch (const unbound_metric& e) {
    EXPECT_THAT(e.what(), HasSubstr("metric \"words\" is not bound to a step"));
  }
}

TEST(par_do, takes_back_what_a_failed_call_gave_to_each_output) {
  struct failing {
    using output = std::tuple<std::string, int>;
    void process(const int& x, emitter<std::string>& a, emitter<int>& b) {
      a(std::to_string(x));
      b(x);
      if (x == 2) throw std::runtime_error("two");
    }
  };
  pipeline p{"p"};
  auto [a, b, bad] = input_of<int>(p) | par_do("f", failing{}, with_errors);
  one_step step(a);
  auto& as = step.output<std::string>(0);
  auto& bs = step.output<int>(1);
  auto& errors = step.output<failed<int>>(2);
  step.feed(rows<int>{{1, 2, 3}, {}, {}, {}});
  EXPECT_THAT(as.values, ElementsAre("1", "3"));
  EXPECT_THAT(bs.values, ElementsAre(1, 3));
  EXPECT_THAT(errors.values, ElementsAre(failed<int>{2, "f", "two", 4}));
}

TEST(par_do, fails_when_setup_throws) {
  struct no_setup {
    using output = int;
    void setup() { throw std::runtime_error("no model file"); }
    void process(const int&, emitter<int>&) {}
  };
  pipeline p{"p"};
  one_step step(input_of<int>(p) | par_do("s", no_setup{}));
  step.output<int>();
  EXPECT_THROW(step.op->setup(), element_failure);
}

}  // namespace
}  // namespace millrace::testing::par_do_test
