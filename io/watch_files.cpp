#include <millrace/io/io_error.hpp>
#include <millrace/io/watch_files.hpp>

#include <algorithm>
#include <cerrno>
#include <glob.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace millrace {

namespace {

// The files that a pattern matches now, sorted by path. One that goes away meanwhile is none.
std::vector<watched_file> files_matching(const std::string& pattern) {
  glob_t found{};
  const int result = ::glob(pattern.c_str(), GLOB_ERR | GLOB_NOSORT, nullptr, &found);
  const int cause = errno;
  std::vector<std::string> paths;
  if (result == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (result == GLOB_NOSPACE) throw system_failure("expand the pattern " + pattern, ENOMEM);
  if (result == GLOB_ABORTED) throw system_failure("expand the pattern " + pattern, cause);
  std::sort(paths.begin(), paths.end());
  std::vector<watched_file> files;
  for (std::string& path : paths) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) {
      if (errno == ENOENT) continue;
      throw system_failure("look at " + path, errno);
    }
    if (!S_ISREG(status.st_mode)) continue;
    const std::int64_t millis = status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1000000;
    files.push_back({std::move(path), static_cast<std::uint64_t>(status.st_size), timestamp{millis}});
  }
  return files;
}

std::array<std::uint64_t, 2> hash_of(const watched_file& file, bool changes) {
  std::string identity = file.path;
  if (changes) identity += '\0' + std::to_string(file.size_bytes) + '\0' + std::to_string(file.changed.millis());
  const XXH128_hash_t hash = XXH3_128bits(identity.data(), identity.size());
  return {hash.low64, hash.high64};
}

std::string limit_text(const char* what, const std::optional<duration>& limit) {
  return limit ? std::string(what) + std::to_string(limit->count()) + " ms" : "";
}

}  // namespace

std::vector<watch_split> watch_source::splits(std::size_t /*desired*/) const {
  std::vector<watch_split> all;
  for (const auto& pattern : patterns_.all) {
    watch_split one;
    one.pattern = pattern;
    all.push_back(std::move(one));
  }
  return all;
}

std::string watch_source::describe() const {
  std::string named;
  for (const auto& pattern : patterns_.all) named += (named.empty() ? "" : ", ") + pattern;
  return "watch " + named + ", every " + std::to_string(options_.every.count()) + " ms"
         + (options_.changes ? ", changes too" : "") + limit_text(", for ", options_.stop_after)
         + limit_text(", until silent for ", options_.stop_after_silence);
}

watch_source::poller::poller(watch_split of, watch_options options) : at_(std::move(of)), options_(options) {
  seen_.insert(at_.seen.begin(), at_.seen.end());
  at_.seen.clear();
}

read_status watch_source::poller::read(source_output<watched_file>& out, timestamp now) {
  if (!at_.begun) {
    at_.begun = now;
    at_.last_find = now;
    poll(now);
  } else if (given_ == at_.waiting.size() && now >= next_read()) {
    poll(now);
  }
  for (; given_ < at_.waiting.size(); ++given_) {
    if (out.full()) return read_status::more;
    out(at_.waiting[given_], at_.last_poll);
  }
  return ended(at_.last_poll) ? read_status::ended : read_status::waiting;
}

void watch_source::poller::poll(timestamp now) {
  at_.waiting.clear();
  given_ = 0;
  for (watched_file& file : files_matching(at_.pattern))
    if (seen_.insert(hash_of(file, options_.changes)).second) at_.waiting.push_back(std::move(file));
  at_.last_poll = now;
  if (!at_.waiting.empty()) at_.last_find = now;
}

bool watch_source::poller::ended(timestamp now) const {
  return (options_.stop_after && now >= *at_.begun + *options_.stop_after)
         || (options_.stop_after_silence && now >= at_.last_find + *options_.stop_after_silence);
}

timestamp watch_source::poller::next_read() const {
  return at_.begun ? at_.last_poll + options_.every : timestamp::min();
}

watch_split watch_source::poller::remaining() const {
  watch_split left = at_;
  left.waiting.erase(left.waiting.begin(), left.waiting.begin() + static_cast<std::ptrdiff_t>(given_));
  left.seen.assign(seen_.begin(), seen_.end());
  return left;
}

}  // namespace millrace
