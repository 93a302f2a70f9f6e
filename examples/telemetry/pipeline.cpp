#include "pipeline.hpp"

#include "combine.hpp"
#include "in_order.hpp"
#include "once.hpp"
#include "reading.hpp"
#include "tables.hpp"

#include <millrace/io/json_lines.hpp>
#include <millrace/io/read_text.hpp>
#include <millrace/io/sqlite_sink.hpp>
#include <millrace/io/utf8.hpp>
#include <millrace/io/write_text.hpp>
#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/flat_map.hpp>
#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/event_times.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

namespace telemetry {

namespace mr = millrace;
using namespace std::chrono_literals;

namespace {

constexpr mr::duration lateness = 10min;
constexpr mr::bounded_out_of_orderness disorder{30s};
constexpr std::size_t best = 10;
constexpr std::uint32_t parts_of_region = 16;

double degrees(std::int64_t hundredths) {
  return static_cast<double>(hundredths) / 100;
}
std::int64_t minute_of(const mr::stamp& at) {
  return at.in.start.millis() / 1000;
}

mr::pcollection<std::string> generated_lines(mr::pipeline& p, const pipeline_settings& s) {
  const generator_source generated(s.generated, s.pace);
  return p | mr::read(read_step, in_order(mr::with_event_times(generated, time_of_line, disorder)));
}

// The lines of the files, and those that are no text or too long for one.
auto input_lines(mr::pipeline& p, const pipeline_settings& s) {
  using files = mr::basic_text_source<true>;
  const files all(s.input, {.split_bytes = UINT64_MAX}, read_step);
  const auto time_of = [](const files::element& e) -> std::optional<mr::timestamp> {
    const auto* line = std::get_if<std::string>(&e);
    return line ? time_of_line(*line) : std::nullopt;
  };
  return p | mr::read(read_step, in_order(mr::with_event_times(all, time_of, disorder)))
         | mr::split("readable", [](const files::element& e) { return e; });
}

// The reference table: how many devices of each batch are in use.
auto devices(std::uint64_t sensors) {
  std::vector<mr::kv<std::uint64_t, device_batch>> table;
  for (std::uint64_t first = 0; first < sensors; first += batch_devices)
    table.push_back({first / batch_devices, {std::min(batch_devices, sensors - first)}});
  return mr::create("devices", table);
}

reading of_known_device(const reading& r, const std::map<std::uint64_t, device_batch>& batches,
                        mr::metric_board& board) {
  const auto number = device_number(r.device);
  const auto batch = number ? batches.find(*number / batch_devices) : batches.end();
  if (batch == batches.end() || *number % batch_devices >= batch->second.in_use)
    throw std::invalid_argument("device \"" + r.device + "\" is not in the table of devices");
  ++board.counter(aggregated_counter);
  return r;
}

template <class T>
dead_letter letter(std::string payload, const mr::failed<T>& of) {
  const auto device = field_text(payload, "\"device\"");
  const auto time = field_text(payload, "\"time\"");
  return {std::move(payload), of.message, std::optional<std::string>(device), of.step,
          std::optional<std::string>(time)};
}

// What was read of it may be neither text nor of a size that anybody wants in a table.
dead_letter unreadable_letter(const mr::failed<std::string>& f) {
  constexpr std::size_t shown_bytes = 4096;
  return letter(mr::printable(f.element, shown_bytes), f);
}

void write_minutes(const mr::pcollection<reading>& readings, const mr::sqlite_table_options& to) {
  readings | mr::combine_per_key("minutes", mr::by(&reading::device), mr::of(&reading::hundredths), measure{})
      | mr::flat_map("minute rows",
                     [](const mr::kv<std::string, statistics>& m, mr::emitter<minute_row>& out) {
                       const statistics& s = m.value;
                       const double mean = static_cast<double>(s.sum) / static_cast<double>(100 * s.count);
                       out({m.key, minute_of(out.at()), s.count, degrees(s.min), mean, degrees(s.max)});
                     })
      | mr::write_sqlite("write minutes", to);
}

// Every region is divided by device, so that none is a single hot key. The parts give what is new (discarding panes):
// if they gave everything so far again, a reading would come to its region several times and take several ranks there.
void write_top_readings(const mr::pcollection<reading>& readings, const mr::trigger& fire,
                        const mr::sqlite_table_options& to) {
  const auto part = [](const reading& r) {
    return region_part{r.region, static_cast<std::uint32_t>(device_number(r.device).value_or(0) % parts_of_region)};
  };
  const auto as_candidate = [](const reading& r) { return candidate{r.hundredths(), r.device, r.time.millis()}; };
  readings | mr::window_into("what is new", {.keep = mr::panes::discarding})
      | mr::combine_per_key("best of part", mr::by(part), mr::of(as_candidate), mr::top(best, ranks_after{}))
      | mr::window_into("everything so far", {.fire = fire, .keep = mr::panes::accumulating})
      | mr::combine_per_key("best of region", mr::by([](const auto& p) { return p.key.region; }),
                            mr::of([](const auto& p) { return p.value; }), best_of_parts(best))
      | mr::flat_map("ranks",
                     [](const mr::kv<std::string, std::vector<candidate>>& r, mr::emitter<top_row>& out) {
                       std::int64_t rank = 0;
                       for (const candidate& c : r.value)
                         out({r.key, minute_of(out.at()), ++rank, c.device, degrees(c.hundredths)});
                     })
      | mr::write_sqlite("write top readings", to);
}

}  // namespace

mr::pipeline make_pipeline(const pipeline_settings& s) {
  mr::pipeline p{"telemetry"};
  const auto database = s.output / "telemetry.sqlite";
  const mr::trigger fire = mr::at_watermark().early(mr::after_delay{s.early}).late(mr::each_element{});
  const mr::windowing per_minute{
      .into = mr::fixed(1min), .fire = fire, .keep = mr::panes::accumulating, .allowed_lateness = lateness};

  std::vector<mr::pcollection<dead_letter>> letters;
  const auto lines = [&] {
    if (s.input.empty()) return generated_lines(p, s);
    const auto [readable, unreadable] = input_lines(p, s);
    letters.push_back(unreadable | mr::map("unreadable line", unreadable_letter));
    return readable;
  }();
  const auto [parsed, unparsed] = lines | mr::map("parse", parse, mr::with_errors);
  parsed | mr::map("line", &received::line)
      | mr::write_text("archive", s.output / "archive" / "readings", {.shards = 1, .suffix = ".jsonl.zst"});

  // Repeated and too late readings end before the join, whose wait for its table would make the latter seem in time.
  const auto table = p | devices(s.generated.sensors) | mr::as_map("table of devices");
  const auto [readings, unknown] =
      parsed | mr::map("reading", &received::of) | mr::window_into("per minute", per_minute)
      | mr::with_keys("by device", &reading::device) | mr::par_do(once_step, once{lateness})
      | mr::map(known_step, of_known_device, mr::with(table), mr::with_errors);
  write_minutes(readings, {database, "minutes", {"minute", "device"}});
  write_top_readings(readings, fire, {database, "top_readings", {"region", "minute", "rank"}});

  letters.push_back(
      unknown
      | mr::map("unknown device", [](const mr::failed<reading>& f) { return letter(mr::to_json_line(f.element), f); })
      | mr::window_into("at any time", {.into = mr::global_windows(), .fire = mr::default_trigger()}));
  letters.push_back(unparsed
                    | mr::map("unusable line", [](const mr::failed<std::string>& f) { return letter(f.element, f); }));
  mr::flatten("unusable", letters) | mr::write_sqlite(dead_letter_step, {database, "dead_letters"});
  return p;
}

}  // namespace telemetry
