#include "generator.hpp"

#include <millrace/io/timestamps.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace telemetry {

namespace mr = millrace;

namespace {

constexpr mr::timestamp start{1767225600000};  // 2026-01-01T00:00:00Z
constexpr std::int64_t second = 1000;
constexpr std::int64_t minute = 60 * second;

// How much earlier than its place in the order a record may be. An ordinary one is never behind the watermark, which
// is 30 s behind the greatest time.
constexpr std::int64_t jitter = 20 * second;
constexpr std::int64_t late_least = 40 * second;
constexpr std::int64_t late_most = 6 * minute;
constexpr std::int64_t too_late_least = 31 * minute + 30 * second;  // of these, 30 s are behind the greatest time
constexpr std::int64_t too_late_spread = 9 * minute;
// Before that a watermark may not have gone out yet.
constexpr std::uint64_t too_late_after = 5000;

// What is drawn for a record; each has random bits of its own.
enum : std::uint64_t {
  drawn_kind,
  drawn_device,
  drawn_time,
  drawn_distance,
  drawn_fault,
  drawn_too_late,
  drawn_celsius
};

constexpr std::array<std::string_view, 6> regions{"eu-west", "eu-north", "us-east", "us-west", "ap-south", "sa-east"};

// The finaliser of splitmix64: every bit of the result depends on every bit of the argument.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

// The bits as a number in [0, 1).
double share(std::uint64_t bits) {
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

// A number in [0, below).
std::int64_t below(std::uint64_t bits, std::int64_t bound) {
  return static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(bound));
}

void append_number(std::string& to, std::uint64_t value, std::size_t digits_least) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  const auto size = static_cast<std::size_t>(end - digits.data());
  to.append(digits_least > size ? digits_least - size : 0, '0').append(digits.data(), size);
}

// Hundredths as the shortest decimal number.
void append_hundredths(std::string& to, std::int64_t value) {
  if (value < 0) to += '-';
  const auto size = static_cast<std::uint64_t>(std::abs(value));
  append_number(to, size / 100, 1);
  if (size % 100 == 0) return;
  to += '.';
  if (size % 10 == 0) append_number(to, size % 100 / 10, 1);
  else append_number(to, size % 100, 2);
}

}  // namespace

generator::generator(const generator_settings& settings) : of_(settings) {
  const std::uint64_t n = of_.count;
  too_late_from_ = std::max(std::min(too_late_after, n - n / 4), n / 4);
  if (n > too_late_from_)
    too_late_share_ = of_.too_late * static_cast<double>(n) / static_cast<double>(n - too_late_from_);
  const double in_a_minute = static_cast<double>(minute / second) * of_.rate / of_.speed;
  repeat_distance_ = static_cast<std::uint64_t>(std::min(in_a_minute, 1e9));
}

std::uint64_t generator::draw(std::uint64_t index, std::uint64_t what) const {
  return mixed(mixed(mixed(of_.seed) + index) + what);
}

std::int64_t generator::elapsed_millis(std::uint64_t index) const {
  return static_cast<std::int64_t>(static_cast<double>(index) * of_.speed * 1000 / of_.rate);
}

generator::kind generator::kind_of(std::uint64_t index) const {
  if (too_late_share_ > 0 && index >= too_late_from_ && share(draw(index, drawn_too_late)) < too_late_share_)
    return kind::too_late;
  const std::uint64_t thousandth = draw(index, drawn_kind) % 1000;
  if (thousandth < 10) return elapsed_millis(index) > late_least ? kind::late : kind::ordinary;
  if (thousandth < 20) return repeat_distance_ > 0 ? kind::repeated : kind::ordinary;
  if (thousandth < 25) return kind::malformed;
  return thousandth < 30 ? kind::out_of_range : kind::ordinary;
}

// The ordinary record that a repeating one gives again; itself where there is none.
std::uint64_t generator::original_of(std::uint64_t index) const {
  const std::uint64_t reach = std::min(index, repeat_distance_);
  if (reach == 0) return index;
  const std::uint64_t nearest = 1 + draw(index, drawn_distance) % reach;
  for (std::uint64_t distance = nearest; distance <= reach; ++distance)
    if (kind_of(index - distance) == kind::ordinary) return index - distance;
  return index;
}

