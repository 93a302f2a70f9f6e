#pragma once

#include <millrace/transforms/bundles/bundle.hpp>
#include <millrace/transforms/functions/do_fn.hpp>
#include <millrace/transforms/operators/environment.hpp>
#include <millrace/transforms/side/side_budget.hpp>
#include <millrace/transforms/side/side_windows.hpp>
#include <millrace/transforms/side/view.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace millrace {

// The contents of one side input at one consumer, a window at a time: the encoded elements of the newest pane or, once
// somebody reads them, what the shape makes of them. A pane replaces the one before when its last piece is there. The
// bytes count against the shard's budget for side inputs. Owned by an operator with side inputs.
template <class Shape>
class view_contents {
  using element = typename Shape::element;
  using contents = typename Shape::contents;

 public:
  view_contents(const view_source<Shape>& of, duration main_lateness, const operator_environment& in)
      : step_(in.step), name_(of.name), shape_(of.shape), windows_(of.windowing, main_lateness),
        held_(in.side_inputs, &side_input_budget::contents_bytes) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] side_windows& windows() { return windows_; }
  [[nodiscard]] const side_windows& windows() const { return windows_; }
  // Whether elements of a window of the main input need not wait. One without a side window is ready to fail.
  [[nodiscard]] bool ready_for(const window& main) const {
    try {
      return windows_.ready(windows_.of(main));
    } catch (const window_error&) {
      return true;
    }
  }

  // Takes rows that are pieces of panes. Throws side_input_overflow.
  void accept(const bundle& in) {
    std::uint32_t row = 0;
    for (const row_run& run : in.runs)
      for (; row < run.end; ++row)
        for (const window& side : in.contexts[run.context].windows)
          take(side, in.contexts[run.context].pane, value_at<view_piece>(in.values, row));
  }

  // What functions see of a window; of an empty one before it has a pane. Throws view_error where the shape cannot be
  // made of the elements, which is remembered, and side_input_overflow.
  [[nodiscard]] const contents& read(const window& side) {
    const auto at = panes_.find(side);
    pane& p = at != panes_.end() ? at->second : nothing_;
    if (p.shaped) return *p.shaped;
    if (p.fault.empty()) {
      try {
        hold(p, p.elements_bytes + p.elements.count * Shape::overhead_bytes, side);
        return p.shaped.emplace(shape_.shaped(p.elements));
      } catch (const view_error& e) {
        p.fault = e.what();
      }
    }
    throw view_error("side input \"" + name_ + "\" in window " + window_text(side) + " " + p.fault);
  }

  // Forgets windows that nobody can ask for any more.
  void collect(timestamp main_watermark, timestamp waiting) {
    for (auto at = panes_.begin(); at != panes_.end();)
      if (windows_.collectable(at->first, main_watermark, waiting)) {
        held_.set(held_.bytes() - at->second.held_bytes);
        at = panes_.erase(at);
      } else {
        ++at;
      }
    windows_.collect(main_watermark, waiting);
  }

  void snapshot(writer& to) const {
    windows_.snapshot(to);
    encode_panes(to, panes_);
    encode_panes(to, arriving_);
  }
  void restore(reader& from) {
    windows_.restore(from);
    decode_panes(from, panes_);
    decode_panes(from, arriving_);
  }

 private:
  struct pane {
    element_blocks elements;         // without blocks once they have become contents that replace them
    std::size_t elements_bytes = 0;  // of the blocks, there or not
    std::size_t held_bytes = 0;      // what it counts for
    std::optional<contents> shaped;
    std::string fault;
  };
  using panes = std::map<window, pane>;

  void take(const window& side, const pane_info& of, view_piece piece) {
    pane& p = arriving_[side];
    add_bytes(p, piece.block.size(), side);
    if (!piece.block.empty()) p.elements.blocks.push_back(std::move(piece.block));
    if (!piece.last) return;
    check(piece.count <= p.elements_bytes, "an element of a side input has one byte at least");
    p.elements.count = piece.count;
    complete(side, of, std::move(arriving_.extract(side).mapped()));
  }
  void complete(const window& side, const pane_info& of, pane arrived) {
    const side_windows::effect effect = windows_.arrived(side, of);
    if (effect == side_windows::effect::is_outdated) {
      held_.set(held_.bytes() - arrived.held_bytes);
      return;
    }
    pane& p = panes_[side];
    if (effect == side_windows::effect::adds) {
      element_blocks all = blocks_of(p);
      all.add(arrived.elements);
      arrived.elements = std::move(all);
      arrived.elements_bytes += p.elements_bytes;
      arrived.held_bytes += p.elements_bytes;
      held_.set(held_.bytes() + p.elements_bytes);
    }
    held_.set(held_.bytes() - p.held_bytes);
    p = std::move(arrived);
  }

  void add_bytes(pane& p, std::size_t bytes, const window& side) {
    p.elements_bytes += bytes;
    hold(p, p.held_bytes + bytes, side);
  }
  // Counts a pane for so many bytes.
  void hold(pane& p, std::size_t bytes, const window& side) {
    const std::size_t all = held_.bytes() - std::exchange(p.held_bytes, bytes) + bytes;
    if (held_.set(all)) return;
    throw side_input_overflow("step \"" + step_ + "\": side input \"" + name_ + "\" takes " + std::to_string(bytes)
                              + " bytes in window " + window_text(side) + " and " + std::to_string(all)
                              + " in all windows, with which the side inputs of the shard take "
                              + std::to_string(held_.budget()->contents_bytes) + ", "
                              + detail::beyond_side_budget(*held_.budget()));
  }
  // The encoded elements, made anew where contents have replaced them.
  static element_blocks blocks_of(const pane& p) {
    if constexpr (!Shape::keeps_blocks) {
      if (p.shaped) {
        element_blocks all;
        Shape::each(*p.shaped, [&](const element& e) { all.add(e); });
        return all;
      }
    }
    return p.elements;
  }
  static void encode_panes(writer& to, const panes& all) {
    to.varint(all.size());
    for (const auto& [side, p] : all) {
      coder<window>::encode(to, side);
      coder<element_blocks>::encode(to, blocks_of(p));
    }
  }
  void decode_panes(reader& from, panes& all) {
    for (const auto& [side, p] : all) held_.set(held_.bytes() - p.held_bytes);
    all.clear();
    for (std::size_t n = from.count(); n > 0; --n) {
      const window side = coder<window>::decode(from);
      pane& p = all[side];
      p.elements = coder<element_blocks>::decode(from);
      if (p.elements.count > p.elements.size_bytes()) from.fail("a side input counts more elements than it has");
      add_bytes(p, p.elements.size_bytes(), side);
    }
  }

  std::string step_;
  std::string name_;
  Shape shape_;
  side_windows windows_;
  detail::side_input_share held_;
  panes panes_;
  panes arriving_;  // panes whose last piece is still to come
  pane nothing_;
};

