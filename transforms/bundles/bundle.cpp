#include <millrace/transforms/bundles/bundle.hpp>
#include <millrace/transforms/coders/coder.hpp>

namespace millrace {

namespace {

// The least encoded sizes, by which counts are bounded before anything is allocated.
constexpr std::uint64_t context_bytes_min = 2;
constexpr std::uint64_t run_bytes_min = 2;
constexpr std::uint64_t timer_bytes_min = 8;

void encode_header(writer& to, const bundle_header& h) {
  to.varint(h.generation);
  to.varint(h.edge);
  to.varint(h.sender);
  to.varint(h.sequence);
  coder<timestamp>::encode(to, h.mark.at);
  to.varint((h.mark.idle ? 1U : 0U) | (h.accumulators ? 2U : 0U));
  to.varint(h.barrier);
}

bundle_header decode_header(reader& from) {
  bundle_header h;
  h.generation = from.varint();
  h.edge = static_cast<std::uint32_t>(from.varint());
  h.sender = static_cast<std::uint32_t>(from.varint());
  h.sequence = from.varint();
  h.mark.at = coder<timestamp>::decode(from);
  const auto flags = from.varint();
  h.mark.idle = (flags & 1U) != 0;
  h.accumulators = (flags & 2U) != 0;
  h.barrier = from.varint();
  return h;
}

void encode_timer(writer& to, const bundle_timer& t) {
  coder<std::string>::encode(to, t.key);
  coder<window>::encode(to, t.in);
  to.varint(t.cell);
  coder<std::string>::encode(to, t.tag);
  to.varint(t.processing_time ? 1 : 0);
  coder<timestamp>::encode(to, t.fires);
  coder<timestamp>::encode(to, t.output);
}

bundle_timer decode_timer(reader& from) {
  bundle_timer t;
  t.key = coder<std::string>::decode(from);
  t.in = coder<window>::decode(from);
  t.cell = static_cast<std::uint32_t>(from.varint());
  t.tag = coder<std::string>::decode(from);
  t.processing_time = from.varint() != 0;
  t.fires = coder<timestamp>::decode(from);
  t.output = coder<timestamp>::decode(from);
  return t;
}

void decode_runs(reader& from, bundle& to) {
  const auto runs = from.count(run_bytes_min);
  std::uint32_t end = 0;
  for (std::uint64_t i = 0; i < runs; ++i) {
    const auto rows = from.varint();
    const auto at = from.varint();
    if (rows > to.rows - end || at >= to.contexts.size()) from.fail("a run of a bundle passes its rows or contexts");
    end += static_cast<std::uint32_t>(rows);
    to.runs.push_back({end, static_cast<std::uint32_t>(at)});
  }
  if (end != to.rows) from.fail("the runs of a bundle do not cover its rows");
}

}  // namespace

void encode_context(writer& to, const context& c) {
  to.varint(c.windows.size());
  for (const window& w : c.windows) coder<window>::encode(to, w);
  coder<pane_info>::encode(to, c.pane);
}

context decode_context(reader& from) {
  const auto count = from.count(2);
  std::vector<window> windows;
  windows.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) windows.push_back(coder<window>::decode(from));
  context c;
  c.windows = window_set(std::span<const window>(windows));
  c.pane = coder<pane_info>::decode(from);
  return c;
}

void bundle::clear(std::uint32_t key_width, std::uint32_t value_width) {
  header = {};
  rows = 0;
  least = timestamp::max();
  greatest = timestamp::min();
  times.reset(sizeof(std::int64_t));
  keys.reset(key_width);
  values.reset(value_width);
  contexts.clear();
  runs.clear();
  timers.clear();
}

std::size_t bundle::size_bytes() const {
  std::size_t bytes = times.size_bytes() + keys.size_bytes() + values.size_bytes();
  bytes += contexts.size() * sizeof(context) + runs.size() * sizeof(row_run);
  for (const auto& t : timers) bytes += sizeof(bundle_timer) + t.key.size() + t.tag.size();
  return bytes;
}

void bundle::encode(writer& to) const {
  encode_header(to, header);
  to.varint(rows);
  coder<timestamp>::encode(to, least);
  coder<timestamp>::encode(to, greatest);
  times.encode(to);
  keys.encode(to);
  values.encode(to);
  to.varint(contexts.size());
  for (const auto& c : contexts) encode_context(to, c);
  to.varint(runs.size());
  std::uint32_t from = 0;
  for (const auto& r : runs) {
    to.varint(r.end - from);
    to.varint(r.context);
    from = r.end;
  }
  to.varint(timers.size());
  for (const auto& t : timers) encode_timer(to, t);
}

void bundle::decode(reader& from, bundle& to) {
  to.clear(column::variable, column::variable);
  to.header = decode_header(from);
  const auto rows = from.varint();
  to.least = coder<timestamp>::decode(from);
  to.greatest = coder<timestamp>::decode(from);
  to.times.decode(from);
  to.keys.decode(from);
  to.values.decode(from);
  const auto fits = [&](const column& c) { return c.rows() == 0 || c.rows() == rows; };
  if (!fits(to.times) || !fits(to.keys) || to.values.rows() != rows)
    from.fail("the columns of a bundle differ in length");
  if (to.times.rows() > 0 && to.times.width() != sizeof(std::int64_t))
    from.fail("a bundle's times are not 8 bytes wide");
  to.rows = static_cast<std::uint32_t>(rows);
  const auto contexts = from.count(context_bytes_min);
  for (std::uint64_t i = 0; i < contexts; ++i) to.contexts.push_back(decode_context(from));
  decode_runs(from, to);
  const auto timers = from.count(timer_bytes_min);
  for (std::uint64_t i = 0; i < timers; ++i) to.timers.push_back(decode_timer(from));
}

}  // namespace millrace
