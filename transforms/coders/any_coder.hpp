#pragma once

#include <millrace/transforms/coders/column_traits.hpp>
#include <millrace/transforms/element/check.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

namespace millrace {

// The functions of one element type behind plain pointers; one constant object per type.
struct coder_table {
  const std::type_info* type;
  std::size_t size_bytes;
  std::size_t align_bytes;
  bool deterministic;
  column_kind column;
  column_kind key;
  std::string (*name)();
  void (*encode)(const void* value, writer& out);
  void (*decode)(reader& in, void* to);
  void (*destroy)(void* value) noexcept;
  std::string_view (*column_bytes)(const void* value, writer& scratch);
  void (*load_column)(std::string_view bytes, void* to);
  std::string_view (*key_bytes)(const void* key, writer& scratch);  // null unless deterministic
  void (*decode_key)(std::string_view bytes, void* to);             // null unless deterministic
};

template <codable T>
consteval coder_table make_coder_table() {
  coder_table table{
      .type = &typeid(T),
      .size_bytes = sizeof(T),
      .align_bytes = alignof(T),
      .deterministic = coder<T>::deterministic,
      .column = column_traits<T>::kind,
      .key = column_kind::encoded,
      .name = [] { return std::string(coder<T>::name()); },
      .encode = [](const void* value, writer& out) { coder<T>::encode(out, *static_cast<const T*>(value)); },
      .decode = [](reader& in, void* to) { ::new (to) T(coder<T>::decode(in)); },
      .destroy = [](void* value) noexcept { std::destroy_at(static_cast<T*>(value)); },
      .column_bytes = [](const void* value,
                         writer& scratch) { return column_traits<T>::bytes(*static_cast<const T*>(value), scratch); },
      .load_column = [](std::string_view bytes, void* to) { ::new (to) T(column_traits<T>::load(bytes)); },
      .key_bytes = nullptr,
      .decode_key = nullptr,
  };
  if constexpr (deterministic_key<T>) {
    table.key = key_kind<T>;
    table.key_bytes = [](const void* key, writer& scratch) {
      return millrace::key_bytes(*static_cast<const T*>(key), scratch);
    };
    table.decode_key = [](std::string_view bytes, void* to) { ::new (to) T(millrace::decode_key<T>(bytes)); };
  }
  return table;
}

// Its address is the identity of T within a process.
template <codable T>
inline constexpr coder_table coder_table_of = make_coder_table<T>();

// The coder of a type that is known only at run time: what the graph and everything below it work with. It is one
// pointer to a constant table, so copying costs nothing. An empty one codes nothing and may only be asked whether it
// is. The caller answers for the type and the lifetime of what the void pointers point to.
class any_coder {
 public:
  // An empty one.
  constexpr any_coder() = default;

  // The coder of T.
  template <class T>
  static constexpr any_coder of() {
    require_codable<T>();
    if constexpr (codable<T>) return any_coder{&coder_table_of<T>};
    else return {};
  }

  [[nodiscard]] explicit operator bool() const { return table_ != nullptr; }

  // Whether it codes T.
  template <codable T>
  [[nodiscard]] bool codes() const {
    return *this == of<T>();
  }
  [[nodiscard]] const std::type_info& type() const { return *table().type; }
  // Readable and the same in every process of one program: for fingerprints and errors.
  [[nodiscard]] std::string name() const { return table().name(); }
  // Whether values may be keys.
  [[nodiscard]] bool deterministic() const { return table().deterministic; }
  [[nodiscard]] std::size_t size_bytes() const { return table().size_bytes; }
  [[nodiscard]] std::size_t align_bytes() const { return table().align_bytes; }
  // How columns keep values, and how keys are kept.
  [[nodiscard]] column_kind column() const { return table().column; }
  [[nodiscard]] column_kind key() const { return table().key; }

  // Appends the bytes of the value.
  void encode(const void* value, writer& out) const { table().encode(value, out); }
  // Makes a value in the raw storage at `to`, which has the size and alignment of the type; none if it throws.
  void decode(reader& in, void* to) const { table().decode(in, to); }
  // Ends the value; its storage is raw again.
  void destroy(void* value) const { table().destroy(value); }

  // The stored form of a value in a column, and back; see column_traits.
  [[nodiscard]] std::string_view column_bytes(const void* value, writer& scratch) const {
    return table().column_bytes(value, scratch);
  }
  void load_column(std::string_view bytes, void* to) const { table().load_column(bytes, to); }

  // The canonical bytes of a key, and back; see millrace::key_bytes. The coder must be deterministic.
  [[nodiscard]] std::string_view key_bytes(const void* key, writer& scratch) const {
    check(table().deterministic, "the coder of a key is deterministic");
    return table().key_bytes(key, scratch);
  }
  void decode_key(std::string_view bytes, void* to) const {
    check(table().deterministic, "the coder of a key is deterministic");
    table().decode_key(bytes, to);
  }

  // Whether two values have the same bytes.
  [[nodiscard]] bool equal(const void* a, const void* b) const {
    writer both;
    encode(a, both);
    const std::size_t middle = both.size();
    encode(b, both);
    return both.bytes().substr(0, middle) == both.bytes().substr(middle);
  }

  friend bool operator==(any_coder a, any_coder b) {
    return a.table_ == b.table_ || (a.table_ && b.table_ && *a.table_->type == *b.table_->type);
  }

 private:
  constexpr explicit any_coder(const coder_table* table) : table_(table) {}
  [[nodiscard]] const coder_table& table() const {
    check(table_ != nullptr, "a coder that is used is not empty");
    return *table_;
  }

  const coder_table* table_ = nullptr;
};

}  // namespace millrace
