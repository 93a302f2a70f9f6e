#include <millrace/transforms/checkpoints/state_schema.hpp>

namespace millrace {

std::string to_text(const state_schema& of) {
  std::string text;
  for (const state_part& part : of.parts) {
    if (!text.empty()) text += ", ";
    text += part.name + " " + to_text(part.type);
  }
  return text;
}

}  // namespace millrace
