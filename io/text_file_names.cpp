#include <millrace/io/text_file_names.hpp>
#include <millrace/io/timestamps.hpp>

#include <stdexcept>

namespace millrace {

namespace {

std::string five_digits(std::uint32_t number) {
  std::string digits = std::to_string(number);
  return digits.size() < 5 ? std::string(5 - digits.size(), '0') + digits : digits;
}

// A bound beyond the years that a text can have is written as the number that it is.
std::string bound_text(timestamp t) {
  try {
    return format_timestamp(t);
  } catch (const std::out_of_range&) {
    return std::to_string(t.millis());
  }
}

std::string spelled_pane(const pane_info& pane) {
  std::string text = "-pane-" + std::to_string(pane.index);
  if (pane.timing == pane_timing::late) text += "-late";
  if (pane.timing == pane_timing::early) text += "-early";
  return pane.is_last ? text + "-last" : text;
}

}  // namespace

std::string name_of(const text_file_name& file) {
  const bool only_pane = file.pane.is_first && file.pane.is_last;
  const bool spelled = file.naming == file_naming::spelled_panes && !file.in.is_global();
  std::string name = file.prefix;
  if (!file.in.is_global()) name += (spelled ? "" : "-") + bound_text(file.in.start) + "-" + bound_text(file.in.end);
  if (spelled) name += spelled_pane(file.pane);
  else if (!only_pane) name += "-" + std::to_string(file.pane.index);
  return name + "-" + five_digits(file.shard) + "-of-" + five_digits(file.shards) + file.suffix;
}

}  // namespace millrace
