#include <millrace/io/io_error.hpp>
#include <millrace/io/sqlite_table.hpp>

#include <algorithm>
#include <utility>

namespace millrace {

namespace {

// A name as SQL takes it whatever characters it has.
std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  return text += '"';
}

template <class Range, class Text>
std::string joined(const Range& parts, Text&& text) {
  std::string all;
  for (const auto& part : parts) {
    if (!all.empty()) all += ", ";
    all += text(part);
  }
  return all;
}

std::string create_statement(const sqlite_table_options& o, const std::vector<sqlite_column>& columns) {
  std::string sql = "CREATE TABLE IF NOT EXISTS " + quoted(o.table) + " ("
                    + joined(columns, [](const sqlite_column& c) { return quoted(c.name) + " " + c.type; });
  if (!o.key.empty()) sql += ", PRIMARY KEY (" + joined(o.key, quoted) + ")";
  return sql + ")";
}

std::string insert_statement(const sqlite_table_options& o, const std::vector<sqlite_column>& columns) {
  std::string sql = "INSERT INTO " + quoted(o.table) + " ("
                    + joined(columns, [](const auto& c) { return quoted(c.name); }) + ") VALUES ("
                    + joined(columns, [](const auto&) { return std::string("?"); }) + ")";
  if (o.key.empty()) return sql;
  std::vector<std::string> others;
  for (const auto& c : columns)
    if (std::ranges::count(o.key, c.name) == 0) others.push_back(c.name);
  sql += " ON CONFLICT (" + joined(o.key, quoted) + ") DO ";
  if (others.empty()) return sql + "NOTHING";
  return sql + "UPDATE SET "
         + joined(others, [](const std::string& c) { return quoted(c) + " = excluded." + quoted(c); });
}

// Opens the database with the table and the book of epochs in it.
sqlite_connection opened(const sqlite_table_options& o, const std::vector<sqlite_column>& columns) {
  for (const auto& k : o.key)
    if (std::ranges::none_of(columns, [&](const sqlite_column& c) { return c.name == k; }))
      throw io_error("table " + o.table + " of " + o.database.string() + ": the key column \"" + k
                     + "\" is no field of the rows; their fields are "
                     + joined(columns, [](const sqlite_column& c) { return c.name; }));
  sqlite_connection connection(o.database);
  sqlite_transaction creating(connection);
  connection.execute(create_statement(o, columns));
  connection.execute("CREATE TABLE IF NOT EXISTS millrace_epochs (step TEXT, shard INTEGER, epoch INTEGER, "
                     "PRIMARY KEY (step, shard))");
  creating.commit();
  return connection;
}

}  // namespace

sqlite_table::sqlite_table(const sqlite_table_options& options, const std::vector<sqlite_column>& columns,
                           std::string owner, std::uint32_t shard)
    : place_("table " + options.table + " of " + options.database.string()), owner_(std::move(owner)), shard_(shard),
      connection_(opened(options, columns)), insert_(connection_.prepare(insert_statement(options, columns))),
      marked_(connection_.prepare("SELECT epoch FROM millrace_epochs WHERE step = ? AND shard = ?")),
      mark_(connection_.prepare("INSERT INTO millrace_epochs (step, shard, epoch) VALUES (?, ?, ?) "
                                "ON CONFLICT (step, shard) DO UPDATE SET epoch = excluded.epoch")) {}

void sqlite_table::restored(std::string owner) {
  continues_ = true;
  restored_from_ = std::move(owner);
}

std::optional<std::uint64_t> sqlite_table::marked(const std::string& owner) {
  marked_.bind(1, owner);
  marked_.bind(2, shard_);
  std::optional<std::uint64_t> epoch;
  if (marked_.step()) epoch = static_cast<std::uint64_t>(marked_.integer(0));
  marked_.reset();
  return epoch;
}

bool sqlite_table::has(std::uint64_t epoch) {
  const auto own = marked(owner_);
  const auto from = std::exchange(restored_from_, std::nullopt);
  if (!from) return own >= epoch;
  if (own > epoch)
    throw io_error(place_ + " has rows of epoch " + std::to_string(*own) + ", and the job goes on from epoch "
                   + std::to_string(epoch)
                   + ": rows written since would come twice or never; resume from the newest checkpoint, or put the "
                     "table back to what it was at this one");
  return own == epoch || (*from != owner_ && marked(*from) >= epoch);
}

void sqlite_table::commit(std::uint64_t epoch, const std::function<void(sqlite_statement&)>& insert_rows) {
  sqlite_transaction transaction(connection_);
  if (continues_ && has(epoch)) return;
  insert_rows(insert_);
  mark_.run(owner_, shard_, epoch);
  transaction.commit();
  continues_ = true;
}

}  // namespace millrace
