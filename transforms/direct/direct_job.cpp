#include <millrace/transforms/direct/direct_job.hpp>
#include <millrace/transforms/update/job_description.hpp>

#include <algorithm>
#include <utility>

namespace millrace {

namespace {

class queue_outlet final : public bundle_outlet {
 public:
  queue_outlet(edge_id edge, std::uint32_t shards, direct_stage::message_queue& to)
      : edge_(edge), shards_(shards), to_(to) {}
  [[nodiscard]] std::uint32_t shards() const override { return shards_; }
  [[nodiscard]] std::uint32_t owner(std::uint32_t slice) const override { return slice * shards_ / slices_max; }
  [[nodiscard]] bundle_ptr take() override { return std::make_shared<bundle>(); }
  void send(std::uint32_t shard, bundle_ptr rows) override { to_.push_back({edge_, shard, std::move(rows), {}}); }

 private:
  edge_id edge_;
  std::uint32_t shards_;
  direct_stage::message_queue& to_;
};

}  // namespace

direct_job::direct_job(const pipeline& p, const direct_options& options, std::set<node_id> general_nodes)
    : options_(options), general_nodes_(std::move(general_nodes)), graph_(p.description()),
      plan_(make_plan(graph_,
                      {.shards = options.shards, .fuse = options.fuse, .lift_combiners = options.lift_combiners})),
      notices_(options.on_notice) {
  if (options_.job.empty()) options_.job = p.name();
  stages_.resize(plan_.stages.size());
  // Backwards, so that the queues of consumers exist when their producers are wired.
  for (std::size_t i = plan_.stages.size(); i-- > 0;) make_stage(plan_.stages[i]);
}

void direct_job::make_stage(const stage_plan& s) {
  const stage_options to{.shard = 0,
                         .job = options_.job,
                         .temp_folder = options_.temp_folder,
                         .attempts_max = options_.attempts_max,
                         .batch_rows_max = options_.batch_rows_max,
                         .bundle_rows_max = options_.bundle_rows_max,
                         .fast_path = options_.fast_path,
                         .general_nodes = general_nodes_,
                         .side_input_bytes_max = options_.side_input_bytes,
                         .time = options_.clock};
  stages_[s.id] = std::make_unique<direct_stage>(graph_, plan_, s, to, [&](edge_id e) -> bundle_outlet& {
    const stage_id consumer = plan_.edges[e].to;
    outlets_.push_back(std::make_unique<queue_outlet>(e, plan_.stages[consumer].shards, stages_[consumer]->inbox()));
    return *outlets_.back();
  });
}

void direct_job::start(timestamp clock, const millrace::checkpoint* from) {
  clock_ = clock;
  each_instance([&](stage_instance& i) { i.setup(now()); });
  if (from) {
    if (const auto notice = clock_notice(from->clock, now())) notices_.add(*notice);
    for (const auto& [at, part] : from->parts) stages_.at(at.first)->instances().at(at.second)->restore(*part);
    each_instance([&](stage_instance& i) { i.commit(from->epoch, now()); });
  }
  for (const auto& s : stages_) {
    s->ended = s->first().script() != nullptr || s->first().source() == nullptr;
    send_on(*s);
  }
  settle();
  // A clock that is ahead of the checkpoint's releases what has become due.
  if (from) advance_clocks();
}

std::size_t direct_job::events() const {
  std::size_t longest = 0;
  for (const auto& s : stages_)
    if (const auto* script = s->first().script()) longest = std::max(longest, script->events());
  return longest;
}

// Rows first, then the watermark that they are behind.
void direct_job::send_on(direct_stage& s) {
  for (const auto& i : s.instances()) i->flush();
  if (!s.mark_moved()) return;
  for (const edge_id e : s.description().outputs)
    stages_[plan_.edges[e].to]->inbox().push_back({e, 0, nullptr, s.sent_mark()});
}

// Works until no message is left.
void direct_job::settle() {
  for (bool worked = true; worked;) {
    worked = false;
    for (const auto& s : stages_)
      while (s->take_one(now())) {
        send_on(*s);
        worked = true;
      }
  }
  tell_drops();
}

void direct_job::tell_drops() {
  each_instance([&](stage_instance& i) {
    if (!i.has_drops()) return;
    for (step_drop& one : i.take_drops())
      if (const auto told = drops_.pass(std::move(one), now())) notices_.add(to_text(*told));
  });
}

void direct_job::tell_rest() {
  tell_drops();
  for (const step_drop& one : drops_.rest()) notices_.add(to_text(one));
}

void direct_job::play(std::size_t event) {
  for (const auto& s : stages_) play(*s, event);
}

void direct_job::play(direct_stage& s, std::size_t event) {
  const auto* script = s.first().script();
  if (!script || event >= script->events()) return;
  if (script->kind(event) == scripted_head::event_kind::processing_time)
    return advance_clock(clock_ + script->clock_advance(event));
  s.first().play(event, now());
  send_on(s);
  settle();
}

void direct_job::advance_clock(timestamp now) {
  clock_ = std::max(clock_, now);
  advance_clocks();
}

// Tells every stage the time, upstream first.
void direct_job::advance_clocks() {
  for (const auto& s : stages_) {
    for (const auto& i : s->instances()) i->advance(i->input_watermark(), now());
    send_on(*s);
    settle();
  }
}

void direct_job::drain() {
  each_instance([](stage_instance& i) { i.drain(); });
  for (const auto& s : stages_) send_on(*s);
  settle();
  read_all();
}

void direct_job::read_all() {
  while (read_round()) {
  }
}

// Whether every source and test stream has said that nothing more comes.
bool direct_job::input_over() const {
  return std::ranges::all_of(stages_, [](const auto& s) {
    const auto* script = s->first().script();
    return script ? script->promise() == timestamp::max() : s->ended;
  });
}

// Asks every reading stage once.
direct_job::reading direct_job::read_sources() {
  reading round;
  for (const auto& s : stages_) {
    if (s->ended) continue;
    s->ended = true;
    for (const auto& i : s->instances()) {
      if (i->reading_pauses()) {
        s->ended = false;
        continue;
      }
      const read_status status = i->read(options_.bundle_rows_max, now());
      s->ended = s->ended && status == read_status::ended;
      round.more = round.more || status == read_status::more;
      if (status != read_status::waiting) continue;
      round.waiting = true;
      round.next = std::min(round.next, i->source()->next_read());
    }
    send_on(*s);
    round.goes_on = round.goes_on || !s->ended;
  }
  return round;
}

void direct_job::read_ready() {
  while (read_sources().more) settle();
  settle();
}

// One round of reading; false when everything has come out.
bool direct_job::read_round() {
  settle();
  reading round = read_sources();
  settle();
  each_instance([&](const stage_instance& i) {
    if (const auto timer = i.next_clock_timer()) round.next = std::min(round.next, *timer);
  });
  // Behind the end of the input only what holds the watermark, such as the rest of a restriction, waits for the clock.
  const bool clock_waits = round.next < timestamp::max() && (round.goes_on || input_over());
  if (round.next <= now() && clock_waits) advance_clocks();
  if (!round.goes_on && !clock_waits) return false;
  if ((round.waiting || !round.goes_on) && !options_.clock && clock_waits) {
    clock_ = std::max(clock_, round.next + duration{1});
    advance_clocks();
  }
  return true;
}

checkpoint direct_job::checkpoint(std::uint64_t epoch) {
  const described_paths paths{options_.fast_path, general_nodes_};
  millrace::checkpoint made{.job = options_.job,
                            .fingerprint = {},
                            .program = encode_description(describe_job(graph_, plan_, paths)),
                            .epoch = epoch,
                            .clock = clock_,
                            .parts = {}};
  each_instance([&](stage_instance& i) { i.prepare(epoch); });
  for (const auto& s : stages_)
    for (std::uint32_t i = 0; i < s->instances().size(); ++i) {
      writer bytes;
      s->instances()[i]->snapshot(bytes);
      made.parts[{s->description().id, i}] = std::make_shared<const std::string>(bytes.bytes());
    }
  each_instance([&](stage_instance& i) { i.commit(epoch, now()); });
  return made;
}

void direct_job::commit(std::uint64_t epoch) {
  each_instance([&](stage_instance& i) { i.prepare(epoch); });
  each_instance([&](stage_instance& i) { i.commit(epoch, now()); });
}

void direct_job::abort() noexcept {
  each_instance([](stage_instance& i) { i.abort(); });
}

void direct_job::teardown() noexcept {
  each_instance([](stage_instance& i) { i.teardown(); });
}

std::map<std::string, metric_board> direct_job::metrics() const {
  std::map<std::string, metric_board> all;
  each_instance([&](const stage_instance& i) {
    for (const auto& [path, board] : i.metrics()) all[path].merge(*board);
  });
  return all;
}

std::map<std::string, metric_board> direct_job::attempted() const {
  std::map<std::string, metric_board> all;
  each_instance([&](const stage_instance& i) { merge_metrics(all, i.attempted()); });
  return all;
}

timestamp direct_job::output_watermark(const std::string& path) const {
  for (const auto& s : stages_)
    for (const node_id n : s->description().nodes)
      if (graph_.at(n).path == path) return s->sent_mark().at;
  return timestamp::min();
}

bool direct_job::has_state() const {
  bool any = false;
  each_instance([&](const stage_instance& i) { any = any || i.has_state(); });
  return any;
}

}  // namespace millrace
