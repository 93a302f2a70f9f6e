// expect: millrace: read takes a source, which has element, split, bounded, splits, open and describe
#include <millrace/transforms/all.hpp>

void refused(millrace::pipeline& p) {
  p | millrace::read("read", 5);
}
