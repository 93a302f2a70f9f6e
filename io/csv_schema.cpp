#include <millrace/io/csv_schema.hpp>
#include <millrace/io/utf8.hpp>

#include <algorithm>

namespace millrace {

namespace {

std::string quoted(std::string_view text) {
  return '"' + printable(text) + '"';
}

// Reads the field at `at`, which ends behind it or at the delimiter. Empty if all is well, else what is wrong.
std::string read_field(std::string_view record, std::size_t& at, char delimiter, csv_value& into) {
  into.text.clear();
  into.quoted = at < record.size() && record[at] == '"';
  if (!into.quoted) {
    const std::size_t end = std::min(record.find(delimiter, at), record.size());
    into.text.assign(record.substr(at, end - at));
    at = end;
    if (into.text.find('"') == std::string::npos) return {};
    return "field " + quoted(into.text) + " has a quote inside; put it in quotes and double the ones inside";
  }
  for (++at;; ++at) {
    const std::size_t quote = record.find('"', at);
    if (quote == std::string_view::npos) return "a quoted field is not closed";
    into.text.append(record.substr(at, quote - at));
    at = quote + 1;
    if (at == record.size() || record[at] == delimiter) return {};
    if (record[at] != '"')
      return "field " + quoted(into.text) + " is followed by " + quoted(record.substr(at, 1))
             + " instead of the delimiter; double the quotes inside a quoted field";
    into.text += '"';
  }
}

std::string list_of(const std::vector<csv_value>& names) {
  std::string list;
  for (const auto& n : names) list += (list.empty() ? "" : ", ") + quoted(n.text);
  return list;
}

}  // namespace

bool split_csv_record(std::string_view record, char delimiter, std::vector<csv_value>& into, std::string& why) {
  std::size_t count = 0;
  for (std::size_t at = 0;; ++at) {
    if (into.size() == count) into.emplace_back();
    why = read_field(record, at, delimiter, into[count++]);
    if (!why.empty()) return false;
    if (at >= record.size()) break;
  }
  into.resize(count);
  return true;
}

bool csv_quotes::feed(std::string_view line) {
  for (const char c : line) {
    if (c == '"' && at_ == place::quoted) at_ = place::closing;
    else if (c == '"' && at_ != place::plain) at_ = place::quoted;
    else if (at_ == place::quoted) continue;
    else at_ = c == delimiter_ ? place::field_start : place::plain;
  }
  return at_ == place::quoted;
}

bool match_csv_header(std::string_view header, std::span<const csv_field> fields, const csv_options& options,
                      csv_columns& into, std::string& why) {
  std::vector<csv_value> names;
  if (!split_csv_record(header, options.delimiter, names, why)) {
    why = "the header is no CSV: " + why;
    return false;
  }
  into.assign(names.size(), no_csv_field);
  for (std::size_t column = 0; column < names.size(); ++column) {
    const auto field =
        std::find_if(fields.begin(), fields.end(), [&](const csv_field& f) { return f.name == names[column].text; });
    if (field == fields.end()) {
      if (options.ignore_unknown) continue;
      why = "the header has a column " + quoted(names[column].text)
            + ", which no field is named after; set ignore_unknown to skip it";
      return false;
    }
    const auto index = static_cast<std::size_t>(field - fields.begin());
    if (std::find(into.begin(), into.end(), index) != into.end()) {
      why = "the header has column " + quoted(names[column].text) + " twice";
      return false;
    }
    into[column] = index;
  }
  for (std::size_t index = 0; index < fields.size(); ++index) {
    if (fields[index].optional || std::find(into.begin(), into.end(), index) != into.end()) continue;
    why = "the header lacks column " + quoted(fields[index].name) + "; its columns are " + list_of(names);
    return false;
  }
  return true;
}

bool fill_from_csv(std::string_view record, std::span<const csv_field> fields, const csv_columns& columns,
                   char delimiter, void* into, std::string& why) {
  std::vector<csv_value> values;
  if (!split_csv_record(record, delimiter, values, why)) return false;
  if (values.size() != columns.size()) {
    why = "the record has " + std::to_string(values.size()) + (values.size() == 1 ? " field" : " fields")
          + ", but the header has " + std::to_string(columns.size()) + (columns.size() == 1 ? " column" : " columns");
    return false;
  }
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (columns[column] == no_csv_field) continue;
    const csv_field& field = fields[columns[column]];
    if (field.set(field.in(into), values[column])) continue;
    why =
        "column " + quoted(field.name) + ": " + quoted(values[column].text) + " is not " + std::string(field.expected);
    return false;
  }
  return true;
}

void append_csv_text(std::string& out, std::string_view text, char delimiter, bool in_quotes) {
  const char special[] = {delimiter, '"', '\n', '\r'};
  if (!in_quotes && text.find_first_of(std::string_view(special, sizeof special)) == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace millrace
