#include <millrace/actors/shard_core.hpp>
#include <millrace/transforms/coders/coder.hpp>

#include <algorithm>
#include <utility>

namespace millrace {

namespace {
// The most and the fewest elements that a source reads in one unit of work: enough to fill bundles, short enough for
// messages to be handled.
constexpr std::uint32_t most_rows(std::uint32_t bundle) {
  return std::max(bundle, 4 * std::min(bundle, 1024U));
}
constexpr std::uint32_t fewest_rows(std::uint32_t bundle) {
  return std::clamp(bundle / 4, 1U, 256U);
}
// The least and the most that a few units should take.
constexpr duration units_least{5};
constexpr duration units_most{20};
// Bundles that a shard takes before it tells how far it has come: a shard that never catches up with its inbox must not
// keep its watermark from those behind it.
constexpr std::uint32_t bundles_per_mark = 8;
}  // namespace

shard_core::shard_core(const graph& of, const plan& in, const shard_options& options, shard_surroundings& around)
    : plan_(in), stage_(in.stages.at(options.stage)), options_(options), around_(around),
      instance_(of, in, options.stage, instance_options(),
                [this](edge_id id) -> bundle_outlet& { return make_outlet(id); }) {
  for (const edge_id e : stage_.inputs) {
    first_sender_[e] = senders_;
    senders_ += plan_.stages[plan_.edges[e].from].shards;
  }
  main_senders_ = senders_;
  for (const edge_id e : stage_.views) {
    const std::size_t count = plan_.stages[plan_.edges[e].from].shards;
    first_sender_[e] = senders_;
    view_merge_.emplace(e, watermark_merge(count));
    senders_ += count;
  }
  merge_ = watermark_merge(main_senders_);
  sequence_ = sequence_check(senders_);
  aligner_ = aligner(senders_ + (main_senders_ == 0 ? 1 : 0));
}

stage_options shard_core::instance_options() {
  stage_options instance = options_.instance;
  instance.carry_timers = [this](bundle& due) { carry_timers(due); };
  if (!options_.stepped) instance.full = [this] { return blocked(); };
  return instance;
}

// A shard's due timers are a bundle to itself, which crosses its edge as any other: packed where bundles are packed.
void shard_core::carry_timers(bundle& due) {
  const std::size_t raw = due.size_bytes();
  std::size_t sent = raw;
  if (options_.pack) {
    writer bytes;
    due.encode(bytes);
    const std::string frame = frame_codec().pack(bytes.bytes());
    sent = frame.size();
    const std::string arrived = frame_codec::unpack(frame, options_.bundle_bytes_max);
    reader from(arrived);
    bundle::decode(from, due);
    from.expect_end();
  }
  timer_traffic_.merge({1, 0, due.timers.size(), raw, sent});
}

bundle_outlet& shard_core::make_outlet(edge_id id) {
  const outlet_options to{.edge = id,
                          .sender = options_.instance.shard,
                          .generation = options_.generation,
                          .shards = plan_.stages[plan_.edges[id].to].shards,
                          .window_bytes = options_.window_bytes,
                          .pack = options_.pack};
  auto deliver = [this](std::uint32_t edge, std::uint32_t shard, shipment rows) {
    around_.deliver(edge, shard, std::move(rows));
  };
  return *(outlets_[id] = std::make_unique<shard_outlet>(to, std::move(deliver)));
}

void shard_core::start(timestamp now, std::optional<std::string_view> snapshot, std::uint64_t epoch) {
  epoch_ = epoch;
  instance_.setup(now);
  if (auto* sharer = instance_.sharer(); sharer && stage_.shards > 1 && sharer->share()) sharer_ = sharer;
  source_ended_ = instance_.source() == nullptr;
  read_rows_ = fewest_rows(options_.instance.bundle_rows_max);  // it is not known yet how long rows take
  if (snapshot) {
    instance_.restore(*snapshot);
    // A clock that is ahead of the snapshot's releases what has become due.
    instance_.advance(instance_.input_watermark(), now);
  }
  unsent_ = true;
}

std::size_t shard_core::sender_index(const bundle_header& h) const {
  const auto first = first_sender_.find(h.edge);
  check(first != first_sender_.end(), "a bundle arrives on an edge of its stage");
  check(h.sender < plan_.stages[plan_.edges[h.edge].from].shards, "a bundle's sender is a shard of the edge's stage");
  return first->second + h.sender;
}

void shard_core::receive(shipment in) {
  if (in.generation != options_.generation) return;
  arrived_bundle b{std::move(in.rows), in.charged_bytes, in.packed != nullptr};
  if (in.packed) {
    const std::string bytes = frame_codec::unpack(*in.packed, options_.bundle_bytes_max);
    reader from(bytes);
    b.rows = std::make_shared<bundle>();
    bundle::decode(from, *b.rows);
    from.expect_end();
  }
  const auto how = sequence_.arrived(sender_index(b.rows->header), b.rows->header.sequence);
  if (how == arrival::repeated) return;
  check(how == arrival::next, "no bundle of a sender is lost");
  inbox_bytes_ += b.charged_bytes;
  inbox_.push_back(std::move(b));
  queued_bytes_max_ = std::max(queued_bytes_max_, queued_bytes());
}

void shard_core::granted(credit_grant credit) {
  if (credit.generation != options_.generation) return;
  outlets_.at(credit.edge)->granted(credit.shard, credit.bytes, std::move(credit.spent));
}

bool shard_core::blocked() const {
  return std::ranges::any_of(outlets_, [](const auto& o) { return o.second->blocked(); });
}

bool shard_core::work(timestamp now) {
  if (blocked()) return false;
  if (instance_.has_due_timers()) {
    tick(now);
    send_on(0);
  }
  if (take_bundle(now)) {
    if (options_.stepped || inbox_.empty() || ++taken_ >= bundles_per_mark) send_on(0);
    return true;
  }
  if (!source_ended_ && !instance_.reading_pauses() && !(source_waits_ && instance_.source()->next_read() > now)) {
    read_source(now);
    return true;
  }
  if (std::exchange(unsent_, false)) {
    send_on(0);
    return true;
  }
  note_end();
  return instance_.has_due_timers();
}

bool shard_core::take_bundle(timestamp now) {
  if (offering_) return false;  // there may be a barrier in it
  while (!inbox_.empty()) {
    arrived_bundle b = std::move(inbox_.front());
    inbox_.pop_front();
    const bundle_header h = b.rows->header;
    const std::size_t sender = sender_index(h);
    if (aligner_.waits(sender)) {
      stash_.push_back(std::move(b));
      continue;
    }
    const bool view = view_merge_.contains(h.edge);
    if (b.rows->rows > 0) {
      if (view) instance_.accept_view(h.edge, *b.rows, now);
      else instance_.accept(*b.rows, now);
    }
    apply_mark(h, now);
    complete(std::move(b));
    unsent_ = true;
    if (h.barrier != 0) barrier_reached(sender, h.barrier);
    return true;
  }
  return false;
}

void shard_core::apply_mark(const bundle_header& h, timestamp now) {
  if (const auto view = view_merge_.find(h.edge); view != view_merge_.end()) {
    if (view->second.update(h.sender, h.mark)) instance_.advance_view(h.edge, view->second.merged());
  } else if (merge_.update(sender_index(h), h.mark) && !options_.stepped) {
    instance_.advance(merge_.merged(), now);
  }
}

void shard_core::complete(arrived_bundle done) {
  inbox_bytes_ -= done.charged_bytes;
  const bundle_header& h = done.rows->header;
  const auto edge = h.edge;
  const auto sender = h.sender;
  credit_grant back{options_.generation, edge, options_.instance.shard, done.charged_bytes, nullptr};
  if (!done.packed) back.spent = std::move(done.rows);
  around_.grant(edge, sender, std::move(back));
}

void shard_core::inject_barrier(std::uint64_t epoch) {
  check(main_senders_ == 0, "barriers are injected where rows begin");
  if (offering_) barrier_behind_offer_ = epoch;
  else barrier_reached(senders_, epoch);
}

// The epoch's last barrier is here: rows that wait go before it, and what was stashed comes after it.
void shard_core::barrier_reached(std::size_t sender, std::uint64_t epoch) {
  if (!aligner_.reached(sender, epoch)) return;
  send_on(epoch);
  instance_.prepare(epoch);
  writer bytes;
  bytes.reserve(snapshot_bytes_ + snapshot_bytes_ / 8);  // they seldom differ much, and growing copies
  instance_.snapshot(bytes);
  snapshot_bytes_ = bytes.size();
  around_.snapshot_taken(epoch, std::string(bytes.bytes()));
  epoch_ = epoch;
  while (!stash_.empty()) {
    inbox_.push_front(std::move(stash_.back()));
    stash_.pop_back();
  }
}

void shard_core::took(duration units) {
  const std::uint32_t rows = options_.instance.bundle_rows_max;
  if (units > units_most) read_rows_ = std::max(read_rows_ / 2, fewest_rows(rows));
  else if (units < units_least) read_rows_ = std::min(read_rows_ * 2, most_rows(rows));
}

bool shard_core::wants_split() const {
  return sharer_ && !offering_ && !blocked() && sharer_->wants_split();
}

std::optional<double> shard_core::left() {
  return sharer_ ? sharer_->left() : 0.0;
}

std::optional<std::string> shard_core::offer_split() {
  check(!offering_, "one split is offered at a time");
  std::optional<std::string> offer;
  if (sharer_) offer = sharer_->give_split();
  offering_ = offer.has_value();
  return offer;
}

void shard_core::settle_offer(bool taken, timestamp now) {
  check(std::exchange(offering_, false), "only an offer is answered");
  sharer_->settle_split(taken);
  work_came(now);
  if (barrier_behind_offer_) barrier_reached(senders_, *std::exchange(barrier_behind_offer_, std::nullopt));
}

bool shard_core::take_split(std::string_view encoded, std::uint64_t epoch, timestamp now) {
  if (epoch != epoch_ || !wants_split() || !sharer_->take_split(encoded)) return false;
  work_came(now);
  return true;
}

void shard_core::no_more_splits() {
  sharer_->no_more_splits();
  source_waits_ = false;
  unsent_ = true;
}

// A source reads it; any other stage has it as a timer that is due.
void shard_core::work_came(timestamp now) {
  source_waits_ = false;
  unsent_ = true;
  if (instance_.has_head()) tick(options_.stepped ? timestamp::min() : now);
}

void shard_core::read_source(timestamp now) {
  const read_status status = instance_.read(read_rows_, now);
  source_waits_ = status == read_status::waiting;
  source_ended_ = status == read_status::ended;
  send_on(0);
}

// Rows first, then the watermark that they are behind.
void shard_core::send_on(std::uint64_t barrier) {
  unsent_ = false;
  taken_ = 0;
  instance_.flush();
  watermark mark = instance_.output_watermark();
  mark.idle = mark.idle || merge_.idle();
  output_ = mark.at;
  idle_ = mark.idle;
  for (auto& [id, out] : outlets_) out->release(mark, barrier);
  queued_bytes_max_ = std::max(queued_bytes_max_, queued_bytes());
}

void shard_core::note_end() {
  const bool ended = output_ == timestamp::max() && source_ended_ && inbox_.empty() && stash_.empty();
  if (!ended || std::exchange(end_noted_, true)) return;
  around_.finished();
}

void shard_core::tick(timestamp now) {
  instance_.advance(instance_.input_watermark(), now);
  unsent_ = true;
}

void shard_core::commit(std::uint64_t epoch, timestamp now) {
  instance_.commit(epoch, options_.stepped ? timestamp::min() : now);
  if (instance_.has_head()) tick(options_.stepped ? timestamp::min() : now);  // the least moves no clock
}

void shard_core::step(timestamp now) {
  instance_.advance(main_senders_ > 0 ? merge_.merged() : instance_.input_watermark(), now);
  unsent_ = true;
}

void shard_core::play(std::size_t event, timestamp now) {
  instance_.play(event, now);
  send_on(0);
}

void shard_core::drain() {
  instance_.drain();
  source_waits_ = false;
  unsent_ = true;
}

std::optional<timestamp> shard_core::next_wake() const {
  auto next = instance_.next_clock_timer();
  if (!source_ended_ && source_waits_) {
    const timestamp read = instance_.source()->next_read();
    next = next ? std::min(*next, read) : read;
  }
  return next;
}

std::size_t shard_core::queued_bytes() const {
  std::size_t bytes = inbox_bytes_ + instance_.waiting_bytes();
  for (const auto& [id, out] : outlets_) bytes += out->waiting_bytes();
  return bytes;
}

std::map<edge_id, edge_traffic> shard_core::traffic() const {
  std::map<edge_id, edge_traffic> all;
  for (const auto& [id, out] : outlets_) all[id] = out->traffic();
  return all;
}

}  // namespace millrace
