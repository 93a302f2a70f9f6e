#include <millrace/transforms/checkpoints/stage_snapshot.hpp>
#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/stages/stage_instance.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace millrace {

namespace {
constexpr std::uint32_t pieces_max = 4;  // of a side input in one bundle: each may be a block of elements
}  // namespace

stage_instance::stage_instance(const graph& of, const plan& in, stage_id which, const stage_options& options,
                               const outlet_of& outlets)
    : plan_(in.stages.at(which)), options_(options), budget_{.bytes_max = options.side_input_bytes_max} {
  make_operators(of);
  wire(of, in, outlets);
}

stage_instance::~stage_instance() {
  teardown();
}

stage_operator&
stage_instance::add(const node* of, std::string path,
                    const std::function<std::unique_ptr<stage_operator>(const operator_environment&)>& make) {
  step s;
  s.of = of;
  s.metrics = std::make_unique<metric_board>();
  const operator_environment in{.step = std::move(path),
                                .shard = options_.shard,
                                .shards = plan_.shards,
                                .clock = clock_,
                                .metrics = *s.metrics,
                                .attempts_max = options_.attempts_max,
                                .batch_rows_max = options_.batch_rows_max,
                                .fast_path = options_.fast_path && !(of && options_.general_nodes.contains(of->id)),
                                .job = options_.job,
                                .durable_epochs = options_.durable_epochs,
                                .side_inputs = &budget_,
                                .time = options_.time ? &options_.time : nullptr,
                                .temp_folder = options_.temp_folder};
  s.op = make(in);
  if (auto* p = s.op->as_epoch_participant()) participants_.push_back(p);
  steps_.push_back(std::move(s));
  return *steps_.back().op;
}

void stage_instance::make_operators(const graph& of) {
  if (plan_.rows) {
    const element_type& type = *of.collection_at(*plan_.rows).type;
    head_ = add(nullptr, plan_.name, type.make_reader).as_head();
  }
  for (const node_id id : plan_.nodes) {
    const node& n = of.at(id);
    add(&n, n.path, [&](const operator_environment& in) { return n.spec->make(in); });
  }
  stage_operator& first = *steps_.front().op;
  if (!head_) head_ = first.as_head();
  source_ = first.as_source();
  script_ = first.as_scripted();
  budget_.reading_pauses = source_ != nullptr;
  check(head_ || source_ || script_, "a stage begins with a head, a source or a test stream");
}

stage_operator& stage_instance::operator_of(node_id id) const {
  const auto found = std::ranges::find_if(steps_, [&](const step& s) { return s.of && s.of->id == id; });
  check(found != steps_.end(), "a linked node belongs to the stage");
  return *found->op;
}

void stage_instance::wire(const graph& of, const plan& in, const outlet_of& outlets) {
  std::map<collection_id, std::vector<receiver_ref>> receivers;
  for (const link_plan& l : plan_.links) receivers[l.of].push_back(operator_of(l.to).input(0));
  for (const edge_id id : plan_.outputs) {
    const edge_plan& e = in.edges[id];
    const stage_plan& consumer = in.stages[e.to];
    const edge_environment to{.to = outlets(id),
                              .by = e.by,
                              .sender_shard = options_.shard,
                              .bundle_rows_max =
                                  e.view_of ? std::min(options_.bundle_rows_max, pieces_max) : options_.bundle_rows_max,
                              .lift = e.lift,
                              .step = consumer.name};
    writers_.push_back(e.by == routing::by_key ? of.at(consumer.nodes.front()).spec->make_writer(to)
                                               : of.collection_at(e.of).type->make_writer(to));
    receivers[e.of].push_back(writers_.back()->input());
  }
  const std::size_t operators = steps_.size();  // connect() adds tees behind them
  if (plan_.rows) connect(*steps_.front().op, 0, of.collection_at(*plan_.rows), receivers[*plan_.rows]);
  for (std::size_t i = 0; i < operators; ++i) {
    const node* n = steps_[i].of;
    if (!n) continue;
    for (std::size_t o = 0; o < n->outputs.size(); ++o)
      connect(*steps_[i].op, o, of.collection_at(n->outputs[o]), receivers[n->outputs[o]]);
  }
  for (const edge_id id : plan_.views) {
    const edge_plan& e = in.edges[id];
    auto* consumer = operator_of(*e.view_of).as_view_consumer();
    check(consumer != nullptr, "a node with side inputs reads views");
    views_[id] = {consumer, e.view};
    view_marks_[id] = timestamp::min();
  }
}

