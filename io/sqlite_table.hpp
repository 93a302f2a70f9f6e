#pragma once

#include <millrace/io/sqlite_connection.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace millrace {

// Where rows go.
struct sqlite_table_options {
  std::filesystem::path database;
  std::string table;
  std::vector<std::string> key = {};  // columns that are unique together; empty: rows are only added
};

// A column as it is declared.
struct sqlite_column {
  std::string name;
  std::string type;
};

// One writer's way into a table: makes the table and its book of epochs, and commits the rows of an epoch together with
// the mark that it is done. Marks belong to a step and shard of one run of a job: a writer that was not restored begins
// anew and overwrites them.
class sqlite_table {
 public:
  // Throws io_error for a database that cannot be opened, a table whose columns differ, or a key that is no column.
  sqlite_table(const sqlite_table_options& options, const std::vector<sqlite_column>& columns, std::string owner,
               std::uint32_t shard);

  // Job and step, as marks bear them.
  [[nodiscard]] const std::string& owner() const { return owner_; }
  // The writer continues from a checkpoint of `owner`, whose epoch is committed again next: marks of earlier epochs
  // count.
  void restored(std::string owner);
  // Runs `insert_rows` with the insert statement and marks the epoch, in one transaction; nothing if it is marked
  // already. Throws io_error if the first epoch after restored() is older than what the table has of this owner: then
  // rows that were committed since would come twice or never.
  void commit(std::uint64_t epoch, const std::function<void(sqlite_statement&)>& insert_rows);

 private:
  [[nodiscard]] std::optional<std::uint64_t> marked(const std::string& owner);
  // Whether the rows of an epoch are there.
  [[nodiscard]] bool has(std::uint64_t epoch);

  std::string place_;  // database and table, for messages
  std::string owner_;
  std::int64_t shard_;
  bool continues_ = false;
  std::optional<std::string> restored_from_;  // until the checkpoint's epoch is committed again
  sqlite_connection connection_;
  sqlite_statement insert_;
  sqlite_statement marked_;
  sqlite_statement mark_;
};

}  // namespace millrace
