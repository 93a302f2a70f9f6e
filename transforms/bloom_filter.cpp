#include <millrace/transforms/bloom_filter.hpp>
#include <millrace/transforms/scattered.hpp>

#include <algorithm>
#include <cmath>

namespace millrace {

namespace {

// The bits of a value, twelve bits of a draw each; independent of its block.
class bit_positions {
 public:
  explicit bit_positions(std::uint64_t hash) : draw_(detail::scattered(hash ^ 0x5851f42d4c957f2dULL)), left_(draw_) {}
  std::uint32_t next() {
    if (taken_++ == in_draw) {
      draw_ = detail::scattered(draw_);
      left_ = draw_;
      taken_ = 1;
    }
    const auto bit = static_cast<std::uint32_t>(left_ % bloom_block::bits);
    left_ /= bloom_block::bits;
    return bit;
  }

 private:
  static constexpr std::uint32_t in_draw = 5;
  std::uint64_t draw_;
  std::uint64_t left_;
  std::uint32_t taken_ = 0;
};

}  // namespace

bloom_shape bloom_shape::for_values(std::uint64_t values, double false_positives) {
  const double log2_of = -std::log2(false_positives);
  const double bits_each = log2_of / std::log(2.0);
  // A block that is made for b values gets fewer on average: by the standard deviation of what falls into it.
  double in_block = bloom_block::bits / bits_each;
  in_block = std::max(1.0, in_block - std::sqrt(in_block));
  const double blocks = std::ceil(static_cast<double>(std::max<std::uint64_t>(values, 1)) / in_block);
  return {static_cast<std::uint32_t>(std::min(blocks, 4294967295.0)),
          static_cast<std::uint32_t>(std::max(1.0, std::round(log2_of)))};
}

void bloom_block::add(std::uint64_t hash, std::uint32_t bits_of_value) {
  bit_positions position(hash);
  for (std::uint32_t i = 0; i < bits_of_value; ++i) {
    const std::uint32_t bit = position.next();
    words[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
}

std::uint32_t bloom_shape::block_of(std::uint64_t hash, std::uint32_t blocks) {
  return static_cast<std::uint32_t>(detail::scattered(hash) % blocks);
}

bool bloom_block::may_hold(std::uint64_t hash, std::uint32_t bits_of_value) const {
  bit_positions position(hash);
  for (std::uint32_t i = 0; i < bits_of_value; ++i) {
    const std::uint32_t bit = position.next();
    if ((words[bit / 64] >> (bit % 64) & 1U) == 0) return false;
  }
  return true;
}

bool bloom_block::empty() const {
  return std::all_of(words.begin(), words.end(), [](std::uint64_t w) { return w == 0; });
}

}  // namespace millrace
