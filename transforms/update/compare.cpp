#include <millrace/transforms/update/compare.hpp>

#include <algorithm>
#include <map>

namespace millrace {

namespace {

std::string quoted(const std::string& name) {
  return "\"" + name + "\"";
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& n : names) text += (text.empty() ? "" : ", ") + quoted(n);
  return text.empty() ? "none" : text;
}

std::string described(const state_schema& of) {
  return of.empty() ? "nothing" : "{" + to_text(of) + "}";
}

std::uint32_t shards_of(const job_description& of, std::size_t step) {
  for (const stage_description& s : of.stages)
    if (std::ranges::find(s.steps, step) != s.steps.end()) return s.shards;
  return 0;
}

// Why a part of the old state is in the way of the new one; empty if it is not.
std::string part_fault(const state_part& old, const state_schema& now, bool has_state) {
  if (old.must == state_match::nothing) return {};
  const auto found = std::ranges::find(now.parts, old.name, &state_part::name);
  if (found == now.parts.end())
    return "its " + old.name + " is gone" + (old.must == state_match::cell ? "; keep it, or give up the state" : "");
  const std::string both = "its " + old.name + " was " + to_text(old.type) + " and is " + to_text(found->type);
  switch (old.must) {
  case state_match::same:
    return same_bytes(old.type, found->type) ? "" : both + ", whose bytes are not the same";
  case state_match::readable:
  case state_match::cell:
    return reads(found->type, old.type) ? "" : both + ", which cannot be read from it";
  case state_match::same_while_kept:
    return !has_state || old.type == found->type ? "" : both + ", and there are windows with state";
  case state_match::nothing:
    return {};
  case state_match::same_text:
    return old.type == found->type ? "" : both;
  }
  return {};
}

class comparer {
 public:
  comparer(const job_description& old, const job_description& now, const std::vector<kept_state>& kept,
           const name_mapping& names)
      : old_(old), now_(now), kept_(kept), names_(names) {
    result_.matches.resize(now.steps.size());
    result_.begins.assign(now.steps.size(), false);
    for (std::size_t i = 0; i < now.steps.size(); ++i) places_.emplace(now.steps[i].path, i);
  }

  comparison run() {
    check_names();
    for (std::size_t i = 0; i < old_.steps.size(); ++i) match(i);
    return std::move(result_);
  }

 private:
  void check_names() {
    const auto known = [](const std::string& name, const job_description& program) {
      return std::ranges::any_of(program.steps, [&](const auto& s) { return stands_for(name, s.path); });
    };
    for (const auto& [from, to] : names_.names()) {
      if (!known(from, old_)) fault("the old program has no step " + quoted(from) + ", which is mapped");
      if (!to.empty() && !known(to, now_))
        fault("the new program has no step " + quoted(to) + ", to which " + quoted(from) + " is mapped");
    }
  }

  void match(std::size_t i) {
    const step_description& was = old_.steps[i];
    const auto path = names_.renamed(was.path);
    if (!path) {
      if (kept_[i].bytes) notice("the state of step " + quoted(was.path) + " is given up: " + to_text(was.state));
      return;
    }
    const auto found = places_.find(*path);
    if (found == places_.end()) return gone(i, *path);
    if (result_.matches[found->second])
      return fault("step " + quoted(*path) + " cannot go on from both " + quoted(was.path) + " and "
                   + quoted(old_.steps[*result_.matches[found->second]].path));
    result_.matches[found->second] = i;
    compare_steps(i, found->second);
  }

  void gone(std::size_t i, const std::string& path) {
    const step_description& was = old_.steps[i];
    if (!kept_[i].bytes) return;
    std::vector<std::string> candidates;
    for (const step_description& s : now_.steps)
      if (s.state == was.state && std::ranges::find(old_.steps, s.path, &step_description::path) == old_.steps.end())
        candidates.push_back(s.path);
    fault("step " + quoted(was.path) + " keeps " + described(was.state) + ", and the new program has no step "
          + quoted(path) + (candidates.empty() ? "" : ", but has " + listed(candidates) + " with the same state")
          + "; map its old name to the new one, or to \"\" to give its state up");
  }

  void compare_steps(std::size_t i, std::size_t n) {
    const step_description& was = old_.steps[i];
    const step_description& is = now_.steps[n];
    const std::string name = "step " + quoted(is.path) + (is.path == was.path ? "" : " (was " + quoted(was.path) + ")");
    std::vector<std::string> views;
    for (const std::string& v : was.views) views.push_back(names_.renamed(v).value_or(v));
    if (views != is.views)
      fault(name + ": its side inputs were " + listed(views) + " and are " + listed(is.views)
            + "; side inputs of a step that runs cannot be added or removed");
    if (!kept_[i].bytes) {
      result_.begins[n] = !is.state.empty();
      return;
    }
    if (was.bounded != is.bounded)
      fault(name + ": its collection was " + (was.bounded ? "bounded and is unbounded" : "unbounded and is bounded"));
    if (shards_of(old_, i) != shards_of(now_, n))
      fault(name + ": its stage had " + std::to_string(shards_of(old_, i)) + " shards and has "
            + std::to_string(shards_of(now_, n)) + "; state is not divided anew");
    compare_state(name, i, n);
    const bool accumulates =
        std::ranges::find(was.state.parts, "accumulator", &state_part::name) != was.state.parts.end();
    if (accumulates && was.text != is.text)
      notice(name + " goes on with the state of \"" + was.text + "\" as \"" + is.text + "\"");
  }

  void compare_state(const std::string& name, std::size_t i, std::size_t n) {
    const state_schema& was = old_.steps[i].state;
    const state_schema& is = now_.steps[n].state;
    std::string why;
    const auto add = [&why](const std::string& one) {
      if (!one.empty()) why += (why.empty() ? "" : "; ") + one;
    };
    bool windows_changed = false;
    for (const state_part& part : was.parts) {
      add(part_fault(part, is, kept_[i].state));
      const auto found = std::ranges::find(is.parts, part.name, &state_part::name);
      windows_changed =
          windows_changed
          || (part.must == state_match::same_while_kept && found != is.parts.end() && found->type != part.type);
    }
    for (const state_part& part : is.parts)
      if (part.must != state_match::cell && part.must != state_match::nothing
          && std::ranges::find(was.parts, part.name, &state_part::name) == was.parts.end())
        add("its " + part.name + " is new");
    if (!why.empty()) fault(name + ": its state was " + described(was) + " and is " + described(is) + ": " + why);
    result_.begins[n] = windows_changed;
  }

  void fault(std::string text) { result_.faults.push_back(std::move(text)); }
  void notice(std::string text) { result_.notices.push_back(std::move(text)); }

  const job_description& old_;
  const job_description& now_;
  const std::vector<kept_state>& kept_;
  const name_mapping& names_;
  std::map<std::string, std::size_t> places_;
  comparison result_;
};

}  // namespace

comparison compare(const job_description& old, const job_description& now, const std::vector<kept_state>& kept,
                   const name_mapping& names) {
  return comparer(old, now, kept, names).run();
}

}  // namespace millrace
