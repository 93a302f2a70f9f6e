#pragma once

#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/element/stamp.hpp>
#include <millrace/transforms/operators/batch.hpp>
#include <millrace/transforms/operators/operator.hpp>
#include <millrace/transforms/sources/source.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace {

// A source could not be read. The message names the step and what the source said.
class read_failure : public std::runtime_error {
 public:
  read_failure(const std::string& step, const std::string& cause)
      : std::runtime_error("step \"" + step + "\" cannot read: " + cause) {}
};

namespace detail {

// The batch that a source fills. Values are objects that live as long as the operator, so that a reader which assigns
// strings reuses their memory; times become a column only when they differ.
template <std::default_initializable T>
class source_batch final : public source_output<T> {
 public:
  explicit source_batch(std::uint32_t rows_max)
      : values_(std::max(1U, std::min(batch_rows<T>, rows_max))), limit_(static_cast<std::uint32_t>(values_.size())) {}

  [[nodiscard]] bool full() const override { return count_ >= limit_; }
  [[nodiscard]] T& slot() override { return values_[count_].value; }
  void placed(timestamp at) override {
    times_[count_] = at;
    if (count_ == 0) least_ = greatest_ = at;
    else if (at < least_) least_ = at;
    else if (at > greatest_) greatest_ = at;
    ++count_;
  }

  // Places as many elements as there is room for, n at most: next(slot) assigns one and returns its time. Returns how
  // many. For readers whose read() is a template over its output, so that the counters stay in registers.
  template <class Next>
  std::uint32_t place_many(std::uint64_t n, Next&& next) {
    const std::uint32_t first = count_;
    const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(limit_, first + n));
    timestamp least = first == 0 ? timestamp::max() : least_;
    timestamp greatest = first == 0 ? timestamp::min() : greatest_;
    for (std::uint32_t i = first; i < end; ++i) {
      const timestamp at = next(values_[i].value);
      times_[i] = at;
      least = std::min(least, at);
      greatest = std::max(greatest, at);
    }
    least_ = least;
    greatest_ = greatest;
    count_ = end;
    return end - first;
  }

  // The next batch takes at most `rows`, and never more than it has room for.
  void begin(std::uint32_t rows) {
    count_ = 0;
    limit_ = std::min(std::max(1U, rows), static_cast<std::uint32_t>(values_.size()));
  }
  // Passes on what was placed; returns how many elements that were.
  std::uint32_t pass_on(receiver<T>& to) {
    const std::uint32_t n = std::exchange(count_, 0);
    if (n == 0) return 0;
    stamps at;
    at.times = least_ == greatest_ ? nullptr : times_.data();
    at.least = least_;
    at.greatest = greatest_;
    at.contexts = {&unwindowed_, 1};
    to.accept({&values_.front().value, sizeof(T), n, nullptr, &at});
    return n;
  }

 private:
  // Keeps bool values addressable, which a vector of bool would not.
  struct kept {
    T value{};
  };
  static_assert(sizeof(kept) == sizeof(T));

  std::vector<kept> values_;
  std::uint32_t limit_;
  std::uint32_t count_ = 0;
  timestamp least_;
  timestamp greatest_;
  context unwindowed_;
  std::array<timestamp, batch_max> times_;
};

}  // namespace detail

// Reads the splits of a source that belong to one shard: those whose index modulo the shards is the shard's number. A
// bounded source is read split after split, an unbounded one in turns. What remains of every split is the snapshot; a
// restored operator never asks the source for splits again, so that nothing is read twice or left out. Where the source
// is divisible, shards take splits over from each other: then nobody's watermark moves before the end, since a split
// may come from anybody.
template <readable Source>
class read_operator final : public stage_operator, public source_head, public split_sharer, public epoch_participant {
  // Such a source keeps elements until it is told that they are part of a complete epoch.
  static constexpr bool acknowledged = requires(const Source& s, typename Source::split at) { s.committed(at); };

 public:
  using element = typename Source::element;
  using split = typename Source::split;

  read_operator(const Source& source, const operator_environment& in)
      : source_(source), in_(in), batch_(in.batch_rows_max) {}

  void connect(std::size_t /*output*/, receiver_ref next) override { next_ = &next.as<element>(); }
  source_head* as_source() override { return this; }
  split_sharer* as_split_sharer() override { return divisible<Source> && !acknowledged ? this : nullptr; }
  epoch_participant* as_epoch_participant() override { return acknowledged ? this : nullptr; }

