#pragma once

#include <millrace/transforms/bloom_filter.hpp>
#include <millrace/transforms/bundles/key_hash.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/state/cell.hpp>
#include <millrace/transforms/state/timer.hpp>

#include <chrono>
#include <cstdint>
#include <source_location>
#include <string>
#include <tuple>
#include <utility>

namespace millrace {

// What a Bloom filter has room for: `elements` different ones per window within the time that they are remembered, of
// which at most the part `false_positives` is taken for repeated and lost. Above that number the part grows.
struct bloom_deduplication {
  std::uint64_t elements = 0;
  double false_positives = 0.001;
  duration remember = std::chrono::minutes{10};
};

namespace detail {

// The elements of one block of the filter in two generations, so that forgetting one is dropping it.
struct remembered_block {
  bloom_block now;
  bloom_block before;
};

// Passes the elements that one block of the filter does not know.
template <class T>
class unknown_to_block {
 public:
  using output = T;
  static constexpr bool drops_timers = true;  // its timers only forget

  unknown_to_block(std::uint32_t bits_of_value, duration remember)
      : bits_of_value_(bits_of_value), remember_(remember) {}

  auto cells() { return std::tie(block_, forget_); }

  void process(const kv<std::uint32_t, T>& x, emitter<T>& out) {
    const std::uint64_t hash = key_hash(encode_whole(x.value));
    const remembered_block* known = block_.find();
    if (known && (known->now.may_hold(hash, bits_of_value_) || known->before.may_hold(hash, bits_of_value_))) return;
    if (!known) forget_.after(remember_, no_output);
    remembered_block with = known ? *known : remembered_block{};
    with.now.add(hash, bits_of_value_);
    block_.set(with);
    out(x.value);
  }
  void on_timer(const processing_timer& t, std::uint32_t /*block*/, emitter<T>& /*out*/) {
    const remembered_block with = block_.get();
    if (with.now.empty()) {
      block_.clear();
      return;
    }
    block_.set({{}, with.now});
    forget_.set(t.fired_at() + remember_, no_output);
  }

 private:
  std::uint32_t bits_of_value_;
  duration remember_;
  value_state<remembered_block> block_{"block"};
  processing_timer forget_{"forget"};
};

}  // namespace detail

// As deduplicate, in little memory and not exactly: every repeated element is dropped, and of the others at most the
// part `false_positives` too. An element is remembered for the given time by the processing clock at least, and for
// twice that at most. It takes about 1.5 * log2(1 / false_positives) bits for each of `elements`, twice.
[[nodiscard]] inline auto approximate_deduplicate(std::string name, bloom_deduplication options,
                                                  std::source_location where = std::source_location::current()) {
  return [name = std::move(name), options, where]<class T>(const pcollection<T>& in) {
    detail::require_group_key<T>();
    const std::string path = in.owner().path_of(name);
    if (options.elements == 0)
      throw pipeline_error(path,
                           "a Bloom filter has room for 0 elements; set .elements to how many different ones come "
                           "within the time that they are remembered");
    if (!(options.false_positives >= 0.000001 && options.false_positives <= 0.5))
      throw pipeline_error(path, "the part of false positives is " + std::to_string(options.false_positives)
                                     + "; it must be between 0.000001 and 0.5");
    if (options.remember.count() <= 0)
      throw pipeline_error(path, "elements are remembered for " + std::to_string(options.remember.count())
                                     + " ms; the time must be more than 0");
    // Two generations are asked, each of which may be wrong.
    const auto shape = bloom_shape::for_values(options.elements, options.false_positives / 2);
    const auto block_of = [blocks = shape.blocks](const T& x) {
      return bloom_shape::block_of(key_hash(encode_whole(x)), blocks);
    };
    const auto body = [&](const pcollection<T>& all) {
      return all | with_keys("by block", block_of, where)
             | par_do("unknown", detail::unknown_to_block<T>(shape.bits_of_value, options.remember), where);
    };
    return composite(name, body)(in);
  };
}

}  // namespace millrace
