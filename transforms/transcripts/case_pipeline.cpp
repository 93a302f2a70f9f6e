#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/distinct.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/transcripts/case_output.hpp>
#include <millrace/transforms/transcripts/case_pipeline.hpp>
#include <millrace/transforms/transcripts/case_side.hpp>
#include <millrace/transforms/transcripts/words.hpp>
#include <millrace/transforms/window_into.hpp>

#include <array>
#include <charconv>

namespace millrace::transcripts {

namespace {

using rows = pcollection<case_row>;

// The shortest text that stands for the number.
struct number_text {
  template <class Number>
  case_row operator()(const kv<std::string, Number>& x) const {
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), x.value).ptr;
    return {x.key, std::string(text.data(), end)};
  }
};

template <class Fn>
rows add_combine(const rows& in, const std::string& name, Fn fn) {
  const auto number = [](const case_row& x) { return number_of(x.value); };
  return in | combine_per_key(name, by(&case_row::key), of(number), fn) | map(name + " as text", number_text{});
}

rows add_transform(const rows& in, const case_transform& of, const std::string& prefix) {
  const std::string name = prefix + of.name;
  using bag = kv<std::string, std::vector<std::string>>;
  const auto bag_row = [](const bag& x) { return case_row{x.key, bag_text(x.value)}; };
  const auto unkeyed = [](const std::string& value) { return case_row{"k", value}; };
  if (of.name == "none") return in;
  if (of.name == "reshuffle") return in | reshuffle(name);
  if (of.name == "group") return in | group_by_key(name) | map(name + " as text", bag_row);
  if (of.name == "sum") return add_combine(in, name, sum);
  if (of.name == "max") return add_combine(in, name, max);
  if (of.name == "mean") return add_combine(in, name, mean);
  if (of.name == "count") return in | count_per_key(name) | map(name + " as text", number_text{});
  if (of.name == "distinct")
    return in | map(prefix + "values", &case_row::value) | distinct(name) | map(prefix + "key k", unkeyed);
  return add_program(in, of, prefix);
}

// A step of the main input reads `side`, which may be null.
rows add_step(rows in, const case_step& step, const rows* side, const std::string& prefix) {
  if (step.rekey) in = in | map(prefix + "rekey", [](const case_row& x) { return case_row{"k", x.value}; });
  if (step.remerge) in = in | remerge(prefix + "remerge");
  if (step.sets_windowing) in = in | window_into(prefix + "windows", step.options);
  if (!step.transform.reads_side()) return add_transform(in, step.transform, prefix);
  if (side == nullptr)
    throw pipeline_error(in.owner().path_of(prefix + step.transform.name),
                         "it reads the side input, but the case has none; begin one with a line \"side\"");
  return add_reader(in, *side, step.transform, prefix);
}

rows add_steps(rows now, const std::vector<case_step>& steps, const rows* side, const std::string& prefix) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    now = add_step(now, steps[i], side, prefix + std::to_string(i + 1) + " ");
  return now;
}

// A test stream of a case, and where its watermark is.
struct case_stream {
  test_stream<case_row> events;
  timestamp mark = timestamp::min();

  [[nodiscard]] bool moved_by(const case_event& e) const {
    return e.is == case_event::kind::elements || (e.is == case_event::kind::watermark && *e.at > mark);
  }
  void add(const case_event& e) {
    if (e.is == case_event::kind::watermark) {
      mark = *e.at;
      events.advance_watermark_to(mark);
      return;
    }
    std::vector<timestamped_value<case_row>> elements;
    for (const case_element& x : e.elements) elements.push_back({case_row{x.key, x.value}, x.at});
    events.add(std::span<const timestamped_value<case_row>>(elements));
  }
};

}  // namespace

case_pipeline::case_pipeline(const transcript_case& of) : pipeline_("case " + of.number) {
  if (of.unsafe) pipeline_.allow_unsafe_triggers();
  const std::vector<rows> inputs = add_inputs(of);
  std::optional<rows> side;
  if (!of.side.empty()) side = add_steps(inputs.at(1), of.side, nullptr, "side ");
  const rows now = add_steps(inputs.at(0), of.steps, side ? &*side : nullptr, "step ");
  now | observe(last, seen_);
  now | collect("committed", committed_);
}

std::vector<rows> case_pipeline::add_inputs(const transcript_case& of) {
  std::vector<case_stream> streams{{test_stream<case_row>("input")}};
  if (!of.side.empty()) streams.push_back({test_stream<case_row>("side input")});
  for (case_stream& s : streams) s.events.allow_elements_after_end();
  std::size_t scripted = 0;
  for (const case_event& e : of.events) {
    if (e.side && of.side.empty())
      throw pipeline_error("side input", "\"" + e.text + "\" belongs to a side input, but the case has none");
    const std::size_t to = e.side ? 1 : 0;
    const bool moves = streams[to].moved_by(e);
    scripted_.push_back(moves ? std::optional{scripted++} : std::nullopt);
    if (!moves) continue;
    for (std::size_t i = 0; i < streams.size(); ++i)
      if (i == to) streams[i].add(e);
      else streams[i].events.pause();
  }
  std::vector<rows> inputs;
  for (case_stream& s : streams) {
    if (of.bounded) s.events.bounded();
    inputs.push_back(pipeline_ | s.events);
  }
  return inputs;
}

std::vector<step_path> case_pipeline::paths() const {
  std::vector<step_path> all;
  for (const node& n : pipeline_.description().nodes())
    if (n.spec->kind() == operator_kind::keyed) all.push_back({n.path, n.spec->why_not_fast()});
  return all;
}

}  // namespace millrace::transcripts
