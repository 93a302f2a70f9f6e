// expect: millrace: combine_per_key takes a collection of kv, or key and value functions
#include <millrace/transforms/all.hpp>

void refused(const millrace::pcollection<int>& numbers) {
  numbers | millrace::combine_per_key("sum", millrace::sum);
}