void stage_instance::connect(stage_operator& from, std::size_t output, const collection& c,
                             std::span<const receiver_ref> to) {
  if (to.size() == 1) return from.connect(output, to.front());
  step s;
  s.op = c.type->make_tee();
  for (const receiver_ref& r : to) s.op->connect(0, r);
  from.connect(output, s.op->input(0));
  steps_.push_back(std::move(s));
}

void stage_instance::setup(timestamp now) {
  clock_.now = now;
  set_up_ = true;
  for (auto& s : steps_) s.op->setup();
}

void stage_instance::run_bundle(const std::function<void()>& body) {
  for (auto& s : steps_) s.op->start_bundle();
  body();
  for (auto& s : steps_) s.op->finish_bundle();
}

void stage_instance::accept(const bundle& in, timestamp now) {
  check(head_ != nullptr, "a stage that is fed by edges has a head");
  move_clocks(clock_.input_watermark, now);
  take(in);
  fire_due_timers();
}

void stage_instance::take(const bundle& in) {
  run_bundle([&] { head_->accept(in); });
}

void stage_instance::accept_view(edge_id edge, const bundle& in, timestamp now) {
  move_clocks(clock_.input_watermark, now);
  const auto [consumer, view] = views_.at(edge);
  run_bundle([&] { consumer->accept_view(view, in); });
  fire_due_timers();
}

void stage_instance::advance_view(edge_id edge, timestamp mark) {
  timestamp& own = view_marks_.at(edge);
  own = std::max(own, mark);
  const auto& target = views_.at(edge);
  timestamp least = own;
  for (const auto& [id, other] : views_)
    if (other == target) least = std::min(least, view_marks_.at(id));
  run_bundle([&] { target.first->advance_view(target.second, least); });
  fire_due_timers();
}

void stage_instance::move_clocks(timestamp input_watermark, timestamp now) {
  clock_.input_watermark = std::max(clock_.input_watermark, input_watermark);
  clock_.now = std::max(clock_.now, now);
}

void stage_instance::advance(timestamp input_watermark, timestamp now) {
  move_clocks(input_watermark, now);
  if (!head_) return;
  run_bundle([&] { head_->advance(); });
  fire_due_timers();
}

// Due timers become a bundle that the stage gives to itself, so that they share one path with elements.
void stage_instance::fire_due_timers() {
  if (!head_) return;
  bundle due;
  for (std::uint32_t round = 0; round < options_.timer_rounds_max; ++round) {
    if (options_.full && options_.full()) {
      timers_left_ = true;  // or none is due: who knows
      return;
    }
    due.clear(column::variable, column::variable);
    head_->due_timers(due);
    timers_left_ = !due.timers.empty();
    if (!timers_left_) return;
    if (options_.carry_timers) options_.carry_timers(due);
    take(due);
  }
}

read_status stage_instance::read(std::uint32_t rows, timestamp now) {
  check(source_ != nullptr, "only a stage that begins with a source is read");
  move_clocks(clock_.input_watermark, now);
  read_status status = read_status::ended;
  run_bundle([&] { status = source_->read(rows); });
  const watermark promise = source_->promise();
  move_clocks(promise.at, now);
  return status;
}

void stage_instance::play(std::size_t event, timestamp now) {
  check(script_ != nullptr, "only a stage that begins with a test stream is played");
  move_clocks(clock_.input_watermark, now);
  run_bundle([&] { script_->play(event); });
  move_clocks(script_->promise(), now);
}

void stage_instance::drain() {
  clock_.draining = true;
  if (source_) source_->stop();
  if (!script_) return;
  script_->stop();
  move_clocks(script_->promise(), clock_.now);
}

bool stage_instance::has_state() const {
  return std::ranges::any_of(steps_, &step::keeps);
}

