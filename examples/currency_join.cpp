// Turns sales in many currencies into euros, by the mean rate of the hour: a side input.
//   script/run currency_join --sales FILE.jsonl --quotes FILE.jsonl
#include <millrace/actors/all.hpp>
#include <millrace/io/all.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

namespace mr = millrace;
using namespace std::chrono_literals;

// {"time":"2026-01-01T10:00:00Z","currency":"USD","euros":0.85}
struct quote {
  mr::timestamp time;
  std::string currency;
  double euros = 0;  // for one unit
};

// {"time":"2026-01-01T10:05:00Z","id":17,"currency":"USD","cents":1250}
struct sale {
  mr::timestamp time;
  std::uint64_t id = 0;
  std::string currency;
  std::int64_t cents = 0;
};

// A line of the output.
struct sale_in_euros {
  std::uint64_t id = 0;
  std::int64_t euro_cents = 0;
};

// Side inputs are further arguments of the function.
sale_in_euros to_euros(const sale& s, const std::map<std::string, double>& rates) {
  const auto rate = rates.find(s.currency);
  if (rate == rates.end()) throw std::runtime_error("no rate for " + s.currency + " in this hour");
  return {s.id, std::llround(static_cast<double>(s.cents) * rate->second)};
}

// Lines of T in windows of an hour: a composite transform is a function.
template <class T>
auto hourly(const std::string& name, const std::string& file) {
  return mr::composite(name, [file](mr::pipeline& p) {
    return p | mr::read_text("read", file)
           | mr::map("parse", [](const std::string& line) { return mr::parse_json_line<T>(line); })
           | mr::with_timestamps("event times", &T::time) | mr::window_into("hours", {.into = mr::fixed(1h)});
  });
}

int main(int argc, char** argv) try {
  std::string sales_file;
  std::string quotes_file;
  mr::pipeline_options options;
  options.add("sales", &sales_file, "JSON lines with time, id, currency and cents");
  options.add("quotes", &quotes_file, "JSON lines with time, currency and euros");
  if (!options.parse(argc, argv)) {
    std::cout << options.help_text("currency_join", "Turns sales into euros.");
    return 0;
  }
  if (sales_file.empty() || quotes_file.empty()) throw mr::option_error("--sales and --quotes are needed; see --help");

  mr::pipeline p{"currency_join"};
  const auto rates =
      p | hourly<quote>("quotes", quotes_file)
      | mr::combine_per_key("mean of the hour", mr::by(&quote::currency), mr::of(&quote::euros), mr::mean)
      | mr::as_map("rates");
  const auto [converted, failed] =
      p | hourly<sale>("sales", sales_file) | mr::map("to euros", to_euros, mr::with(rates), mr::with_errors);
  converted | mr::map("format", mr::to_json_line<sale_in_euros>) | mr::print("print");
  failed | mr::map("complain", [](const auto& f) { return "sale " + std::to_string(f.element.id) + ": " + f.message; })
      | mr::print("print failures", stderr);
  return mr::run(p, options, {.checkpoints = mr::directory(options.checkpoints)});
} catch (const std::exception& error) {
  std::cerr << "currency_join: " << error.what() << '\n';
  return 2;
}
