// expect: millrace: this type cannot be a key, since equal values may have different bytes
#include <millrace/transforms/state/map_state.hpp>

millrace::map_state<double, int> wrong{"prices"};
