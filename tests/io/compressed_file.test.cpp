#include "temporary_folder.hpp"

#include <millrace/io/compressed_file.hpp>
#include <millrace/io/io_error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <random>

namespace millrace::compressed_file_test {
namespace {

using ::testing::HasSubstr;

std::string random_text(std::size_t bytes, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::string text(bytes, ' ');
  for (auto& c : text) c = "abcdefgh \n"[random() % 10];
  return text;
}

std::string compressed(compression kind, std::string_view text) {
  compressor codec(kind);
  std::string out;
  codec.write(text, out);
  if (text.empty()) codec.empty_frame(out);
  codec.end_frame(out);
  return out;
}

// Decompresses in small steps: `in_bytes` of input and `out_bytes` of room at a time.
std::string decompressed(compression kind, std::string_view bytes, std::size_t in_bytes, std::size_t out_bytes) {
  decompressor codec(kind, "f");
  std::string result;
  std::vector<char> room(out_bytes);
  std::string_view offered;
  for (;;) {
    if (offered.empty()) {
      offered = bytes.substr(0, in_bytes);
      bytes.remove_prefix(offered.size());
    }
    const auto [consumed, produced] = codec.step(offered, room);
    result.append(room.data(), produced);
    if (offered.empty() && consumed == 0 && produced == 0) break;
    offered.remove_prefix(consumed);
  }
  codec.finish();
  return result;
}

std::string read_file(const std::filesystem::path& path, compression kind) {
  compressed_reader reader(path, kind);
  std::string result;
  std::vector<char> room(1000);
  for (;;) {
    const auto count = reader.read(room);
    result.append(room.data(), count);
    if (count < room.size()) return result;
  }
}

std::string refusal(compression kind, std::string_view bytes) {
  const temporary_folder folder;
  const auto path = folder.write("file", bytes);
  return message_of<io_error>([&] { (void)read_file(path, kind); });
}

class each_format : public ::testing::TestWithParam<compression> {};
INSTANTIATE_TEST_SUITE_P(formats, each_format, ::testing::Values(compression::gzip, compression::zstd),
                         [](const auto& format) { return std::string(name_of(format.param)); });

TEST_P(each_format, gives_back_what_was_compressed_whatever_the_steps) {
  const auto text = random_text(5000, 1);
  const auto bytes = compressed(GetParam(), text);
  EXPECT_LT(bytes.size(), text.size());
  for (const std::size_t in_bytes : {1U, 7U, 100000U}) {
    for (const std::size_t out_bytes : {1U, 13U, 100000U}) {
      ASSERT_EQ(decompressed(GetParam(), bytes, in_bytes, out_bytes), text);
    }
  }
}

TEST_P(each_format, reads_concatenated_frames_as_one_stream) {
  const auto bytes = compressed(GetParam(), "one ") + compressed(GetParam(), "") + compressed(GetParam(), "two");
  for (const std::size_t in_bytes : {1U, 5U, 1000U}) EXPECT_EQ(decompressed(GetParam(), bytes, in_bytes, 2), "one two");
}

TEST_P(each_format, refuses_a_stream_cut_off_anywhere_but_between_frames) {
  const auto first = compressed(GetParam(), "some text to compress");
  const auto bytes = first + compressed(GetParam(), "more text");
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const auto message = refusal(GetParam(), bytes.substr(0, length));
    if (length == first.size()) EXPECT_EQ(message, "");
    else EXPECT_THAT(message, HasSubstr(length == 0 ? "it is empty" : "it is cut off")) << length;
  }
}

TEST_P(each_format, refuses_every_flipped_byte_or_gives_the_same_text) {
  const auto text = random_text(300, 2);
  const auto bytes = compressed(GetParam(), text);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    auto damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x15);
    const temporary_folder folder;
    const auto path = folder.write("file", damaged);
    std::string result;
    const auto message = message_of<io_error>([&] { result = read_file(path, GetParam()); });
    // The time and the system in a gzip header may change without harm.
    if (message.empty()) EXPECT_EQ(result, text) << at;
    else EXPECT_THAT(message, HasSubstr("cannot decompress " + path.string()));
  }
}

TEST_P(each_format, refuses_a_file_of_another_kind) {
  const auto message = refusal(GetParam(), "just some text, never compressed");
  EXPECT_THAT(message, HasSubstr("it is not a " + std::string(name_of(GetParam())) + " file"));
}

TEST_P(each_format, refuses_what_follows_the_last_frame) {
  const auto message = refusal(GetParam(), compressed(GetParam(), "text") + "trailing garbage");
  EXPECT_THAT(message, HasSubstr("follows the last"));
  EXPECT_THAT(message, HasSubstr("at compressed offset " + std::to_string(compressed(GetParam(), "text").size())));
}

