#include <millrace/transforms/direct/direct_stage.hpp>

#include <algorithm>
#include <utility>

namespace millrace {

namespace {

// What several senders promise together, behind `before`: the least of those that are not idle. If all are, nothing
// moves.
watermark together(const std::vector<watermark>& senders, const watermark& before) {
  watermark all{timestamp::max(), !senders.empty()};
  for (const watermark& one : senders) {
    if (one.idle && one.at < timestamp::max()) continue;
    all = {std::min(all.at, one.at), false};
  }
  return {all.idle ? before.at : std::max(before.at, all.at), all.idle};
}

}  // namespace

direct_stage::direct_stage(const graph& of, const plan& in, const stage_plan& which, stage_options options,
                           const outlet_of& outlets)
    : plan_(which) {
  for (const edge_id e : which.inputs) marks_[e] = {};
  for (options.shard = 0; options.shard < which.shards; ++options.shard)
    instances_.push_back(std::make_unique<stage_instance>(of, in, which.id, options, outlets));
}

bool direct_stage::take_one(timestamp now) {
  if (inbox_.empty()) return false;
  const direct_message m = std::move(inbox_.front());
  inbox_.pop_front();
  const bool view = std::ranges::count(plan_.views, m.on) > 0;
  if (m.rows) take_rows(m, view, now);
  else take_mark(m, view, now);
  return true;
}

bool direct_stage::mark_moved() {
  std::vector<watermark> own;
  for (const auto& i : instances_) own.push_back(i->output_watermark());
  watermark mark = together(own, sent_);
  mark.idle = mark.idle || inputs().idle;
  return std::exchange(sent_, mark) != mark;
}

watermark direct_stage::inputs() const {
  std::vector<watermark> senders;
  for (const auto& [edge, mark] : marks_) senders.push_back(mark);
  return together(senders, {});
}

void direct_stage::take_rows(const direct_message& m, bool view, timestamp now) {
  stage_instance& to = *instances_.at(m.shard);
  if (view) to.accept_view(m.on, *m.rows, now);
  else to.accept(*m.rows, now);
}

void direct_stage::take_mark(const direct_message& m, bool view, timestamp now) {
  if (!view) marks_[m.on] = {std::max(marks_[m.on].at, m.mark.at), m.mark.idle};
  const watermark merged = inputs();
  for (const auto& i : instances_) {
    if (view) i->advance_view(m.on, m.mark.at);
    else i->advance(merged.at, now);
  }
}

}  // namespace millrace
