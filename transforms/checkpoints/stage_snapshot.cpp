#include <millrace/transforms/checkpoints/stage_snapshot.hpp>
#include <millrace/transforms/coders/coder.hpp>

namespace millrace {

stage_snapshot stage_snapshot::read(std::string_view bytes, std::size_t steps) {
  reader from(bytes);
  stage_snapshot all;
  all.input_watermark = coder<timestamp>::decode(from);
  all.output_watermark = coder<timestamp>::decode(from);
  for (std::size_t marks = from.count(2); marks > 0; --marks) {
    const std::uint64_t edge = from.varint();
    if (edge > UINT32_MAX) from.fail("a side input of a snapshot has no number of an edge");
    all.view_marks[static_cast<std::uint32_t>(edge)] = coder<timestamp>::decode(from);
  }
  for (; steps > 0; --steps) {
    reader own = from.section();
    reader metrics = own.section();
    step one;
    one.metrics = metrics.take(metrics.remaining());
    one.is = coder<step_state>::decode(own);
    if (one.is > step_state::begins) own.fail("the state of a step has an unknown form");
    one.state = own.take(own.remaining());
    all.steps.push_back(one);
  }
  from.expect_end();
  return all;
}

void stage_snapshot::encode(writer& to) const {
  encode_stage_clocks(to, input_watermark, output_watermark, view_marks);
  for (const step& one : steps)
    encode_step(to, [&](writer& out) { out.put(one.metrics); }, one.is, [&](writer& out) { out.put(one.state); });
}

void encode_stage_clocks(writer& to, timestamp input_watermark, timestamp output_watermark,
                         const std::map<std::uint32_t, timestamp>& view_marks) {
  coder<timestamp>::encode(to, input_watermark);
  coder<timestamp>::encode(to, output_watermark);
  to.varint(view_marks.size());
  for (const auto& [edge, mark] : view_marks) {
    to.varint(edge);
    coder<timestamp>::encode(to, mark);
  }
}

}  // namespace millrace
