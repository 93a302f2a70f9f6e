#include "temporary_folder.hpp"

#include <millrace/io/io_error.hpp>
#include <millrace/io/sqlite_connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>

namespace millrace::sqlite_connection_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using namespace std::chrono_literals;

std::int64_t count_rows(sqlite_connection& connection, const std::string& table) {
  auto query = connection.prepare("SELECT count(*) FROM " + table);
  EXPECT_TRUE(query.step());
  return query.integer(0);
}

TEST(sqlite_connection, keeps_values_of_every_type) {
  const temporary_folder folder;
  sqlite_connection connection(folder.path() / "db");
  connection.execute("CREATE TABLE t(i, r, s, b, n, o)");
  const std::array blob{std::byte{0}, std::byte{255}};
  auto insert = connection.prepare("INSERT INTO t VALUES(?, ?, ?, ?, ?, ?)");
  insert.run(std::numeric_limits<std::int64_t>::min(), 21.5, std::string("a\0b", 3), std::span<const std::byte>(blob),
             nullptr, std::optional<int>(7));
  insert.run(std::uint32_t{4294967295U}, -INFINITY, "", std::span<const std::byte>(), nullptr, std::optional<int>());
  auto query = connection.prepare("SELECT *, typeof(s), typeof(b) FROM t ORDER BY rowid");
  ASSERT_TRUE(query.step());
  EXPECT_EQ(query.integer(0), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(query.real(1), 21.5);
  EXPECT_EQ(query.text(2), std::string_view("a\0b", 3));
  EXPECT_TRUE(std::ranges::equal(query.blob(3), blob));
  EXPECT_TRUE(query.is_null(4));
  EXPECT_EQ(query.integer(5), 7);
  ASSERT_TRUE(query.step());
  EXPECT_EQ(query.integer(0), 4294967295);
  EXPECT_EQ(query.real(1), -INFINITY);
  EXPECT_EQ(query.text(2), "");
  EXPECT_EQ(query.text(6), "text");
  EXPECT_EQ(query.text(7), "blob");
  EXPECT_TRUE(query.is_null(5));
  EXPECT_FALSE(query.step());
}

TEST(sqlite_connection, refuses_values_that_would_change) {
  const temporary_folder folder;
  sqlite_connection connection(folder.path() / "db");
  auto query = connection.prepare("SELECT ?");
  EXPECT_THAT(message_of<io_error>([&] { query.run(std::nan("")); }), HasSubstr("parameter 1 is NaN"));
  EXPECT_THAT(message_of<io_error>([&] { query.run(std::numeric_limits<std::uint64_t>::max()); }),
              HasSubstr("the integer 18446744073709551615 is above"));
}

TEST(sqlite_connection, refuses_a_wrong_number_of_values_and_a_wrong_index) {
  const temporary_folder folder;
  sqlite_connection connection(folder.path() / "db");
  auto query = connection.prepare("SELECT ?, ?");
  EXPECT_THAT(message_of<io_error>([&] { query.run(1); }), HasSubstr("it has 2 parameters, but 1 values were given"));
  EXPECT_THAT(message_of<io_error>([&] { query.bind(3, 1); }), HasSubstr("out of range"));
}

TEST(sqlite_connection, names_database_statement_and_cause) {
  const temporary_folder folder;
  const auto path = folder.path() / "db";
  sqlite_connection connection(path);
  EXPECT_EQ(message_of<io_error>([&] { connection.execute("INSERT INTO t VALUES(1)"); }),
            "cannot run a statement in the database " + path.string()
                + ": no such table: t; the statement is: INSERT INTO t VALUES(1)");
  EXPECT_THAT(message_of<io_error>([&] { (void)connection.prepare("SELEKT 1"); }), HasSubstr("near \"SELEKT\""));
  EXPECT_THAT(message_of<io_error>([&] { (void)connection.prepare(" "); }), HasSubstr("it is empty"));
  EXPECT_THAT(message_of<io_error>([&] { (void)connection.prepare("SELECT 1; SELECT 2"); }),
              HasSubstr("more than one"));
  EXPECT_EQ(message_of<io_error>([&] { (void)connection.prepare("SELECT 1;\n"); }), "");
  connection.execute("CREATE TABLE u(a UNIQUE); INSERT INTO u VALUES(1)");
  auto insert = connection.prepare("INSERT INTO u VALUES(?)");
  EXPECT_THAT(message_of<io_error>([&] { insert.run(1); }),
              HasSubstr("UNIQUE constraint failed: u.a; the statement is: INSERT INTO u VALUES(?)"));
  insert.run(2);
  EXPECT_EQ(connection.changed_rows(), 1);
}

TEST(sqlite_connection, says_why_a_database_cannot_be_opened) {
  const temporary_folder folder;
  const auto open = [](const std::filesystem::path& path, const sqlite_options& options = {}) {
    return message_of<io_error>([&] { const sqlite_connection connection(path, options); });
  };
  EXPECT_THAT(open(folder.path() / "no" / "db"),
              StartsWith("cannot open the database " + (folder.path() / "no" / "db").string()
                         + ": unable to open database file (No such file or directory)"));
  EXPECT_THAT(open(folder.path()), HasSubstr("unable to open database file"));
  EXPECT_THAT(open(folder.path() / "none", {.read_only = true}), HasSubstr("unable to open database file"));
  const auto foreign = folder.write("text", std::string(5000, 'x'));
  EXPECT_THAT(open(foreign), HasSubstr("file is not a database"));
  EXPECT_THAT(open(foreign, {.read_only = true}), HasSubstr("file is not a database"));
}

TEST(sqlite_connection, lets_others_read_while_a_transaction_is_open) {
  const temporary_folder folder;
  sqlite_connection writer(folder.path() / "db");
  writer.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1)");
  sqlite_connection reader(folder.path() / "db", {.busy_timeout = 0ms, .read_only = true});
  sqlite_transaction transaction(writer);
  writer.execute("INSERT INTO t VALUES(2)");
  EXPECT_EQ(count_rows(reader, "t"), 1);
  transaction.commit();
  EXPECT_EQ(count_rows(reader, "t"), 2);
  EXPECT_THAT(message_of<io_error>([&] { reader.execute("DELETE FROM t"); }), HasSubstr("readonly"));
}

