#include <millrace/io/io_error.hpp>
#include <millrace/io/sqlite_connection.hpp>
#include <millrace/io/utf8.hpp>

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <system_error>

namespace millrace {

namespace {

constexpr std::size_t shown_statement_bytes = 200;

// Between two attempts to get a lock. SQLite's own pauses grow to 100 ms: the writers of one job, which wait for each
// other at every epoch, would sleep most of that time.
constexpr int lock_pause_milliseconds = 1;

// SQLite asks it whether to try again after so many attempts; `most` points to the number of attempts.
int pause_for_lock(void* most, int attempts) {
  if (attempts >= *static_cast<const int*>(most)) return 0;
  sqlite3_sleep(lock_pause_milliseconds);
  return 1;
}

}  // namespace

struct sqlite_database {
  explicit sqlite_database(const std::filesystem::path& file) : path(file.string()) {}
  sqlite_database(const sqlite_database&) = delete;
  sqlite_database& operator=(const sqlite_database&) = delete;
  ~sqlite_database() { sqlite3_close(handle); }

  // What SQLite says about its last failure, with the system's reason where there is one.
  [[nodiscard]] std::string cause() const {
    if (handle == nullptr) return "out of memory";
    std::string text = sqlite3_errmsg(handle);
    constexpr int primary_code = 0xFF;
    const int code = sqlite3_errcode(handle) & primary_code;
    if (code != SQLITE_CANTOPEN && code != SQLITE_IOERR) return text;
    const int system = sqlite3_system_errno(handle);
    if (system != 0) text += " (" + std::generic_category().message(system) + ')';
    return text;
  }

  [[noreturn]] void refuse(std::string_view sql, const std::string& why) const {
    throw io_error("cannot run a statement in the database " + path + ": " + why
                   + "; the statement is: " + printable(sql, shown_statement_bytes));
  }

  // Turns the write-ahead log on. Where two connections do so to a new database at once, one is told that it is locked
  // without the wait that a statement has, since either would wait for the other: it has to begin again.
  void write_ahead(std::chrono::milliseconds patience) const {
    constexpr const char* sql = "PRAGMA journal_mode = WAL";
    std::string mode;
    const auto take = [](void* to, int columns, char** values, char** /*names*/) {
      if (columns > 0 && values[0] != nullptr) *static_cast<std::string*>(to) = values[0];
      return 0;
    };
    const auto until = std::chrono::steady_clock::now() + patience;
    while (sqlite3_exec(handle, sql, take, &mode, nullptr) != SQLITE_OK) {
      constexpr int primary_code = 0xFF;
      const bool locked = (sqlite3_errcode(handle) & primary_code) == SQLITE_BUSY;
      if (!locked || std::chrono::steady_clock::now() >= until) refuse(sql, cause());
      sqlite3_sleep(lock_pause_milliseconds);
    }
    if (mode != "wal") {
      throw io_error("cannot open the database " + path
                     + ": it cannot use a write-ahead log, which its file system must support");
    }
  }