  read_status read(std::uint32_t rows) override {
    if (stopped_) return read_status::ended;
    begin();
    if (!source_.bounded()) return read_in_turns(rows);
    const read_status status = read_one_by_one(rows);
    return status == read_status::ended && wants_split() ? read_status::waiting : status;
  }

  [[nodiscard]] watermark promise() const override {
    if (takes_part()) return {timestamp::min(), false};
    if (stopped_ || (begun_ && open_.empty() && unopened_.empty())) return {timestamp::max(), false};
    if (!begun_ || !unopened_.empty()) return {timestamp::min(), false};
    watermark least{timestamp::max(), true};
    for (const auto& o : open_) {
      const watermark mark = o->from.promise();
      if (mark.idle && !least.idle) continue;
      least.at = mark.idle == least.idle ? std::min(least.at, mark.at) : mark.at;
      least.idle = mark.idle;
    }
    return least;
  }

  [[nodiscard]] std::string split_behind_promise() const override {
    if (stopped_ || !begun_) return {};
    if (!unopened_.empty()) return name_of(unopened_.front());
    const watermark least = promise();
    const auto behind =
        std::ranges::find_if(open_, [&](const auto& o) { return takes_part() || o->from.promise() == least; });
    return behind == open_.end() ? std::string() : name_of((*behind)->from.remaining());
  }

  [[nodiscard]] timestamp next_read() const override {
    if (wants_split()) return timestamp::max();
    timestamp next = open_.empty() ? in_.clock.now : timestamp::max();
    for (const auto& o : open_) next = std::min(next, o->from.next_read());
    return next;
  }

  void stop() override { stopped_ = true; }

  bool share() override {
    if constexpr (divisible<Source>) shares_ = in_.shards > 1 && source_.bounded() && source_.divides();
    return shares_;
  }
  [[nodiscard]] bool wants_split() const override {
    return takes_part() && begun_ && open_.empty() && unopened_.empty();
  }
  std::optional<double> left() override {
    if (!takes_part()) return 0.0;
    begin();
    double left = 0;
    if constexpr (divisible<Source>) {
      for (const split& s : unopened_) left += source_.weight(s);
      for (const auto& o : open_) left += source_.weight(o->from.remaining());
    }
    return left;
  }
  // Half of what it has not opened, or else the end of what it is reading.
  std::optional<std::string> give_split() override {
    if (!takes_part()) return std::nullopt;
    begin();
    const std::size_t count = open_.size() + unopened_.size();
    if (count > 1) {
      const auto half = unopened_.end() - static_cast<std::ptrdiff_t>(count / 2);
      given_.assign(std::move_iterator(half), std::move_iterator(unopened_.end()));
      unopened_.erase(half, unopened_.end());
    } else if (count == 1) {
      if (open_.empty()) open_first();
      if constexpr (divisible<Source>)
        if (auto rest = open_.front()->from.try_split(0.5)) given_.push_back(std::move(*rest));
    }
    if (given_.empty()) return std::nullopt;
    return encode_whole(given_);
  }
  void settle_split(bool taken) override {
    if (taken) ++in_.metrics.counter("splits_given");
    else unopened_.insert(unopened_.end(), std::move_iterator(given_.begin()), std::move_iterator(given_.end()));
    given_.clear();
  }
  bool take_split(std::string_view encoded) override {
    if (!wants_split()) return false;
    unopened_ = decode_whole<std::vector<split>>(encoded);
    ++in_.metrics.counter("splits_taken");
    return true;
  }
  void no_more_splits() override { retired_ = true; }

  void prepare(std::uint64_t epoch) override {
    auto& ends = prepared_[epoch];
    ends = std::exchange(finished_, {});
    for (const auto& o : open_) ends.push_back(o->from.remaining());
  }
  void commit(std::uint64_t epoch) override {
    const auto end = prepared_.upper_bound(epoch);
    if constexpr (acknowledged)
      for (auto e = prepared_.begin(); e != end; ++e)
        for (const split& s : e->second) source_.committed(s);
    prepared_.erase(prepared_.begin(), end);
  }
  void abort() noexcept override {}

