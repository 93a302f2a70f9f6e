// expect: files are read of a collection of std::string, paths or patterns, or of watched_file
#include <millrace/io/read_lines.hpp>
#include <millrace/transforms/sources/create.hpp>

void build(millrace::pipeline& p) {
  p | millrace::create("numbers", {1, 2}) | millrace::read_lines("lines");
}
