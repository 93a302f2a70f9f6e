#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/graph/validate.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

namespace millrace {

namespace {

// What travels between stages: rows for one shard, or a watermark behind all rows sent so far, for every shard.
struct message {
  edge_id on = 0;
  std::uint32_t shard = 0;
  bundle_ptr rows;  // null: only the watermark
  timestamp mark = timestamp::min();
};

using message_queue = std::deque<message>;

class queue_outlet final : public bundle_outlet {
 public:
  queue_outlet(edge_id edge, std::uint32_t shards, message_queue& to) : edge_(edge), shards_(shards), to_(to) {}
  [[nodiscard]] std::uint32_t shards() const override { return shards_; }
  [[nodiscard]] std::uint32_t owner(std::uint32_t slice) const override { return slice * shards_ / slices_max; }
  [[nodiscard]] bundle_ptr take() override { return std::make_shared<bundle>(); }
  void send(std::uint32_t shard, bundle_ptr rows) override { to_.push_back({edge_, shard, std::move(rows), {}}); }

 private:
  edge_id edge_;
  std::uint32_t shards_;
  message_queue& to_;
};

// One stage: an instance for each of its shards (one, unless a sink fixes their number), its input queue, and the
// watermarks of its main inputs.
class direct_stage {
 public:
  direct_stage(const graph& of, const plan& in, const stage_plan& which, stage_options options,
               const outlet_of& outlets)
      : plan_(which) {
    for (const edge_id e : which.inputs) marks_[e] = timestamp::min();
    for (options.shard = 0; options.shard < which.shards; ++options.shard)
      instances_.push_back(std::make_unique<stage_instance>(of, in, which.id, options, outlets));
  }

  [[nodiscard]] const std::vector<std::unique_ptr<stage_instance>>& instances() const { return instances_; }
  // The only one of a stage that plays a test stream.
  [[nodiscard]] stage_instance& first() const { return *instances_.front(); }
  [[nodiscard]] const stage_plan& description() const { return plan_; }
  [[nodiscard]] message_queue& inbox() { return inbox_; }

  // Takes one message; false if there is none.
  bool take_one(timestamp now) {
    if (inbox_.empty()) return false;
    message m = std::move(inbox_.front());
    inbox_.pop_front();
    const bool view = std::ranges::count(plan_.views, m.on) > 0;
    if (m.rows) take_rows(m, view, now);
    else take_mark(m, view, now);
    return true;
  }

  // Whether the watermark to be sent on has moved since it was last asked.
  bool mark_moved() {
    timestamp mark = timestamp::max();
    for (const auto& i : instances_) mark = std::min(mark, i->output_watermark().at);
    return std::exchange(sent_, mark) != mark;
  }
  [[nodiscard]] timestamp sent_mark() const { return sent_; }

  bool ended = false;  // its sources have nothing more

 private:
  void take_rows(const message& m, bool view, timestamp now) {
    stage_instance& to = *instances_.at(m.shard);
    if (view) to.accept_view(m.on, *m.rows, now);
    else to.accept(*m.rows, now);
  }
  void take_mark(const message& m, bool view, timestamp now) {
    if (!view) marks_[m.on] = std::max(marks_[m.on], m.mark);
    timestamp least = timestamp::max();
    for (const auto& [edge, mark] : marks_) least = std::min(least, mark);
    for (const auto& i : instances_) {
      if (view) i->advance_view(m.on, m.mark);
      else i->advance(least, now);
    }
  }

  const stage_plan& plan_;
  message_queue inbox_;
  std::map<edge_id, timestamp> marks_;
  timestamp sent_ = timestamp::min();
  std::vector<std::unique_ptr<stage_instance>> instances_;
};

class direct_run {
 public:
  direct_run(const pipeline& p, const direct_options& options)
      : options_(options), graph_(p.description()),
        plan_(make_plan(graph_, {.shards = 1, .fuse = options.fuse, .lift_combiners = options.lift_combiners})) {
    stages_.resize(plan_.stages.size());
    // Backwards, so that the queues of consumers exist when their producers are wired.
    for (std::size_t i = plan_.stages.size(); i-- > 0;) make_stage(plan_.stages[i], p.name());
  }

  direct_result run() {
    try {
      each_instance([&](stage_instance& i) { i.setup(now()); });
      play_test_streams();
      while (step()) {
      }
      return finish();
    } catch (...) {
      each_instance([](stage_instance& i) { i.abort(); });
      throw;
    }
  }

 private:
  template <class F>
  void each_instance(F&& f) {
    for (auto& s : stages_)
      for (auto& i : s->instances()) f(*i);
  }

