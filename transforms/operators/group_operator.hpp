#pragma once

#include <millrace/transforms/element/kv.hpp>
#include <millrace/transforms/operators/buffer_pool.hpp>
#include <millrace/transforms/operators/grouped_head.hpp>
#include <millrace/transforms/operators/pane_output.hpp>

#include <utility>
#include <vector>

namespace millrace {

// group_by_key on one shard: the engine decides, this keeps the values of each key and window as a bag and gives panes
// out as kv<Key, std::vector<Value>>. Values come out in the order in which they arrived.
template <class Key, class Value>
class group_operator final : public stage_operator, public stage_head, private group_buffers {
 public:
  using output = kv<Key, std::vector<Value>>;

  group_operator(const operator_environment& in, const windowing_strategy& strategy)
      : discards_(strategy.keep == panes::discarding), out_(in), head_(in, strategy, *this) {}

  void connect(std::size_t /*output*/, receiver_ref next) override { out_.connect(next.as<output>()); }
  stage_head* as_head() override { return this; }

  void accept(const bundle& in) override {
    check(!in.header.accumulators, "only a combine is given accumulators");
    rows_ = &in;
    head_.accept(in);
    rows_ = nullptr;
    head_.count_dropped();
    out_.flush();
  }
  void advance() override {
    head_.advance();
    out_.flush();
  }
  [[nodiscard]] std::optional<timestamp> next_clock_timer() const override { return head_.next_clock_timer(); }
  [[nodiscard]] timestamp hold() const override { return head_.hold(); }
  [[nodiscard]] bool has_state() const override { return head_.has_state(); }
  void snapshot(writer& to) const override { head_.snapshot(to); }
  void restore(reader& from) override { head_.restore(from); }

 private:
  buffer_id create() override { return bags_.take({}); }
  void add(buffer_id to, std::uint32_t row) override { bags_.at(to).push_back(value_at<Value>(rows_->values, row)); }
  void merge(buffer_id into, buffer_id from) override {
    std::vector<Value>& to = bags_.at(into);
    std::vector<Value>& other = bags_.at(from);
    if (to.empty()) return to.swap(other);
    to.insert(to.end(), std::make_move_iterator(other.begin()), std::make_move_iterator(other.end()));
    other.clear();
  }
  void clear(buffer_id of) override { bags_.at(of).clear(); }
  void release(buffer_id of) override { bags_.release(of, {}); }
  void emit(const fired_pane& pane) override {
    std::vector<Value>& bag = bags_.at(pane.buffer);
    const bool kept = !discards_ && !pane.at.pane.is_last;  // otherwise the engine empties it next
    out_.put(pane.at, [&] { return output{decode_key<Key>(pane.key), kept ? bag : std::exchange(bag, {})}; });
  }
  void encode(buffer_id of, writer& to) const override { coder<std::vector<Value>>::encode(to, bags_.at(of)); }
  buffer_id decode(reader& from) override { return bags_.take(coder<std::vector<Value>>::decode(from)); }

  bool discards_;
  const bundle* rows_ = nullptr;
  buffer_pool<std::vector<Value>> bags_;
  pane_output<output> out_;
  detail::grouped_head head_;
};

}  // namespace millrace
