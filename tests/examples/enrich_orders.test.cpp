#include "example_run.hpp"
#include "postgres_run.hpp"
#include "telemetry_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

// enrich_orders against a server that misbehaves on request. Whatever the server does, each order comes out once: with
// its customer, or as a dead letter.
namespace millrace::examples::enrich_orders_test {
namespace {

using lines = std::vector<std::string>;
using ::testing::HasSubstr;

constexpr int orders = 800;
constexpr int customers = 400;

// Customers are what is left of people when their row has given the trouble that is written there.
constexpr const char* tables = R"(
  CREATE SEQUENCE slow_answers;
  CREATE TABLE people (id bigint PRIMARY KEY, name text, country text, trouble text);
  INSERT INTO people SELECT n, 'name ' || n, CASE WHEN n % 2 = 0 THEN 'SI' ELSE 'PT' END FROM generate_series(1, 400) n;
  CREATE FUNCTION answers(id bigint, trouble text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    IF trouble = 'is slow' OR (trouble = 'is slow once' AND nextval('slow_answers') = 1) THEN
      PERFORM pg_sleep(60);
    ELSIF trouble = 'is locked' THEN
      PERFORM pg_advisory_xact_lock_shared(1);
    ELSIF trouble = 'is damaged' THEN
      RAISE EXCEPTION 'row % is damaged', id;
    END IF;
    RETURN true;
  END $$;
  CREATE VIEW customers AS SELECT id, name, country FROM people WHERE trouble IS NULL OR answers(id, trouble);
  CREATE ROLE reader LOGIN;
  GRANT SELECT ON customers TO reader;
  GRANT USAGE ON slow_answers TO reader;
)";

int customer_of(int order) {
  return 1 + order * 37 % (customers + 5);
}

class enrich_orders : public ::testing::Test {
 protected:
  enrich_orders() : admin(server.connection_string("postgres")) {
    admin.ask(tables);
    std::string first;
    std::string second;
    for (int i = 0; i < orders; ++i)
      (i < orders / 2 ? first : second) += R"({"id":)" + std::to_string(i) + R"(,"customer":)"
                                           + std::to_string(customer_of(i)) + R"(,"cents":)" + std::to_string(3 * i)
                                           + "}\n";
    folder.write("orders-1.jsonl", first);
    folder.write("orders-2.jsonl", second);
  }

  void give_trouble(int customer, const std::string& trouble) {
    admin.ask("UPDATE people SET trouble = '" + trouble + "' WHERE id = " + std::to_string(customer));
  }
  lines arguments(const lines& more) {
    lines all{(folder.path() / "orders-*.jsonl").string(), "--database", server.connection_string("reader"), "--output",
              (folder.path() / "enriched").string()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  void expect_success(running_example& program) {
    std::string said;
    while (const auto line = program.next_line()) said += *line + "\n";
    EXPECT_EQ(program.wait(), 0) << said;
    EXPECT_EQ(said, "");
  }

  // Takes what was written. `letters` are the reasons of dead letters by customer; those without a row are added.
  void expect_each_order_once(std::map<int, std::string> letters = {}) {
    for (int n = customers + 1; n <= customers + 5; ++n) letters[n] = "nobody knows customer " + std::to_string(n);
    std::string known;
    std::string dead;
    for (int i = 0; i < orders; ++i) {
      const int who = customer_of(i);
      const std::string id = R"("id":)" + std::to_string(i) + ",";
      const std::string cents = R"("cents":)" + std::to_string(3 * i) + "}";
      if (letters.contains(who))
        dead += R"({"of":{)" + id + R"("customer":)" + std::to_string(who) + "," + cents + R"(,"why":")" + letters[who]
                + "\"}\n";
      else
        known += "{" + id + R"("name":"name )" + std::to_string(who) + R"(","country":")" + (who % 2 == 0 ? "SI" : "PT")
                 + "\"," + cents + "\n";
    }
    EXPECT_EQ(sorted_lines(written("enriched-*")), sorted_lines(known));
    EXPECT_EQ(sorted_lines(written("enriched.dead-*")), sorted_lines(dead));
  }

  const postgres_server server;
  postgres_session admin;
  temporary_folder folder;

