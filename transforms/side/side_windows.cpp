#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/side/side_windows.hpp>

namespace millrace {

side_windows::effect side_windows::arrived(const window& side, const pane_info& pane) {
  const auto [at, is_first] = panes_.try_emplace(side, pane.index);
  if (is_first) return effect::replaces;
  if (pane.index < at->second) return effect::is_outdated;
  if (pane.index == at->second) return effect::adds;
  at->second = pane.index;
  return effect::replaces;
}

void side_windows::snapshot(writer& to) const {
  coder<timestamp>::encode(to, producer_);
  coder<std::map<window, std::uint32_t>>::encode(to, panes_);
}

void side_windows::restore(reader& from) {
  producer_ = coder<timestamp>::decode(from);
  panes_ = coder<std::map<window, std::uint32_t>>::decode(from);
}

}  // namespace millrace
