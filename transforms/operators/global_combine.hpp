#pragma once

#include <millrace/transforms/operators/combine_spec.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace millrace::detail {

// The one key of a global combine.
struct no_key {
  template <class Row>
  std::uint8_t operator()(const Row& /*row*/) const {
    return 0;
  }
};
// The element itself.
struct whole_row {
  template <class Row>
  const Row& operator()(const Row& row) const {
    return row;
  }
};

// A combine of all elements: a combine per key with a single key, which the results leave behind. It runs on one shard.
// With defaults, an input that ends without any element gives what no elements give, once.
template <class In, class Fn>
class global_combine_operator final : public stage_operator,
                                      public stage_head,
                                      public receiver<kv<std::uint8_t, combined_by<Fn>>> {
  using result = combined_by<Fn>;
  using keyed = kv<std::uint8_t, result>;

 public:
  global_combine_operator(const operator_environment& in, const windowing_strategy& strategy, Fn fn, bool defaults)
      : clock_(in.clock), metrics_(in.metrics), fn_(std::move(fn)),
        inner_(make_combine<std::uint8_t, In>(in, strategy, fn_)), head_(inner_->as_head()),
        waits_for_default_(defaults) {
    inner_->connect(0, static_cast<receiver<keyed>&>(*this));
  }

  void connect(std::size_t /*output*/, receiver_ref next) override { next_ = &next.as<result>(); }
  stage_head* as_head() override { return this; }

  void accept(const bundle& in) override {
    if (in.rows > 0) waits_for_default_ = false;
    head_->accept(in);
  }
  void advance() override {
    head_->advance();
    if (waits_for_default_ && clock_.input_watermark == timestamp::max()) emit_default();
  }
  // The results without their key, which are members of what the inner operator lends.
  void accept(const batch<keyed>& in) override {
    batch<result> results;
    results.values = in.values ? &in.values->value : nullptr;
    results.stride = in.stride;
    results.count = in.count;
    results.selected = in.selected;
    results.at = in.at;
    next_->accept(results);
  }

  void setup() override { inner_->setup(); }
  void start_bundle() override { inner_->start_bundle(); }
  void finish_bundle() override { inner_->finish_bundle(); }
  void teardown() noexcept override { inner_->teardown(); }
  [[nodiscard]] std::optional<timestamp> next_clock_timer() const override { return head_->next_clock_timer(); }
  [[nodiscard]] timestamp hold() const override { return inner_->hold(); }
  [[nodiscard]] bool has_state() const override { return inner_->has_state(); }
  void snapshot(writer& to) const override {
    coder<bool>::encode(to, waits_for_default_);
    inner_->snapshot(to);
  }
  void restore(reader& from) override {
    waits_for_default_ = coder<bool>::decode(from);
    inner_->restore(from);
  }

 private:
  void emit_default() {
    waits_for_default_ = false;
    const accumulator_of<Fn> nothing = fn_.create();
    if (!has_result(fn_, nothing)) return;
    const result value = fn_.extract(nothing);
    const context in{window::global(), {0, 0, pane_timing::on_time, true, true}};
    stamps at;
    at.least = at.greatest = timestamp::end_of_global_window();
    at.contexts = {&in, 1};
    ++metrics_.elements_out;
    next_->accept({&value, sizeof(result), 1, nullptr, &at});
  }

  const stage_clock& clock_;
  metric_board& metrics_;
  Fn fn_;
  std::unique_ptr<stage_operator> inner_;
  stage_head* head_;  // of inner_
  bool waits_for_default_;
  receiver<result>* next_ = nullptr;
};

template <class In, class Fn>
class global_combine_spec final : public operator_spec {
 public:
  global_combine_spec(windowing_strategy strategy, Fn fn, bool defaults)
      : strategy_(std::move(strategy)), fn_(std::move(fn)), defaults_(defaults) {}

  [[nodiscard]] operator_kind kind() const override { return operator_kind::keyed; }
  [[nodiscard]] std::string describe() const override {
    return "combine " + combine_fn_name(fn_) + " of all " + coder<In>::name() + (defaults_ ? "" : ", without defaults")
           + ", " + strategy_.describe();
  }
  [[nodiscard]] state_schema state() const override { return kept_by_combine<void, Fn>(strategy_); }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& in) const override {
    return make_operator<global_combine_operator<In, Fn>>(in, strategy_, fn_, defaults_);
  }
  [[nodiscard]] std::unique_ptr<edge_writer> make_writer(const edge_environment& to) const override {
    if (to.lift) return make_edge_writer<lifting_writer<In, no_key, whole_row, Fn>>(to, no_key{}, whole_row{}, fn_);
    return make_edge_writer<keyed_writer<In, no_key, whole_row>>(to, reads_times(strategy_));
  }
  [[nodiscard]] std::string why_not_lifted() const override { return detail::why_not_lifted(strategy_); }
  [[nodiscard]] std::string why_not_fast() const override { return why_not_fast_combine<Fn>(strategy_); }
  // The shard of the one key also answers for an empty input.
  [[nodiscard]] std::optional<std::uint32_t> fixed_shards() const override { return 1; }

 private:
  windowing_strategy strategy_;
  Fn fn_;
  bool defaults_;
};

}  // namespace millrace::detail
