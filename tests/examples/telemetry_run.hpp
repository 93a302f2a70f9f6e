#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

struct sqlite3;

namespace millrace::examples {

// An example program that runs while a test watches what it says on stderr. It is killed at the latest with this
// object.
class running_example {
 public:
  running_example(const std::string& name, const std::vector<std::string>& arguments);
  running_example(const running_example&) = delete;
  running_example& operator=(const running_example&) = delete;
  ~running_example();

  // The next line of stderr; nothing once the program has ended.
  std::optional<std::string> next_line();
  // Ends it as a power cut would.
  void kill();
  // Waits for its end. The exit code, or 128 + the signal that ended it.
  int wait();

 private:
  pid_t process_ = -1;
  int err_ = -1;
  std::string pending_;
  int code_ = -1;
};

// A database as another program sees it. What fails throws with the message of SQLite.
class database {
 public:
  explicit database(const std::filesystem::path& file);
  database(const database&) = delete;
  database& operator=(const database&) = delete;
  ~database();

  void run(const std::string& sql);
  [[nodiscard]] std::int64_t number(const std::string& sql);

 private:
  sqlite3* handle_ = nullptr;
};

// The tables of telemetry in an output folder, as text in a fixed order.
struct tables {
  std::string minutes;
  std::string top_readings;
  std::string dead_letters;

  friend bool operator==(const tables&, const tables&) = default;
};
[[nodiscard]] tables tables_in(const std::filesystem::path& output);

// What a balance says: "read 9 = aggregated 4 + repeated 3 + late 2 + dead-lettered 0".
struct balance {
  std::int64_t read = 0;
  std::int64_t aggregated = 0;
  std::int64_t repeated = 0;
  std::int64_t late = 0;
  std::int64_t dead_lettered = 0;

  friend bool operator==(const balance&, const balance&) = default;
};
[[nodiscard]] balance balance_of(const std::string& out);

// The number that follows `word` in a line, or -1.
[[nodiscard]] std::int64_t number_after(const std::string& line, const std::string& word);

}  // namespace millrace::examples
