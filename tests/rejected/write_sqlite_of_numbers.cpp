// expect: millrace: write_sqlite takes a collection of plain aggregates, a column for each field; map the elements to
// one
#include <millrace/io/all.hpp>

void refused(const millrace::pcollection<int>& numbers) {
  numbers | millrace::write_sqlite("write", {"numbers.sqlite", "numbers"});
}
