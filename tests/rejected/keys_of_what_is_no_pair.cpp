// expect: millrace: keys takes a collection of kv
#include <millrace/transforms/keys.hpp>

auto wrong(const millrace::pcollection<int>& numbers) {
  return numbers | millrace::keys("keys");
}
