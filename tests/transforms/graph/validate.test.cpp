#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/graph/validate.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/window_into.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::validate_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A spec that is nothing but a kind.
class mere_kind final : public operator_spec {
 public:
  explicit mere_kind(operator_kind kind) : kind_(kind) {}
  [[nodiscard]] operator_kind kind() const override { return kind_; }
  [[nodiscard]] std::string describe() const override { return "nothing"; }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& /*in*/) const override {
    return nullptr;
  }

 private:
  operator_kind kind_;
};

// A graph put together without the front end, which would refuse it.
struct raw_graph {
  collection_id add(const std::string& name, operator_kind kind, std::vector<collection_id> inputs,
                    std::vector<collection_id> views = {}, windowing_strategy windowing = {}) {
    node n;
    n.spec = std::make_shared<mere_kind>(kind);
    n.inputs = std::move(inputs);
    n.views = std::move(views);
    return of.add(name, std::move(n), {{&element_type::of<int>(), std::move(windowing), true}}).outputs[0];
  }
  [[nodiscard]] std::vector<std::string> faults() const { return graph_faults(of); }

  graph of{"raw"};
};

windowing_strategy windowed(window_fn fn) {
  return compose({}, {.into = fn});
}

TEST(validate, accepts_what_the_front_end_builds) {
  pipeline p("test");
  const auto a = p | create("a", {1});
  const auto side = a | as_list("side");
  const auto both = flatten("both", a, p | create("b", {2}));
  both | map("map", [](int x, const std::vector<int>& /*all*/) { return x; }, with(side));
  EXPECT_THAT(graph_faults(p.description()), IsEmpty());
  EXPECT_NO_THROW(validate(p.description()));
}

TEST(validate, refuses_an_empty_pipeline) {
  EXPECT_THAT(graph_faults(graph("empty")), ElementsAre(HasSubstr("pipeline \"empty\" has no transforms")));
}

TEST(validate, refuses_a_transform_that_reads_nothing) {
  raw_graph g;
  g.add("lonely", operator_kind::element, {});
  EXPECT_THAT(g.faults(), ElementsAre(AllOf(HasSubstr("\"lonely\""), HasSubstr("reads nothing"))));
}

TEST(validate, refuses_a_source_that_reads) {
  raw_graph g;
  const auto a = g.add("a", operator_kind::read, {});
  g.add("b", operator_kind::read, {a});
  EXPECT_THAT(g.faults(), ElementsAre(AllOf(HasSubstr("\"b\""), HasSubstr("is a source"))));
}

TEST(validate, refuses_a_collection_that_nobody_has_produced) {
  raw_graph g;
  g.add("a", operator_kind::element, {7});
  EXPECT_THAT(g.faults(), ElementsAre(HasSubstr("no transform before it produces")));
}

TEST(validate, refuses_several_inputs_but_for_flatten) {
  raw_graph g;
  const auto a = g.add("a", operator_kind::read, {});
  const auto b = g.add("b", operator_kind::read, {});
  g.add("both", operator_kind::flatten, {a, b});
  g.add("wrong", operator_kind::element, {a, b});
  EXPECT_THAT(g.faults(), ElementsAre(AllOf(HasSubstr("\"wrong\""), HasSubstr("2 main inputs"))));
}

TEST(validate, refuses_a_side_input_in_the_place_of_a_collection_and_the_reverse) {
  raw_graph g;
  const auto a = g.add("a", operator_kind::read, {});
  const auto side = g.add("side", operator_kind::view, {a});
  g.add("reads a view", operator_kind::element, {side});
  g.add("views a collection", operator_kind::element, {a}, {a});
  g.add("right", operator_kind::element, {a}, {side});
  EXPECT_THAT(g.faults(), ElementsAre(AllOf(HasSubstr("\"reads a view\""), HasSubstr("\"side\"")),
                                      AllOf(HasSubstr("\"views a collection\""), HasSubstr("as a side input"))));
}

TEST(validate, refuses_side_inputs_whose_window_cannot_be_found) {
  raw_graph g;
  const auto a = g.add("a", operator_kind::read, {});
  const auto hourly = g.add("hourly", operator_kind::view, {a}, {}, windowed(fixed(std::chrono::hours{1})));
  const auto sessions_side = g.add("sessions", operator_kind::view, {a}, {}, windowed(sessions(std::chrono::hours{1})));
  const auto minutes = g.add("minutes", operator_kind::element, {a}, {}, windowed(fixed(std::chrono::minutes{1})));
  g.add("global main", operator_kind::element, {a}, {hourly});
  g.add("session side", operator_kind::element, {minutes}, {sessions_side});
  g.add("right", operator_kind::element, {minutes}, {hourly});
  EXPECT_THAT(g.faults(), ElementsAre(HasSubstr("\"global main\""), HasSubstr("\"session side\"")));
}

TEST(validate, refuses_to_flatten_what_is_windowed_differently) {
  raw_graph g;
  const auto a = g.add("a", operator_kind::read, {});
  const auto minutes = g.add("minutes", operator_kind::element, {a}, {}, windowed(fixed(std::chrono::minutes{1})));
  g.add("both", operator_kind::flatten, {a, minutes});
  EXPECT_THAT(g.faults(), ElementsAre(AllOf(HasSubstr("\"both\""), HasSubstr("windowed differently"))));
}

TEST(validate, reports_all_faults_at_once) {
  raw_graph g;
  g.add("first", operator_kind::element, {});
  g.add("second", operator_kind::keyed, {});
  try {
    validate(g.of);
    FAIL() << "a graph with faults was accepted";
  } catch (const pipeline_error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("\"first\""), HasSubstr("\"second\"")));
  }
}

}  // namespace
}  // namespace millrace::validate_test
