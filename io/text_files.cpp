#include <millrace/io/file_set.hpp>
#include <millrace/io/io_error.hpp>
#include <millrace/io/text_files.hpp>
#include <millrace/transforms/bundles/key_hash.hpp>
#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/element/check.hpp>

#include <algorithm>

namespace millrace {

namespace {

// A shard keeps at most this many files open; the others are reopened when a line comes for them.
constexpr std::size_t open_files_max = 64;

}  // namespace

text_files::text_files(text_files_options options, const operator_environment& in)
    : options_(std::move(options)), in_(in), owner_(in.job + "/" + in.step + "/" + std::to_string(in.shard)),
      temporary_beside_(options_.prefix) {
  if (std::filesystem::path(options_.prefix).filename().empty())
    throw io_error("the prefix \"" + options_.prefix
                   + "\" of output files names a folder; add the beginning of a name");
  create_folders(folder_of(options_.prefix));
  if (in_.temp_folder.empty()) return;
  create_folders(in_.temp_folder);
  require_one_file_system(in_.temp_folder, folder_of(options_.prefix));
  // Jobs of one name that write to different places may share the folder.
  owner_ += "/" + std::to_string(key_hash(std::filesystem::absolute(options_.prefix).lexically_normal().string()));
  temporary_beside_ = std::filesystem::path(in_.temp_folder) / "incomplete";
}

void text_files::write(std::string_view line, const window& in, const pane_info& pane) {
  clean_once();
  if (closed(in, closed_to_)) {
    in_.metrics.drop("late", 1, in, closed_to_);
    return;
  }
  growing& file = file_of({in, pane});
  compressed_writer& to = opened(file);
  to.write(line);
  to.write("\n");
  file.unsynced = true;
  file.used = ++writes_;
}

void text_files::prepare(std::uint64_t epoch) {
  clean_once();
  closed_to_ = in_.clock.output_watermark;
  const file_key whole{window::global(), pane_info{}};
  const bool wanted = options_.unwindowed && !options_.skip_if_empty && created_ == 0;
  if (wanted && closed(whole.first, closed_to_)) static_cast<void>(file_of(whole));
  for (auto at = growing_.begin(); at != growing_.end();) {
    growing& file = at->second;
    if (closed(at->first.first, closed_to_)) {
      finish(at->first, file, epoch);
      at = growing_.erase(at);
      continue;
    }
    if (file.unsynced) {
      file.length_bytes = opened(file).cut_and_sync();
      file.unsynced = false;
    }
    ++at;
  }
  // The temporaries' names must survive as well as their bytes.
  if (!growing_.empty() || !complete_.empty()) sync_folder(temporaries());
}

void text_files::commit(std::uint64_t epoch) {
  for (const complete& c : complete_)
    if (c.epoch <= epoch) publish(c.temporary, c.target);
  std::erase_if(complete_, [&](const complete& c) { return c.epoch <= epoch; });
  if (!left_behind_) return;
  if (!restored_epoch_) restored_epoch_ = epoch;
  if (epoch <= *restored_epoch_) return;
  remove_temporaries(left_behind_->folder, left_behind_->owner);
  left_behind_.reset();
}

void text_files::abort() {
  growing_.clear();
  complete_.clear();
  remove_temporaries_except({});
}

void text_files::snapshot(writer& to) const {
  coder<std::string>::encode(to, owner_);
  coder<std::string>::encode(to, in_.job);
  coder<std::string>::encode(to, temporaries().string());
  coder<timestamp>::encode(to, closed_to_);
  to.varint(created_);
  to.varint(growing_.size());
  for (const auto& [key, file] : growing_) {
    coder<window>::encode(to, key.first);
    coder<pane_info>::encode(to, key.second);
    coder<std::string>::encode(to, file.temporary.string());
    to.varint(file.length_bytes);
  }
  to.varint(complete_.size());
  for (const complete& c : complete_) {
    to.varint(c.epoch);
    coder<std::string>::encode(to, c.temporary);
    coder<std::string>::encode(to, c.target);
  }
}

void text_files::restore(reader& from) {
  growing_.clear();
  complete_.clear();
  open_count_ = 0;
  restored_epoch_.reset();
  origin by;
  by.owner = coder<std::string>::decode(from);
  by.job = coder<std::string>::decode(from);
  by.folder = coder<std::string>::decode(from);
  closed_to_ = coder<timestamp>::decode(from);
  created_ = from.varint();
  std::vector<std::filesystem::path> kept;
  const std::size_t files = from.count();
  for (std::size_t i = 0; i < files; ++i) {
    const auto in = coder<window>::decode(from);
    const auto pane = coder<pane_info>::decode(from);
    growing file{.temporary = coder<std::string>::decode(from)};
    file.length_bytes = from.varint();
    file.unsynced = false;
    kept.push_back(file.temporary);
    growing_.emplace(file_key{in, pane}, std::move(file));
  }
  const std::size_t waiting = from.count();
  for (std::size_t i = 0; i < waiting; ++i) {
    complete c;
    c.epoch = from.varint();
    c.temporary = coder<std::string>::decode(from);
    c.target = coder<std::string>::decode(from);
    kept.emplace_back(c.temporary);
    complete_.push_back(std::move(c));
  }
  const bool own = by.owner == owner_ && by.folder == temporaries();
  remove_temporaries_except(kept);
  cleaned_ = true;
  take_growing(own);
  // What another job had completed it may have published since.
  const auto published = [](const complete& c) { return !std::filesystem::exists(c.temporary); };
  if (by.job != in_.job) std::erase_if(complete_, published);
  else if (!own) left_behind_ = std::move(by);
  // What was written after the epoch must not stay, also if no line comes for the file again.
  for (auto& [key, file] : growing_) static_cast<void>(opened(file));
}

// A file that was published since is all of what it was then, and more.
std::filesystem::path text_files::found(const file_key& key, const growing& file) const {
  const auto holds = [&](const std::filesystem::path& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    return !error && size >= file.length_bytes;
  };
  if (holds(file.temporary)) return file.temporary;
  if (const auto target = target_of(key); holds(target)) return target;
  throw io_error("the checkpoint knows " + std::to_string(file.length_bytes) + " bytes of the unfinished file "
                 + file.temporary.string() + ", which is gone or shorter, and so is " + target_of(key).string()
                 + ", which it may have become; resume from a newer checkpoint");
}

void text_files::take_growing(bool own) {
  for (auto& [key, file] : growing_) {
    const std::filesystem::path from = found(key, file);
    if (own && from == file.temporary) continue;
    if (!own) file.temporary = temporary_path(temporary_beside_, owner_, std::to_string(created_++));
    std::error_code error;
    std::filesystem::copy_file(from, file.temporary, std::filesystem::copy_options::overwrite_existing, error);
    if (error) throw system_failure("copy " + from.string() + " to " + file.temporary.string(), error.value());
    file.unsynced = true;
  }
}

text_files::growing& text_files::file_of(const file_key& key) {
  const auto found = growing_.find(key);
  return found != growing_.end() ? found->second : growing_.emplace(key, begin_file()).first->second;
}

text_files::growing text_files::begin_file() {
  close_least_used();
  growing file{.temporary = temporary_path(temporary_beside_, owner_, std::to_string(created_++))};
  file.open = std::make_unique<compressed_writer>(compressed_writer::create(file.temporary, {.kind = options_.kind}));
  ++open_count_;
  if (!options_.header.empty()) file.open->write(options_.header + "\n");
  return file;
}

compressed_writer& text_files::opened(growing& file) {
  if (!file.open) {
    close_least_used();
    file.open = std::make_unique<compressed_writer>(
        compressed_writer::reopen(file.temporary, file.length_bytes, {.kind = options_.kind}));
    ++open_count_;
  }
  return *file.open;
}

void text_files::close_least_used() {
  if (open_count_ < open_files_max) return;
  const auto order = [](const auto& entry) { return entry.second.open ? entry.second.used : UINT64_MAX; };
  growing& file = std::ranges::min_element(growing_, {}, order)->second;
  file.length_bytes = file.open->cut();
  file.open.reset();
  --open_count_;
}

void text_files::finish(const file_key& key, growing& file, std::uint64_t epoch) {
  static_cast<void>(opened(file).finish());
  file.open.reset();
  --open_count_;
  complete_.push_back({epoch, file.temporary.string(), target_of(key).string()});
}

bool text_files::closed(const window& w, timestamp mark) const {
  return mark > std::min(w.max_timestamp() + options_.allowed_lateness, timestamp::end_of_global_window());
}

std::filesystem::path text_files::target_of(const file_key& key) const {
  return name_of(text_file_name{.prefix = options_.prefix,
                                .suffix = options_.suffix,
                                .in = key.first,
                                .pane = key.second,
                                .shard = in_.shard,
                                .shards = in_.shards,
                                .naming = options_.naming});
}

void text_files::remove_temporaries_except(const std::vector<std::filesystem::path>& kept) {
  remove_temporaries(temporaries(), owner_, kept);
}

// What an earlier run of the job left behind, where this one does not continue it. Not before it is clear that no
// restore comes.
void text_files::clean_once() {
  if (cleaned_) return;
  remove_temporaries_except({});
  cleaned_ = true;
}

}  // namespace millrace
