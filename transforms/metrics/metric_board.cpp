#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/metrics/metric_board.hpp>

#include <algorithm>

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

void metric_board::merge(const metric_board& other) {
  elements_in += other.elements_in;
  elements_out += other.elements_out;
  error_elements += other.error_elements;
  for (const auto& [name, value] : other.counters_) counters_[name] += value;
  for (const auto& [name, value] : other.distributions_) distributions_[name].merge(value);
  for (const auto& [name, value] : other.gauges_) gauges_[name] = value;
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
  encode_map(to, gauges_, [&](double v) { coder<double>::encode(to, v); });
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

}  // namespace millrace
