// expect: millrace: group_by_key takes a collection of kv; with_keys makes one
#include <millrace/transforms/all.hpp>

void refused(const millrace::pcollection<int>& numbers) {
  numbers | millrace::group_by_key("group");
}
