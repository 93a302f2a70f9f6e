#include <millrace/tests/bench/inputs.hpp>

namespace millrace::bench {

zipf_ranks::zipf_ranks(std::size_t n) : other_(n), share_(n, ~std::uint64_t{0}) {
  double total = 0;
  for (std::size_t i = n; i > 0; --i) total += 1.0 / static_cast<double>(i);
  std::vector<double> weight(n);
  std::vector<std::uint32_t> light;
  std::vector<std::uint32_t> heavy;
  for (std::uint32_t i = 0; i < n; ++i) {
    weight[i] = static_cast<double>(n) / ((i + 1.0) * total);
    other_[i] = i;
    (weight[i] < 1.0 ? light : heavy).push_back(i);
  }
  while (!light.empty() && !heavy.empty()) {
    const std::uint32_t poor = light.back();
    const std::uint32_t rich = heavy.back();
    light.pop_back();
    share_[poor] = static_cast<std::uint64_t>(weight[poor] * 0x1.0p63) << 1U;
    other_[poor] = rich;
    weight[rich] -= 1.0 - weight[poor];
    if (weight[rich] >= 1.0) continue;
    heavy.pop_back();
    light.push_back(rich);
  }
}

}  // namespace millrace::bench
