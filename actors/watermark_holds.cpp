#include <millrace/actors/job_report.hpp>

#include <algorithm>

namespace millrace {

namespace {

class holders {
 public:
  holders(const graph& of, const plan& in, const std::vector<shard_report>& shards)
      : graph_(of), plan_(in), least_(in.stages.size()) {
    for (const stage_plan& stage : in.stages)
      for (const shard_report& shard : shards)
        if (shard.stage == stage.name && counts_before(shard, least_[stage.id])) least_[stage.id] = &shard;
  }

  [[nodiscard]] std::vector<watermark_hold> all() const {
    std::vector<watermark_hold> found;
    for (const stage_plan& stage : plan_.stages) {
      const shard_report* least = least_[stage.id];
      if (!least || least->output_watermark == timestamp::max()) continue;
      const stage_id by = holder_of(stage);
      const shard_report& shard = *least_[by];
      found.push_back({stage.name, least->output_watermark, step_of(plan_.stages[by]), shard.shard, shard.split});
    }
    return found;
  }

 private:
  // A shard that is idle counts only where all of them are.
  static bool counts_before(const shard_report& one, const shard_report* other) {
    if (!other || one.idle != other->idle) return !other || other->idle;
    return one.output_watermark < other->output_watermark;
  }
  // Against the flow, to the first shard that is behind what it is given.
  [[nodiscard]] stage_id holder_of(const stage_plan& stage) const {
    const shard_report& here = *least_[stage.id];
    if (here.output_watermark < here.input_watermark) return stage.id;
    const shard_report* before = nullptr;
    stage_id from = stage.id;
    for (const edge_id e : stage.inputs) {
      const stage_id producer = plan_.edges[e].from;
      if (!least_[producer] || (before && !counts_before(*least_[producer], before))) continue;
      before = least_[producer];
      from = producer;
    }
    return before ? holder_of(plan_.stages[from]) : stage.id;
  }
  [[nodiscard]] std::string step_of(const stage_plan& stage) const {
    return stage.nodes.empty() ? stage.name : graph_.at(stage.nodes.front()).path;
  }

  const graph& graph_;
  const plan& plan_;
  std::vector<const shard_report*> least_;  // of each stage
};

}  // namespace

std::string to_text(const watermark_hold& of) {
  const std::string at = of.at == timestamp::min() ? "min" : std::to_string(of.at.millis());
  return "stage \"" + of.stage + "\" at watermark " + at + ": step \"" + of.step + "\", shard "
         + std::to_string(of.shard) + (of.split.empty() ? "" : ", split \"" + of.split + "\"");
}

std::vector<watermark_hold> watermark_holds(const graph& of, const plan& in, const std::vector<shard_report>& shards) {
  return holders(of, in, shards).all();
}

}  // namespace millrace