TEST_P(each_format, writes_a_file_that_is_valid_up_to_every_cut) {
  const temporary_folder folder;
  const auto path = folder.path() / "out";
  const auto text = random_text(700'000, 3);
  const compressed_writer_options options{.kind = GetParam()};
  auto writer = compressed_writer::create(path, options);
  writer.write(std::string_view{text}.substr(0, 600'000));
  const auto first = writer.cut();
  writer.write(std::string_view{text}.substr(600'000));
  const auto length = writer.finish();
  EXPECT_EQ(length, std::filesystem::file_size(path));
  EXPECT_EQ(read_file(path, GetParam()), text);
  std::filesystem::resize_file(path, first);
  EXPECT_EQ(read_file(path, GetParam()), text.substr(0, 600'000));
}

TEST_P(each_format, continues_a_file_at_a_cut_and_drops_what_came_after) {
  const temporary_folder folder;
  const auto path = folder.path() / "out";
  const compressed_writer_options options{.kind = GetParam()};
  std::uint64_t length = 0;
  {
    auto writer = compressed_writer::create(path, options);
    writer.write("kept ");
    length = writer.cut_and_sync();
    EXPECT_EQ(writer.cut(), length);
    writer.write("lost");
    writer.cut();
  }
  auto writer = compressed_writer::reopen(path, length, options);
  writer.write("new");
  writer.finish();
  EXPECT_EQ(read_file(path, GetParam()), "kept new");
}

TEST_P(each_format, finishes_an_empty_file_as_a_valid_one) {
  const temporary_folder folder;
  const auto path = folder.path() / "out";
  EXPECT_GT(compressed_writer::create(path, {.kind = GetParam()}).finish(), 0U);
  EXPECT_EQ(read_file(path, GetParam()), "");
}

TEST_P(each_format, reports_a_full_disk_at_the_cut) {
  auto writer = compressed_writer::create("/dev/full", {.kind = GetParam()});
  writer.write("text");
  EXPECT_THAT(message_of<io_error>([&] { writer.cut(); }), HasSubstr("of /dev/full: No space left on device"));
}

TEST_P(each_format, refuses_a_level_that_does_not_exist) {
  EXPECT_THROW(compressor(GetParam(), 1000), io_error);
}

TEST(gzip, allows_zero_padding_at_the_end_and_nothing_after_it) {
  const auto bytes = compressed(compression::gzip, "text") + std::string(600, '\0');
  for (const std::size_t in_bytes : {1U, 100U, 10000U}) {
    EXPECT_EQ(decompressed(compression::gzip, bytes, in_bytes, 100), "text");
  }
  for (const std::size_t in_bytes : {1U, 100U, 10000U}) {
    EXPECT_THAT(message_of<io_error>([&] { decompressed(compression::gzip, bytes + "x", in_bytes, 100); }),
                HasSubstr("something other than zero padding follows the last member at compressed offset "
                          + std::to_string(bytes.size())));
  }
  EXPECT_THAT(refusal(compression::gzip, bytes + compressed(compression::gzip, "y")), HasSubstr("zero padding"));
}

TEST(zstd, refuses_a_window_that_needs_too_much_memory) {
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, 28);
  const auto text = random_text(1000, 4);
  std::string bytes(2000, '\0');
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer out{bytes.data(), bytes.size(), 0};
  ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_continue);
  ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_end);
  bytes.resize(out.pos);
  EXPECT_THAT(refusal(compression::zstd, bytes), HasSubstr("beyond the limits"));
}

TEST(compressed_writer, writes_plain_files_too) {
  const temporary_folder folder;
  auto writer = compressed_writer::create(folder.path() / "out.txt");
  writer.write("one ");
  EXPECT_EQ(writer.cut(), 4U);
  writer.write("two");
  EXPECT_EQ(writer.finish(), 7U);
  EXPECT_EQ(content_of(folder.path() / "out.txt"), "one two");
}

TEST(compression, goes_by_the_ending_of_the_name_unless_told) {
  EXPECT_EQ(resolve(compression::automatic, "a.txt.gz"), compression::gzip);
  EXPECT_EQ(resolve(compression::automatic, "a.zst"), compression::zstd);
  EXPECT_EQ(resolve(compression::automatic, "a.gz/b.txt"), compression::none);
  EXPECT_EQ(resolve(compression::none, "a.gz"), compression::none);
}

}  // namespace
}  // namespace millrace::compressed_file_test
