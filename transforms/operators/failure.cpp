#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/windows/window_fn.hpp>

#include <charconv>

namespace millrace {

namespace {

std::string text_of(const element_failure::account& of) {
  std::string text = "step \"" + of.step + "\" failed";
  if (!of.element.empty()) text += " on element " + of.element;
  text += ": " + of.cause;
  return text + " (after " + std::to_string(of.attempts) + (of.attempts == 1 ? " attempt)" : " attempts)");
}

void append_escaped(std::string& to, char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (c == '\n') to += "\\n";
  else if (c == '\t') to += "\\t";
  else if (c == '\r') to += "\\r";
  else if (c == '"' || c == '\\') (to += '\\') += c;
  else if (byte < 0x20 || byte == 0x7f) ((to += "\\x") += digits[byte >> 4U]) += digits[byte & 0xfU];
  else to += c;
}

}  // namespace

element_failure::element_failure(account of) : std::runtime_error(text_of(of)), of_(std::move(of)) {}

std::string describe_text(std::string_view text) {
  const bool cut = text.size() > described_bytes_max;
  if (cut) {
    std::size_t shown = described_bytes_max;
    while (shown > 0 && (static_cast<unsigned char>(text[shown]) & 0xc0U) == 0x80U) --shown;  // no half of a character
    text = text.substr(0, shown);
  }
  std::string quoted = "\"";
  for (const char c : text) append_escaped(quoted, c);
  return quoted + (cut ? "...\"" : "\"");
}

std::string describe_number(double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, end.ptr};
}

std::string message_of_current_exception() {
  try {
    throw;
  } catch (const broken_invariant&) {
    throw;
  } catch (const element_failure&) {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

std::string describe_stamped(std::string element, timestamp time, const window_set& windows) {
  element += " @" + (time == timestamp::min() ? std::string("min") : std::to_string(time.millis()));
  if (windows.size() == 1 && windows.front().is_global()) return element;
  for (const window& w : windows) element += " " + window_text(w);
  return element;
}

}  // namespace millrace
