#include "temporary_folder.hpp"

#include <millrace/io/checked_file.hpp>
#include <millrace/io/io_error.hpp>
#include <millrace/transforms/element/check.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace millrace::checked_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
const checked_file_label label{.kind = "snapshot", .version = 3, .owner = "job wordcount, epoch 7, shard 2"};

// Where things lie in a file with the label above: a fixed header of 32 bytes, the owner of 31, a checksum of 8.
constexpr std::size_t content_at = 32 + 31 + 8;

std::filesystem::path written(const temporary_folder& folder, std::string_view content) {
  auto path = folder.path() / "file";
  write_checked_file(path, folder.path() / "file.tmp", label, content);
  return path;
}

std::string refusal(const std::filesystem::path& path, const checked_file_label& wanted = label) {
  return message_of<io_error>([&] { (void)read_checked_file(path, wanted, no_limit); });
}

TEST(checked_file, gives_back_what_was_written_and_leaves_no_temporary) {
  const temporary_folder folder;
  for (const auto& content : {std::string{}, std::string("text"), std::string(100'000, '\0')}) {
    EXPECT_EQ(read_checked_file(written(folder, content), label, content.size()), content);
    EXPECT_THAT(folder.names(), ElementsAre("file"));
  }
}

TEST(checked_file, refuses_every_flipped_bit) {
  const temporary_folder folder;
  const auto bytes = content_of(written(folder, "some content"));
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    auto damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const auto path = folder.write("damaged", damaged);
    EXPECT_THAT(refusal(path), HasSubstr("cannot use " + path.string() + ": it")) << "bit " << bit;
  }
}

TEST(checked_file, refuses_every_cut_and_every_extension) {
  const temporary_folder folder;
  const auto bytes = content_of(written(folder, "some content"));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THAT(refusal(folder.write("cut", bytes.substr(0, length))),
                HasSubstr("it is cut off (at offset " + std::to_string(length)));
  }
  EXPECT_THAT(refusal(folder.write("long", bytes + "x")),
              HasSubstr("something follows its end (at offset " + std::to_string(bytes.size())));
}

TEST(checked_file, says_what_is_wrong_and_where) {
  const temporary_folder folder;
  const auto path = written(folder, "some content");
  EXPECT_THAT(refusal(path, {.kind = "manifest", .version = 3, .owner = label.owner}),
              HasSubstr("it holds 'snapshot' instead of 'manifest' (at offset 8)"));
  EXPECT_THAT(refusal(path, {.kind = "snapshot", .version = 4, .owner = label.owner}),
              HasSubstr("it has version 3 of its format, but version 4 is needed (at offset 16)"));
  EXPECT_THAT(refusal(path, {.kind = "snapshot", .version = 3, .owner = "job other"}),
              HasSubstr("belongs to 'job wordcount, epoch 7, shard 2' instead of 'job other' (at offset 32)"));
  auto bytes = content_of(path);
  bytes[content_at] = 'S';
  EXPECT_THAT(refusal(folder.write("damaged", bytes)),
              HasSubstr("its content is damaged (at offset " + std::to_string(content_at) + ")"));
  EXPECT_THAT(refusal(folder.write("foreign", std::string(100, 'x'))),
              HasSubstr("not a file of Millrace (at offset 0)"));
  EXPECT_THAT(refusal(folder.path() / "none"), HasSubstr("No such file"));
}

TEST(checked_file, refuses_more_content_than_the_reader_accepts) {
  const temporary_folder folder;
  const auto path = written(folder, "12345");
  EXPECT_EQ(read_checked_file(path, label, 5), "12345");
  EXPECT_THAT(message_of<io_error>([&] { (void)read_checked_file(path, label, 4); }),
              HasSubstr("it has 5 bytes of content, but at most 4 are accepted"));
}

TEST(checked_file, keeps_the_old_file_when_the_new_one_cannot_be_written) {
  const temporary_folder folder;
  const auto path = written(folder, "old");
  std::filesystem::create_symlink("/dev/full", folder.path() / "full.tmp");
  EXPECT_THAT(message_of<io_error>([&] { write_checked_file(path, folder.path() / "full.tmp", label, "new"); }),
              HasSubstr("full.tmp: No space left on device"));
  EXPECT_EQ(read_checked_file(path, label, no_limit), "old");
  EXPECT_THAT(folder.names(), ElementsAre("file"));
}

TEST(checked_file, refuses_a_kind_of_the_wrong_length) {
  const temporary_folder folder;
  EXPECT_THROW(write_checked_file(folder.path() / "f", folder.path() / "t", {.kind = "short"}, ""), broken_invariant);
}

}  // namespace
}  // namespace millrace::checked_file_test
