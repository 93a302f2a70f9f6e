#include <millrace/transforms/direct/direct_stage.hpp>

#include <algorithm>
#include <utility>

namespace millrace {

direct_stage::direct_stage(const graph& of, const plan& in, const stage_plan& which, stage_options options,
                           const outlet_of& outlets)
    : plan_(which) {
  for (const edge_id e : which.inputs) marks_[e] = timestamp::min();
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
  timestamp mark = timestamp::max();
  for (const auto& i : instances_) mark = std::min(mark, i->output_watermark().at);
  return std::exchange(sent_, mark) != mark;
}

void direct_stage::take_rows(const direct_message& m, bool view, timestamp now) {
  stage_instance& to = *instances_.at(m.shard);
  if (view) to.accept_view(m.on, *m.rows, now);
  else to.accept(*m.rows, now);
}

void direct_stage::take_mark(const direct_message& m, bool view, timestamp now) {
  if (!view) marks_[m.on] = std::max(marks_[m.on], m.mark);
  timestamp least = timestamp::max();
  for (const auto& [edge, mark] : marks_) least = std::min(least, mark);
  for (const auto& i : instances_) {
    if (view) i->advance_view(m.on, m.mark);
    else i->advance(least, now);
  }
}

}  // namespace millrace
