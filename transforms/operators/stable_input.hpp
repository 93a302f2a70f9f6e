#pragma once

#include <millrace/transforms/bundles/bundle.hpp>
#include <millrace/transforms/operators/operator.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace millrace {

// Stands before an operator whose function asks for stable input: elements that it will be given again, the same and in
// the same bundles, if the job rewinds. Bundles are kept, and hold the watermark at their times, until the epoch that
// contains them is durable; then they are given to the operator, whose clock is the input watermark behind what is
// kept. Only for runs whose epochs become durable one after the other; made by the spec of the operator, which it owns.
class stable_input final : public stage_operator, public stage_head, public view_consumer, public epoch_participant {
 public:
  using maker = std::function<std::unique_ptr<stage_operator>(const operator_environment&)>;

  // The operator that is made is the head of a stage.
  stable_input(const operator_environment& in, const maker& make);

  void connect(std::size_t output, receiver_ref next) override { inner_->connect(output, next); }
  void setup() override { inner_->setup(); }
  void start_bundle() override { inner_->start_bundle(); }
  void finish_bundle() override { inner_->finish_bundle(); }
  void teardown() noexcept override { inner_->teardown(); }
  stage_head* as_head() override { return this; }
  view_consumer* as_view_consumer() override { return inner_->as_view_consumer() ? this : nullptr; }
  epoch_participant* as_epoch_participant() override { return this; }

  void accept(const bundle& in) override;
  void advance() override;
  void due_timers(bundle& to) override;
  [[nodiscard]] std::optional<timestamp> next_clock_timer() const override { return head_->next_clock_timer(); }

  void accept_view(std::uint32_t view, const bundle& in) override;
  void advance_view(std::uint32_t view, timestamp mark) override;

  // What was kept until now belongs to this epoch.
  void prepare(std::uint64_t epoch) override;
  // What belongs to this epoch and those before it is given to the operator at the next advance().
  void commit(std::uint64_t epoch) override;
  void abort() noexcept override {
    if (auto* also = inner_->as_epoch_participant()) also->abort();
  }

  [[nodiscard]] timestamp hold() const override;
  [[nodiscard]] std::size_t waiting_bytes() const override;
  void snapshot(writer& to) const override;
  void restore(reader& from) override;

 private:
  struct kept_bundle {
    std::uint64_t epoch = 0;  // 0: of the one that is open
    timestamp least;
    std::string bytes;
  };

  [[nodiscard]] timestamp earliest() const;
  void move_clock();

  const stage_clock& outer_;
  stage_clock clock_;
  std::unique_ptr<stage_operator> inner_;
  stage_head* head_ = nullptr;
  std::deque<kept_bundle> kept_;  // in the order of their arrival, hence of epochs, those of the open one last
  std::uint64_t committed_ = 0;
};

}  // namespace millrace
