#pragma once

#include <millrace/transforms/splittable/splittable_records.hpp>
#include <millrace/transforms/splittable/tracker.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace millrace::detail {

// How one shard of a splittable function shares what it has put off with the others: what it has offered and not yet
// heard of, which holds the watermark as if it were its own, and whether it still takes part. Owned by the function's
// operator, which keeps what is put off.
template <class Element, class Restriction, class State>
class splittable_sharing {
  using records = splittable_records<Element, Restriction, State>;
  using work = typename records::work;

 public:
  void begin() { shares_ = true; }
  // There is nothing to take over, and never will be.
  void end() { retired_ = true; }
  [[nodiscard]] bool takes_part() const { return shares_ && !retired_; }
  [[nodiscard]] bool offers() const { return !given_.empty(); }
  [[nodiscard]] timestamp hold() const { return given_.hold(); }

  // About how much of what may go is left: the sum of its sizes.
  template <class MayGo, class SizeOf>
  double left(const records& own, MayGo&& may_go, SizeOf&& size_of) const {
    double left = 0;
    for (const work& w : own.all())
      if (may_go(w)) left += size_of(w);
    return left;
  }
  // Offers half of what may go, or else a part of the only one.
  template <class MayGo, class SizeOf>
  std::optional<std::string> give(records& own, MayGo&& may_go, SizeOf&& size_of) {
    own.give_half(given_, may_go);
    for (work& w : own.all()) {
      if (!given_.empty() || !may_go(w) || size_of(w) < 2) continue;
      tracker_of<Restriction> whole(w.pair.value);
      auto rest = whole.try_split(0.5);
      if (!rest) continue;
      work other = w;
      other.pair.value = std::move(*rest);
      w.pair.value = whole.restriction();
      given_.add(std::move(other));
    }
    if (given_.empty()) return std::nullopt;
    writer bytes;
    given_.encode(bytes);
    return std::string(bytes.bytes());
  }
  void settle(records& own, bool taken) {
    if (taken) given_ = {};
    else given_.give_all(own);
  }
  // False if a watermark has gone past what it holds.
  bool take(records& own, std::string_view encoded, timestamp output_watermark) const {
    records theirs;
    reader from(encoded);
    theirs.decode(from);
    from.expect_end();
    if (theirs.hold() < output_watermark) return false;
    theirs.give_all(own);
    return true;
  }

  void encode(writer& to) const { coder<bool>::encode(to, retired_); }
  void decode(reader& from) { retired_ = coder<bool>::decode(from); }

 private:
  records given_;
  bool shares_ = false;
  bool retired_ = false;
};

}  // namespace millrace::detail
