#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/update/job_description.hpp>

namespace millrace {

namespace {

bool bounded(const graph& of, const node& n) {
  const collection_id id = n.outputs.empty() ? n.inputs.at(0) : n.outputs.front();
  return of.collection_at(id).bounded;
}

step_description describe_step(const graph& of, const node& n, const described_paths& paths) {
  step_description step{.path = n.path,
                        .text = n.spec->describe(),
                        .state = n.spec->state(),
                        .views = {},
                        .bounded = bounded(of, n),
                        .fast =
                            paths.fast_path && n.spec->why_not_fast().empty() && !paths.general_nodes.contains(n.id)};
  for (const collection_id v : n.views) step.views.push_back(of.at(of.collection_at(v).producer).path);
  return step;
}

}  // namespace

job_description describe_job(const graph& of, const plan& in, const described_paths& paths) {
  job_description all;
  for (const stage_plan& s : in.stages) {
    stage_description& stage = all.stages.emplace_back(s.name, s.shards, std::vector<std::uint32_t>{});
    for (const node_id id : s.nodes) {
      stage.steps.push_back(static_cast<std::uint32_t>(all.steps.size()));
      all.steps.push_back(describe_step(of, of.at(id), paths));
    }
  }
  return all;
}

std::string encode_description(const job_description& of) {
  return encode_whole(of);
}

job_description decode_description(std::string_view bytes) {
  job_description of = decode_whole<job_description>(bytes);
  for (const stage_description& s : of.stages)
    for (const std::uint32_t step : s.steps)
      if (step >= of.steps.size()) throw decode_error(0, "a stage of a checkpoint has a step that is not described");
  return of;
}

}  // namespace millrace
