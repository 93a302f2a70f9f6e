// expect: millrace: write takes a sink, which has element, open and describe
#include <millrace/transforms/all.hpp>

void refused(const millrace::pcollection<int>& numbers) {
  numbers | millrace::write("write", 5);
}