namespace detail {

// Fails the job once the elements that wait for these views are more than the shard may hold, unless reading pauses for
// them. `held` is what one step has put aside, `main` the window of its newest element.
template <class... Shapes>
void refuse_more_waiting(const std::string& step, const std::tuple<view_contents<Shapes>...>& views, const window& main,
                         const side_input_share& held) {
  const side_input_budget& budget = *held.budget();
  if (budget.reading_pauses) return;
  std::string waited_for;
  const auto name = [&](const auto& v) {
    if (v.ready_for(main)) return;
    waited_for += (waited_for.empty() ? "\"" : ", \"") + v.name() + "\"";
  };
  std::apply([&](const auto&... v) { (name(v), ...); }, views);
  throw side_input_overflow("step \"" + step + "\": " + std::to_string(held.bytes())
                            + " bytes of elements wait for side input " + waited_for + ", the newest in window "
                            + window_text(main) + ", with which all that wait take "
                            + std::to_string(budget.waiting_bytes) + ", " + beyond_side_budget(budget));
}

// The contents that the calls for one window of the main input get, or why there are none.
template <class... Shapes>
class view_arguments {
 public:
  // Looks the contents for a window of the main input up. What is wrong with them is thrown by apply, so that it is
  // laid to the elements that read them.
  void look(std::tuple<view_contents<Shapes>...>& views, const window& main) {
    fault_.clear();
    try {
      std::apply([&](auto&... v) { contents_ = {&v.read(v.windows().of(main))...}; }, views);
    } catch (const std::runtime_error& e) {  // view_error or window_error
      fault_ = e.what();
    }
  }

  template <class Call>
  decltype(auto) apply(Call&& call) const {
    if (!fault_.empty()) [[unlikely]]
      throw view_error(fault_);
    return std::apply([&](const auto*... contents) -> decltype(auto) { return call(*contents...); }, contents_);
  }

 private:
  std::tuple<const typename Shapes::contents*...> contents_{};
  std::string fault_;
};

}  // namespace detail

}  // namespace millrace
