#include <millrace/transforms/checkpoints/stage_snapshot.hpp>
#include <millrace/transforms/metrics/metric_board.hpp>
#include <millrace/transforms/operators/combine_form.hpp>
#include <millrace/transforms/update/adopt.hpp>
#include <millrace/transforms/update/compare.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace millrace {

namespace {

std::string refusal(const std::string& job, const std::vector<std::string>& faults) {
  std::string text = "job \"" + job + "\" cannot go on as this program:";
  for (const std::string& f : faults) text += "\n  " + f;
  return text;
}

// The parts of a checkpoint, read.
class old_job {
 public:
  explicit old_job(const checkpoint& from) : program_(decode_description(from.program)) {
    for (const auto& [at, bytes] : from.parts) {
      const auto [stage, shard] = at;
      if (stage >= program_.stages.size() || shard >= program_.stages[stage].shards)
        throw decode_error(0, "a part of a checkpoint belongs to no stage of its program");
      parts_.emplace(at, stage_snapshot::read(*bytes, program_.stages[stage].steps.size()));
    }
    for (std::uint32_t s = 0; s < program_.stages.size(); ++s)
      for (std::size_t i = 0; i < program_.stages[s].steps.size(); ++i) places_[program_.stages[s].steps[i]] = {s, i};
  }

  [[nodiscard]] const job_description& program() const { return program_; }
  [[nodiscard]] std::vector<kept_state> kept() const {
    std::vector<kept_state> all(program_.steps.size());
    for (const auto& [at, part] : parts_)
      for (std::size_t i = 0; i < part.steps.size(); ++i) {
        kept_state& of = all[program_.stages[at.first].steps[i]];
        of.bytes = of.bytes || !part.steps[i].state.empty();
        of.state = of.state || part.steps[i].is == step_state::kept;
      }
    return all;
  }
  // Where a step was: its stage, and its place there.
  [[nodiscard]] std::pair<std::uint32_t, std::size_t> place_of(std::size_t step) const { return places_.at(step); }
  [[nodiscard]] const stage_snapshot* part(std::uint32_t stage, std::uint32_t shard) const {
    const auto found = parts_.find({stage, shard});
    return found == parts_.end() ? nullptr : &found->second;
  }

 private:
  job_description program_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, stage_snapshot> parts_;
  std::map<std::size_t, std::pair<std::uint32_t, std::size_t>> places_;
};

// Writes the parts of the new program from those of the old one.
class translator {
 public:
  translator(const old_job& old, const job_description& now, const comparison& how, const name_mapping& names)
      : old_(old), now_(now), how_(how), names_(names) {}

  [[nodiscard]] std::shared_ptr<const std::string> part(std::uint32_t stage, std::uint32_t shard) {
    const stage_description& to = now_.stages[stage];
    stage_snapshot made;
    if (const auto from = origin(to))
      if (const stage_snapshot* clocks = old_.part(*from, shard)) {
        made.input_watermark = clocks->input_watermark;
        made.output_watermark = clocks->output_watermark;
      }
    std::vector<std::string> metrics;  // what the views below look at
    metrics.reserve(to.steps.size());
    for (const std::uint32_t step : to.steps) {
      metrics.push_back(metrics_of(step, to.shards, shard));
      made.steps.push_back(state_of(step, shard));
      made.steps.back().metrics = metrics.back();
    }
    writer bytes;
    made.encode(bytes);
    return std::make_shared<const std::string>(bytes.bytes());
  }

 private:
  // The old stage whose clocks a stage goes on from: that of its name, else of its first step that was there.
  [[nodiscard]] std::optional<std::uint32_t> origin(const stage_description& to) const {
    const auto& stages = old_.program().stages;
    for (std::uint32_t s = 0; s < stages.size(); ++s)
      if (names_.renamed(stages[s].name) == to.name) return s;
    for (const std::uint32_t step : to.steps)
      if (how_.matches[step]) return old_.place_of(*how_.matches[step]).first;
    return std::nullopt;
  }

  // Shards that are fewer than before share what the others have counted.
  [[nodiscard]] std::string metrics_of(std::uint32_t step, std::uint32_t shards, std::uint32_t shard) const {
    metric_board all;
    if (const auto match = how_.matches[step]) {
      const auto [stage, place] = old_.place_of(*match);
      for (std::uint32_t s = shard; s < old_.program().stages[stage].shards; s += shards)
        if (const stage_snapshot* part = old_.part(stage, s)) {
          metric_board one;
          reader from(part->steps[place].metrics);
          one.decode(from);
          all.merge(one);
        }
    }
    writer bytes;
    all.encode(bytes);
    return std::string(bytes.bytes());
  }

  [[nodiscard]] stage_snapshot::step state_of(std::uint32_t step, std::uint32_t shard) const {
    const auto match = how_.matches[step];
    if (!match || how_.begins[step]) return {.metrics = {}, .is = step_state::begins, .state = {}};
    const auto [stage, place] = old_.place_of(*match);
    const stage_snapshot* part = old_.part(stage, shard);
    if (!part) return {.metrics = {}, .is = step_state::begins, .state = {}};
    return part->steps[place];
  }

  const old_job& old_;
  const job_description& now_;
  const comparison& how_;
  const name_mapping& names_;
};

// Whether a combine goes on along the general path: where that has written its state, and where flat tables would fire
// what waits there with the bundles of other keys.
bool goes_general(const step_description& was, const step_description& is) {
  return !was.fast
         || (was.text != is.text
             && std::ranges::find(is.state.parts, with_bundles, &state_part::name) != is.state.parts.end());
}

std::optional<node_id> node_of(const graph& of, const std::string& path) {
  const auto found = std::ranges::find(of.nodes(), path, &node::path);
  return found == of.nodes().end() ? std::nullopt : std::optional(found->id);
}

}  // namespace

update_refused::update_refused(const std::string& job, const std::vector<std::string>& faults)
    : std::runtime_error(refusal(job, faults)) {}

adopted_checkpoint adopt(const checkpoint& old, const successor& program, const name_mapping& names) {
  const old_job job(old);
  described_paths paths{.fast_path = program.fast_path};
  job_description now = describe_job(program.of, program.stages, paths);
  const std::vector<kept_state> kept = job.kept();
  const comparison how = compare(job.program(), now, kept, names);
  if (!how.faults.empty()) throw update_refused(old.job, how.faults);

  adopted_checkpoint made{.from = old, .general_nodes = {}, .notices = how.notices};
  for (std::size_t i = 0; i < now.steps.size(); ++i) {
    const auto match = how.matches[i];
    if (match && !how.begins[i] && kept[*match].bytes && goes_general(job.program().steps[*match], now.steps[i]))
      made.general_nodes.insert(*node_of(program.of, now.steps[i].path));
  }
  paths.general_nodes = made.general_nodes;
  now = describe_job(program.of, program.stages, paths);
  made.from.fingerprint = program.fingerprint;
  made.from.program = encode_description(now);
  made.from.parts.clear();
  translator to(job, now, how, names);
  for (std::uint32_t stage = 0; stage < now.stages.size(); ++stage)
    for (std::uint32_t shard = 0; shard < now.stages[stage].shards; ++shard)
      made.from.parts[{stage, shard}] = to.part(stage, shard);
  return made;
}

std::set<node_id> general_nodes_of(const checkpoint& from, const graph& of) {
  std::set<node_id> general;
  for (const step_description& s : decode_description(from.program).steps)
    if (const auto id = node_of(of, s.path); id && !s.fast) general.insert(*id);
  return general;
}

}  // namespace millrace
