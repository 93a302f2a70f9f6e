#include <millrace/transforms/direct/expect.hpp>

#include <exception>

namespace millrace {

bool row_filter::takes(const stamp& at) const {
  if (in && *in != at.in) return false;
  switch (panes) {
  case which::all:
    return true;
  case which::early:
    return at.pane.timing == pane_timing::early;
  case which::on_time:
    return at.pane.timing == pane_timing::on_time;
  case which::late:
    return at.pane.timing == pane_timing::late;
  case which::last:
    return at.pane.is_last;
  case which::only:
    return at.pane.is_first && at.pane.is_last;
  }
  return false;
}

std::string row_filter::describe() const {
  std::string text;
  if (in) text += " in window " + window_text(*in);
  switch (panes) {
  case which::all:
    break;
  case which::early:
    text += " in early panes";
    break;
  case which::on_time:
    text += " in on-time panes";
    break;
  case which::late:
    text += " in late panes";
    break;
  case which::last:
    text += " in final panes";
    break;
  case which::only:
    text += " in only panes";
    break;
  }
  return text;
}

std::vector<std::string> expectations::failures() {
  verified_ = true;
  std::vector<std::string> failed;
  for (const auto& e : all_)
    for (auto& f : e->failures()) failed.push_back(std::move(f));
  return failed;
}

void expectations::verify() {
  const auto failed = failures();
  if (failed.empty()) return;
  std::string text =
      std::to_string(failed.size()) + (failed.size() == 1 ? " expectation" : " expectations") + " did not hold:";
  for (const auto& f : failed) text += "\n  " + f;
  throw expectation_failure(text);
}

expectations::~expectations() noexcept(false) {
  if (!verified_ && std::uncaught_exceptions() == 0)
    throw expectation_failure("expectations were stated but never verified: call verify() when the job has ended");
}

}  // namespace millrace
