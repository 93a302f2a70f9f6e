#pragma once

#include <millrace/tests/bench/measure.hpp>
#include <millrace/tests/bench/runtime.hpp>

namespace millrace::bench {

// The benchmarks, each through the public API on the actor runtime, beside a loop written by hand for the same input.
// Every input is a function of a fixed seed.

// Nexmark's first two queries over rows of 120 bytes in memory: bids with prices in euros, bids of every 123rd auction.
void measure_stateless_rows(bench_report& report, runtime& on);
// Map, filter, map, sum over rows of 24 bytes that stay in the cache: nothing but the machinery of a chain.
void measure_stateless_cache(bench_report& report, runtime& on);
// Words of a text file and how often they occur.
void measure_wordcount(bench_report& report, runtime& on);
// Sums per key in windows of ten seconds, with disorder, on one shard and on two.
void measure_tumbling(bench_report& report, runtime& on);

}  // namespace millrace::bench
