// expect: millrace: write_text takes a collection of std::string, a line each; map the elements to text first
#include <millrace/io/all.hpp>

void refused(const millrace::pcollection<int>& numbers) {
  numbers | millrace::write_text("write", "numbers");
}
