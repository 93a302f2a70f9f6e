#include "postgres_connection.hpp"

#include <millrace/io/service_calls.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <libpq-fe.h>
#include <new>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace mr = millrace;

namespace {

struct clearing {
  void operator()(PGresult* of) const noexcept { PQclear(of); }
};
using result = std::unique_ptr<PGresult, clearing>;

// SQLSTATE, which is empty where no server said anything: classes 53 (insufficient resources) and 57P (shut down,
// crashed, starting) pass with time.
[[noreturn]] void fail(std::string_view state, const char* message) {
  const std::string_view whole = message;
  const std::string line(whole.substr(0, whole.find('\n')));
  if (state.empty() || state.starts_with("53") || state.starts_with("57P")) throw mr::service_refusal(line);
  throw std::runtime_error(line);
}

void require_connection_string(const std::string& text) {
  char* fault = nullptr;
  PQconninfoOption* const parsed = PQconninfoParse(text.c_str(), &fault);
  std::string why = fault != nullptr ? fault : "";
  why.resize(std::min(why.find('\n'), why.size()));
  PQconninfoFree(parsed);
  PQfreemem(fault);
  if (parsed == nullptr) throw std::runtime_error("\"" + text + "\" is no connection string of PostgreSQL: " + why);
}

// The state in the verbose message of a login that failed: "... FATAL:  53300: sorry, too many clients already".
std::string_view state_of_login(std::string_view message) {
  constexpr std::string_view before = "FATAL:  ";
  const auto at = message.find(before);
  return at == std::string_view::npos ? std::string_view{} : message.substr(at + before.size(), 5);
}

}  // namespace

void postgres_connection::closing::operator()(pg_conn* of) const noexcept {
  PQfinish(of);
}

postgres_connection::postgres_connection(const std::string& connection_string, mr::duration statement_timeout,
                                         deadline until) {
  require_connection_string(connection_string);
  const std::string options = "-c statement_timeout=" + std::to_string(statement_timeout.count());
  const std::array keywords{"options", "fallback_application_name", "dbname", static_cast<const char*>(nullptr)};
  const std::array values{options.c_str(), "millrace", connection_string.c_str(), static_cast<const char*>(nullptr)};
  connection_.reset(PQconnectStartParams(keywords.data(), values.data(), 1));
  if (!connection_) throw std::bad_alloc();
  PQsetErrorVerbosity(connection_.get(), PQERRORS_VERBOSE);
  PQsetNoticeProcessor(connection_.get(), [](void*, const char*) {}, nullptr);
  if (PQsocket(connection_.get()) < 0) fail({}, PQerrorMessage(connection_.get()));
  for (auto next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK; next = PQconnectPoll(connection_.get())) {
    if (next == PGRES_POLLING_FAILED) {
      const char* message = PQerrorMessage(connection_.get());
      fail(state_of_login(message), message);
    }
    wait_for(next == PGRES_POLLING_READING ? POLLIN : POLLOUT, until);
  }
  PQsetErrorVerbosity(connection_.get(), PQERRORS_DEFAULT);
}

std::vector<postgres_connection::row> postgres_connection::ask(const std::string& statement,
                                                               const std::string& parameter, deadline until) {
  const char* value = parameter.c_str();
  PGconn* const to = connection_.get();
  if (PQsendQueryParams(to, statement.c_str(), 1, nullptr, &value, nullptr, nullptr, 0) != 1)
    fail({}, PQerrorMessage(to));
  result answer;
  for (bool complete = false; !complete;) {
    while (PQisBusy(to) != 0) {
      wait_for(POLLIN, until);
      if (PQconsumeInput(to) != 1) fail({}, PQerrorMessage(to));
    }
    result next(PQgetResult(to));
    complete = !next;
    if (!answer) answer = std::move(next);
  }
  if (PQresultStatus(answer.get()) != PGRES_TUPLES_OK) {
    const char* state = PQresultErrorField(answer.get(), PG_DIAG_SQLSTATE);
    fail(state != nullptr ? state : "", PQresultErrorMessage(answer.get()));
  }
  std::vector<row> rows(static_cast<std::size_t>(PQntuples(answer.get())));
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (int column = 0; column < PQnfields(answer.get()); ++column)
      rows[r].emplace_back(PQgetvalue(answer.get(), static_cast<int>(r), column));
  return rows;
}

void postgres_connection::wait_for(short events, deadline until) const {
  pollfd on{PQsocket(connection_.get()), events, 0};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    const int ready = left > 0 ? ::poll(&on, 1, static_cast<int>(std::min<std::int64_t>(left, 1 << 30))) : 0;
    if (ready > 0) return;
    if (ready == 0) throw mr::service_timeout("PostgreSQL was silent until the timeout");
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
  }
}
