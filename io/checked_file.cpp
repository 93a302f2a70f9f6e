#include <millrace/io/checked_file.hpp>
#include <millrace/io/durable_file.hpp>
#include <millrace/io/file_descriptor.hpp>
#include <millrace/io/file_set.hpp>
#include <millrace/io/io_error.hpp>
#include <millrace/io/utf8.hpp>
#include <millrace/transforms/element/check.hpp>

#define XXH_INLINE_ALL
#include <bit>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

namespace millrace {

namespace {

// magic, kind, version, length of the owner, length of the content; then the owner, a checksum of all of this, the
// content, a checksum of the content. Numbers are little-endian.
constexpr std::string_view magic = "MILLRACE";
constexpr std::size_t kind_bytes = 8;
constexpr std::size_t checksum_bytes = 8;
constexpr std::size_t version_at = magic.size() + kind_bytes;
constexpr std::size_t owner_length_at = version_at + 4;
constexpr std::size_t content_length_at = owner_length_at + 4;
constexpr std::size_t fixed_bytes = content_length_at + 8;

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

template <class Number>
void append_number(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class Number>
Number number_in(std::string_view bytes, std::size_t at) {
  Number number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

std::uint64_t checksum_of(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

// Of the pieces one after the other.
std::uint64_t checksum_of(std::span<const std::string_view> pieces) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (const auto piece : pieces) XXH3_64bits_update(&state, piece.data(), piece.size());
  return XXH3_64bits_digest(&state);
}

// One file that is being read, with its path for messages.
class checked_input {
 public:
  explicit checked_input(const std::filesystem::path& path) : path_(path), file_(open_for_reading(path)) {
    struct stat status{};
    if (::fstat(file_.number(), &status) != 0) throw system_failure("inspect " + path.string(), errno);
    size_ = static_cast<std::uint64_t>(status.st_size);
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }

  // The bytes at an offset, all of which must be there.
  [[nodiscard]] std::string read(std::uint64_t offset, std::size_t bytes) const {
    if (offset > size_ || bytes > size_ - offset) refuse(size_, "it is cut off");
    std::string result(bytes, '\0');
    const auto count = read_at(file_, offset, result, path_);
    if (count != bytes) refuse(offset + count, "it is cut off");
    return result;
  }

  [[noreturn]] void refuse(std::uint64_t offset, const std::string& fault) const {
    throw io_error("cannot use " + path_.string() + ": " + fault + " (at offset " + std::to_string(offset) + ')');
  }

 private:
  const std::filesystem::path& path_;
  file_descriptor file_;
  std::uint64_t size_ = 0;
};

// Checks the part of the header that has a fixed length, as far as it can be told before its checksum is known.
void check_fixed_header(const checked_input& input, std::string_view header, const checked_file_label& label) {
  if (!header.starts_with(magic)) input.refuse(0, "it is not a file of Millrace");
  const auto kind = header.substr(magic.size(), kind_bytes);
  if (kind != label.kind) {
    input.refuse(magic.size(), "it holds '" + printable(kind) + "' instead of '" + label.kind + "'");
  }
  const auto version = number_in<std::uint32_t>(header, version_at);
  if (version != label.version) {
    input.refuse(version_at, "it has version " + std::to_string(version) + " of its format, but version "
                                 + std::to_string(label.version) + " is needed");
  }
  if (number_in<std::uint32_t>(header, owner_length_at) > checked_owner_bytes_max) {
    input.refuse(owner_length_at, "its header is damaged");
  }
}

}  // namespace

void write_checked_file(const std::filesystem::path& path, const std::filesystem::path& temporary,
                        const checked_file_label& label, std::string_view content) {
  write_checked_file(path, temporary, label, std::span{&content, 1});
}

void write_checked_file(const std::filesystem::path& path, const std::filesystem::path& temporary,
                        const checked_file_label& label, std::span<const std::string_view> pieces) {
  check(label.kind.size() == kind_bytes, "the kind of a checked file has eight letters");
  check(label.owner.size() <= checked_owner_bytes_max,
        "the owner of a checked file is described in at most 4096 bytes");
  std::string header(magic);
  header += label.kind;
  append_number(header, label.version);
  append_number(header, static_cast<std::uint32_t>(label.owner.size()));
  std::uint64_t content_bytes = 0;
  for (const auto piece : pieces) content_bytes += piece.size();
  append_number(header, content_bytes);
  header += label.owner;
  append_number(header, checksum_of(header));
  std::string trailer;
  append_number(trailer, checksum_of(pieces));
  try {
    auto file = durable_file::create(temporary);
    file.append(header);
    for (const auto piece : pieces) file.append(piece);
    file.append(trailer);
    file.close();
  } catch (const io_error&) {
    // Half a file is of no use to anybody, and on a full disk it is in the way.
    ::unlink(temporary.c_str());
    throw;
  }
  // The bytes are synced; now the name is.
  if (::rename(temporary.c_str(), path.c_str()) != 0)
    throw system_failure("rename " + temporary.string() + " to " + path.string(), errno);
  sync_folder(folder_of(path));
}

std::string read_checked_file(const std::filesystem::path& path, const checked_file_label& label,
                              std::uint64_t content_bytes_max) {
  const checked_input input(path);
  const auto fixed = input.read(0, fixed_bytes);
  check_fixed_header(input, fixed, label);
  const auto owner_bytes = number_in<std::uint32_t>(fixed, owner_length_at);
  const auto header_bytes = fixed_bytes + owner_bytes;
  const auto header = input.read(0, header_bytes + checksum_bytes);
  if (checksum_of(std::string_view{header}.substr(0, header_bytes)) != number_in<std::uint64_t>(header, header_bytes)) {
    input.refuse(header_bytes, "its header is damaged");
  }
  const auto owner = std::string_view{header}.substr(fixed_bytes, owner_bytes);
  if (owner != label.owner) {
    input.refuse(fixed_bytes, "it belongs to '" + printable(owner) + "' instead of '" + printable(label.owner) + "'");
  }
  const auto content_bytes = number_in<std::uint64_t>(header, content_length_at);
  if (content_bytes > content_bytes_max) {
    input.refuse(content_length_at, "it has " + std::to_string(content_bytes) + " bytes of content, but at most "
                                        + std::to_string(content_bytes_max) + " are accepted");
  }
  const auto content_at = header_bytes + checksum_bytes;
  if (input.size() > content_at + checksum_bytes && input.size() - content_at - checksum_bytes > content_bytes) {
    input.refuse(content_at + content_bytes + checksum_bytes, "something follows its end");
  }
  auto content = input.read(content_at, content_bytes);
  const auto checksum = number_in<std::uint64_t>(input.read(content_at + content_bytes, checksum_bytes), 0);
  if (checksum_of(content) != checksum) input.refuse(content_at, "its content is damaged");
  return content;
}

}  // namespace millrace
