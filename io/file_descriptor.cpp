#include <millrace/io/file_descriptor.hpp>
#include <millrace/io/io_error.hpp>

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace millrace {

file_descriptor& file_descriptor::operator=(file_descriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

void file_descriptor::close() noexcept {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

file_descriptor open_for_reading(const std::filesystem::path& path) {
  // Without O_NONBLOCK the open of a pipe that nobody writes to would wait for ever.
  file_descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number() < 0) throw system_failure("open " + path.string(), errno);
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) throw system_failure("inspect " + path.string(), errno);
  if (S_ISDIR(status.st_mode)) throw system_failure("read " + path.string(), EISDIR);
  return file;
}

std::size_t read_at(const file_descriptor& file, std::uint64_t offset, std::span<char> buffer,
                    const std::filesystem::path& path) {
  std::size_t done = 0;
  while (done < buffer.size()) {
    const auto count =
        ::pread(file.number(), buffer.data() + done, buffer.size() - done, static_cast<off_t>(offset + done));
    if (count == 0) break;
    if (count > 0) done += static_cast<std::size_t>(count);
    else if (errno != EINTR) {
      throw system_failure("read " + path.string() + " at offset " + std::to_string(offset + done), errno);
    }
  }
  return done;
}

void sync_folder(const std::filesystem::path& folder) {
  const file_descriptor opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (opened.number() < 0) throw system_failure("open the folder " + folder.string(), errno);
  if (::fsync(opened.number()) != 0) throw system_failure("sync the folder " + folder.string(), errno);
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  auto folder = path.parent_path();
  return folder.empty() ? std::filesystem::path{"."} : folder;
}

}  // namespace millrace
