#include <millrace/io/io_error.hpp>
#include <millrace/io/sqlite_sink.hpp>
#include <millrace/tests/io/temporary_folder.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace::sqlite_sink_test {
namespace {

struct minute_row {
  std::string device;
  timestamp minute;
  std::int64_t count = 0;
  double mean = 0;
  std::optional<std::string> note;
};

using row_writer = detail::sqlite_writer<minute_row>;

// One shard of a sink, made as the runtime makes it.
struct place {
  explicit place(const std::filesystem::path& folder)
      : table{.database = folder / "out.sqlite", .table = "minutes", .key = {"device", "minute"}},
        in{.step = "write minutes", .shard = 1, .shards = 2, .clock = clock, .metrics = metrics} {}

  stage_clock clock;
  metric_board metrics;
  sqlite_table_options table;
  operator_environment in;
};

void write(row_writer& to, minute_row row) {
  to.write(row, timestamp{0}, context{});
}

std::vector<std::string> rows_in(const std::filesystem::path& folder) {
  sqlite_connection db(folder / "out.sqlite", {.read_only = true});
  auto all = db.prepare("SELECT device, minute, count, mean, coalesce(note, 'none') FROM minutes ORDER BY 1, 2, 3");
  std::vector<std::string> rows;
  while (all.step())
    rows.push_back(std::string(all.text(0)) + " " + std::to_string(all.integer(1)) + " "
                   + std::to_string(all.integer(2)) + " " + std::to_string(all.real(3)) + " "
                   + std::string(all.text(4)));
  return rows;
}

TEST(sqlite_sink, rows_appear_with_their_epoch_and_the_last_one_of_a_key_wins) {
  const temporary_folder at;
  place p(at.path());
  row_writer w(p.table, p.in);
  write(w, {"a", timestamp{60}, 1, 0.5, {}});
  write(w, {"a", timestamp{60}, 2, 0.25, "corrected"});
  w.prepare(1);
  write(w, {"b", timestamp{60}, 1, 1.0, {}});
  EXPECT_TRUE(rows_in(at.path()).empty()) << "prepared is not visible";
  w.commit(1);
  EXPECT_EQ(rows_in(at.path()), (std::vector<std::string>{"a 60 2 0.250000 corrected"}));
  w.prepare(2);
  w.commit(2);
  EXPECT_EQ(rows_in(at.path()), (std::vector<std::string>{"a 60 2 0.250000 corrected", "b 60 1 1.000000 none"}));
}

TEST(sqlite_sink, a_commit_that_is_repeated_after_a_restart_changes_nothing) {
  const temporary_folder at;
  place p(at.path());
  p.table.key = {};
  writer snapshot;
  {
    row_writer w(p.table, p.in);
    write(w, {"a", timestamp{60}, 1, 0.5, {}});
    w.prepare(1);
    w.snapshot(snapshot);
    w.commit(1);
    write(w, {"lost", timestamp{60}, 1, 0.5, {}});
  }
  row_writer again(p.table, p.in);
  reader from(snapshot.bytes());
  again.restore(from);
  again.commit(1);
  EXPECT_EQ(rows_in(at.path()).size(), 1U) << "rows without a key would be there twice";
  again.prepare(2);
  again.commit(2);
  EXPECT_EQ(rows_in(at.path()).size(), 1U) << "what came after the epoch was never committed";
}

TEST(sqlite_sink, a_crash_between_checkpoint_and_commit_loses_nothing) {
  const temporary_folder at;
  place p(at.path());
  writer snapshot;
  {
    row_writer w(p.table, p.in);
    write(w, {"a", timestamp{60}, 1, 0.5, {}});
    w.prepare(7);
    w.snapshot(snapshot);
  }
  row_writer again(p.table, p.in);
  reader from(snapshot.bytes());
  again.restore(from);
  again.commit(7);
  EXPECT_EQ(rows_in(at.path()).size(), 1U);
}

TEST(sqlite_sink, a_new_run_into_an_old_database_is_not_mistaken_for_a_repetition) {
  const temporary_folder at;
  place p(at.path());
  p.table.key = {};
  for (int run = 0; run < 2; ++run) {
    row_writer w(p.table, p.in);
    write(w, {"a", timestamp{60}, run, 0.5, {}});
    w.prepare(1);
    w.commit(1);
  }
  EXPECT_EQ(rows_in(at.path()).size(), 2U);
}

// As an update with a mapping does: the mark is found under the old name.
TEST(sqlite_sink, a_step_with_a_new_name_does_not_repeat_what_the_old_one_has_committed) {
  const temporary_folder at;
  place p(at.path());
  p.table.key = {};
  writer committed;
  writer uncommitted;
  {
    row_writer w(p.table, p.in);
    write(w, {"a", timestamp{60}, 1, 0.5, {}});
    w.prepare(1);
    w.snapshot(committed);
    w.commit(1);
    write(w, {"b", timestamp{60}, 1, 0.5, {}});
    w.prepare(2);
    w.snapshot(uncommitted);
  }
  p.in.step = "minutes";
  for (const auto* snapshot : {&committed, &uncommitted}) {
    row_writer w(p.table, p.in);
    reader from(snapshot->bytes());
    w.restore(from);
    w.commit(snapshot == &committed ? 1 : 2);
    EXPECT_EQ(rows_in(at.path()).size(), snapshot == &committed ? 1U : 2U);
  }
}

TEST(sqlite_sink, refuses_a_checkpoint_that_is_older_than_the_table) {
  const temporary_folder at;
  place p(at.path());
  writer snapshot;
  {
    row_writer w(p.table, p.in);
    w.prepare(1);
    w.snapshot(snapshot);
    w.commit(1);
    write(w, {"a", timestamp{60}, 1, 0.5, {}});
    w.prepare(2);
    w.commit(2);
  }
  row_writer again(p.table, p.in);
  reader from(snapshot.bytes());
  again.restore(from);
  try {
    again.commit(1);
    FAIL() << "rows of epoch 2 would come twice or never";
  } catch (const io_error& e) {
    for (const char* part : {"out.sqlite", "minutes", "epoch 2", "epoch 1", "newest checkpoint"})
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
  EXPECT_EQ(rows_in(at.path()).size(), 1U);
}

TEST(sqlite_sink, refuses_a_key_that_is_no_field) {
  const temporary_folder at;
  place p(at.path());
  p.table.key = {"devise"};
  try {
    const row_writer w(p.table, p.in);
    FAIL() << "a key that is no column was taken";
  } catch (const io_error& e) {
    for (const char* part : {"devise", "device", "out.sqlite", "minutes"})
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace millrace::sqlite_sink_test
