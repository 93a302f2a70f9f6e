#pragma once

#include <millrace/transforms/checkpoints/checkpoint_store.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/direct_stage.hpp>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace millrace {

// The stages of a pipeline on the calling thread, with the queues between them: what the direct runner and its sessions
// have alike. Between two calls of its owner no message is left. Anything thrown leaves it unusable but for abort() and
// destruction.
class direct_job {
 public:
  // The nodes in `general_nodes` take the general path: see general_nodes_of().
  direct_job(const pipeline& p, const direct_options& options, std::set<node_id> general_nodes = {});
  direct_job(const direct_job&) = delete;
  direct_job& operator=(const direct_job&) = delete;

  // Sets all stages up, from a checkpoint if there is one. Once, first.
  void start(timestamp clock, const millrace::checkpoint* from = nullptr);
  [[nodiscard]] timestamp now() const { return options_.clock ? options_.clock() : clock_; }
  // Events of the longest test stream.
  [[nodiscard]] std::size_t events() const;
  // Plays an event of every test stream that has so many.
  void play(std::size_t event);
  // The clock comes to `now`, unless it is later already.
  void advance_clock(timestamp now);
  // Reads what all sources have to give at this time.
  void read_ready();
  // Test streams have been played: reads all sources to their end.
  void read_all();
  void drain();
  // Makes everything so far durable and visible.
  millrace::checkpoint checkpoint(std::uint64_t epoch);
  // The same for a job that has come to its end.
  void commit(std::uint64_t epoch);
  void abort() noexcept;
  void teardown() noexcept;

  [[nodiscard]] std::map<std::string, metric_board> metrics() const;
  // The same with what failed calls have reported.
  [[nodiscard]] std::map<std::string, metric_board> attempted() const;
  // Of the stage that runs the transform.
  [[nodiscard]] timestamp output_watermark(const std::string& path) const;
  [[nodiscard]] bool has_state() const;
  // Tells of the drops that were too many to be told as they came: at the end.
  void tell_rest();
  [[nodiscard]] const notice_list& notices() const { return notices_; }

 private:
  template <class F>
  void each_instance(F&& f) const {
    for (const auto& s : stages_)
      for (const auto& i : s->instances()) f(*i);
  }
  void tell_drops();
  void make_stage(const stage_plan& s);
  void send_on(direct_stage& s);
  void settle();
  void play(direct_stage& s, std::size_t event);
  void advance_clocks();
  [[nodiscard]] bool input_over() const;
  // What sources that were asked once have said.
  struct reading {
    bool goes_on = false;  // some have not ended
    bool more = false;     // some have more already
    bool waiting = false;  // some wait for a time, the first of them for `next`
    timestamp next = timestamp::max();
  };
  reading read_sources();
  bool read_round();

  direct_options options_;
  std::set<node_id> general_nodes_;
  const graph& graph_;
  const plan plan_;
  timestamp clock_;
  drop_pace drops_{notices_every};
  notice_list notices_;
  std::vector<std::unique_ptr<bundle_outlet>> outlets_;
  std::vector<std::unique_ptr<direct_stage>> stages_;
};

}  // namespace millrace
