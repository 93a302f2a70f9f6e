// expect: millrace: map: the function must be callable with an element of the collection (const T&)
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/side/as_view.hpp>

#include <map>
#include <string>

using rate = millrace::kv<std::string, double>;

auto wrong(const millrace::pcollection<int>& amounts, const millrace::pcollection<rate>& quotes) {
  const auto rates = quotes | millrace::as_map("rates");
  return amounts
         | millrace::map(
             "convert",
             [](const int& x, const std::map<std::string, std::string>& by) { return x * static_cast<int>(by.size()); },
             millrace::with(rates));
}
