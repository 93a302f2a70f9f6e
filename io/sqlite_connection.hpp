#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

struct sqlite3;
struct sqlite3_stmt;

namespace millrace {

// What survives a power cut. A crash of the process loses nothing that was committed in either case, and the database
// is never corrupted.
enum class sqlite_durability {
  // Every committed transaction (synchronous=FULL): one sync each.
  full,
  // The last transactions may be lost (synchronous=NORMAL): for whoever can write them again.
  normal,
};

// How a database is opened.
struct sqlite_options {
  sqlite_durability durability = sqlite_durability::full;
  // How long a statement waits for another process that holds the lock.
  std::chrono::milliseconds busy_timeout{5000};
  // The database must exist and is not changed, nor is its journal mode.
  bool read_only = false;
};

// The open database that a connection and its statements share.
struct sqlite_database;

// A prepared statement: bind parameters (counted from 1), step through rows, read columns (counted from 0), reset.
// Errors are io_errors that name the database, the statement, and the cause.
class sqlite_statement {
 public:
  sqlite_statement(std::shared_ptr<sqlite_database> database, std::string_view sql);
  sqlite_statement(sqlite_statement&&) noexcept = default;
  sqlite_statement& operator=(sqlite_statement&&) noexcept = default;
  sqlite_statement(const sqlite_statement&) = delete;
  sqlite_statement& operator=(const sqlite_statement&) = delete;
  ~sqlite_statement() = default;

  // Binds an integer, a floating point number, a text, a blob (a span of bytes), an optional of these, or nullptr.
  template <class T>
  void bind(int index, const T& value);
  // Goes to the next row; false when there is none.
  bool step();
  // Makes the statement ready to run again; parameters become null.
  void reset();
  // Binds all parameters in order, runs the statement to its end, and resets it. For statements without rows.
  template <class... Values>
  void run(const Values&... values) {
    check_count(sizeof...(Values));
    [[maybe_unused]] int index = 0;
    (bind(++index, values), ...);
    finish();
  }

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  // Valid until the next step or reset.
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::span<const std::byte> blob(int column) const;

 private:
  struct finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };

  void bind_null(int index);
  void bind_integer(int index, std::int64_t value);
  void bind_real(int index, double value);
  void bind_text(int index, std::string_view value);
  void bind_blob(int index, std::span<const std::byte> value);
  void check_count(std::size_t values) const;
  void finish();
  void require(int result) const;
  [[noreturn]] void refuse(const std::string& why) const;

  std::shared_ptr<sqlite_database> database_;
  std::unique_ptr<sqlite3_stmt, finalizer> statement_;
};

// An open SQLite database in WAL mode, so that other processes can read while this one writes. Used by one thread at a
// time; statements may outlive the connection.
class sqlite_connection {
 public:
  // Opens the file, or creates it unless read_only. The folder must exist.
  explicit sqlite_connection(const std::filesystem::path& path, const sqlite_options& options = {});

  // Runs one or several statements without parameters and drops their rows.
  void execute(const std::string& sql);
  [[nodiscard]] sqlite_statement prepare(std::string_view sql) { return {database_, sql}; }
  // How many rows the last insert, update or delete changed.
  [[nodiscard]] std::int64_t changed_rows() const;

 private:
  std::shared_ptr<sqlite_database> database_;
};

// A transaction that takes the lock for writing at once and is rolled back at the end of its life unless it was
// committed.
class sqlite_transaction {
 public:
  explicit sqlite_transaction(sqlite_connection& connection);
  sqlite_transaction(const sqlite_transaction&) = delete;
  sqlite_transaction& operator=(const sqlite_transaction&) = delete;
  ~sqlite_transaction();

  void commit();

 private:
  sqlite_connection& connection_;
  bool open_ = true;
};

template <class T>
inline constexpr bool is_bindable_optional = false;
template <class T>
inline constexpr bool is_bindable_optional<std::optional<T>> = true;

template <class T>
void sqlite_statement::bind(int index, const T& value) {
  if constexpr (std::same_as<T, std::nullptr_t>) bind_null(index);
  else if constexpr (is_bindable_optional<T>) {
    if (value) bind(index, *value);
    else bind_null(index);
  } else if constexpr (std::integral<T>) {
    static_assert(sizeof(T) <= 8);
    if constexpr (std::unsigned_integral<T> && sizeof(T) == 8) {
      if (value > static_cast<T>(std::numeric_limits<std::int64_t>::max())) {
        refuse("the integer " + std::to_string(value) + " is above the greatest that SQLite can hold");
      }
    }
    bind_integer(index, static_cast<std::int64_t>(value));
  } else if constexpr (std::floating_point<T>) bind_real(index, static_cast<double>(value));
  else if constexpr (std::convertible_to<const T&, std::string_view>) bind_text(index, value);
  else {
    static_assert(
        std::convertible_to<const T&, std::span<const std::byte>>,
        "SQLite holds integers, floating point numbers, texts, blobs (spans of bytes), and optionals of these");
    bind_blob(index, value);
  }
}

}  // namespace millrace
