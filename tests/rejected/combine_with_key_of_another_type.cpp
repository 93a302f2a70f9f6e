// expect: millrace: combine_per_key: by(...) must take an element of the collection
#include <millrace/transforms/all.hpp>

#include <string>

int length(const std::string& text) {
  return static_cast<int>(text.size());
}

void refused(const millrace::pcollection<int>& numbers) {
  numbers
      | millrace::combine_per_key("sum", millrace::by(length), millrace::of([](int n) { return n; }), millrace::sum);
}
