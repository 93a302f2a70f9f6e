#include <millrace/io/write_text.hpp>
#include <millrace/transforms/windows/duration_text.hpp>

namespace millrace {

namespace {

// The suffix with the ending that tells readers how the file is compressed.
std::string with_ending(const std::string& suffix, compression kind) {
  const std::string ending = kind == compression::gzip ? ".gz" : kind == compression::zstd ? ".zst" : "";
  return suffix.ends_with(ending) ? suffix : suffix + ending;
}

}  // namespace

std::string text_sink::describe() const {
  std::string text =
      "lines to " + files_.prefix + "*" + files_.suffix + ", compression " + std::string(name_of(files_.kind));
  if (!files_.header.empty()) text += ", header \"" + files_.header + "\"";
  if (files_.naming == file_naming::spelled_panes) text += ", panes spelled out";
  if (files_.skip_if_empty) text += ", no empty files";
  if (shards_ > 0) text += ", " + std::to_string(shards_) + " shards";
  return text + ", lateness " + duration_text(files_.allowed_lateness);
}

text_sink make_text_sink(const std::string& step, const std::string& prefix, const write_text_options& options,
                         const windowing_strategy& strategy, bool bounded) {
  const bool unwindowed = strategy.into.global();
  if (unwindowed && !bounded)
    throw pipeline_error(step, "files of an unbounded collection in the global window would never be complete; apply "
                               "window_into with fixed, sliding or session windows before write_text");
  if (prefix.empty() || prefix.back() == '/')
    throw pipeline_error(step, "the prefix \"" + prefix + "\" of output files must end with the beginning of a name");
  if (options.shards > slices_max)
    throw pipeline_error(step, std::to_string(options.shards) + " shards are more than the "
                                   + std::to_string(slices_max) + " that a stage can have");
  text_files_options files;
  files.prefix = prefix;
  files.kind = resolve(options.kind, options.suffix);
  files.suffix = with_ending(options.suffix, files.kind);
  files.header = options.header;
  files.naming = options.naming;
  files.allowed_lateness = strategy.allowed_lateness;
  files.unwindowed = unwindowed;
  files.skip_if_empty = options.skip_if_empty;
  return {std::move(files), options.shards};
}

}  // namespace millrace
