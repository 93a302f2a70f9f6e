#include "postgres_run.hpp"

#include "example_run.hpp"

#include <libpq-fe.h>
#include <stdexcept>
#include <unistd.h>

namespace millrace::examples {

namespace {

// Runs a program of the server, the newest that is installed, as a user who may.
void run_as_postgres(const std::string& program, const std::string& arguments) {
  const std::string user = ::geteuid() == 0 ? "runuser -u postgres -- " : "";
  const outcome result = run_shell("cd / && programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1) && " + user
                                   + "timeout 120 \"$programs\"/" + program + " " + arguments);
  if (result.exit_code != 0)
    throw std::runtime_error(program + " " + arguments + " failed: " + result.out + result.err);
}

}  // namespace

void postgres_session::closing::operator()(pg_conn* of) const noexcept {
  PQfinish(of);
}

postgres_session::postgres_session(const std::string& connection_string)
    : connection_(PQconnectdb(connection_string.c_str())) {
  if (PQstatus(connection_.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection_.get()));
}

std::string postgres_session::ask(const std::string& sql) {
  const std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(connection_.get(), sql.c_str()), PQclear);
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
    throw std::runtime_error(sql.substr(0, 200) + ": " + PQerrorMessage(connection_.get()));
  return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

void postgres_session::wait_until(const std::string& sql, const std::string& answer) {
  std::string now;
  for (int asked = 0; asked < 6000; ++asked, ask("SELECT pg_sleep(0.01)"))
    if ((now = ask(sql)) == answer) return;
  throw std::runtime_error(sql + " stays " + now);
}

postgres_server::postgres_server() {
  const std::string folder = folder_.path().string();
  if (::geteuid() == 0) run_shell("chown postgres " + quoted(folder));
  run_as_postgres("initdb", "--pgdata=" + quoted(folder + "/cluster")
                                + " --username=postgres --auth=trust --locale=C --encoding=UTF8 --no-sync");
  start();
}

postgres_server::~postgres_server() {
  try {
    stop();
  } catch (const std::exception&) {
    return;  // it has been stopped
  }
}

std::string postgres_server::connection_string(const std::string& user) const {
  return "host=" + folder_.path().string() + " dbname=postgres user=" + user;
}

std::string postgres_server::count_in_log(const std::string& text) const {
  return "SELECT (SELECT count(*) FROM regexp_matches(pg_read_file('" + (folder_.path() / "log").string() + "'), '"
         + text + "', 'g'))";
}

void postgres_server::crash_and_restart() const {
  stop();
  start();
}

void postgres_server::stop() const {
  control("stop -m immediate");
}

void postgres_server::start() const {
  const std::string folder = folder_.path().string();
  control("start -l " + quoted(folder + "/log") + " -o "
          + quoted("-k " + folder
                   + " -c listen_addresses= -c fsync=off -c max_connections=12 -c shared_buffers=4MB"
                     " -c dynamic_shared_memory_type=mmap"));
}

void postgres_server::control(const std::string& arguments) const {
  run_as_postgres("pg_ctl", "--pgdata=" + quoted((folder_.path() / "cluster").string()) + " -w -s " + arguments);
}

}  // namespace millrace::examples
