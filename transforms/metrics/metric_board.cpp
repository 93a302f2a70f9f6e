#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/metrics/metric_board.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace millrace {

namespace {

template <class Map, class Encode>
void encode_map(writer& to, const Map& values, Encode&& encode) {
  to.varint(values.size());
  for (const auto& [name, value] : values) {
    coder<std::string>::encode(to, name);
    encode(value);
  }
}

template <class Map, class Decode>
void decode_map(reader& from, Map& values, Decode&& decode) {
  for (auto& [name, value] : values) value = {};
  const auto count = from.count();
  for (std::size_t i = 0; i < count; ++i) {
    auto name = coder<std::string>::decode(from);
    values[std::move(name)] = decode();
  }
}

}  // namespace

void distribution_value::add(std::int64_t value) {
  least = count == 0 ? value : std::min(least, value);
  greatest = count == 0 ? value : std::max(greatest, value);
  sum += value;
  ++count;
}

void distribution_value::merge(const distribution_value& other) {
  if (other.count == 0) return;
  least = count == 0 ? other.least : std::min(least, other.least);
  greatest = count == 0 ? other.greatest : std::max(greatest, other.greatest);
  sum += other.sum;
  count += other.count;
}

distribution_value distribution_value::since(const distribution_value& before) const {
  if (count == before.count) return {};
  return {count - before.count, sum - before.sum, least, greatest};
}

void metric_board::drop(const std::string& cause, std::uint64_t count, const window& in, timestamp watermark) {
  dropped_[cause] += count;
  auto found = std::ranges::find(drops_, cause, &drop_record::cause);
  if (found == drops_.end()) found = drops_.insert(found, {cause, 0, in, watermark});
  found->count += count;
  found->in = in;
  found->watermark = watermark;
}

std::map<std::string, double> metric_board::gauges() const {
  std::map<std::string, double> all;
  for (const auto& [name, value] : gauges_)
    if (value) all.emplace(name, *value);
  return all;
}

void metric_board::merge(const metric_board& other) {
  elements_in += other.elements_in;
  elements_out += other.elements_out;
  error_elements += other.error_elements;
  for (const auto& [name, value] : other.counters_) counters_[name] += value;
  for (const auto& [name, value] : other.distributions_) distributions_[name].merge(value);
  for (const auto& [name, value] : other.gauges_)
    if (value) gauges_[name] = value;
  for (const auto& [cause, count] : other.dropped_) dropped_[cause] += count;
}

void metric_board::encode(writer& to) const {
  to.varint(elements_in);
  to.varint(elements_out);
  to.varint(error_elements);
  encode_map(to, counters_, [&](std::int64_t v) { coder<std::int64_t>::encode(to, v); });
  encode_map(to, distributions_, [&](const distribution_value& v) {
    for (auto part : {v.count, v.sum, v.least, v.greatest}) coder<std::int64_t>::encode(to, part);
  });
  encode_map(to, gauges(), [&](double v) { coder<double>::encode(to, v); });
  encode_map(to, dropped_, [&](std::uint64_t v) { to.varint(v); });
}

void metric_board::decode(reader& from) {
  elements_in = from.varint();
  elements_out = from.varint();
  error_elements = from.varint();
  decode_map(from, counters_, [&] { return coder<std::int64_t>::decode(from); });
  decode_map(from, distributions_, [&] {
    distribution_value v;
    for (auto* part : {&v.count, &v.sum, &v.least, &v.greatest}) *part = coder<std::int64_t>::decode(from);
    return v;
  });
  decode_map(from, gauges_, [&] { return coder<double>::decode(from); });
  decode_map(from, dropped_, [&] { return from.varint(); });
}

void metric_board::note(std::int64_t& counter) {
  if (std::ranges::any_of(calls_.noted, [&](const auto& n) { return n.counter == &counter; })) return;
  calls_.noted.push_back({&counter, nullptr, {.sum = counter}});
}

void metric_board::note(distribution_value& distribution) {
  if (std::ranges::any_of(calls_.noted, [&](const auto& n) { return n.distribution == &distribution; })) return;
  calls_.noted.push_back({nullptr, &distribution, distribution});
}

void metric_board::note(std::optional<double>& gauge) {
  if (std::ranges::any_of(calls_.noted, [&](const auto& n) { return n.gauge == &gauge; })) return;
  calls_.noted.push_back({nullptr, nullptr, {}, &gauge, gauge});
}

metric_board& metric_board::taken_back() {
  if (taken_back_.empty()) taken_back_.emplace_back();
  return taken_back_.front();
}

void metric_board::take_back_call() {
  if (calls_.noted.empty()) return;
  metric_board& attempted = taken_back();
  for (const auto& n : calls_.noted) {
    for (auto& [name, value] : counters_)
      if (&value == n.counter) attempted.counters_[name] += std::exchange(value, n.before.sum) - n.before.sum;
    for (auto& [name, value] : distributions_)
      if (&value == n.distribution)
        attempted.distributions_[name].merge(std::exchange(value, n.before).since(n.before));
    for (auto& [name, value] : gauges_)
      if (&value == n.gauge) attempted.gauges_[name] = std::exchange(value, n.gauge_before);
  }
  calls_.noted.clear();
}

metric_board metric_board::values_since(const metric_board& before) const {
  const auto earlier = [](const auto& values, const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? typename std::remove_cvref_t<decltype(values)>::mapped_type{} : found->second;
  };
  metric_board more;
  more.elements_in = elements_in - before.elements_in;
  more.elements_out = elements_out - before.elements_out;
  more.error_elements = error_elements - before.error_elements;
  for (const auto& [name, value] : counters_) more.counters_[name] = value - earlier(before.counters_, name);
  for (const auto& [name, value] : distributions_)
    more.distributions_[name] = value.since(earlier(before.distributions_, name));
  more.gauges_ = gauges_;
  for (const auto& [cause, count] : dropped_) more.dropped_[cause] = count - earlier(before.dropped_, cause);
  return more;
}

void metric_board::take_back_to(const metric_board& before) {
  taken_back().merge(values_since(before));
  elements_in = before.elements_in;
  elements_out = before.elements_out;
  error_elements = before.error_elements;
  const auto set_back = [](auto& values, const auto& to) {
    for (auto& [name, value] : values) value = {};
    for (const auto& [name, value] : to) values[name] = value;
  };
  set_back(counters_, before.counters_);
  set_back(distributions_, before.distributions_);
  set_back(gauges_, before.gauges_);
  set_back(dropped_, before.dropped_);
  drops_ = before.drops_;
}

metric_board metric_board::attempted_since(const metric_board& before) const {
  metric_board all = taken_back_.empty() ? metric_board() : taken_back_.front();
  all.merge(values_since(before));
  return all;
}

}  // namespace millrace
