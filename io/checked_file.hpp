#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace millrace {

// What a checked file holds: eight letters for its kind, the version of the content's format, and words that say whose
// it is (a job, an epoch, a shard), so that a file that was moved to another's place is recognised. All three must be
// equal when it is read.
struct checked_file_label {
  std::string kind;
  std::uint32_t version = 1;
  std::string owner = {};
};

// The most bytes that the owner's words may take.
inline constexpr std::size_t checked_owner_bytes_max = 4096;

// Writes a small file whole and durably: a temporary in the same folder gets a header with kind, version, owner, length
// and checksum, then the content and its checksum, is synced, and takes the final name. So the file is there whole or
// not at all. `temporary` is a name that nobody else writes to.
void write_checked_file(const std::filesystem::path& path, const std::filesystem::path& temporary,
                        const checked_file_label& label, std::string_view content);
// The same for content in pieces, which are not copied to join them.
void write_checked_file(const std::filesystem::path& path, const std::filesystem::path& temporary,
                        const checked_file_label& label, std::span<const std::string_view> pieces);

// Reads such a file back. Content that is cut off, extended, changed in any byte, of another kind or version, or
// somebody else's is an io_error naming the file and the offset of the fault. Nothing is allocated before the length
// has been verified, and a length above `content_bytes_max` is refused.
[[nodiscard]] std::string read_checked_file(const std::filesystem::path& path, const checked_file_label& label,
                                            std::uint64_t content_bytes_max);

}  // namespace millrace