watermark stage_instance::output_watermark() {
  timestamp least = timers_left_ ? output_ : clock_.input_watermark;
  for (const auto& s : steps_) least = std::min(least, s.op->hold());
  output_ = std::max(output_, least);
  clock_.output_watermark = output_;
  return {output_, source_ && source_->promise().idle};
}

std::optional<timestamp> stage_instance::next_clock_timer() const {
  return head_ ? head_->next_clock_timer() : std::nullopt;
}

std::size_t stage_instance::waiting_bytes() const {
  std::size_t bytes = 0;
  for (const auto& s : steps_) bytes += s.op->waiting_bytes();
  return bytes;
}

void stage_instance::flush() {
  for (auto& w : writers_) w->flush();
}

void stage_instance::snapshot(writer& to) const {
  encode_stage_clocks(to, clock_.input_watermark, output_, view_marks_);
  for (const auto& s : steps_)
    if (s.of)
      encode_step(
          to, [&](writer& out) { s.metrics->encode(out); }, s.keeps() ? step_state::kept : step_state::none,
          [&](writer& out) { s.op->snapshot(out); });
}

void stage_instance::restore(std::string_view bytes) {
  const stage_snapshot from = stage_snapshot::read(bytes, plan_.nodes.size());
  clock_.input_watermark = from.input_watermark;
  output_ = clock_.output_watermark = from.output_watermark;
  for (const auto& [edge, mark] : from.view_marks) {
    if (!view_marks_.contains(edge)) throw decode_error(0, "a snapshot has a side input that the stage lacks");
    view_marks_[edge] = mark;
  }
  auto next = from.steps.begin();
  for (auto& s : steps_) {
    if (!s.of) continue;
    reader metrics(next->metrics);
    s.metrics->decode(metrics);
    s.restored = *s.metrics;
    const stage_snapshot::step& written = *next++;
    if (written.is == step_state::begins) continue;
    reader own(written.state);
    s.op->restore(own);
    own.expect_end();
  }
  timers_left_ = head_ != nullptr;  // some may have been left when the snapshot was taken
}

void stage_instance::prepare(std::uint64_t epoch) {
  for (auto* p : participants_) p->prepare(epoch);
}

void stage_instance::commit(std::uint64_t epoch, timestamp now) {
  move_clocks(clock_.input_watermark, now);
  for (auto* p : participants_) p->commit(epoch);
}

void stage_instance::abort() noexcept {
  for (auto* p : participants_) p->abort();
}

void stage_instance::teardown() noexcept {
  if (!std::exchange(set_up_, false)) return;
  for (auto& s : steps_) s.op->teardown();
}

std::map<std::string, const metric_board*> stage_instance::metrics() const {
  std::map<std::string, const metric_board*> all;
  for (const auto& s : steps_)
    if (s.of) all[s.of->path] = s.metrics.get();
  return all;
}

std::map<std::string, metric_board> stage_instance::attempted() const {
  std::map<std::string, metric_board> all;
  for (const auto& s : steps_)
    if (s.of) all[s.of->path] = s.metrics->attempted_since(s.restored);
  return all;
}

bool stage_instance::has_drops() const {
  return std::ranges::any_of(steps_, [](const step& s) { return s.metrics && s.metrics->has_drops(); });
}

std::vector<step_drop> stage_instance::take_drops() {
  std::vector<step_drop> all;
  for (auto& s : steps_)
    if (s.of && s.metrics)
      for (drop_record& one : s.metrics->take_drops()) all.push_back({s.of->path, std::move(one)});
  return all;
}

std::map<std::string, metric_board> metrics_of_snapshot(const graph& of, const stage_plan& which,
                                                        std::string_view snapshot) {
  const stage_snapshot from = stage_snapshot::read(snapshot, which.nodes.size());
  std::map<std::string, metric_board> all;
  for (std::size_t i = 0; i < which.nodes.size(); ++i) {
    reader metrics(from.steps[i].metrics);
    all[of.at(which.nodes[i]).path].decode(metrics);
  }
  return all;
}

void merge_metrics(std::map<std::string, metric_board>& to, const std::map<std::string, metric_board>& other) {
  for (const auto& [path, board] : other) to[path].merge(board);
}

}  // namespace millrace
