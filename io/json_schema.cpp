#include <millrace/io/json_schema.hpp>
#include <millrace/io/utf8.hpp>
#include <millrace/transforms/coders/fields.hpp>

#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace millrace {

namespace {

constexpr std::size_t depth_max = 32;

// A list or record that has begun and not ended.
struct open_container {
  const json_type* type = nullptr;
  void* value = nullptr;
  // record: which fields have come, which one is being read, and which one is likely to be next.
  std::uint64_t seen = 0;
  static_assert(fields_max <= 64);
  std::size_t field = 0;
  std::size_t likely_next = 0;
  // list: how many elements have begun.
  std::size_t elements = 0;
};

// Receives what Boost's parser finds in a line and puts it where the description says. Numbers are taken from their
// spelling, since the parser's own doubles are inexact and its integers turn into doubles when they do not fit.
class json_filler {
 public:
  using code = boost::json::error_code;

  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_key_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_string_size = std::numeric_limits<std::size_t>::max();

  json_filler(const json_type& type, void* record, const json_options& options)
      : options_(options), next_type_(&type), next_value_(record) {}

  [[nodiscard]] const std::string& why() const { return why_; }

  bool on_document_begin(code&) { return true; }
  bool on_document_end(code&) { return true; }
  bool on_object_begin(code& fault) { return begin_container(json_kind::record, "an object", fault); }
  bool on_object_end(std::size_t, code& fault);
  bool on_array_begin(code& fault) { return begin_container(json_kind::list, "a list", fault); }
  bool on_array_end(std::size_t, code&);
  bool on_key_part(std::string_view part, std::size_t, code&) { return add_part(part); }
  bool on_key(std::string_view rest, std::size_t, code& fault);
  bool on_string_part(std::string_view part, std::size_t, code&) { return add_part(part); }
  bool on_string(std::string_view rest, std::size_t, code& fault);
  bool on_number_part(std::string_view part, code&) { return add_part(part); }
  bool on_int64(std::int64_t, std::string_view rest, code& fault) { return on_number(rest, fault); }
  bool on_uint64(std::uint64_t, std::string_view rest, code& fault) { return on_number(rest, fault); }
  bool on_double(double, std::string_view rest, code& fault) { return on_number(rest, fault); }
  bool on_bool(bool boolean, code& fault);
  bool on_null(code& fault);
  bool on_comment_part(std::string_view, code&) { return true; }
  bool on_comment(std::string_view, code&) { return true; }

 private:
  // Where the next value goes: its type is null if it is to be skipped.
  struct slot {
    const json_type* type = nullptr;
    void* value = nullptr;
  };

  bool add_part(std::string_view part) {
    parts_ += part;
    return true;
  }
  // A text whose parts came one by one, the last of them being `rest`. Nearly always there is only one.
  std::string_view whole(std::string_view rest) {
    if (parts_.empty()) return rest;
    joined_ = std::move(parts_) + std::string(rest);
    parts_.clear();
    return joined_;
  }
  slot take_slot();
  slot take_filled_slot();
  bool begin_container(json_kind kind, std::string_view found, code& fault);
  bool on_number(std::string_view rest, code& fault);
  bool refuse(std::string what, code& fault);
  bool refuse_value(const json_type& type, const std::string& found, code& fault);
  [[nodiscard]] std::string path() const;

  const json_options& options_;
  const json_type* next_type_;
  void* next_value_;
  std::array<open_container, depth_max + 1> open_ = {};
  std::size_t depth_ = 0;
  // Inside how many containers of an unknown field the parser is.
  std::size_t skipped_depth_ = 0;
  std::string parts_;
  std::string joined_;
  std::string why_;
};

json_filler::slot json_filler::take_slot() {
  if (skipped_depth_ > 0) return {};
  if (depth_ > 0) {
    auto& container = open_[depth_ - 1];
    if (container.type->kind == json_kind::list) {
      ++container.elements;
      return {container.type->inner, container.type->append(container.value)};
    }
  }
  return {next_type_, next_value_};
}

// The slot for a value that is not null: optionals on the way are filled.
json_filler::slot json_filler::take_filled_slot() {
  auto target = take_slot();
  while (target.type != nullptr && target.type->kind == json_kind::optional) {
    target = {target.type->inner, target.type->engage(target.value)};
  }
  return target;
}

bool json_filler::begin_container(json_kind kind, std::string_view found, code& fault) {
  const auto target = take_filled_slot();
  if (target.type == nullptr) {
    ++skipped_depth_;
    return true;
  }
  if (target.type->kind != kind) return refuse_value(*target.type, std::string(found), fault);
  if (depth_ == open_.size()) return refuse("too many levels", fault);
  if (kind == json_kind::list) target.type->clear(target.value);
  open_[depth_++] = {.type = target.type, .value = target.value};
  return true;
}

bool json_filler::on_object_end(std::size_t, code& fault) {
  if (skipped_depth_ > 0) {
    --skipped_depth_;
    return true;
  }
  auto& record = open_[depth_ - 1];
  for (std::size_t i = 0; i < record.type->fields.size(); ++i) {
    const auto& field = record.type->fields[i];
    if ((record.seen >> i & 1U) != 0) continue;
    if (field.type->kind == json_kind::optional) {
      field.type->clear(field.in(record.value));
      continue;
    }
    record.field = i;
    return refuse("it is missing", fault);
  }
  --depth_;
  return true;
}

bool json_filler::on_array_end(std::size_t, code&) {
  if (skipped_depth_ > 0) --skipped_depth_;
  else --depth_;
  return true;
}

bool json_filler::on_key(std::string_view rest, std::size_t, code& fault) {
  const auto key = whole(rest);
  if (skipped_depth_ > 0) return true;
  auto& record = open_[depth_ - 1];
  const auto fields = record.type->fields;
  auto at = record.likely_next;
  if (at >= fields.size() || fields[at].name != key) {
    const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.name == key; });
    at = static_cast<std::size_t>(found - fields.begin());
  }
  if (at == fields.size()) {
    record.field = at;
    next_type_ = nullptr;
    if (options_.unknown_fields) return true;
    return refuse("unknown field '" + printable(key) + "'", fault);
  }
  record.field = at;
  record.likely_next = at + 1;
  if ((record.seen >> at & 1U) != 0 && !options_.duplicate_keys) return refuse("it comes twice", fault);
  record.seen |= std::uint64_t{1} << at;
  next_type_ = fields[at].type;
  next_value_ = fields[at].in(record.value);
  return true;
}

