#pragma once

#include <millrace/transforms/element/watermark.hpp>
#include <millrace/transforms/stages/stage_instance.hpp>

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace millrace {

// What travels between stages of a direct job: rows for one shard, or a watermark behind all rows sent so far, for
// every shard.
struct direct_message {
  edge_id on = 0;
  std::uint32_t shard = 0;
  bundle_ptr rows;  // null: only the watermark
  watermark mark = {};
};

// One stage of a direct job: an instance for each of its shards, its input queue, and the watermarks of its main
// inputs.
class direct_stage {
 public:
  using message_queue = std::deque<direct_message>;

  direct_stage(const graph& of, const plan& in, const stage_plan& which, stage_options options,
               const outlet_of& outlets);

  [[nodiscard]] const std::vector<std::unique_ptr<stage_instance>>& instances() const { return instances_; }
  // The only one of a stage that plays a test stream.
  [[nodiscard]] stage_instance& first() const { return *instances_.front(); }
  [[nodiscard]] const stage_plan& description() const { return plan_; }
  [[nodiscard]] message_queue& inbox() { return inbox_; }

  // Takes one message; false if there is none.
  bool take_one(timestamp now);
  // Whether the watermark to be sent on has moved since it was last asked.
  bool mark_moved();
  [[nodiscard]] const watermark& sent_mark() const { return sent_; }

  bool ended = false;  // its sources have nothing more

 private:
  void take_rows(const direct_message& m, bool view, timestamp now);
  void take_mark(const direct_message& m, bool view, timestamp now);
  // What its main inputs promise together.
  [[nodiscard]] watermark inputs() const;

  const stage_plan& plan_;
  message_queue inbox_;
  std::map<edge_id, watermark> marks_;
  watermark sent_;
  std::vector<std::unique_ptr<stage_instance>> instances_;
};

}  // namespace millrace
