#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/operators/stable_input.hpp>

#include <algorithm>
#include <utility>

namespace millrace {

stable_input::stable_input(const operator_environment& in, const maker& make) : outer_(in.clock), clock_(in.clock) {
  const operator_environment own{.step = in.step,
                                 .shard = in.shard,
                                 .shards = in.shards,
                                 .clock = clock_,
                                 .metrics = in.metrics,
                                 .attempts_max = in.attempts_max,
                                 .batch_rows_max = in.batch_rows_max,
                                 .fast_path = in.fast_path,
                                 .job = in.job,
                                 .durable_epochs = in.durable_epochs,
                                 .side_inputs = in.side_inputs,
                                 .time = in.time,
                                 .temp_folder = in.temp_folder};
  inner_ = make(own);
  head_ = inner_->as_head();
  check(head_ != nullptr, "stable input is for operators that begin a stage");
}

void stable_input::accept(const bundle& in) {
  move_clock();
  if (in.rows == 0) return head_->accept(in);  // timers, which are part of the state
  writer bytes;
  in.encode(bytes);
  kept_.push_back({0, in.least, std::string(bytes.bytes())});
}

void stable_input::advance() {
  bundle given;
  while (!kept_.empty() && kept_.front().epoch != 0 && kept_.front().epoch <= committed_) {
    reader from(kept_.front().bytes);
    bundle::decode(from, given);
    move_clock();
    head_->accept(given);
    inner_->finish_bundle();  // each is a bundle of its own, as it will be after a rewind
    inner_->start_bundle();
    kept_.pop_front();
  }
  move_clock();
  head_->advance();
}

void stable_input::due_timers(bundle& to) {
  move_clock();
  head_->due_timers(to);
}

void stable_input::accept_view(std::uint32_t view, const bundle& in) {
  move_clock();
  inner_->as_view_consumer()->accept_view(view, in);
}

void stable_input::advance_view(std::uint32_t view, timestamp mark) {
  move_clock();
  inner_->as_view_consumer()->advance_view(view, mark);
}

void stable_input::prepare(std::uint64_t epoch) {
  for (kept_bundle& b : kept_)
    if (b.epoch == 0) b.epoch = epoch;
  if (auto* also = inner_->as_epoch_participant()) also->prepare(epoch);
}

void stable_input::commit(std::uint64_t epoch) {
  committed_ = std::max(committed_, epoch);
  move_clock();
  if (auto* also = inner_->as_epoch_participant()) also->commit(epoch);
}

timestamp stable_input::hold() const {
  return std::min(inner_->hold(), earliest());
}

std::size_t stable_input::waiting_bytes() const {
  std::size_t bytes = inner_->waiting_bytes();
  for (const kept_bundle& b : kept_) bytes += b.bytes.size();
  return bytes;
}

timestamp stable_input::earliest() const {
  timestamp least = timestamp::max();
  for (const kept_bundle& b : kept_) least = std::min(least, b.least);
  return least;
}

// As behind a stage of its own which holds what is kept. It never moves back: what is late by then stays late.
void stable_input::move_clock() {
  clock_.input_watermark = std::max(clock_.input_watermark, std::min(outer_.input_watermark, earliest()));
  clock_.output_watermark = outer_.output_watermark;
  clock_.now = outer_.now;
  clock_.draining = outer_.draining;
}

void stable_input::snapshot(writer& to) const {
  coder<timestamp>::encode(to, clock_.input_watermark);
  to.varint(kept_.size());
  for (const kept_bundle& b : kept_) {
    to.varint(b.epoch);
    coder<timestamp>::encode(to, b.least);
    coder<std::string>::encode(to, b.bytes);
  }
  inner_->snapshot(to);
}

void stable_input::restore(reader& from) {
  clock_.input_watermark = coder<timestamp>::decode(from);
  kept_.clear();
  for (std::size_t n = from.count(3); n > 0; --n) {
    kept_bundle b;
    b.epoch = from.varint();
    b.least = coder<timestamp>::decode(from);
    b.bytes = coder<std::string>::decode(from);
    kept_.push_back(std::move(b));
  }
  inner_->restore(from);
}

}  // namespace millrace