bool json_filler::on_string(std::string_view rest, std::size_t, code& fault) {
  const auto text = whole(rest);
  const auto target = take_filled_slot();
  if (target.type == nullptr) return true;
  if (target.type->kind == json_kind::text && target.type->set_text(target.value, text)) return true;
  return refuse_value(*target.type, '"' + printable(text) + '"', fault);
}

bool json_filler::on_number(std::string_view rest, code& fault) {
  const auto spelling = whole(rest);
  const auto target = take_filled_slot();
  if (target.type == nullptr) return true;
  if (target.type->kind == json_kind::number && target.type->set_number(target.value, spelling)) return true;
  return refuse_value(*target.type, printable(spelling), fault);
}

bool json_filler::on_bool(bool boolean, code& fault) {
  const auto target = take_filled_slot();
  if (target.type == nullptr) return true;
  if (target.type->kind != json_kind::boolean) return refuse_value(*target.type, boolean ? "true" : "false", fault);
  target.type->set_boolean(target.value, boolean);
  return true;
}

bool json_filler::on_null(code& fault) {
  const auto target = take_slot();
  if (target.type == nullptr) return true;
  if (target.type->kind != json_kind::optional) return refuse_value(*target.type, "null", fault);
  target.type->clear(target.value);
  return true;
}

// `what` is about the field that is being read.
bool json_filler::refuse(std::string what, code& fault) {
  const auto where = path();
  why_ = where.empty() ? std::move(what) : "field '" + where + "': " + what;
  fault = boost::json::error::syntax;
  return false;
}

bool json_filler::refuse_value(const json_type& type, const std::string& found, code& fault) {
  return refuse("expected " + std::string(type.expected) + ", found " + found, fault);
}

std::string json_filler::path() const {
  std::string text;
  for (std::size_t i = 0; i < depth_; ++i) {
    const auto& container = open_[i];
    if (container.type->kind == json_kind::list) {
      if (container.elements > 0) text += '[' + std::to_string(container.elements - 1) + ']';
    } else if (container.field < container.type->fields.size()) {
      if (!text.empty()) text += '.';
      text += container.type->fields[container.field].name;
    }
  }
  return text;
}

template <class Number>
void append_shortest(std::string& out, Number number) {
  if (!std::isfinite(number)) {
    throw std::invalid_argument(std::string("JSON cannot hold ") + (std::isnan(number) ? "NaN" : "infinity"));
  }
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

bool needs_escape(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  switch (c) {
  case '"':
    out += "\\\"";
    break;
  case '\\':
    out += "\\\\";
    break;
  case '\n':
    out += "\\n";
    break;
  case '\r':
    out += "\\r";
    break;
  case '\t':
    out += "\\t";
    break;
  default:
    out += "\\u00";
    out += digits[static_cast<unsigned char>(c) >> 4U];
    out += digits[static_cast<unsigned char>(c) & 15U];
  }
}

}  // namespace

bool fill_from_json(std::string_view line, const json_type& type, void* record, const json_options& options,
                    std::string& why) {
  boost::json::basic_parser<json_filler> parser({}, type, record, options);
  boost::json::error_code fault;
  const auto consumed = parser.write_some(false, line.data(), line.size(), fault);
  if (!fault && consumed == line.size()) return true;
  why = parser.handler().why();
  if (!why.empty()) return false;
  const auto at = " at character " + std::to_string(consumed + 1);
  if (!fault) why = "not valid JSON: more text follows the object" + at;
  else why = "not valid JSON: " + fault.message() + at;
  why += ": " + printable(line);
  return false;
}

void append_json_text(std::string& out, std::string_view text) {
  if (const auto at = first_invalid_utf8(text); at != std::string_view::npos) {
    throw std::invalid_argument("JSON cannot hold text that is not valid UTF-8: " + printable(text));
  }
  out += '"';
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(std::find_if(text.begin(), text.end(), needs_escape) - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    append_escaped(out, text.front());
    text.remove_prefix(1);
  }
  out += '"';
}

void append_json_number(std::string& out, double number) {
  append_shortest(out, number);
}
void append_json_number(std::string& out, float number) {
  append_shortest(out, number);
}

void refuse_json_field(std::string_view name, const std::exception& fault) {
  throw std::invalid_argument("field '" + std::string(name) + "': " + fault.what());
}

}  // namespace millrace
