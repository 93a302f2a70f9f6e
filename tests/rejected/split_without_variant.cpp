// expect: millrace: split: the function must return a std::variant
#include <millrace/transforms/split.hpp>

#include <string>

auto wrong(const millrace::pcollection<std::string>& lines) {
  return lines | millrace::split("parse", [](const std::string& s) { return s.size(); });
}
