// expect: millrace: this is no combine function for the values: it needs create(), add(acc, value), merge(acc, acc)
#include <millrace/transforms/all.hpp>

#include <string>

struct no_merge {
  [[nodiscard]] int create() const { return 0; }
  void add(int& to, int value) const { to += value; }
  [[nodiscard]] int extract(int of) const { return of; }
};

void refused(const millrace::pcollection<millrace::kv<std::string, int>>& numbers) {
  numbers | millrace::combine_per_key("sum", no_merge{});
}
