#include "driven_operator.hpp"

#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/write.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::write_operator_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using log = std::vector<std::string>;

// Notes every call.
struct noting_sink {
  using element = int;
  std::shared_ptr<log> calls = std::make_shared<log>();

  struct noting_writer {
    std::shared_ptr<log> calls;
    void write(const int& value, timestamp at, const context& in) const {
      if (value < 0) throw std::runtime_error("negative");
      calls->push_back(std::to_string(value) + "@" + std::to_string(at.millis()) + "#" + std::to_string(in.pane.index));
    }
    void end_bundle() const { calls->emplace_back("end"); }
    void prepare(std::uint64_t epoch) const { calls->push_back("prepare " + std::to_string(epoch)); }
    void commit(std::uint64_t epoch) const { calls->push_back("commit " + std::to_string(epoch)); }
    void abort() const { throw std::runtime_error("cannot clean up"); }
    void snapshot(writer& to) const { to.varint(42); }
    void restore(reader& from) const { calls->push_back("restore " + std::to_string(from.varint())); }
  };
  [[nodiscard]] noting_writer open(const operator_environment& in) const {
    calls->push_back("open " + in.step + " " + std::to_string(in.shard));
    return {calls};
  }
  [[nodiscard]] std::string describe() const { return "notes"; }
  [[nodiscard]] std::optional<std::uint32_t> fixed_shards() const { return 3; }
};

void give(stage_operator& op, std::vector<int> values) {
  const std::vector<context> contexts{{window::global(), {.index = 7}}, {window::global(), {.index = 8}}};
  std::vector<timestamp> times;
  std::vector<std::uint8_t> codes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    times.push_back(timestamp{static_cast<std::int64_t>(i) + 1});
    codes.push_back(static_cast<std::uint8_t>(i % 2));
  }
  stamps at;
  at.times = times.data();
  at.codes = codes.data();
  at.contexts = contexts;
  op.input(0).as<int>().accept({values.data(), sizeof(int), static_cast<std::uint32_t>(values.size()), nullptr, &at});
}

TEST(write_operator, hands_elements_with_their_stamps_to_a_writer_and_passes_epochs_on) {
  const noting_sink sink;
  driven_environment in{.shard = 1};
  write_operator<noting_sink> op(sink, in.get());
  op.setup();
  give(op, {10, 11});
  op.finish_bundle();
  op.as_epoch_participant()->prepare(5);
  op.as_epoch_participant()->commit(5);
  restore_from(op, snapshot_of(op));
  EXPECT_THAT(*sink.calls,
              ElementsAre("open step 1", "10@1#7", "11@2#8", "end", "prepare 5", "commit 5", "restore 42"));
  EXPECT_EQ(in.metrics.elements_in, 2U);
}

TEST(write_operator, names_the_step_when_the_sink_fails) {
  const noting_sink sink;
  driven_environment in{.step = "outer/save"};
  write_operator<noting_sink> op(sink, in.get());
  op.setup();
  const auto text = refusal_of<write_failure>([&] { give(op, {-1}); });
  EXPECT_THAT(text, HasSubstr("outer/save"));
  EXPECT_THAT(text, HasSubstr("negative"));
}

TEST(write_operator, swallows_what_an_abort_throws) {
  const noting_sink sink;
  driven_environment in;
  write_operator<noting_sink> op(sink, in.get());
  op.abort();
  op.setup();
  op.abort();
}

TEST(write, adds_a_node_without_outputs_and_with_the_shards_of_the_sink) {
  pipeline p("test");
  p | create("numbers", {1, 2}) | write("save", noting_sink{});
  const node& n = p.description().nodes().at(1);
  EXPECT_EQ(n.path, "save");
  EXPECT_TRUE(n.outputs.empty());
  EXPECT_EQ(n.spec->kind(), operator_kind::element);
  EXPECT_EQ(n.spec->fixed_shards(), 3U);
  EXPECT_EQ(n.spec->describe(), "write notes");
}

}  // namespace
}  // namespace millrace::write_operator_test
