#include <millrace/io/durable_file.hpp>
#include <millrace/io/io_error.hpp>

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace millrace {

durable_file durable_file::create(std::filesystem::path path) {
  file_descriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
  if (file.number() < 0) throw system_failure("create " + path.string(), errno);
  return {std::move(file), std::move(path), 0};
}

durable_file durable_file::reopen(std::filesystem::path path, std::uint64_t length_bytes) {
  file_descriptor file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  if (file.number() < 0) throw system_failure("reopen " + path.string(), errno);
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) throw system_failure("inspect " + path.string(), errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < length_bytes) {
    throw io_error("cannot resume " + path.string() + ": it has " + std::to_string(size) + " bytes, but "
                   + std::to_string(length_bytes) + " were written before");
  }
  durable_file reopened{std::move(file), std::move(path), length_bytes};
  if (size > length_bytes) reopened.cut_to_position();
  return reopened;
}

void durable_file::append(std::string_view bytes) {
  refuse_unless_usable();
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto count =
        ::pwrite(file_.number(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(position_ + done));
    if (count > 0) {
      done += static_cast<std::size_t>(count);
      continue;
    }
    const int cause = count == 0 ? ENOSPC : errno;
    if (cause == EINTR) continue;
    partial_append_ = partial_append_ || done > 0;
    throw system_failure("write " + std::to_string(bytes.size()) + " bytes at offset " + std::to_string(position_)
                             + " of " + path_.string(),
                         cause);
  }
  position_ += bytes.size();
}

void durable_file::sync() {
  refuse_unless_usable();
  if (partial_append_) cut_to_position();
  if (::fdatasync(file_.number()) != 0) {
    failed_ = true;
    throw system_failure("sync " + path_.string(), errno);
  }
}

void durable_file::close() {
  sync();
  file_.close();
}

void durable_file::refuse_unless_usable() const {
  if (file_.number() < 0) throw io_error("cannot write " + path_.string() + ": it is closed");
  if (failed_) throw io_error("cannot write " + path_.string() + ": an earlier sync failed, so its content is unknown");
}

void durable_file::cut_to_position() {
  if (::ftruncate(file_.number(), static_cast<off_t>(position_)) != 0) {
    throw system_failure("cut " + path_.string() + " to " + std::to_string(position_) + " bytes", errno);
  }
  partial_append_ = false;
}

}  // namespace millrace
