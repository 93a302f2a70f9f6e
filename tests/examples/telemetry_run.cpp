#include "telemetry_run.hpp"

#include <sqlite3.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace millrace::examples {

running_example::running_example(const std::string& name, const std::vector<std::string>& arguments) {
  std::string program = std::string(MILLRACE_EXAMPLES_DIR "/") + name;
  std::vector<std::string> all{program};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& a : all) argv.push_back(a.data());
  argv.push_back(nullptr);
  std::array<int, 2> err{};
  if (::pipe2(err.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  err_ = err[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  const int fault = ::posix_spawn(&process_, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(err[1]);
  if (fault != 0) throw std::system_error(fault, std::generic_category(), program);
}

running_example::~running_example() {
  kill();
  ::close(err_);
}

std::optional<std::string> running_example::next_line() {
  std::array<char, 4096> bytes;
  while (true) {
    if (const auto end = pending_.find('\n'); end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    const ssize_t n = ::read(err_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    pending_.append(bytes.data(), static_cast<std::size_t>(n));
  }
}

void running_example::kill() {
  if (code_ >= 0) return;
  ::kill(process_, SIGKILL);
  wait();
}

int running_example::wait() {
  if (code_ >= 0) return code_;
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  return code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

database::database(const std::filesystem::path& file) {
  if (sqlite3_open(file.c_str(), &handle_) != SQLITE_OK) throw std::runtime_error("cannot open " + file.string());
  sqlite3_busy_timeout(handle_, 10'000);
}

database::~database() {
  sqlite3_close(handle_);
}

void database::run(const std::string& sql) {
  char* message = nullptr;
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, &message) == SQLITE_OK) return;
  std::string text = message ? message : "unknown";
  sqlite3_free(message);
  throw std::runtime_error(text + ": " + sql.substr(0, 200));
}

std::int64_t database::number(const std::string& sql) {
  std::int64_t result = 0;
  char* message = nullptr;
  const auto take = [](void* to, int columns, char** values, char**) {
    if (columns > 0 && values[0]) *static_cast<std::int64_t*>(to) = std::strtoll(values[0], nullptr, 10);
    return 0;
  };
  if (sqlite3_exec(handle_, sql.c_str(), take, &result, &message) == SQLITE_OK) return result;
  std::string text = message ? message : "unknown";
  sqlite3_free(message);
  throw std::runtime_error(text + ": " + sql.substr(0, 200));
}

namespace {

std::string rows_of(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* handle = nullptr;
  if (sqlite3_open_v2(file.c_str(), &handle, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK)
    throw std::runtime_error("cannot open " + file.string());
  std::string text;
  const auto take = [](void* to, int columns, char** values, char**) {
    auto& out = *static_cast<std::string*>(to);
    for (int i = 0; i < columns; ++i) out.append(values[i] ? values[i] : "NULL").append("|");
    out += '\n';
    return 0;
  };
  const int fault = sqlite3_exec(handle, sql.c_str(), take, &text, nullptr);
  const std::string message = sqlite3_errmsg(handle);
  sqlite3_close(handle);
  if (fault != SQLITE_OK) throw std::runtime_error(file.string() + ": " + message);
  return text;
}

}  // namespace

tables tables_in(const std::filesystem::path& output) {
  const auto file = output / "telemetry.sqlite";
  return {rows_of(file, "SELECT device, minute, count, min, mean, max FROM minutes ORDER BY 1, 2"),
          rows_of(file, "SELECT region, minute, rank, device, celsius FROM top_readings ORDER BY 1, 2, 3"),
          rows_of(file, "SELECT payload, error, device, step, time FROM dead_letters ORDER BY 1, 2, 3, 4, 5")};
}

std::int64_t number_after(const std::string& line, const std::string& word) {
  const auto at = line.find(word);
  if (at == std::string::npos) return -1;
  return std::strtoll(line.c_str() + at + word.size(), nullptr, 10);
}

balance balance_of(const std::string& out) {
  return {number_after(out, "read "), number_after(out, "aggregated "), number_after(out, "repeated "),
          number_after(out, "late "), number_after(out, "dead-lettered ")};
}

}  // namespace millrace::examples
