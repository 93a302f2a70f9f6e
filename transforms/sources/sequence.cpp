#include <millrace/transforms/sources/sequence.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace millrace {

namespace {
constexpr std::uint64_t divided_least = 1024;  // fewer numbers are not worth the way to another shard
}  // namespace

std::vector<sequence_split> sequence_source::splits(std::size_t desired) const {
  const auto parts = static_cast<std::int64_t>(std::clamp<std::size_t>(desired, 1, 1U << 16U));
  const std::int64_t from = options_->from;
  std::vector<sequence_split> all;
  if (!options_->to || options_->rate > 0) {
    for (std::int64_t i = 0; i < parts; ++i) all.push_back({.next = from + i, .stride = parts, .to = options_->to});
    return all;
  }
  const auto count = static_cast<std::uint64_t>(*options_->to) - static_cast<std::uint64_t>(from);
  const auto pieces = std::min<std::uint64_t>(static_cast<std::uint64_t>(parts), count);
  std::uint64_t begin = static_cast<std::uint64_t>(from);
  for (std::uint64_t i = 0; i < pieces; ++i) {
    const std::uint64_t end = begin + count / pieces + (i < count % pieces ? 1 : 0);
    all.push_back({.next = static_cast<std::int64_t>(begin), .to = static_cast<std::int64_t>(end)});
    begin = end;
  }
  return all;
}

sequence_source::split_reader sequence_source::open(const sequence_split& of) const {
  return {options_, of};
}

std::string sequence_source::describe() const {
  std::string text = "numbers from " + std::to_string(options_->from);
  if (options_->to) text += " to " + std::to_string(*options_->to);
  if (options_->rate > 0) text += ", " + std::to_string(options_->rate) + " a second";
  if (options_->time_of) text += ", at event times of a function";
  return text;
}

read_status sequence_source::split_reader::read(source_output<std::int64_t>& out, timestamp now) {
  if (paced() && !left_.origin) left_.origin = now.millis();
  for (; !out.full(); left_.next += left_.stride) {
    if (ended()) return read_status::ended;
    if (paced() && due(left_.next) > now) break;
    out.slot() = left_.next;
    out.placed(time_of(left_.next, now));
    check(left_.next <= std::numeric_limits<std::int64_t>::max() - left_.stride, "a sequence stays within 64 bits");
  }
  if (ended()) return read_status::ended;
  // The next number is no earlier than this, nor is any after it.
  promised_ = std::max(promised_, time_of(left_.next, now));
  return out.full() ? read_status::more : read_status::waiting;
}

std::optional<sequence_split> sequence_source::split_reader::try_split(double fraction) {
  if (ended() || !left_.to || left_.stride != 1) return std::nullopt;
  const auto count = static_cast<std::uint64_t>(*left_.to) - static_cast<std::uint64_t>(left_.next);
  const auto kept = static_cast<std::uint64_t>(static_cast<double>(count) * fraction);
  if (kept < divided_least || kept > count || count - kept < divided_least) return std::nullopt;
  sequence_split given = left_;
  given.next = static_cast<std::int64_t>(static_cast<std::uint64_t>(left_.next) + kept);
  left_.to = given.next;
  return given;
}

timestamp sequence_source::split_reader::due(std::int64_t number) const {
  const double after = std::ceil(static_cast<double>(number - options_->from) * 1000.0 / options_->rate);
  return timestamp{left_.origin.value_or(0)} + duration{static_cast<std::int64_t>(std::min(after, 9e15))};
}

timestamp sequence_source::split_reader::time_of(std::int64_t number, timestamp now) const {
  if (options_->time_of) return options_->time_of(number);
  if (paced()) return due(number);
  return left_.to ? timestamp::min() : now;
}

}  // namespace millrace
