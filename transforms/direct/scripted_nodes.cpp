#include <millrace/transforms/direct/scripted_nodes.hpp>

namespace millrace {

std::unique_ptr<stage_operator> test_stream_of(const node& n, const stage_clock& clock, metric_board& metrics) {
  if (n.spec->kind() != operator_kind::read) return nullptr;
  auto made = n.spec->make({.step = n.path, .clock = clock, .metrics = metrics});
  return made->as_scripted() ? std::move(made) : nullptr;
}

const node* first_test_stream(const graph& of) {
  const stage_clock clock;
  metric_board metrics;
  for (const node& n : of.nodes())
    if (test_stream_of(n, clock, metrics)) return &n;
  return nullptr;
}

}  // namespace millrace
