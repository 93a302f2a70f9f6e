#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace millrace {

class offset_tracker;

// The offsets from `from` up to, but not including, `to`: the restriction of whatever is read by position. A range to
// `endless` has no end that is known.
struct offset_range {
  using tracker = offset_tracker;
  static constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

  std::int64_t from = 0;
  std::int64_t to = 0;

  // Whether it comes to an end: what a drain keeps and what it drops.
  [[nodiscard]] bool bounded() const { return to != endless; }
  friend bool operator==(const offset_range&, const offset_range&) = default;
};

// How far a restriction has been worked off, in any unit.
struct restriction_progress {
  double done = 0;
  double left = 0;
};

// Who has claimed what of an offset range. Claims grow strictly; what is attempted behind the end is refused and ends
// the range. A split takes offsets away that nobody has attempted.
class offset_tracker {
 public:
  using position = std::int64_t;
  static constexpr bool splits_between_claims = true;

  // Throws std::invalid_argument for a range that ends before it begins.
  explicit offset_tracker(offset_range of);

  // Whether offset `at` belongs to the range, whose earlier offsets count as dealt with. Throws std::invalid_argument
  // for one that does not lie behind the last attempt, or before the range.
  [[nodiscard]] bool try_claim(std::int64_t at);
  // Keeps what is attempted and `fraction` of the rest, and gives away what is behind; 0 gives all of the rest, nullopt
  // says that there is nothing to give.
  std::optional<offset_range> try_split(double fraction);
  // Throws std::logic_error, naming what nobody has attempted, unless the range is worked off.
  void check_done() const;
  // What it has been given, less what was split off.
  [[nodiscard]] const offset_range& restriction() const { return range_; }
  [[nodiscard]] restriction_progress progress() const;

 private:
  // What was attempted last, or the offset before the first; wide enough for both ends of the type.
  [[nodiscard]] __int128 attempted() const { return last_ ? __int128{*last_} : __int128{range_.from} - 1; }

  offset_range range_;
  std::optional<std::int64_t> last_;
};

}  // namespace millrace
