// Puts beside each order what a PostgreSQL database knows about its customer; the database may be slow, full or down.
//   script/run enrich_orders ORDERS.jsonl... --database 'host=/run/postgresql dbname=shop'
#include "postgres_connection.hpp"

#include <millrace/actors/all.hpp>
#include <millrace/io/all.hpp>

#include <cstdint>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace mr = millrace;
using namespace std::chrono_literals;

// A line of the input: {"id":1001,"customer":7,"cents":1250}
struct order {
  std::uint64_t id = 0;
  std::int64_t customer = 0;
  std::int64_t cents = 0;
};

// A row of: CREATE TABLE customers (id bigint PRIMARY KEY, name text, country text)
struct customer {
  std::string name;
  std::string country;
};

// A line of the output, and one of the orders that cannot be enriched.
struct enriched_order {
  std::uint64_t id = 0;
  std::string name;
  std::string country;
  std::int64_t cents = 0;
};
struct dead_letter {
  order of;
  std::string why;
};

// What `enrich` asks: one connection, which asks for all keys of a call by one statement. A connection that the server
// refuses or closes is opened again by the next call.
class customer_client {
 public:
  using value = customer;
  customer_client(std::string database, mr::duration timeout) : database_(std::move(database)) {
    connect(timeout, std::chrono::steady_clock::now() + timeout);
  }

  std::vector<std::optional<customer>> lookup(std::span<const std::int64_t> ids, mr::duration timeout) {
    const deadline until = std::chrono::steady_clock::now() + timeout;
    if (!connection_) connect(timeout, until);
    std::string list = "{";
    for (const std::int64_t id : ids) list += (list.size() > 1 ? "," : "") + std::to_string(id);
    std::unordered_map<std::string, customer> found;
    try {
      for (auto& row :
           connection_->ask("SELECT id, name, country FROM customers WHERE id = ANY($1::bigint[])", list + "}", until))
        found[row[0]] = {row[1], row[2]};
    } catch (...) {
      connection_.reset();
      throw;
    }
    std::vector<std::optional<customer>> values;
    for (const std::int64_t id : ids) {
      const auto at = found.find(std::to_string(id));
      values.push_back(at == found.end() ? std::nullopt : std::optional(at->second));
    }
    return values;
  }

 private:
  // The server gives a statement up a little before nobody waits for its answer any more.
  void connect(mr::duration timeout, deadline until) { connection_.emplace(database_, timeout * 3 / 4, until); }

  std::string database_;
  std::optional<postgres_connection> connection_;
};

void known_or_not(const mr::joined<order, std::optional<customer>>& x, mr::emitter<enriched_order>& known,
                  mr::emitter<dead_letter>& dead) {
  const auto& [of, who] = x;
  if (who) known(enriched_order{of.id, who->name, who->country, of.cents});
  else dead(dead_letter{of, "nobody knows customer " + std::to_string(of.customer)});
}

int main(int argc, char** argv) try {
  std::vector<std::string> files;
  std::string database;
  std::string output = "enriched";
  mr::enrich_options asking{.retries = {.attempts_max = 20, .wait_most = 2s}, .cache_for = 5min, .clients = 2};
  mr::pipeline_options options;
  options.add_positional("FILE", &files, "orders as JSON lines with id, customer and cents", 1);
  options.add("database", &database, "a connection string of PostgreSQL");
  options.add("output", &output, "orders are written to PREFIX-00000-of-0000N.jsonl, dead letters to PREFIX.dead-...");
  options.add("timeout", &asking.timeout, "how long an answer is waited for");
  options.add("tries", &asking.retries.attempts_max, "calls until keys are given up; they wait longer each time");
  options.add("keys", &asking.keys_max, "customers in one call");
  options.add("connections", &asking.clients, "connections of each shard");
  if (!options.parse(argc, argv)) {
    std::cout << options.help_text("enrich_orders", "Puts customers beside their orders.");
    return 0;
  }

  const auto open = [database, timeout = asking.timeout] { return customer_client(database, timeout); };
  mr::pipeline p{"enrich_orders"};
  const auto [asked, failed] =
      p | mr::read_text("read", files)
      | mr::map("parse", [](const std::string& line) { return mr::parse_json_line<order>(line); })
      | mr::enrich("customers", open, &order::customer, asking, mr::with_errors);
  const auto [known, unknown] = asked | mr::par_do("known or not", known_or_not);
  const auto given_up = failed | mr::map("given up", [](const auto& f) { return dead_letter{f.element, f.message}; });
  known | mr::map("format", mr::to_json_line<enriched_order>) | mr::write_text("write", output, {.suffix = ".jsonl"});
  mr::flatten("dead letters", unknown, given_up) | mr::map("format dead letters", mr::to_json_line<dead_letter>)
      | mr::write_text("write dead letters", output + ".dead", {.suffix = ".jsonl"});
  return mr::run(p, options, {.checkpoints = mr::directory(options.checkpoints)});
} catch (const std::exception& error) {
  std::cerr << "enrich_orders: " << error.what() << '\n';
  return 2;
}