 private:
  [[nodiscard]] std::string written(const std::string& pattern) const {
    const std::string files = quoted(folder.path().string()) + "/" + pattern;
    return run_shell("cat " + files + " && rm " + files).out;
  }
};

constexpr const char* waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";

TEST_F(enrich_orders, puts_customers_beside_their_orders_and_the_unknown_aside) {
  for (const char* how : {"--runner=direct", "--shards=1", "--shards=3"}) {
    const outcome run = run_example("enrich_orders", arguments({how}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    expect_each_order_once();
  }
}

TEST_F(enrich_orders, gives_up_slow_and_damaged_rows_alone) {
  give_trouble(13, "is slow");
  give_trouble(77, "is damaged");
  give_trouble(200, "is slow once");
  const outcome run = run_example("enrich_orders", arguments({"--timeout=1200ms", "--tries=2", "--shards=2"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_each_order_once(
      {{13, "ERROR:  canceling statement due to statement timeout"}, {77, "ERROR:  row 77 is damaged"}});
  EXPECT_GE(std::stoi(admin.ask("SELECT last_value FROM slow_answers")), 2);
}

TEST_F(enrich_orders, outlives_a_crash_of_the_server) {
  give_trouble(200, "is locked");
  admin.ask("SELECT pg_advisory_lock(1)");
  running_example program("enrich_orders", arguments({"--timeout=60s", "--shards=1"}));
  admin.wait_until(waiting, "1");
  server.crash_and_restart();
  expect_success(program);
  expect_each_order_once();
}

TEST_F(enrich_orders, waits_for_a_server_that_starts_later) {
  server.stop();
  running_example program("enrich_orders", arguments({"--shards=2"}));
  server.start();
  expect_success(program);
  expect_each_order_once();
}

TEST_F(enrich_orders, connects_again_when_its_sessions_are_ended) {
  give_trouble(200, "is locked");
  admin.ask("SELECT pg_advisory_lock(1)");
  running_example program("enrich_orders", arguments({"--timeout=60s", "--shards=1"}));
  admin.wait_until(waiting, "1");
  EXPECT_EQ(admin.ask("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'reader'"), "2");
  admin.ask("SELECT pg_advisory_unlock(1)");
  expect_success(program);
  expect_each_order_once();
}

TEST_F(enrich_orders, comes_back_until_the_server_has_room) {
  admin.ask("ALTER ROLE reader CONNECTION LIMIT 2");
  {
    const postgres_session one(server.connection_string("reader"));
    const postgres_session two(server.connection_string("reader"));
    running_example program("enrich_orders", arguments({"--shards=1", "--connections=3"}));
    admin.wait_until(server.count_in_log("too many connections for role") + " >= 5", "t");
    admin.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
    expect_success(program);
  }
  expect_each_order_once();
}

// Only one of two shards gets a connection, and keeps it. What the other is asked for is not known, but not lost
// either.
TEST_F(enrich_orders, gives_up_what_a_shard_without_connection_reads) {
  admin.ask("ALTER ROLE reader CONNECTION LIMIT 1");
  const outcome run = run_example("enrich_orders", arguments({"--shards=2", "--connections=1", "--tries=2"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string numbers =
      run_shell("cat " + quoted(folder.path().string()) + "/enriched* | grep -o '\"id\":[0-9]*'").out;
  std::string once;
  for (int i = 0; i < orders; ++i) once += "\"id\":" + std::to_string(i) + "\n";
  EXPECT_EQ(sorted_lines(numbers), sorted_lines(once));
  EXPECT_THAT(run_shell("cat " + quoted(folder.path().string()) + "/enriched.dead*").out,
              HasSubstr("too many connections for role"));
}

// The process behind a connection is stopped, so that not even its own timeout ends what it does.
TEST_F(enrich_orders, leaves_a_connection_that_is_silent) {
  give_trouble(200, "is locked");
  admin.ask("SELECT pg_advisory_lock(1)");
  running_example program("enrich_orders", arguments({"--timeout=4s", "--shards=1"}));
  admin.wait_until(waiting, "1");
  const std::string process = admin.ask("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
  ASSERT_EQ(::kill(std::stoi(process), SIGSTOP), 0);
  admin.ask("SELECT pg_advisory_unlock(1)");
  expect_success(program);
  expect_each_order_once();
  EXPECT_EQ(admin.ask("SELECT state FROM pg_stat_activity WHERE pid = " + process), "active");
  ::kill(std::stoi(process), SIGCONT);
}

TEST_F(enrich_orders, fails_at_once_if_the_server_does_not_let_it_in) {
  const outcome run =
      run_example("enrich_orders", arguments({"--database", server.connection_string("nobody"), "--tries=1000"}));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, ::testing::AllOf(HasSubstr("\"customers\""), HasSubstr("role \"nobody\" does not exist")));
}

TEST(enrich_orders_alone, gives_all_orders_up_when_there_is_never_a_server) {
  const temporary_folder folder;
  const auto file = folder.write("orders.jsonl", "{\"id\":1,\"customer\":7,\"cents\":5}\n");
  const std::string output = (folder.path() / "enriched").string();
  const outcome run = run_example("enrich_orders", {file.string(), "--database", "host=" + folder.path().string(),
                                                    "--output", output, "--shards=1", "--tries=2"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(content_of(output + "-00000-of-00001.jsonl"), "");
  EXPECT_THAT(
      content_of(output + ".dead-00000-of-00001.jsonl"),
      ::testing::StartsWith(R"({"of":{"id":1,"customer":7,"cents":5},"why":"the service refused: connection to )"));
}

TEST(enrich_orders_alone, fails_at_what_is_no_connection_string) {
  const outcome run = run_example("enrich_orders", {beside_tests("input/orders.jsonl"), "--database", "shop"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("\"shop\" is no connection string of PostgreSQL"));
}

}  // namespace
}  // namespace millrace::examples::enrich_orders_test
