#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/options.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace millrace {

namespace {

using names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 2> runner_names{"direct", "actors"};
constexpr std::array<std::string_view, 3> compression_names{"automatic", "none", "zstd"};

// Aliases that users of the model know for a choice.
std::string_view without_runner(std::string_view text) {
  for (const std::string_view ending : {"Runner", "_runner"})
    if (text.ends_with(ending)) text.remove_suffix(ending.size());
  return text;
}

template <class Enum>
option_binding choice(Enum& variable, names all, std::string value_name) {
  Enum* const to = &variable;
  return {[to, all](std::string_view t) { *to = static_cast<Enum>(read_choice(without_runner(t), all)); },
          [to, all] { return std::string(all[static_cast<std::size_t>(*to)]); }, std::move(value_name)};
}

// A count that must not be 0.
option_binding positive(std::uint32_t& variable) {
  std::uint32_t* const to = &variable;
  option_binding binding = option_binding::of(variable);
  binding.set = [to](std::string_view t) {
    *to = static_cast<std::uint32_t>(read_integer(t, 1, std::numeric_limits<std::int32_t>::max()));
  };
  return binding;
}

option_binding at_most(std::uint32_t& variable, std::int64_t greatest) {
  std::uint32_t* const to = &variable;
  option_binding binding = option_binding::of(variable);
  binding.set = [to, greatest](std::string_view t) { *to = static_cast<std::uint32_t>(read_integer(t, 0, greatest)); };
  return binding;
}

bool is_named(const option_entry& e, const std::string& canonical) {
  return canonical_option(e.name) == canonical
         || std::ranges::any_of(e.aliases, [&](const auto& a) { return canonical_option(a) == canonical; });
}

void set_value(const option_entry& e, const std::string& value) {
  try {
    e.binding.set(value);
  } catch (const std::invalid_argument& expected) {
    throw option_error("option --" + e.name + " cannot be \"" + value + "\"; it is " + expected.what());
  }
}

const option_entry& find_option(const std::string& name, std::span<const option_entry> entries) {
  const std::string canonical = canonical_option(name);
  for (const option_entry& e : entries)
    if (is_named(e, canonical)) return e;
  const option_entry* nearest = nearest_option(name, entries);
  throw option_error("unknown option --" + name
                     + (nearest ? "; did you mean --" + nearest->name + "?" : "; --help lists the options"));
}

std::string help_line(const option_entry& e) {
  constexpr std::size_t column = 30;
  std::string left = "  --" + e.name;
  if (!e.binding.value_name.empty()) left += " " + e.binding.value_name;
  left += left.size() + 2 <= column ? std::string(column - left.size(), ' ') : "\n" + std::string(column, ' ');
  const std::string value = e.binding.show();
  const bool shown = !value.empty() && !(e.binding.value_name.empty() && value == "false");
  return left + e.help + (shown ? " (default " + value + ")" : "") + "\n";
}

}  // namespace

pipeline_options& pipeline_options::add_option(option_entry entry) {
  const std::string canonical = canonical_option(entry.name);
  check(!canonical.empty() && !canonical.starts_with('_'), "an option has a name, written without the leading dashes");
  for (const auto& e : pipeline_entries())
    check(!is_named(e, canonical), "an option of a program has a name of its own");
  for (const auto& e : added_) check(!is_named(e, canonical), "an option of a program is added once");
  added_.push_back(std::move(entry));
  return *this;
}

pipeline_options& pipeline_options::add_positional(std::string name, std::vector<std::string>* values, std::string help,
                                                   std::size_t least) {
  positional_ = {std::move(name), std::move(help), values, least};
  return *this;
}

