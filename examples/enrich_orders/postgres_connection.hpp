#pragma once

#include <millrace/transforms/element/time.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

struct pg_conn;

// Until when an answer is waited for.
using deadline = std::chrono::steady_clock::time_point;

// A connection to PostgreSQL that never waits beyond a deadline and tells faults apart for `enrich`:
// - service_timeout: nothing came until the deadline;
// - service_refusal: there is no server, it starts, shuts down, or has too many connections; or the connection is lost;
// - std::runtime_error: the server refuses the login, or answered that it could not run this statement. That includes a
//   statement which took longer than `statement_timeout`, since it may be slow because of what it asks for.
// It belongs to one thread, and is no longer used once it has thrown.
class postgres_connection {
 public:
  using row = std::vector<std::string>;

  // Connects as libpq's connection string says. The server gives up statements that take longer than the timeout.
  postgres_connection(const std::string& connection_string, millrace::duration statement_timeout, deadline until);

  // The rows that a statement with one parameter, $1, gives. NULL is an empty text.
  [[nodiscard]] std::vector<row> ask(const std::string& statement, const std::string& parameter, deadline until);

 private:
  struct closing {
    void operator()(pg_conn* of) const noexcept;
  };
  void wait_for(short events, deadline until) const;

  std::unique_ptr<pg_conn, closing> connection_;
};
