// expect: millrace: enrich: the client needs `value` and std::vector<std::optional<value>> lookup(std::span<const Key>,
// duration)
#include <millrace/io/enrich.hpp>

struct client {
  using value = int;
};

auto wrong(const millrace::pcollection<int>& in) {
  return in | millrace::enrich("names", [] { return client{}; }, [](int x) { return x; });
}
