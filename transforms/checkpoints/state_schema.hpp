#pragma once

#include <millrace/transforms/coders/type_schema.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace {

// What must hold between a part of a step's state in a checkpoint and that part in a changed program that goes on from
// it: the model's rules for updates (beam-semantics, section 17).
enum class state_match : std::uint8_t {
  same,             // the same bytes: keys, and what is kept as memory
  readable,         // fields and alternatives may have been appended
  cell,             // readable; and a function may have more of them than before, in any order
  same_while_kept,  // the same text, unless the checkpoint has no state of the step
  same_text,        // the same text
  nothing           // it is told for those who go on from it in another way
};

// One part of what a step keeps: a key, a value, a cell, a windowing.
struct state_part {
  std::string name;
  type_schema type;
  state_match must = state_match::readable;

  friend bool operator==(const state_part&, const state_part&) = default;
};

// What a step keeps in checkpoints, as data; without parts it keeps nothing.
struct state_schema {
  std::vector<state_part> parts = {};

  [[nodiscard]] bool empty() const { return parts.empty(); }
  // A text that must stay as it is.
  state_schema& text(std::string_view name, std::string value, state_match must = state_match::same_text) {
    parts.push_back({std::string(name), {.name = std::move(value)}, must});
    return *this;
  }
  template <codable T>
  state_schema& part(std::string name, state_match must = state_match::readable) {
    parts.push_back({std::move(name), schema_of<T>(), must});
    return *this;
  }

  friend bool operator==(const state_schema&, const state_schema&) = default;
};

// Readable: "key string, value shop::order{int64}, windows fixed 60000".
[[nodiscard]] std::string to_text(const state_schema& of);

}  // namespace millrace
