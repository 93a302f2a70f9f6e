#pragma once

#include <millrace/transforms/bundles/bundle.hpp>
#include <millrace/transforms/functions/do_fn.hpp>
#include <millrace/transforms/side/side_windows.hpp>
#include <millrace/transforms/side/view.hpp>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace millrace {

// The contents of one side input at one consumer, a window at a time: the elements of the newest pane, and what the
// shape makes of them once somebody reads them. Owned by an operator with side inputs.
template <class Shape>
class view_contents {
  using element = typename Shape::element;
  using contents = typename Shape::contents;

 public:
  view_contents(const view_source<Shape>& of, duration main_lateness)
      : name_(of.name), shape_(of.shape), windows_(of.windowing, main_lateness) {}

  [[nodiscard]] side_windows& windows() { return windows_; }
  [[nodiscard]] const side_windows& windows() const { return windows_; }
  [[nodiscard]] bool has(const window& side) const { return panes_.contains(side); }

  // Takes rows that are the contents of panes.
  void accept(const bundle& in) {
    std::uint32_t row = 0;
    for (const row_run& run : in.runs)
      for (; row < run.end; ++row)
        for (const window& side : in.contexts[run.context].windows)
          add(side, in.contexts[run.context].pane, value_at<std::vector<element>>(in.values, row));
  }

  // What functions see of a window; of an empty one before it has a pane. Throws view_error where the shape cannot be
  // made of the elements, which is remembered.
  [[nodiscard]] const contents& read(const window& side) {
    const auto at = panes_.find(side);
    pane& p = at != panes_.end() ? at->second : nothing_;
    if (p.shaped) return *p.shaped;
    if (p.fault.empty()) {
      try {
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
        windows_.forget(at->first);
        at = panes_.erase(at);
      } else {
        ++at;
      }
  }

  void snapshot(writer& to) const {
    windows_.snapshot(to);
    to.varint(panes_.size());
    for (const auto& [side, p] : panes_) {
      coder<window>::encode(to, side);
      coder<std::vector<element>>::encode(to, p.elements);
    }
  }
  void restore(reader& from) {
    windows_.restore(from);
    panes_.clear();
    for (std::size_t n = from.count(); n > 0; --n) {
      const window side = coder<window>::decode(from);
      panes_[side].elements = coder<std::vector<element>>::decode(from);
    }
  }

 private:
  struct pane {
    std::vector<element> elements;
    std::optional<contents> shaped;
    std::string fault;
  };

  void add(const window& side, const pane_info& of, std::vector<element> elements) {
    const side_windows::effect effect = windows_.arrived(side, of);
    if (effect == side_windows::effect::is_outdated) return;
    pane& p = panes_[side];
    p.shaped.reset();
    p.fault.clear();
    if (effect == side_windows::effect::replaces) p.elements = std::move(elements);
    else p.elements.insert(p.elements.end(), elements.begin(), elements.end());
  }

  std::string name_;
  Shape shape_;
  side_windows windows_;
  std::map<window, pane> panes_;
  pane nothing_;
};

namespace detail {

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