std::vector<option_entry> pipeline_options::pipeline_entries() {
  return {
      {"runner", "who runs the pipeline: direct (one thread) or actors", choice(runner, runner_names, "NAME")},
      {"job_name", "the name of the job; the pipeline's if not given", option_binding::of(job_name)},
      {"temp_location", "where files are written before they are complete, on the file system of their targets",
       option_binding::of(temp_location)},
      {"streaming", "results appear while the job runs, even if every source is bounded",
       option_binding::of(streaming)},
      {"shards", "shards of every stage; 0 takes the number of cores", at_most(shards, 256), {"num_workers"}},
      {"checkpoints",
       "a folder for checkpoints, from which a later start resumes",
       option_binding::of(checkpoints),
       {"checkpoint_directory"}},
      {"checkpoint_every",
       "the time between checkpoints",
       option_binding::of(checkpoint_every),
       {"checkpointing_interval"}},
      {"update", "go on from the checkpoints of an earlier program of the job, which this one replaces",
       option_binding::of(update)},
      {"create_from_snapshot", "a folder with a checkpoint of another job, from which this one starts",
       option_binding::of(create_from_snapshot)},
      {"transform_name_mapping",
       "for an update or a snapshot, old and new names of transforms as JSON: {\"count\": \"total\"}",
       option_binding::of(transform_name_mapping)},
      {"attempts", "calls of a function for an element before it counts as failed", positive(attempts)},
      {"bundle_rows", "the most elements in a bundle", positive(bundle_rows), {"max_bundle_size"}},
      {"side_input_bytes", "bytes of side inputs that one shard may hold, and of elements that wait for them",
       option_binding::of(side_input_bytes)},
      {"compression", "of bundles between shards: automatic, none or zstd",
       choice(compression, compression_names, "KIND")},
      {"lift_combiners", "aggregate before shuffles where it is legal", option_binding::of(lift_combiners)},
      {"fast_path", "combine in flat tables where the windowing allows", option_binding::of(fast_path)},
  };
}

bool pipeline_options::parse(int argc, const char* const* argv) {
  return parse(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
}

bool pipeline_options::parse(const std::vector<std::string>& arguments) {
  std::vector<option_entry> entries = added_;
  for (auto& e : pipeline_entries()) entries.push_back(std::move(e));
  std::vector<std::string> values;
  bool options_end = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (options_end || !argument.starts_with('-') || argument == "-") {
      take_positional(argument, values);
    } else if (argument == "--") {
      options_end = true;
    } else if (argument == "--help" || argument == "-h") {
      return false;
    } else if (!argument.starts_with("--")) {
      throw option_error("unknown option " + argument + "; options begin with two dashes, and --help lists them");
    } else {
      const std::size_t equals = argument.find('=');
      const option_entry& e =
          find_option(argument.substr(2, equals == std::string::npos ? equals : equals - 2), entries);
      if (equals != std::string::npos) set_value(e, argument.substr(equals + 1));
      else if (e.binding.value_name.empty()) set_value(e, "true");
      else if (i + 1 < arguments.size() && !arguments[i + 1].starts_with("--")) set_value(e, arguments[++i]);
      else throw option_error("option --" + e.name + " needs a value: --" + e.name + " " + e.binding.value_name);
    }
  }
  if (values.size() < positional_.least)
    throw option_error("expected "
                       + (positional_.least == 1 ? std::string("a") : "at least " + std::to_string(positional_.least))
                       + " " + positional_.name + "; --help shows the usage");
  if (positional_.values && !values.empty()) *positional_.values = std::move(values);
  return true;
}

void pipeline_options::take_positional(const std::string& value, std::vector<std::string>& taken) const {
  if (!positional_.values)
    throw option_error("unexpected argument \"" + value + "\"; options begin with two dashes, and --help lists them");
  taken.push_back(value);
}

std::string pipeline_options::help_text(std::string_view program, std::string_view purpose) const {
  std::string text = "usage: " + std::string(program) + " [options]";
  if (positional_.values)
    text += positional_.least > 0 ? " " + positional_.name + "..." : " [" + positional_.name + "...]";
  text += "\n";
  if (!purpose.empty()) text += "\n" + std::string(purpose) + "\n";
  if (positional_.values && !positional_.help.empty())
    text += "\n  " + positional_.name + ": " + positional_.help + "\n";
  if (!added_.empty()) text += "\noptions:\n";
  for (const auto& e : added_) text += help_line(e);
  text += "\noptions of every pipeline:\n";
  pipeline_options copy = *this;
  for (const auto& e : copy.pipeline_entries()) text += help_line(e);
  text += "  --help                      show this text\n";
  return text;
}

}  // namespace millrace
