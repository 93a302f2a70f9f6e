// expect: millrace: this type cannot be a key, since equal values may have different bytes (floating point
#include <millrace/transforms/keys.hpp>

struct reading {
  double celsius = 0;
};

auto wrong(const millrace::pcollection<reading>& readings) {
  return readings | millrace::with_keys("by temperature", &reading::celsius);
}
