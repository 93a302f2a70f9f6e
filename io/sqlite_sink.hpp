#pragma once

#include <millrace/io/field_names.hpp>
#include <millrace/io/sqlite_table.hpp>
#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/coders/fields.hpp>
#include <millrace/transforms/sources/write.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

namespace detail {

// What a column of a field is declared as: so that the affinity of SQLite keeps values as they are.
template <class Field>
consteval const char* sqlite_type() {
  if constexpr (is_bindable_optional<Field>) return sqlite_type<typename Field::value_type>();
  else if constexpr (std::integral<Field> || std::same_as<Field, timestamp>) return "INTEGER";
  else if constexpr (std::floating_point<Field>) return "REAL";
  else return "TEXT";
}

template <class Row, std::size_t... Index>
std::vector<sqlite_column> sqlite_columns(std::index_sequence<Index...> /*all*/) {
  return {sqlite_column{std::string(field_names<Row>[Index]),
                        sqlite_type<std::tuple_element_t<Index, field_types<Row>>>()}...};
}

// The rows that one shard wrote and no epoch has committed yet: they are part of the snapshot, and reach the database
// in the transaction that also records the epoch.
template <plain_aggregate Row>
class sqlite_writer {
 public:
  sqlite_writer(const sqlite_table_options& table, const operator_environment& in)
      : table_(table, sqlite_columns<Row>(std::make_index_sequence<field_count<Row>>{}), in.job + "/" + in.step,
               in.shard) {}

  void write(const Row& row, timestamp /*at*/, const context& /*in*/) { open_.push_back(row); }
  void prepare(std::uint64_t epoch) { prepared_[epoch] = std::exchange(open_, {}); }
  void commit(std::uint64_t epoch) {
    const auto end = prepared_.upper_bound(epoch);
    table_.commit(epoch, [&](sqlite_statement& insert) {
      for (auto e = prepared_.begin(); e != end; ++e)
        for (const Row& row : e->second) insert_row(insert, row);
    });
    prepared_.erase(prepared_.begin(), end);
  }
  void abort() {}

  void snapshot(writer& to) const {
    coder<std::string>::encode(to, table_.owner());
    to.varint(prepared_.size());
    for (const auto& [epoch, rows] : prepared_) {
      to.varint(epoch);
      coder<std::vector<Row>>::encode(to, rows);
    }
  }
  void restore(reader& from) {
    open_.clear();
    prepared_.clear();
    table_.restored(coder<std::string>::decode(from));
    const std::size_t epochs = from.count(2);
    for (std::size_t i = 0; i < epochs; ++i) {
      const std::uint64_t epoch = from.varint();
      prepared_[epoch] = coder<std::vector<Row>>::decode(from);
    }
  }

 private:
  static void insert_row(sqlite_statement& insert, const Row& row) {
    visit_fields(row, [&](const auto&... fields) { insert.run(stored(fields)...); });
  }
  // A timestamp is stored as milliseconds since 1970.
  template <class Field>
  static decltype(auto) stored(const Field& field) {
    if constexpr (std::same_as<Field, timestamp>) return field.millis();
    else return (field);
  }

  sqlite_table table_;
  std::vector<Row> open_;
  std::map<std::uint64_t, std::vector<Row>> prepared_;
};

template <plain_aggregate Row>
class sqlite_sink {
 public:
  using element = Row;
  explicit sqlite_sink(sqlite_table_options table) : table_(std::move(table)) {}
  [[nodiscard]] sqlite_writer<Row> open(const operator_environment& in) const { return {table_, in}; }
  // Rows that wait for their epoch are for this table, and may get fields.
  [[nodiscard]] state_schema state() const {
    return state_schema{}.text("table", table_.table + " of " + table_.database.string()).template part<Row>("row");
  }
  [[nodiscard]] std::string describe() const {
    return "rows of " + coder<Row>::name() + " to the SQLite table " + table_.table;
  }
  [[nodiscard]] operator_traits traits() const { return {.adds_only = table_.key.empty()}; }

 private:
  sqlite_table_options table_;
};

}  // namespace detail

// Writes plain aggregates to a table of an SQLite database, a column for each field, created if it is not there:
//   minutes | write_sqlite("minutes", {.database = "out.sqlite", .table = "minutes", .key = {"device", "minute"}})
// With a key, a row replaces the one with equal key columns; without, rows are added. Exactly once: the rows of an
// epoch and the record that it is done are one transaction, so a commit that is repeated changes nothing. Other
// processes see whole epochs while the job runs.
inline auto write_sqlite(std::string name, sqlite_table_options table,
                         std::source_location where = std::source_location::current()) {
  return [name = std::move(name), table = std::move(table), where]<class T>(const pcollection<T>& in) -> written {
    static_assert(plain_aggregate<T>,
                  "millrace: write_sqlite takes a collection of plain aggregates, a column for each "
                  "field; map the elements to one first");
    if constexpr (plain_aggregate<T>) return write(name, detail::sqlite_sink<T>(table), where)(in);
    else return {};
  };
}

}  // namespace millrace