  void make_stage(const stage_plan& s, const std::string& name) {
    const stage_options to{.shard = 0,
                           .job = options_.job.empty() ? name : options_.job,
                           .attempts_max = options_.attempts_max,
                           .batch_rows_max = options_.batch_rows_max,
                           .bundle_rows_max = options_.bundle_rows_max,
                           .fast_path = options_.fast_path};
    stages_[s.id] = std::make_unique<direct_stage>(graph_, plan_, s, to, [&](edge_id e) -> bundle_outlet& {
      const stage_id consumer = plan_.edges[e].to;
      outlets_.push_back(std::make_unique<queue_outlet>(e, plan_.stages[consumer].shards, stages_[consumer]->inbox()));
      return *outlets_.back();
    });
  }

  [[nodiscard]] timestamp now() const { return options_.clock ? options_.clock() : clock_; }

  // Rows first, then the watermark that they are behind.
  void send_on(direct_stage& s) {
    for (auto& i : s.instances()) i->flush();
    if (!s.mark_moved()) return;
    for (const edge_id e : s.description().outputs)
      stages_[plan_.edges[e].to]->inbox().push_back({e, 0, nullptr, s.sent_mark()});
  }

  // Works until no message is left.
  void settle() {
    for (bool worked = true; worked;) {
      worked = false;
      for (auto& s : stages_)
        while (s->take_one(now())) {
          send_on(*s);
          worked = true;
        }
    }
  }

  // Events of several test streams take turns. Each starts when nothing is left to do.
  void play_test_streams() {
    std::size_t longest = 0;
    for (auto& s : stages_)
      if (const auto* script = s->first().script()) longest = std::max(longest, script->events());
    for (auto& s : stages_)
      if (s->first().script()) send_on(*s);
    settle();
    for (std::size_t event = 0; event < longest; ++event)
      for (auto& s : stages_) play(*s, event);
    for (auto& s : stages_) s->ended = s->first().source() == nullptr;
  }

  void play(direct_stage& s, std::size_t event) {
    const auto* script = s.first().script();
    if (!script || event >= script->events()) return;
    if (script->kind(event) == scripted_head::event_kind::processing_time) {
      clock_ = clock_ + script->clock_advance(event);
      advance_clocks();
    } else {
      s.first().play(event, now());
      send_on(s);
    }
    settle();
  }

  // Tells every stage the time, upstream first.
  void advance_clocks() {
    for (auto& s : stages_) {
      for (auto& i : s->instances()) i->advance(i->input_watermark(), now());
      send_on(*s);
      settle();
    }
  }

  // One round of reading; false when everything has come out.
  bool step() {
    settle();
    bool reading = false;
    bool waiting = false;
    timestamp next = timestamp::max();
    for (auto& s : stages_) {
      if (s->ended) continue;
      s->ended = true;
      for (auto& i : s->instances()) {
        const read_status status = i->read(options_.bundle_rows_max, now());
        s->ended = s->ended && status == read_status::ended;
        if (status != read_status::waiting) continue;
        waiting = true;
        next = std::min(next, i->source()->next_read());
      }
      send_on(*s);
      reading = reading || !s->ended;
    }
    settle();
    each_instance([&](const stage_instance& i) {
      if (const auto timer = i.next_clock_timer()) next = std::min(next, *timer);
    });
    if (next <= now() && reading) advance_clocks();
    if (!reading) return false;
    if (waiting && !options_.clock && next < timestamp::max()) {
      clock_ = std::max(clock_, next + duration{1});
      advance_clocks();
    }
    return true;
  }

  direct_result finish() {
    direct_result result;
    each_instance([](stage_instance& i) { i.prepare(1); });
    each_instance([](stage_instance& i) { i.commit(1); });
    each_instance([&](const stage_instance& i) {
      for (const auto& [path, board] : i.metrics()) result.metrics[path].merge(*board);
    });
    each_instance([](stage_instance& i) { i.teardown(); });
    return result;
  }

  const direct_options& options_;
  const graph& graph_;
  const plan plan_;
  timestamp clock_;
  std::vector<std::unique_ptr<queue_outlet>> outlets_;
  std::vector<std::unique_ptr<direct_stage>> stages_;
};

}  // namespace

std::uint64_t direct_result::dropped(const std::string& cause) const {
  std::uint64_t all = 0;
  for (const auto& [path, board] : metrics)
    if (const auto found = board.dropped_elements().find(cause); found != board.dropped_elements().end())
      all += found->second;
  return all;
}

direct_result run_direct(const pipeline& p, const direct_options& options) {
  validate(p.description());
  return direct_run(p, options).run();
}

}  // namespace millrace
