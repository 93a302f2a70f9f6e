#pragma once

#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/metrics/metric_board.hpp>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// Notices are sentences for people about what happens to a running job and is seldom meant. They begin with `warning:
// `.

// The time between two notices of one step and cause.
inline constexpr duration notices_every{10000};

// What a step has dropped.
struct step_drop {
  std::string step;  // the full path
  drop_record drop;
};

// `warning: step "PATH" has dropped 2 elements (late), the last of window [0,10000) at watermark 12000`.
[[nodiscard]] std::string to_text(const step_drop& of);

// The notice that a clock reads an earlier time than it did at a checkpoint which is restored; nullopt where that is no
// more than a second.
[[nodiscard]] std::optional<std::string> clock_notice(timestamp then, timestamp now);

// Lets one record for a step and cause through, and the next not before some time has passed; that one stands for all
// that were held back. Each owner has its own: a shard tells the job of its drops now and then, the job tells people
// more seldom.
class drop_pace {
 public:
  explicit drop_pace(duration every) : every_(every) {}

  // What to tell, if it is time.
  [[nodiscard]] std::optional<step_drop> pass(step_drop of, timestamp now);
  // Everything that is held back, which then is not any more.
  [[nodiscard]] std::vector<step_drop> rest();

 private:
  struct told {
    timestamp at;
    drop_record held;  // of no element if nothing is
  };

  duration every_;
  std::map<std::pair<std::string, std::string>, told> told_;  // by step and cause
};

// The notices of one job, of which it keeps the last ones; each is told to whoever listens when it is added.
class notice_list {
 public:
  explicit notice_list(std::function<void(const std::string&)> listener = {}) : listener_(std::move(listener)) {}

  void add(const std::string& notice);
  // The last 100.
  [[nodiscard]] std::vector<std::string> all() const { return {last_.begin(), last_.end()}; }

 private:
  std::function<void(const std::string&)> listener_;
  std::deque<std::string> last_;
};

}  // namespace millrace
