#include <millrace/io/print.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gtest/gtest.h>

#include <memory>

namespace millrace::print_test {
namespace {

// What a pipeline printed to a file of its own.
template <class T>
std::string printed(std::initializer_list<T> values) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), &std::fclose};
  pipeline p("test");
  p | create("values", values) | print("print", file.get());
  run_direct(p);
  std::rewind(file.get());
  std::string text(1000, ' ');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

TEST(print, writes_text_as_it_is_and_other_elements_as_messages_show_them) {
  EXPECT_EQ(printed<std::string>({"to \"be\"", "or not"}), "to \"be\"\nor not\n");
  EXPECT_EQ(printed<int>({1, 2}), "1\n2\n");
  EXPECT_EQ((printed<kv<std::string, int>>({{"a", 1}})), "(\"a\", 1)\n");
}

TEST(print, fails_where_the_stream_refuses) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> full{std::fopen("/dev/full", "w"), &std::fclose};
  pipeline p("test");
  p | create("values", {1}) | print("print", full.get());
  EXPECT_THROW(run_direct(p), write_failure);
}

}  // namespace
}  // namespace millrace::print_test
