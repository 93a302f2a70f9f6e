#pragma once

#include <millrace/transforms/operators/operator.hpp>
#include <millrace/transforms/side/element_blocks.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace millrace::detail {

// Stands around the operator that gathers a side input and gives each of its panes out as pieces.
class piecewise final : public stage_operator, public receiver<element_blocks> {
 public:
  explicit piecewise(std::unique_ptr<stage_operator> gathers) : inner_(std::move(gathers)) {
    inner_->connect(0, static_cast<receiver<element_blocks>&>(*this));
  }

  void connect(std::size_t /*output*/, receiver_ref next) override { next_ = &next.as<view_piece>(); }
  void setup() override { inner_->setup(); }
  void start_bundle() override { inner_->start_bundle(); }
  void finish_bundle() override { inner_->finish_bundle(); }
  void teardown() noexcept override { inner_->teardown(); }
  stage_head* as_head() override { return inner_->as_head(); }
  [[nodiscard]] timestamp hold() const override { return inner_->hold(); }
  [[nodiscard]] bool has_state() const override { return inner_->has_state(); }
  void snapshot(writer& to) const override { inner_->snapshot(to); }
  void restore(reader& from) override { inner_->restore(from); }

  void accept(const batch<element_blocks>& in) override {
    in.each([&](std::uint32_t p, const element_blocks& pane) {
      const timestamp time = in.at->time_at(p);
      const stamps at{nullptr, time, time, nullptr, {&in.at->context_at(p), 1}};
      for (std::size_t i = 0; i + 1 < pane.blocks.size(); ++i) give({pane.blocks[i], 0, false}, at);
      give({pane.blocks.empty() ? std::string() : pane.blocks.back(), pane.count, true}, at);
    });
  }

 private:
  void give(const view_piece& piece, const stamps& at) { next_->accept({&piece, sizeof piece, 1, nullptr, &at}); }

  std::unique_ptr<stage_operator> inner_;
  receiver<view_piece>* next_ = nullptr;
};

}  // namespace millrace::detail
