#include <millrace/io/checked_file.hpp>
#include <millrace/io/checkpoint_directory.hpp>
#include <millrace/io/io_error.hpp>
#include <millrace/transforms/coders/coder.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace millrace {

namespace {

constexpr std::size_t epochs_kept = 2;
constexpr std::uint64_t checkpoint_bytes_max = std::uint64_t{64} << 30;
constexpr std::string_view prefix = "epoch-";
constexpr std::string_view suffix = ".checkpoint";
constexpr std::string_view temporary_name = ".writing.tmp";

checked_file_label label() {
  return {.kind = "mrepoch1", .version = 3};
}

std::string file_name(std::uint64_t epoch) {
  std::string digits = std::to_string(epoch);
  if (digits.size() < 20) digits.insert(0, 20 - digits.size(), '0');
  return std::string(prefix) + digits + std::string(suffix);
}

// The files of epochs, the newest first. Names that nobody here gave are left alone.
std::vector<std::filesystem::path> epoch_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(suffix)) files.push_back(entry.path());
  }
  if (error) throw io_error("cannot list the checkpoints in " + folder.string() + ": " + error.message());
  std::ranges::sort(files, std::greater<>{});
  return files;
}

// What stands before each part and, last, after all of them; the parts are large and stay where they are.
std::vector<std::string> encoded_around(const checkpoint& c) {
  std::vector<std::string> around;
  writer to;
  coder<std::string>::encode(to, c.job);
  coder<std::string>::encode(to, c.fingerprint);
  coder<std::string>::encode(to, c.program);
  to.varint(c.epoch);
  coder<timestamp>::encode(to, c.clock);
  to.varint(c.parts.size());
  for (const auto& [at, bytes] : c.parts) {
    to.varint(at.first);
    to.varint(at.second);
    to.varint(bytes->size());
    around.emplace_back(to.bytes());
    to.clear();
  }
  around.emplace_back(to.bytes());
  return around;
}

checkpoint decoded(const std::string& bytes) {
  reader from(bytes);
  checkpoint c;
  c.job = coder<std::string>::decode(from);
  c.fingerprint = coder<std::string>::decode(from);
  c.program = coder<std::string>::decode(from);
  c.epoch = from.varint();
  c.clock = coder<timestamp>::decode(from);
  const std::size_t parts = from.count(3);
  for (std::size_t i = 0; i < parts; ++i) {
    const auto stage = static_cast<std::uint32_t>(from.varint());
    const auto shard = static_cast<std::uint32_t>(from.varint());
    c.parts[{stage, shard}] = std::make_shared<const std::string>(coder<std::string>::decode(from));
  }
  from.expect_end();
  return c;
}

file_descriptor locked(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "lock";
  file_descriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (lock.number() < 0) throw system_failure("open " + path.string(), errno);
  // A process that was killed a moment ago may take a while to go.
  constexpr int attempts = 100;
  constexpr std::chrono::milliseconds pause{20};
  for (int i = 0; i < attempts; ++i) {
    if (i > 0) std::this_thread::sleep_for(pause);
    if (::flock(lock.number(), LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK) throw system_failure("lock " + path.string(), errno);
  }
  throw io_error("the checkpoints in " + folder.string()
                 + " are in use by another process; stop it or give this job a folder of its own");
}

}  // namespace

checkpoint_directory::checkpoint_directory(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw io_error("cannot make the checkpoint folder " + folder_.string() + ": " + error.message());
  lock_ = locked(folder_);
}

void checkpoint_directory::write(const checkpoint& complete) {
  const auto around = encoded_around(complete);
  std::vector<std::string_view> pieces;
  auto next = around.begin();
  for (const auto& [at, bytes] : complete.parts) {
    pieces.emplace_back(*next++);
    pieces.emplace_back(*bytes);
  }
  pieces.emplace_back(*next);
  write_checked_file(folder_ / file_name(complete.epoch), folder_ / temporary_name, label(), pieces);
  const auto files = epoch_files(folder_);
  for (std::size_t i = epochs_kept; i < files.size(); ++i) {
    std::error_code error;  // one too many does no harm
    std::filesystem::remove(files[i], error);
  }
}

std::optional<checkpoint> checkpoint_directory::newest() {
  std::string damage;
  for (const auto& file : epoch_files(folder_)) {
    try {
      return decoded(read_checked_file(file, label(), checkpoint_bytes_max));
    } catch (const io_error& error) {
      damage += std::string(damage.empty() ? "" : "; ") + error.what();
    } catch (const decode_error& error) {
      damage += std::string(damage.empty() ? "" : "; ") + file.string() + ": " + error.what();
    }
  }
  if (damage.empty()) return std::nullopt;
  throw io_error("no checkpoint in " + folder_.string() + " can be read: " + damage
                 + "; restore the files, or remove the folder to begin anew");
}

std::shared_ptr<checkpoint_store> directory(const std::filesystem::path& folder) {
  if (folder.empty()) return nullptr;
  return std::make_shared<checkpoint_directory>(folder);
}

}  // namespace millrace
