#include "pipeline.hpp"
#include "progress.hpp"

#include <millrace/actors/run.hpp>
#include <millrace/io/checkpoint_directory.hpp>
#include <millrace/io/compressed_file.hpp>
#include <millrace/io/file_set.hpp>

#include <cmath>
#include <iostream>
#include <stdexcept>
#include <unistd.h>

// 50,000 temperature sensors report; their readings are checked, cleaned and aggregated by minute.
namespace telemetry {

namespace mr = millrace;

namespace {

constexpr double default_rate = 20'000;
constexpr double records_most = 1e12;

struct program_options {
  mr::pipeline_options pipeline;
  mr::duration duration{60'000};
  std::uint64_t sensors = 50'000;
  double rate = default_rate;
  double speed = 10;
  std::uint64_t seed = 1;
  double too_late = 0;
  std::string input;
  std::string generate;
  std::string output = "telemetry-output";
  mr::duration early{30'000};
  mr::duration progress{0};

  explicit program_options(mr::duration checkpoint_every) {
    // Though its sources end, minutes are shown as they close.
    pipeline.streaming = true;
    pipeline.checkpoint_every = checkpoint_every;
    pipeline.add("duration", &duration, "for how long records are generated");
    pipeline.add("sensors", &sensors, "devices in the reference table, which send the generated records");
    pipeline.add("rate", &rate, "generated records a second; 0: those of the default rate, as fast as they are taken");
    pipeline.add("speed", &speed, "how much faster than the clock event time runs in generated records");
    pipeline.add("seed", &seed, "another number gives other records");
    pipeline.add("too-late", &too_late, "the share of generated records that come too late for every window, 0 to 1");
    pipeline.add("input", &input, "a file of JSON lines to read instead, or a glob pattern; gzip and zstd are known");
    pipeline.add("generate", &generate, "only write the generated records to this file");
    pipeline.add("output", &output,
                 "the folder for telemetry.sqlite and the archive; results of an earlier run are replaced");
    pipeline.add("early", &early, "processing time from the first reading of a minute to an early result");
    pipeline.add("progress", &progress,
                 "how often a line of progress is written to stderr; 0: only live, on a terminal");
  }
  [[nodiscard]] generator_settings generated() const {
    const double spacing_rate = rate > 0 ? rate : default_rate;
    const double seconds = std::chrono::duration<double>(duration).count();
    return {
        static_cast<std::uint64_t>(std::llround(spacing_rate * seconds)), spacing_rate, speed, sensors, seed, too_late};
  }
};

void require(bool holds, const std::string& option, const std::string& expected) {
  if (!holds) throw mr::option_error("option --" + option + " must be " + expected);
}

void validate(const program_options& o) {
  require(o.duration.count() >= 0, "duration", "0 or more");
  require(o.sensors >= 1 && o.sensors <= 10'000'000, "sensors", "from 1 to 10000000");
  require(o.rate >= 0 && o.rate <= 1e8, "rate", "from 0 to 100000000");
  require(o.speed >= 0.001 && o.speed <= 1e6, "speed", "from 0.001 to 1000000");
  require(o.too_late >= 0 && o.too_late <= 1, "too-late", "a share from 0 to 1");
  require(o.early.count() > 0, "early", "more than 0");
  require(o.progress.count() >= 0, "progress", "0 or more");
  require(o.pipeline.runner == mr::runner_kind::actors || o.pipeline.checkpoints.empty(), "checkpoints",
          "given to the actor runtime; the direct runner keeps none");
  require(!o.output.empty(), "output", "a folder");
  require(o.input.empty() || o.generate.empty(), "generate", "given without --input, which takes what it writes");
  const generator_settings g = o.generated();
  require(static_cast<double>(g.count) / g.rate * o.speed <= 200 * 365.0 * 86'400
              && static_cast<double>(g.count) < records_most,
          "duration", "shorter: its records would be more than the clock or a file can hold");
}

// The file appears under its name once it is complete.
int write_records(const program_options& o) {
  const generator records(o.generated());
  const std::filesystem::path target = o.generate;
  const auto temporary = mr::temporary_path(target, "telemetry", "generated");
  try {
    auto file = mr::compressed_writer::create(temporary, {.kind = mr::resolve(mr::compression::automatic, target)});
    std::string line;
    for (std::uint64_t i = 0; i < records.count(); ++i) {
      records.write(i, line);
      line += '\n';
      file.write(line);
    }
    file.finish();
    mr::publish(temporary, target);
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw std::runtime_error("cannot generate " + o.generate + ": " + error.what());
  }
  std::cout << "wrote " << records.count() << " records to " << o.generate << '\n';
  return 0;
}

// A job that begins anew must not add to what an earlier one left; one that goes on does so with its own.
void prepare_output(const std::filesystem::path& folder, bool begins_anew) {
  mr::create_folders(folder / "archive");
  if (!begins_anew) return;
  for (const char* name : {"telemetry.sqlite", "telemetry.sqlite-wal", "telemetry.sqlite-shm"})
    std::filesystem::remove(folder / name);
}

progress_style style_of(const program_options& o) {
  if (o.progress.count() > 0) return progress_style::lines;
  return isatty(STDERR_FILENO) != 0 ? progress_style::live : progress_style::none;
}

int run_pipeline(const program_options& o) {
  if (!o.input.empty()) static_cast<void>(mr::match_files(o.input));
  const mr::pipeline p = make_pipeline({o.generated(), o.rate, o.input, o.output, o.early});
  const auto store = mr::directory(o.pipeline.checkpoints);
  const bool goes_on = (store && store->newest()) || o.pipeline.update || !o.pipeline.create_from_snapshot.empty();
  prepare_output(o.output, !goes_on);
  progress_display display(std::cerr, style_of(o));
  const mr::job_report report =
      mr::execute(p, o.pipeline,
                  {.checkpoints = store,
                   .snapshot = mr::directory(o.pipeline.create_from_snapshot),
                   .progress = [&](const mr::job_report& r) { display.show(r); },
                   .progress_every = o.progress.count() > 0 ? o.progress : mr::duration{500}});
  display.show(report);
  display.finish();
  if (!report.succeeded()) {
    std::cerr << "telemetry " << mr::to_text(report.state) << (report.error.empty() ? "" : ": ") << report.error
              << '\n';
    return report.state == mr::job_state::cancelled ? 130 : 1;
  }
  const totals all = totals_of(report);
  std::cout << balance_text(all) << '\n';
  return all.read == all.accounted() ? 0 : 1;
}

}  // namespace

int run(int argc, char** argv) {
  // Unpaced the same time holds ten times as many records, which a restart would have to read again: then checkpoints
  // are more frequent, unless the command line says how frequent they are.
  program_options options{mr::duration{500}};
  if (!options.pipeline.parse(argc, argv)) {
    std::cout << options.pipeline.help_text(
        "telemetry", "Aggregates what temperature sensors report, by device and minute. Unpaced or from files,\n"
                     "checkpoints are made every 20ms unless --checkpoint_every says otherwise.");
    return 0;
  }
  program_options unpaced{mr::duration{20}};
  static_cast<void>(unpaced.pipeline.parse(argc, argv));
  const program_options& chosen = options.rate > 0 && options.input.empty() ? options : unpaced;
  validate(chosen);
  return chosen.generate.empty() ? run_pipeline(chosen) : write_records(chosen);
}

}  // namespace telemetry

int main(int argc, char** argv) {
  try {
    return telemetry::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "telemetry: " << error.what() << '\n';
    return 2;
  }
}
