// What each customer has ordered: customers and orders grouped together by customer, whichever of them is missing.
//   script/run orders_join --customers FILE.jsonl --orders FILE.jsonl
#include <millrace/actors/all.hpp>
#include <millrace/io/all.hpp>

#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace mr = millrace;

// {"id":7,"name":"Ada"}
struct customer {
  std::uint64_t id = 0;
  std::string name;
};

// {"id":1001,"customer":7,"cents":1250}
struct order {
  std::uint64_t id = 0;
  std::uint64_t customer = 0;
  std::int64_t cents = 0;
};

// A line of the output. The name is null where orders name a customer that nobody knows.
struct account {
  std::uint64_t customer = 0;
  std::optional<std::string> name;
  std::uint64_t orders = 0;
  std::int64_t cents = 0;
};

// What co_group_by_key gives for a key: all values of each collection.
using grouped = mr::kv<std::uint64_t, std::tuple<std::vector<customer>, std::vector<order>>>;

account account_of(const grouped& g) {
  const auto& [customers, orders] = g.value;
  account a{.customer = g.key, .name = {}, .orders = orders.size(), .cents = 0};
  if (!customers.empty()) a.name = customers.front().name;
  for (const order& o : orders) a.cents += o.cents;
  return a;
}

// The JSON lines of a file as values of T.
template <class T>
auto lines_of(const std::string& name, const std::string& file) {
  return mr::composite(name, [file](mr::pipeline& p) {
    return p | mr::read_text("read", file)
           | mr::map("parse", [](const std::string& line) { return mr::parse_json_line<T>(line); });
  });
}

int main(int argc, char** argv) try {
  std::string customers_file;
  std::string orders_file;
  mr::pipeline_options options;
  options.add("customers", &customers_file, "JSON lines with id and name");
  options.add("orders", &orders_file, "JSON lines with id, customer and cents");
  if (!options.parse(argc, argv)) {
    std::cout << options.help_text("orders_join", "Joins customers and their orders.");
    return 0;
  }
  if (customers_file.empty() || orders_file.empty())
    throw mr::option_error("--customers and --orders are needed; see --help");

  mr::pipeline p{"orders_join"};
  const auto customers = p | lines_of<customer>("customers", customers_file) | mr::with_keys("by id", &customer::id);
  const auto orders = p | lines_of<order>("orders", orders_file) | mr::with_keys("by customer", &order::customer);
  mr::co_group_by_key("join", customers, orders) | mr::map("account", account_of)
      | mr::map("format", mr::to_json_line<account>) | mr::print("print");
  return mr::run(p, options, {.checkpoints = mr::directory(options.checkpoints)});
} catch (const std::exception& error) {
  std::cerr << "orders_join: " << error.what() << '\n';
  return 2;
}
