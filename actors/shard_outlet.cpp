#include <millrace/actors/shard_outlet.hpp>

#include <utility>

namespace millrace {

namespace {
// Bundles kept for a new use; more than this are in flight only when nobody waits for them.
constexpr std::size_t spare_max = 96;
}  // namespace

void edge_traffic::merge(const edge_traffic& other) {
  bundles += other.bundles;
  rows += other.rows;
  timers += other.timers;
  raw_bytes += other.raw_bytes;
  sent_bytes += other.sent_bytes;
}

shard_outlet::shard_outlet(const outlet_options& options, deliver_fn deliver)
    : options_(options), deliver_(std::move(deliver)), map_(options.shards) {
  to_.reserve(options.shards);
  for (std::uint32_t s = 0; s < options.shards; ++s) to_.push_back({credit_window(options.window_bytes), {}, 0, {}});
}

bundle_ptr shard_outlet::take() {
  if (spare_.empty()) return std::make_shared<bundle>();
  bundle_ptr b = std::move(spare_.back());
  spare_.pop_back();
  return b;
}

void shard_outlet::send(std::uint32_t shard, bundle_ptr rows) {
  destination& d = to_.at(shard);
  if (d.held) post(shard, std::move(d.held), d.told, 0);
  d.held = std::move(rows);
}

void shard_outlet::release(const watermark& mark, std::uint64_t barrier) {
  for (std::uint32_t s = 0; s < to_.size(); ++s) {
    destination& d = to_[s];
    if (!d.held && barrier == 0 && d.told == mark) continue;
    if (!d.held) {
      d.held = take();
      d.held->clear(column::variable, column::variable);
    }
    post(s, std::exchange(d.held, nullptr), mark, barrier);
  }
}

void shard_outlet::post(std::uint32_t shard, bundle_ptr rows, const watermark& mark, std::uint64_t barrier) {
  destination& d = to_[shard];
  d.told = mark;
  rows->header.generation = options_.generation;
  rows->header.edge = options_.edge;
  rows->header.sender = options_.sender;
  rows->header.sequence = d.sequence++;
  rows->header.mark = mark;
  rows->header.barrier = barrier;
  const bool was_blocked = d.window.blocked();
  d.window.offer(std::move(rows));
  if (!was_blocked) ++blocked_;
  pump(shard);
}

void shard_outlet::pump(std::uint32_t shard) {
  destination& d = to_[shard];
  if (!d.window.blocked()) return;
  while (auto next = d.window.next()) {
    bundle_ptr rows = std::move(*next);
    const std::size_t raw = rows->size_bytes();
    ++traffic_.bundles;
    traffic_.rows += rows->rows;
    traffic_.timers += rows->timers.size();
    traffic_.raw_bytes += raw;
    shipment out{options_.generation, nullptr, nullptr, rows->rows > 0 ? raw : 0};
    if (options_.pack && rows->rows > 0) {
      writer bytes;
      rows->encode(bytes);
      out.packed = std::make_shared<const std::string>(codec_.pack(bytes.bytes()));
      traffic_.sent_bytes += out.packed->size();
      if (spare_.size() < spare_max) spare_.push_back(std::move(rows));
    } else {
      traffic_.sent_bytes += raw;
      out.rows = std::move(rows);
    }
    deliver_(options_.edge, shard, std::move(out));
  }
  if (!d.window.blocked()) --blocked_;
}

void shard_outlet::granted(std::uint32_t shard, std::size_t bytes, bundle_ptr spent) {
  to_.at(shard).window.granted(bytes);
  if (spent && spare_.size() < spare_max) spare_.push_back(std::move(spent));
  pump(shard);
}

std::size_t shard_outlet::waiting_bytes() const {
  std::size_t bytes = 0;
  for (const auto& d : to_) bytes += d.window.waiting_bytes();
  return bytes;
}

}  // namespace millrace
