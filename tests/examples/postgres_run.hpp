#pragma once

#include <millrace/tests/io/temporary_folder.hpp>

#include <memory>
#include <string>

struct pg_conn;

namespace millrace::examples {

// A connection of the test. What fails throws with the message of PostgreSQL.
class postgres_session {
 public:
  explicit postgres_session(const std::string& connection_string);

  // Runs statements and gives the first field of the last one's first row, or nothing.
  std::string ask(const std::string& sql);
  // Asks again and again until the answer is this one; fails after a minute.
  void wait_until(const std::string& sql, const std::string& answer);

 private:
  struct closing {
    void operator()(pg_conn* of) const noexcept;
  };
  std::unique_ptr<pg_conn, closing> connection_;
};

// A PostgreSQL server of its own for a test: on a socket in a temporary folder, with nobody else's databases. It cannot
// run as root, so that then it is the user `postgres` who runs it. It ends with this object.
class postgres_server {
 public:
  postgres_server();
  postgres_server(const postgres_server&) = delete;
  postgres_server& operator=(const postgres_server&) = delete;
  ~postgres_server();

  // The superuser is `postgres`.
  [[nodiscard]] std::string connection_string(const std::string& user) const;
  // SQL for how often its log has a text.
  [[nodiscard]] std::string count_in_log(const std::string& text) const;
  // Ends all sessions as a crash would, and starts anew.
  void crash_and_restart() const;
  void stop() const;
  void start() const;

 private:
  void control(const std::string& arguments) const;

  temporary_folder folder_;
};

}  // namespace millrace::examples
