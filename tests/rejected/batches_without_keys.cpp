// expect: millrace: group_into_batches takes a collection of kv; with_keys makes one
#include <millrace/transforms/group_into_batches.hpp>

auto wrong(const millrace::pcollection<int>& in) {
  return in | millrace::group_into_batches("batches", {.count = 3});
}
