#include "elements.hpp"
#include "harness.hpp"

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/filter.hpp>
#include <millrace/transforms/flat_map.hpp>
#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/split.hpp>
#include <millrace/transforms/top.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>
#include <millrace/transforms/windows/sliding.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

// Scripted programs about what element-wise steps do with stamps.
namespace millrace::programs::scripted_steps_test {
namespace {

using namespace std::chrono_literals;
using namespace numbers;

// Early sums of two, corrections of one: panes 3 early, 7 on time, 15 late, all of key k.
pcollection<pair> three_panes(pipeline& p) {
  return p
         | test_stream<pair>("input")
               .add({at("k", 1, 1)})
               .add({at("k", 2, 2)})
               .add({at("k", 3, 4)})
               .advance_watermark_to(time(10))
               .add({at("k", 4, 8)})
               .advance_watermark_to_infinity()
         | window_into("windows", {.into = fixed(10ms),
                                   .fire = at_watermark().early(after_count(2)).late(each_element{}),
                                   .keep = panes::accumulating,
                                   .allowed_lateness = 20ms})
         | combine_per_key("sum", sum);
}

void panes_pass_through(pipeline& p, outputs& out) {
  const auto sums = three_panes(p);
  out.show("spread", sums | reshuffle("spread"));
  out.show("doubled", flatten("both", sums, sums) | filter("large", [](const pair& x) { return x.value > 3; }));
  out.show("digits",
           sums | values("sums") | reshuffle("spread sums") | flat_map("digits", [](number n, emitter<text>& emit) {
             for (const char c : std::to_string(n)) emit(text(1, c));
           }));
}

class even_or_odd {
 public:
  using output = std::tuple<number, text>;
  void process(const pair& x, emitter<number>& even, emitter<text>& odd) {
    if (x.value % 2 == 0) even(x.value);
    else odd("odd " + std::to_string(x.value));
  }
};

void failures_keep_panes(pipeline& p, outputs& out) {
  auto [good, bad] = three_panes(p)
                     | map(
                         "not seven",
                         [](const pair& x) {
                           if (x.value == 7) throw std::invalid_argument("seven");
                           return x.value;
                         },
                         with_errors);
  out.show("good", good);
  out.show("bad", bad);
  auto [small, large] = good | split("by size", [](number n) -> std::variant<number, text> {
                          if (n < 10) return n;
                          return std::to_string(n);
                        });
  out.show("small", small);
  out.show("large", large);
}

// An element in two windows is processed once in each.
class says_window {
 public:
  using output = std::tuple<text, number>;
  void process(const pair& x, emitter<text>& seen, emitter<number>& numbers) {
    seen(x.key + " in " + std::to_string(seen.at().in.start.millis()));
    numbers.emit(x.value, time(numbers.at().time.millis() + 1));
  }
};

void windows_seen(pipeline& p, outputs& out) {
  auto [seen, numbers] = p
                         | test_stream<pair>("input")
                               .add({at("a", 3, 1)})
                               .add({at("b", 7, 2)})
                               .advance_watermark_to(time(100))
                               .advance_watermark_to_infinity()
                         | window_into("windows", {.into = sliding(10ms, 5ms)}) | par_do("look", says_window{});
  out.show("seen", seen);
  out.show("number", numbers);
}

// Keeps elements and gives them out at the end of the bundle, at the time and in the window of the first.
class at_end_of_bundle {
 public:
  using output = pair;
  void start_bundle() { kept_.clear(); }
  void process(const pair& x, emitter<pair>& out) { kept_.emplace_back(x, out.at()); }
  void finish_bundle(emitter<pair>& out) {
    for (const auto& [x, stamp] : kept_) out.emit(x, stamp.time, stamp.in);
    kept_.clear();
  }

 private:
  std::vector<std::pair<pair, stamp>> kept_;
};

void given_out_at_end(pipeline& p, outputs& out) {
  const auto kept = p
                    | test_stream<pair>("input")
                          .add({at("k", 5, 1), at("k", 6, 2)})
                          .advance_watermark_to(time(8))
                          .add({at("k", 8, 4)})
                          .advance_watermark_to(time(30))
                          .advance_watermark_to_infinity()
                    | window_into("windows", {.into = fixed(10ms)}) | par_do("keep", at_end_of_bundle{});
  out.show("kept", kept);
  auto [even, odd] = kept | par_do("parity", even_or_odd{});
  out.show("odd", odd);
  out.show("sum", even | combine_globally("sum of even", sum, without_defaults));
}

// The middle one of three kept values; compact() keeps no more than three.
struct last_three {
  std::vector<number> create() const { return {}; }
  void add(std::vector<number>& to, number value) const { to.push_back(value); }
  void merge(std::vector<number>& to, const std::vector<number>& other) const {
    to.insert(to.end(), other.begin(), other.end());
  }
  void compact(std::vector<number>& of) const {
    std::ranges::sort(of, std::greater<>{});
    if (of.size() > 3) of.resize(3);
  }
  std::vector<number> extract(const std::vector<number>& of) const {
    auto copy = of;
    compact(copy);
    return copy;
  }
};

void combined_panes(pipeline& p, outputs& out) {
  const auto input =
      p
      | test_stream<pair>("input")
            .add({at("k", 1, 5), at("k", 2, 1), at("j", 2, 9)})
            .advance_watermark_to(time(10))
            .add({at("k", 3, 4)})
            .add({at("k", 4, 7)})
            .advance_watermark_to(time(40))
            .add({at("k", 5, 99)})
            .advance_watermark_to_infinity()
      | window_into("windows", {.into = fixed(10ms), .keep = panes::accumulating, .allowed_lateness = 20ms});
  out.show("least", input | combine_per_key("min", min));
  out.show("greatest", input | combine_per_key("max", max));
  out.show("mean", input | combine_per_key("mean", mean));
  out.show("count", input | combine_per_key("count", count));
  out.show("top", input | top_per_key("top two", 2));
  out.show("three", input | combine_per_key("custom", last_three{}));
  out.show("all", input | values("numbers") | combine_globally("sum of all", sum, without_defaults));
}

TEST(scripted, panes_pass_through) {
  check_scripted({"panes_pass_through", panes_pass_through});
}
TEST(scripted, failures_keep_panes) {
  check_scripted({"failures_keep_panes", failures_keep_panes});
}
TEST(scripted, windows_seen) {
  check_scripted({"windows_seen", windows_seen});
}
TEST(scripted, given_out_at_end) {
  check_scripted({"given_out_at_end", given_out_at_end});
}
TEST(scripted, combined_panes) {
  check_scripted({"combined_panes", combined_panes});
}

}  // namespace
}  // namespace millrace::programs::scripted_steps_test