  void snapshot(writer& to) const override {
    coder<bool>::encode(to, begun_);
    coder<bool>::encode(to, stopped_);
    coder<bool>::encode(to, retired_);
    to.varint(open_.size() + unopened_.size());
    for (const auto& o : open_) coder<split>::encode(to, o->from.remaining());
    for (const split& s : unopened_) coder<split>::encode(to, s);
  }
  void restore(reader& from) override {
    check(!begun_, "a reader is restored before it reads");
    begun_ = coder<bool>::decode(from);
    stopped_ = coder<bool>::decode(from);
    retired_ = coder<bool>::decode(from);
    const std::size_t count = from.count();
    unopened_.clear();
    for (std::size_t i = 0; i < count; ++i) unopened_.push_back(coder<split>::decode(from));
  }

 private:
  using split_reader_of = decltype(std::declval<const Source&>().open(std::declval<split>()));
  // Stays where it was opened, so that readers need not be movable.
  struct opened {
    split_reader_of from;
  };

  // Whether it may still take splits over, and give them.
  [[nodiscard]] bool takes_part() const { return shares_ && !stopped_ && !retired_; }

  [[nodiscard]] std::string name_of(const split& of) const {
    if constexpr (requires { source_.name_of(of); }) return source_.name_of(of);
    else return {};
  }

  // Lets nothing but broken invariants pass without the name of the step.
  template <class Body>
  decltype(auto) naming_step(Body&& body) {
    try {
      return body();
    } catch (const broken_invariant&) {
      throw;
    } catch (const std::exception& e) {
      throw read_failure(in_.step, e.what());
    }
  }

  // Not at setup, since a restored operator must not ask for splits.
  void begin() {
    if (begun_) return;
    auto all = naming_step([&] { return source_.splits(in_.shards); });
    for (std::size_t i = in_.shard; i < all.size(); i += in_.shards) unopened_.push_back(std::move(all[i]));
    begun_ = true;
  }
  void open_first() {
    open_.push_back(naming_step([&] { return std::unique_ptr<opened>(new opened{source_.open(unopened_.front())}); }));
    unopened_.erase(unopened_.begin());
  }

  // A reader has come to its end, which the next epoch covers.
  void close(std::size_t reader) {
    if constexpr (acknowledged) finished_.push_back(open_[reader]->from.remaining());
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(reader));
  }

  // Fills and passes on one batch; adds to `taken`.
  read_status read_batch(opened& from, std::uint32_t rows, std::uint32_t& taken) {
    batch_.begin(rows);
    const read_status status = naming_step([&] { return from.from.read(batch_, in_.clock.now); });
    const std::uint32_t n = batch_.pass_on(*next_);
    in_.metrics.elements_out += n;
    taken += n;
    return status;
  }

  read_status read_one_by_one(std::uint32_t rows) {
    for (std::uint32_t taken = 0; taken < rows;) {
      if (open_.empty() && unopened_.empty()) return read_status::ended;
      if (open_.empty()) open_first();
      const std::uint32_t before = taken;
      const read_status status = read_batch(*open_.front(), rows - taken, taken);
      if (status == read_status::ended) close(0);
      else if (status == read_status::waiting) return status;
      else if (taken == before) break;  // it promises more but gave nothing: let others work
    }
    return open_.empty() && unopened_.empty() ? read_status::ended : read_status::more;
  }

  read_status read_in_turns(std::uint32_t rows) {
    while (!unopened_.empty()) open_first();
    std::size_t waiting = 0;  // readers in a row that had nothing
    for (std::uint32_t taken = 0; taken < rows && waiting < open_.size();) {
      if (turn_ >= open_.size()) turn_ = 0;
      const std::uint32_t before = taken;
      const read_status status = read_batch(*open_[turn_], rows - taken, taken);
      if (status == read_status::ended) {
        close(turn_);
        waiting = 0;
        continue;
      }
      if (status == read_status::more && taken == before) return status;
      waiting = status == read_status::waiting ? waiting + 1 : 0;
      ++turn_;
    }
    if (open_.empty()) return read_status::ended;
    return waiting >= open_.size() ? read_status::waiting : read_status::more;
  }

  const Source& source_;  // of the spec, which outlives its operators
  operator_environment in_;
  receiver<element>* next_ = nullptr;
  detail::source_batch<element> batch_;
  std::vector<std::unique_ptr<opened>> open_;
  std::vector<split> unopened_;
  std::vector<split> given_;  // and not known to be taken
  std::size_t turn_ = 0;
  std::map<std::uint64_t, std::vector<split>> prepared_;  // where each epoch that is not committed ends
  std::vector<split> finished_;                           // what readers that ended since the last epoch left
  bool begun_ = false;
  bool stopped_ = false;
  bool shares_ = false;
  bool retired_ = false;  // there was nothing to take over
};

}  // namespace millrace
