#include <millrace/tests/bench/benchmarks.hpp>
#include <millrace/tests/bench/checksum_sink.hpp>
#include <millrace/tests/bench/inputs.hpp>
#include <millrace/tests/bench/memory_source.hpp>
#include <millrace/transforms/filter.hpp>
#include <millrace/transforms/map.hpp>

#include <array>
#include <memory>
#include <vector>

namespace millrace::bench {

namespace {

// The shape of a Nexmark event whose strings are handles of 16 bytes.
using handle = std::array<std::uint64_t, 2>;
struct bid {
  std::int64_t auction;
  std::int64_t bidder;
  std::int64_t price;
  handle channel;
  handle url;
  std::int64_t time;
  handle extra;
};
struct event {
  std::uint64_t kind;  // 0 person, 1 auction, 2 bid
  bid as_bid;
  std::array<std::uint64_t, 4> rest;  // what an auction has more than a bid
};
static_assert(sizeof(event) == 120);

constexpr std::uint64_t bid_kind = 2;

// Of 50 events one is a person, three are auctions, and half of the bids go to a hot auction.
std::vector<event> make_events(std::size_t count) {
  std::vector<event> all(count);
  random_numbers random(7);
  for (std::size_t i = 0; i < count; ++i) {
    event& e = all[i];
    const std::uint64_t place = i % 50;
    e.kind = place < 1 ? 0 : place < 4 ? 1 : bid_kind;
    const std::uint64_t newest = i / 50 * 3;
    const std::uint64_t auction = random.below(2) == 0 ? newest / 100 * 100 : newest - random.below(newest + 1) % 100;
    e.as_bid.auction = static_cast<std::int64_t>(1000 + auction);
    e.as_bid.bidder = static_cast<std::int64_t>(1000 + random.below(1 + i / 50));
    e.as_bid.price = static_cast<std::int64_t>(100 + random.below(10'000'000));
    for (handle* h : {&e.as_bid.channel, &e.as_bid.url, &e.as_bid.extra}) *h = {random.next(), random.below(100)};
    e.as_bid.time = static_cast<std::int64_t>(i / 100);
    e.rest = {random.next(), random.next(), i, i};
  }
  return all;
}

bool is_bid(const event& e) {
  return e.kind == bid_kind;
}
bid in_euros(const bid& b) {
  bid converted = b;
  converted.price = b.price * 89 / 100;
  return converted;
}
bool is_rare(const bid& b) {
  return static_cast<std::uint64_t>(b.auction) % 123 == 0;
}
std::uint64_t worth(const bid& b) {
  return scrambled(static_cast<std::uint64_t>(b.auction)) * static_cast<std::uint64_t>(b.price);
}

// Converted bids go to a buffer, as a step behind this one would want them.
std::uint64_t q1_by_hand(const std::vector<event>& events) {
  std::array<bid, 1024> converted;
  std::size_t count = 0;
  std::uint64_t total = 0;
  const auto drain = [&] {
    asm volatile("" : : "r"(converted.data()) : "memory");
    for (std::size_t i = 0; i < count; ++i) total += static_cast<std::uint64_t>(converted[i].price);
    count = 0;
  };
  for (const event& e : events) {
    if (!is_bid(e)) continue;
    bid& b = converted[count];
    b = e.as_bid;
    b.price = b.price * 89 / 100;
    if (++count == converted.size()) drain();
  }
  drain();
  return total;
}

std::uint64_t q2_by_hand(const std::vector<event>& events) {
  std::uint64_t total = 0;
  for (const event& e : events)
    if (is_bid(e) && is_rare(e.as_bid)) total += worth(e.as_bid);
  return total;
}

std::uint64_t q1_on_runtime(const std::vector<event>& events, runtime& on) {
  const auto total = std::make_shared<std::atomic<std::uint64_t>>(0);
  pipeline p{"q1"};
  p | read_rows<event>({.rows = events}) | filter("bids", [](const event& e) { return is_bid(e); })
      | map("bid", &event::as_bid) | map("euros", [](const bid& b) { return in_euros(b); })
      | checksum_into<bid>(total, [](const bid& b, const context&) { return static_cast<std::uint64_t>(b.price); });
  on.run(p, 1);
  return *total;
}

std::uint64_t q2_on_runtime(const std::vector<event>& events, runtime& on) {
  const auto total = std::make_shared<std::atomic<std::uint64_t>>(0);
  pipeline p{"q2"};
  p | read_rows<event>({.rows = events}) | filter("bids", [](const event& e) { return is_bid(e); })
      | map("bid", &event::as_bid) | filter("rare", [](const bid& b) { return is_rare(b); })
      | checksum_into<bid>(total, [](const bid& b, const context&) { return worth(b); });
  on.run(p, 1);
  return *total;
}

}  // namespace

void measure_stateless_rows(bench_report& report, runtime& on) {
  const auto events = make_events(report.options().size(10'000'000, 3'000'000));
  report.compare(events.size(), [&] { return q1_by_hand(events); },
                 {{"stateless_rows_q1", [&] { return q1_on_runtime(events, on); }}});
  report.compare(events.size(), [&] { return q2_by_hand(events); },
                 {{"stateless_rows_q2", [&] { return q2_on_runtime(events, on); }}});
  report.add_sum("stateless_rows", {"stateless_rows_q1", "stateless_rows_q2"});
}

}  // namespace millrace::bench
