#pragma once

#include <millrace/transforms/option_value.hpp>
#include <millrace/transforms/plan/plan.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace millrace {

// Which runner executes a pipeline.
enum class runner_kind : std::uint8_t { direct, actors };

// How a pipeline is run, from the command line: by the names that users of the model know, in snake_case or camelCase,
// as `--name value` or `--name=value`. A program adds options of its own before it parses:
//   mr::pipeline_options options;
//   options.add("rate", &rate, "records a second");
//   if (!options.parse(argc, argv)) return 0;   // --help was asked for and printed by the program
// Everything may also be set in code; then nothing needs to be parsed.
class pipeline_options {
 public:
  runner_kind runner = runner_kind::actors;
  std::string job_name;       // empty: the pipeline's name
  std::string temp_location;  // where files are written before they are complete; empty: beside their targets
  bool streaming = false;     // results appear while the job runs, even if every source is bounded
  std::uint32_t shards = 0;   // of every stage; 0: as many as there are cores
  std::string checkpoints;    // a folder; empty: no checkpoints
  duration checkpoint_every = std::chrono::seconds{1};
  bool update = false;                 // go on from the checkpoints of the program that this one replaces
  std::string create_from_snapshot;    // a folder with a checkpoint of another job, from which a new one starts
  std::string transform_name_mapping;  // of either: JSON of old and new full names of transforms
  std::uint32_t attempts = 4;          // calls of a function for one element before it counts as failed
  std::uint32_t bundle_rows = 4096;    // the most elements in a bundle
  std::size_t side_input_bytes = std::size_t{256} << 20;       // that a shard may hold, and as many that wait for them
  edge_compression compression = edge_compression::automatic;  // of bundles between shards
  bool lift_combiners = false;                                 // aggregate before shuffles where it is legal
  bool fast_path = true;                                       // flat tables for combines where the windowing allows

  // Adds an option of the program. The variable must outlive parse(); its value now is the default. A bool is a flag.
  template <option_variable T>
  pipeline_options& add(std::string name, T* value, std::string help) {
    return add_option(option_entry{std::move(name), std::move(help), option_binding::of(*value)});
  }
  // Takes arguments without a name, at least `least` of them.
  pipeline_options& add_positional(std::string name, std::vector<std::string>* values, std::string help,
                                   std::size_t least = 0);

  // Reads the command line. False if --help was given; then help_text() is to be printed and the program ends. Throws
  // option_error naming option, value and what is expected; an unknown option with the name it may have meant.
  [[nodiscard]] bool parse(int argc, const char* const* argv);
  // The same for arguments without the program's name.
  [[nodiscard]] bool parse(const std::vector<std::string>& arguments);

  // What --help prints: usage, the program's own options, then those of every pipeline, each with its default.
  [[nodiscard]] std::string help_text(std::string_view program, std::string_view purpose = {}) const;

 private:
  struct positional {
    std::string name;
    std::string help;
    std::vector<std::string>* values = nullptr;
    std::size_t least = 0;
  };
  pipeline_options& add_option(option_entry entry);
  // The options of every pipeline, bound to the fields of this object.
  [[nodiscard]] std::vector<option_entry> pipeline_entries();
  void take_positional(const std::string& value, std::vector<std::string>& taken) const;

  std::vector<option_entry> added_;
  positional positional_;
};

}  // namespace millrace
