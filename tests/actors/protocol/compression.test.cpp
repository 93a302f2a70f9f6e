#include <millrace/actors/protocol/compression.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

namespace millrace::compression_test {
namespace {

TEST(frame_codec, gives_back_what_was_packed) {
  const std::string bytes = std::string(5000, 'a') + "tail";
  const std::string frame = frame_codec().pack(bytes);
  EXPECT_LT(frame.size(), bytes.size());
  EXPECT_EQ(frame_codec::unpack(frame, bytes.size()), bytes);
  EXPECT_EQ(frame_codec::unpack(frame_codec().pack(""), 0), "");
}

TEST(frame_codec, refuses_a_frame_that_would_unpack_to_more_than_the_bound) {
  const std::string frame = frame_codec().pack(std::string(5000, 'a'));
  EXPECT_THROW((void)frame_codec::unpack(frame, 4999), std::runtime_error);
}

TEST(frame_codec, refuses_damaged_frames) {
  std::string frame = frame_codec().pack("some text that is worth packing, some text that is worth packing");
  EXPECT_THROW((void)frame_codec::unpack(frame.substr(0, frame.size() - 1), 1000), std::runtime_error);
  EXPECT_THROW((void)frame_codec::unpack("not a frame at all", 1000), std::runtime_error);
  frame[frame.size() / 2] = static_cast<char>(frame[frame.size() / 2] ^ 0x40);
  EXPECT_THROW((void)frame_codec::unpack(frame, 1000), std::runtime_error) << "the frame carries a checksum";
}

}  // namespace
}  // namespace millrace::compression_test
