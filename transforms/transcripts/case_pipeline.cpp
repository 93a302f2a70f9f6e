#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/distinct.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/transcripts/case_output.hpp>
#include <millrace/transforms/transcripts/case_pipeline.hpp>
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

rows add_step(rows in, const case_step& step, const std::string& prefix) {
  if (step.rekey) in = in | map(prefix + "rekey", [](const case_row& x) { return case_row{"k", x.value}; });
  if (step.remerge) in = in | remerge(prefix + "remerge");
  if (step.sets_windowing) in = in | window_into(prefix + "windows", step.options);
  return add_transform(in, step.transform, prefix);
}

}  // namespace

case_pipeline::case_pipeline(const transcript_case& of) : pipeline_("case " + of.number) {
  if (of.unsafe) pipeline_.allow_unsafe_triggers();
  rows now = add_input(of);
  for (std::size_t i = 0; i < of.steps.size(); ++i)
    now = add_step(now, of.steps[i], "step " + std::to_string(i + 1) + " ");
  now | observe(last, seen_);
  now | collect("committed", committed_);
}

rows case_pipeline::add_input(const transcript_case& of) {
  test_stream<case_row> stream("input");
  stream.allow_elements_after_end();
  if (of.bounded) stream.bounded();
  std::size_t scripted = 0;
  timestamp mark = timestamp::min();
  for (const case_event& e : of.events) {
    const bool moves = e.is == case_event::kind::elements || (e.is == case_event::kind::watermark && *e.at > mark);
    scripted_.push_back(moves ? std::optional{scripted++} : std::nullopt);
    if (!moves) continue;
    if (e.is == case_event::kind::watermark) {
      mark = *e.at;
      stream.advance_watermark_to(mark);
      continue;
    }
    std::vector<timestamped_value<case_row>> elements;
    for (const case_element& x : e.elements) elements.push_back({case_row{x.key, x.value}, x.at});
    stream.add(std::span<const timestamped_value<case_row>>(elements));
  }
  return pipeline_ | stream;
}

std::vector<step_path> case_pipeline::paths() const {
  std::vector<step_path> all;
  for (const node& n : pipeline_.description().nodes())
    if (n.spec->kind() == operator_kind::keyed) all.push_back({n.path, n.spec->why_not_fast()});
  return all;
}

}  // namespace millrace::transcripts
