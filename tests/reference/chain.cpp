#include "chain.hpp"

#include "windows.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace reference {

namespace {

void append(std::vector<bundle>& to, std::vector<bundle> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::vector<bundle> accept_by(grouping& what, const bundle& elements, const moment& now, const side_view*) {
  return what.accept(elements, now);
}

std::vector<bundle> accept_by(stateful& what, const bundle& elements, const moment& now, const side_view*) {
  return what.accept(elements, now);
}

std::vector<bundle> accept_by(side_reader& what, const bundle& elements, const moment& now, const side_view* view) {
  return what.accept(elements, *view, now.output_watermark);
}

template <class PassThrough>
std::vector<bundle> accept_by(PassThrough&, const bundle& elements, const moment&, const side_view*) {
  return {elements};
}

}  // namespace

chain::chain(const std::vector<step>& steps, const strategy& input, const program& in) : result_windowing_(input) {
  for (const step& each : steps) {
    result_windowing_ = after_settings(result_windowing_, each);
    check_transform(result_windowing_, each.what, in);
    stage here{each, result_windowing_, pass_through{}};
    if (is_grouping(each.what.kind)) {
      here.what = grouping(result_windowing_, each.what);
    } else if (reads_side_input(each.what.kind)) {
      here.what = side_reader(each.what, result_windowing_.lateness);
    } else if (each.what.kind != transform_kind::none && each.what.kind != transform_kind::reshuffle) {
      here.what = stateful(result_windowing_, each.what);
    }
    stages_.push_back(std::move(here));
    result_windowing_ = after_transform(result_windowing_, each.what);
  }
}

std::vector<bundle> chain::run(const source_move& move) {
  std::vector<bundle> bundles = move.bundles;
  source_watermark_ = std::max(source_watermark_, move.watermark);
  instant watermark = source_watermark_;
  for (stage& here : stages_) {
    bundles = step_on(here, bundles, watermark, move);
    const instant held = std::visit(
        [](const auto& what) {
          if constexpr (requires { what.hold(); }) return what.hold();
          else return max_time;
        },
        here.what);
    here.output_watermark = std::max(here.output_watermark, std::min(here.input_watermark, held));
    watermark = here.output_watermark;
  }
  clock_ = move.clock;
  return bundles;
}

// What a step gives out for the given bundles, the clock of the move, and an input watermark that comes after them.
std::vector<bundle> chain::step_on(stage& here, const std::vector<bundle>& inputs, instant watermark,
                                   const source_move& move) const {
  moment now{here.input_watermark, here.output_watermark, move.clock, move.draining};
  std::vector<bundle> out;
  if (auto* reader = std::get_if<side_reader>(&here.what)) append(out, reader->retry(*move.view));
  for (const bundle& input : inputs) {
    const bundle elements = windowed(here, input);
    append(out, std::visit([&](auto& what) { return accept_by(what, elements, now, move.view); }, here.what));
  }
  auto* groups = std::get_if<grouping>(&here.what);
  auto* cells = std::get_if<stateful>(&here.what);
  if (move.clock > clock_) {
    if (groups != nullptr) append(out, groups->advance_clock(clock_, now));
    if (cells != nullptr) append(out, cells->advance(now));
  }
  if (watermark > here.input_watermark) {
    const instant before = std::exchange(here.input_watermark, watermark);
    now.watermark = watermark;
    if (groups != nullptr) append(out, groups->advance_watermark(before, now));
    if (cells != nullptr) append(out, cells->advance(now));
  }
  return out;
}

// The elements as the step's transform gets them: each in one window.
bundle chain::windowed(const stage& here, const bundle& elements) {
  bundle all;
  for (output element : elements) {
    if (here.settings.rekey) element.key = "k";
    if (!here.settings.windows) {
      all.push_back(std::move(element));
      continue;
    }
    element.which = pane{};
    for (const window& in : assign(*here.settings.windows, element.time)) {
      element.in = in;
      all.push_back(element);
    }
  }
  return all;
}

instant chain::held() const {
  return stages_.empty() ? source_watermark_ : stages_.back().output_watermark;
}

bool chain::keeps_state() const {
  return std::any_of(stages_.begin(), stages_.end(), [](const stage& here) {
    return std::visit(
        [](const auto& what) {
          if constexpr (requires { what.keeps_state(); }) return what.keeps_state();
          else return false;
        },
        here.what);
  });
}

std::vector<drops> chain::dropped() const {
  std::vector<drops> all;
  for (const stage& here : stages_) {
    all.push_back(std::visit(
        [](const auto& what) {
          if constexpr (requires { what.dropped(); }) return what.dropped();
          else return drops{};
        },
        here.what));
  }
  return all;
}

}  // namespace reference
