// expect: millrace: sum adds numbers; for another type write a combine function
#include <millrace/transforms/all.hpp>

#include <string>

void refused(const millrace::pcollection<millrace::kv<std::string, std::string>>& words) {
  words | millrace::combine_per_key("sum", millrace::sum);
}