  std::string path;
  sqlite3* handle = nullptr;
  int lock_attempts_max = 0;
};

void sqlite_statement::finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

sqlite_statement::sqlite_statement(std::shared_ptr<sqlite_database> database, std::string_view sql)
    : database_(std::move(database)) {
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  if (sql.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) database_->refuse(sql, "it is too long");
  const int result = sqlite3_prepare_v3(database_->handle, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, &rest);
  statement_.reset(statement);
  if (result != SQLITE_OK) database_->refuse(sql, database_->cause());
  if (statement == nullptr) database_->refuse(sql, "it is empty");
  const auto* end = sql.data() + sql.size();
  if (!std::all_of(rest, end, [](char c) { return std::strchr(" \t\r\n;", c) != nullptr; })) {
    database_->refuse(sql, "it is more than one statement");
  }
}

bool sqlite_statement::step() {
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  const auto cause = database_->cause();
  // So that the statement does not keep a lock.
  sqlite3_reset(statement_.get());
  refuse(cause);
}

void sqlite_statement::reset() {
  // The result repeats the failure of the last step, which has been reported.
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

void sqlite_statement::finish() {
  while (step()) {
  }
  reset();
}

void sqlite_statement::check_count(std::size_t values) const {
  const auto wanted = static_cast<std::size_t>(sqlite3_bind_parameter_count(statement_.get()));
  if (values == wanted) return;
  refuse("it has " + std::to_string(wanted) + " parameters, but " + std::to_string(values) + " values were given");
}

bool sqlite_statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t sqlite_statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double sqlite_statement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string_view sqlite_statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::span<const std::byte> sqlite_statement::blob(int column) const {
  const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(statement_.get(), column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

void sqlite_statement::bind_null(int index) {
  require(sqlite3_bind_null(statement_.get(), index));
}

void sqlite_statement::bind_integer(int index, std::int64_t value) {
  require(sqlite3_bind_int64(statement_.get(), index, value));
}

void sqlite_statement::bind_real(int index, double value) {
  // SQLite would turn it into null without a word.
  if (std::isnan(value)) refuse("parameter " + std::to_string(index) + " is NaN, which SQLite cannot hold");
  require(sqlite3_bind_double(statement_.get(), index, value));
}

void sqlite_statement::bind_text(int index, std::string_view value) {
  // A null pointer would bind null instead of an empty text.
  const char* bytes = value.data() != nullptr ? value.data() : "";
  require(sqlite3_bind_text64(statement_.get(), index, bytes, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void sqlite_statement::bind_blob(int index, std::span<const std::byte> value) {
  const void* bytes = value.data() != nullptr ? static_cast<const void*>(value.data()) : "";
  require(sqlite3_bind_blob64(statement_.get(), index, bytes, value.size(), SQLITE_TRANSIENT));
}

void sqlite_statement::require(int result) const {
  if (result != SQLITE_OK) refuse(database_->cause());
}

void sqlite_statement::refuse(const std::string& why) const {
  database_->refuse(sqlite3_sql(statement_.get()), why);
}

sqlite_connection::sqlite_connection(const std::filesystem::path& path, const sqlite_options& options)
    : database_(std::make_shared<sqlite_database>(path)) {
  const int flags = options.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int result = sqlite3_open_v2(database_->path.c_str(), &database_->handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (result != SQLITE_OK) throw io_error("cannot open the database " + database_->path + ": " + database_->cause());
  sqlite3_extended_result_codes(database_->handle, 1);
  const auto wait =
      std::clamp<std::chrono::milliseconds::rep>(options.busy_timeout.count(), 0, std::numeric_limits<int>::max());
  database_->lock_attempts_max = static_cast<int>(wait) / lock_pause_milliseconds;
  sqlite3_busy_handler(database_->handle, pause_for_lock, &database_->lock_attempts_max);
  if (options.read_only) {
    // Opening reads nothing yet: a file that is no database shows up here.
    execute("SELECT count(*) FROM sqlite_schema");
    return;
  }
  database_->write_ahead(options.busy_timeout);
  // Pages that do not fit the cache are written before the transaction ends, and again at its end; the log is folded
  // into the database for several transactions at once. By default it is 2 MB and 4 MB.
  execute("PRAGMA cache_size = -65536");         // KiB
  execute("PRAGMA wal_autocheckpoint = 16384");  // pages
  execute(options.durability == sqlite_durability::full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
}

void sqlite_connection::execute(const std::string& sql) {
  if (sqlite3_exec(database_->handle, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    database_->refuse(sql, database_->cause());
  }
}

std::int64_t sqlite_connection::changed_rows() const {
  return sqlite3_changes64(database_->handle);
}

sqlite_transaction::sqlite_transaction(sqlite_connection& connection) : connection_(connection) {
  connection_.execute("BEGIN IMMEDIATE");
}

sqlite_transaction::~sqlite_transaction() {
  if (!open_) return;
  try {
    connection_.execute("ROLLBACK");
  } catch (const io_error&) {
    // SQLite has rolled back by itself, as it does on a full disk.
  }
}

void sqlite_transaction::commit() {
  connection_.execute("COMMIT");
  open_ = false;
}

}  // namespace millrace
