#include <millrace/tests/bench/benchmarks.hpp>

#include <exception>
#include <fstream>
#include <iostream>
#include <malloc.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace millrace::bench;

constexpr std::string_view usage = "usage: millrace_bench [--quick] [--json FILE] [--only NAME]\n"
                                   "  --quick      smaller inputs and fewer rounds\n"
                                   "  --json FILE  writes the results as JSON\n"
                                   "  --only NAME  stateless_rows, stateless_cache, wordcount or tumbling\n";

struct arguments {
  measure_options measure;
  std::string json;
  std::string only;
  bool help = false;
};

arguments parse(const std::vector<std::string>& words) {
  arguments parsed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto value = [&]() -> const std::string& {
      if (i + 1 == words.size()) throw std::invalid_argument("option " + words[i] + " needs a value");
      return words[++i];
    };
    if (words[i] == "--quick") parsed.measure.quick = true;
    else if (words[i] == "--json") parsed.json = value();
    else if (words[i] == "--only") parsed.only = value();
    else if (words[i] == "--help") parsed.help = true;
    else throw std::invalid_argument("unknown option " + words[i]);
  }
  return parsed;
}

// Tables written by hand keep their memory from run to run, so jobs must find theirs again too instead of faulting it
// in anew: memory that is freed stays with the process.
void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 64 << 20);
}

int measure_all(const arguments& given) {
  const std::vector<std::pair<std::string, void (*)(bench_report&, runtime&)>> all{
      {"stateless_rows", measure_stateless_rows},
      {"stateless_cache", measure_stateless_cache},
      {"wordcount", measure_wordcount},
      {"tumbling", measure_tumbling}};
  bench_report report(given.measure, std::cout);
  runtime on;
  for (const auto& [name, measure] : all)
    if (given.only.empty() || given.only == name) measure(report, on);
  if (report.results().empty()) throw std::invalid_argument("there is no benchmark named " + given.only);
  if (!given.json.empty()) {
    std::ofstream file(given.json);
    report.write_json(file);
    if (!file.flush()) throw std::runtime_error("cannot write " + given.json);
  }
  return report.checksums_agree() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const arguments given = parse({argv + 1, argv + argc});
    if (given.help) {
      std::cout << usage;
      return 0;
    }
    keep_freed_memory();
    return measure_all(given);
  } catch (const std::invalid_argument& wrong) {
    std::cerr << "millrace_bench: " << wrong.what() << '\n' << usage;
    return 2;
  } catch (const std::exception& failure) {
    std::cerr << "millrace_bench: " << failure.what() << '\n';
    return 1;
  }
}