TEST(sqlite_connection, refuses_a_second_writer_after_the_timeout) {
  const temporary_folder folder;
  sqlite_connection first(folder.path() / "db");
  sqlite_connection second(folder.path() / "db", {.busy_timeout = 0ms});
  const sqlite_transaction transaction(first);
  EXPECT_THAT(message_of<io_error>([&] { const sqlite_transaction other(second); }), HasSubstr("database is locked"));
}

TEST(sqlite_connection, syncs_every_commit_unless_told_otherwise) {
  const temporary_folder folder;
  const auto synchronous = [&](const sqlite_options& options) {
    sqlite_connection connection(folder.path() / "db", options);
    auto query = connection.prepare("PRAGMA synchronous");
    EXPECT_TRUE(query.step());
    return query.integer(0);
  };
  EXPECT_EQ(synchronous({}), 2);
  EXPECT_EQ(synchronous({.durability = sqlite_durability::normal}), 1);
}

TEST(sqlite_transaction, is_rolled_back_unless_committed) {
  const temporary_folder folder;
  sqlite_connection connection(folder.path() / "db");
  connection.execute("CREATE TABLE t(a)");
  {
    const sqlite_transaction transaction(connection);
    connection.execute("INSERT INTO t VALUES(1)");
  }
  EXPECT_EQ(count_rows(connection, "t"), 0);
  sqlite_transaction transaction(connection);
  connection.execute("INSERT INTO t VALUES(1)");
  transaction.commit();
  EXPECT_EQ(count_rows(connection, "t"), 1);
}

TEST(sqlite_transaction, survives_a_full_database) {
  const temporary_folder folder;
  sqlite_connection connection(folder.path() / "db");
  connection.execute("CREATE TABLE t(a); PRAGMA max_page_count = 3");
  EXPECT_THAT(message_of<io_error>([&] {
                const sqlite_transaction transaction(connection);
                connection.prepare("INSERT INTO t VALUES(?)").run(std::string(100'000, 'x'));
              }),
              HasSubstr("database or disk is full"));
  connection.execute("INSERT INTO t VALUES(1)");
  EXPECT_EQ(count_rows(connection, "t"), 1);
}

TEST(sqlite_statement, may_outlive_its_connection) {
  const temporary_folder folder;
  auto query = sqlite_connection(folder.path() / "db").prepare("SELECT 41 + ?");
  query.bind(1, 1);
  ASSERT_TRUE(query.step());
  EXPECT_EQ(query.integer(0), 42);
}

}  // namespace
}  // namespace millrace::sqlite_connection_test
