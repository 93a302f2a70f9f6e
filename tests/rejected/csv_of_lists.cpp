// expect: millrace: a field of a CSV record must be a bool, a number, a std::string, a timestamp, or an optional of
// these
#include <millrace/io/csv.hpp>

#include <vector>

struct row {
  std::vector<int> numbers;
};

auto wrong(const row& r) {
  return millrace::to_csv_record(r);
}
