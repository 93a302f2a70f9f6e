#include <millrace/transforms/metrics/notices.hpp>
#include <millrace/transforms/windows/window_fn.hpp>

namespace millrace {

namespace {

std::string time_text(timestamp t) {
  if (t == timestamp::min()) return "min";
  if (t == timestamp::max()) return "max";
  return std::to_string(t.millis());
}

}  // namespace

std::string to_text(const step_drop& of) {
  return "warning: step \"" + of.step + "\" has dropped " + std::to_string(of.drop.count)
         + (of.drop.count == 1 ? " element (" : " elements (") + of.drop.cause + "), the last of window "
         + window_text(of.drop.in) + " at watermark " + time_text(of.drop.watermark);
}

std::optional<std::string> clock_notice(timestamp then, timestamp now) {
  constexpr duration tolerated{1000};
  if (then - now <= tolerated) return std::nullopt;
  return "warning: the clock has gone back by " + std::to_string((then - now).count())
         + " ms since the checkpoint that is restored; processing-time timers wait until it reads their times";
}

std::optional<step_drop> drop_pace::pass(step_drop of, timestamp now) {
  const auto [at, first] = told_.try_emplace({of.step, of.drop.cause}, told{now, {}});
  told& before = at->second;
  of.drop.count += std::exchange(before.held.count, 0);
  // A clock that has gone back holds nothing up.
  if (!first && now >= before.at && now - before.at < every_) {
    before.held = std::move(of.drop);
    return std::nullopt;
  }
  before.at = now;
  return of;
}

std::vector<step_drop> drop_pace::rest() {
  std::vector<step_drop> all;
  for (auto& [of, before] : told_)
    if (before.held.count > 0) all.push_back({of.first, std::exchange(before.held, {})});
  return all;
}

void notice_list::add(const std::string& notice) {
  constexpr std::size_t kept = 100;
  last_.push_back(notice);
  if (last_.size() > kept) last_.pop_front();
  if (listener_) listener_(notice);
}

}  // namespace millrace