// Milliseconds since 1970.
std::int64_t generator::time_of(std::uint64_t index, kind what) const {
  const std::uint64_t bits = draw(index, drawn_time);
  const std::int64_t elapsed = elapsed_millis(index);
  if (what == kind::too_late) return start.millis() + elapsed - too_late_least - below(bits, too_late_spread);
  if (what == kind::late) {
    const std::int64_t most = std::min(late_most, elapsed);
    return start.millis() + elapsed - late_least - below(bits, most - late_least + 1);
  }
  return start.millis() + elapsed - below(bits, std::min(jitter, elapsed + 1));
}

// Every device has a climate of its own, around which it varies by three degrees.
std::int64_t generator::hundredths_of(std::uint64_t device, std::int64_t time) const {
  const std::uint64_t of_device = mixed(mixed(of_.seed) ^ mixed(device + drawn_celsius));
  return below(of_device, 4500) - 1000 + below(mixed(of_device + static_cast<std::uint64_t>(time)), 601) - 300;
}

void generator::write(std::uint64_t index, std::string& line) const {
  kind what = kind_of(index);
  if (what == kind::repeated) {
    const std::uint64_t original = original_of(index);
    index = original;
    what = kind::ordinary;
  }
  const std::uint64_t device = draw(index, drawn_device) % of_.sensors;
  const std::int64_t time = time_of(index, what);
  std::int64_t hundredths = hundredths_of(device, time);
  if (what == kind::out_of_range) hundredths = draw(index, drawn_fault) % 2 == 0 ? 99900 : -30000;
  line.assign("{\"device\":\"s-");
  append_number(line, device, 5);
  line.append("\",\"region\":\"").append(regions[device % regions.size()]).append("\",\"time\":\"");
  mr::append_timestamp(line, mr::timestamp{time});
  line.append("\",\"celsius\":");
  append_hundredths(line, hundredths);
  line += '}';
  if (what == kind::malformed) spoil(index, line);
}

// The ways in which lines go wrong: cut off, a field missing, no JSON at all, a word for a number.
void generator::spoil(std::uint64_t index, std::string& line) const {
  const std::uint64_t bits = draw(index, drawn_fault);
  const std::size_t celsius = line.find(",\"celsius\"");
  switch (bits % 4) {
  case 0:
    line.resize(1 + bits / 4 % (line.find("\"time\"") - 1));
    break;
  case 1:
    line.replace(celsius, std::string::npos, "}");
    break;
  case 2:
    line.replace(0, 1, "sensor restarted, last report ");
    break;
  default:
    line.replace(celsius, std::string::npos, ",\"celsius\":\"warm\"}");
    break;
  }
}

std::vector<record_range> generator_source::splits(std::size_t /*desired*/) const {
  if (of_.count() == 0) return {};
  return {{0, of_.count()}};
}

generator_source::reader generator_source::open(record_range range) const {
  return {of_, pace_, range};
}

std::string generator_source::describe() const {
  const generator_settings& s = of_.settings();
  return std::to_string(s.count) + " readings of " + std::to_string(s.sensors) + " sensors, seed "
         + std::to_string(s.seed) + ", " + std::to_string(s.rate) + " a second, speed " + std::to_string(s.speed)
         + ", too late " + std::to_string(s.too_late);
}

mr::read_status generator_source::reader::read(mr::source_output<std::string>& out, mr::timestamp now) {
  std::uint64_t due = range_.to;
  if (pace_ > 0) {
    if (!started_) started_ = now;
    const double passed = static_cast<double>((now - *started_).count()) / 1000;
    due = std::min(due, begin_ + static_cast<std::uint64_t>(std::max(0.0, passed * pace_)));
  }
  for (; range_.from < due && !out.full(); ++range_.from) {
    of_.write(range_.from, out.slot());
    out.placed(mr::timestamp::min());
  }
  if (range_.from == range_.to) return mr::read_status::ended;
  if (range_.from < due) return mr::read_status::more;
  // Not for every record: a fast pace would wake the whole job for each.
  const double next_due = std::ceil(static_cast<double>(range_.from + 1 - begin_) * 1000 / pace_);
  constexpr mr::duration breath{20};
  next_ = std::max(now + breath, *started_ + mr::duration{static_cast<std::int64_t>(next_due)});
  return mr::read_status::waiting;
}

}  // namespace telemetry
