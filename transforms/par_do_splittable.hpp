#pragma once

#include <millrace/transforms/coders/type_name.hpp>
#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/functions/member_names.hpp>
#include <millrace/transforms/operators/element_operator_emitting.hpp>
#include <millrace/transforms/operators/element_step.hpp>
#include <millrace/transforms/operators/stable_rows.hpp>
#include <millrace/transforms/splittable/offset_range.hpp>  // IWYU pragma: export
#include <millrace/transforms/splittable/splittable_fn.hpp>
#include <millrace/transforms/splittable/splittable_operator.hpp>
#include <millrace/transforms/splittable/work_writer.hpp>

#include <initializer_list>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

namespace detail {

// Pairs each element with the parts of its restriction: the first of the two steps of a splittable function, with a
// copy of the function of its own.
template <class T, class Fn>
class restriction_pairing {
  using element = owning_t<T>;
  using traits = splittable_traits<Fn, element>;
  using pair = kv<element, typename traits::restriction>;

 public:
  explicit restriction_pairing(Fn fn) : fn_(std::move(fn)) {}

  void process(const T& x, emitter<pair>& out) {
    const element whole = owned(x);
    for (auto& part : traits::parts(fn_, whole, fn_.initial_restriction(whole))) out(pair{whole, std::move(part)});
  }
  void setup()
    requires requires(Fn fn) { fn.setup(); }
  {
    fn_.setup();
  }
  void teardown()
    requires requires(Fn fn) { fn.teardown(); }
  {
    fn_.teardown();
  }
  auto metrics()
    requires requires(Fn fn) { fn.metrics(); }
  {
    return fn_.metrics();
  }

 private:
  Fn fn_;
};

// The second step: a stage behind an edge that deals the pairs out.
template <class Element, class Fn, class Outputs, class... Shapes>
class splittable_spec final : public operator_spec {
  using operating = splittable_operator<Element, Fn, Outputs, Shapes...>;
  using restriction = typename splittable_traits<Fn, Element>::restriction;

 public:
  using side_reading = typename operating::side_reading;
  splittable_spec(Fn fn, splittable_limits limits, side_reading reads)
      : fn_(std::move(fn)), limits_(limits), reads_(std::move(reads)) {}

  [[nodiscard]] operator_kind kind() const override { return operator_kind::keyed; }
  [[nodiscard]] std::string describe() const override {
    std::string text =
        "splittable par_do " + type_name<Fn>() + " of " + coder<Element>::name() + " by " + coder<restriction>::name();
    std::apply([&](const auto&... v) { ((text += ", with " + Shapes::name() + " \"" + v.name + "\""), ...); },
               reads_.views);
    return text;
  }
  [[nodiscard]] state_schema state() const override {
    state_schema kept;
    kept.part<Element>("element").template part<restriction>("restriction");
    kept.part<typename splittable_traits<Fn, Element, typename Shapes::contents...>::estimator::state>(
        "watermark estimator");
    add_views(kept, reads_.views);
    return kept;
  }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& in) const override {
    return make_operator<operating>(in, fn_, limits_, reads_);
  }
  [[nodiscard]] std::unique_ptr<edge_writer> make_writer(const edge_environment& to) const override {
    return make_edge_writer<work_writer<kv<Element, restriction>>>(to);
  }

 private:
  Fn fn_;
  splittable_limits limits_;
  side_reading reads_;
};

template <class Restriction>
concept tracks_restriction =
    requires { typename Restriction::tracker; } && restriction_tracker<tracker_of<Restriction>, Restriction>;

// Stops compilation with one sentence where a function is not what par_do_splittable takes.
template <class Element, class Fn, class... Outs, class... Contents>
consteval bool require_splittable(output_list<Outs...> /*outputs*/, output_list<Contents...> /*contents*/) {
  static_assert(!stateful_function<Fn>, "millrace: a splittable function cannot keep state: cells() belong to a key, a "
                                        "restriction may be worked on anywhere; group its output by key instead");
  static_assert(sizeof...(Outs) > 0, "millrace: a splittable function says what it emits with `using output = Out;`");
  static_assert(splittable_function<Fn, Element>,
                "millrace: par_do_splittable takes a function with initial_restriction(const T&), which gives the work "
                "that an element means");
  if constexpr (!stateful_function<Fn> && sizeof...(Outs) > 0 && splittable_function<Fn, Element>) {
    using traits = splittable_traits<Fn, Element, Contents...>;
    require_codable<Element>();
    require_codable<typename traits::restriction>();
    (require_element<Outs>(), ...);
    static_assert(tracks_restriction<typename traits::restriction>,
                  "millrace: the restriction's tracker needs position, try_claim, try_split, check_done and "
                  "restriction(), as offset_tracker has them; the restriction names it: using tracker = ...");
    static_assert(
        !names_truncate<Fn>
            || requires(Fn& fn, const Element& x, typename traits::restriction r) { fn.truncate(x, r); },
        "millrace: truncate takes the element and the restriction: std::optional<R> truncate(const T&, const "
        "R&)");
    static_assert(watermark_estimator<typename traits::estimator>,
                  "millrace: a watermark estimator needs a state, current(now) and saved(), as manual_watermark has "
                  "them");
    static_assert(traits::template callable<Outs...>,
                  "millrace: a splittable function needs process(const T&, tracker<restriction>&, emitter<Out>&), with "
                  "its estimator behind the tracker if it has one, and the contents of its side inputs behind the "
                  "element");
    return traits::template callable<Outs...>;
  }
  return false;
}

template <class Element, class Fn, class In, bool Errors, class... Shapes, class... Outs>
auto add_splittable_node(const pcollection<In>& pairs, const Fn& fn, const splittable_limits& limits,
                         const step_options<Errors, Shapes...>& options, std::source_location where,
                         output_list<Outs...> outputs) {
  using traits = splittable_traits<Fn, Element, typename Shapes::contents...>;
  constexpr bool bounded = traits::template bounded<Outs...>();
  graph& g = pairs.owner();
  node added;
  std::apply(
      [&](const auto&... v) {
        using spec = splittable_spec<Element, Fn, decltype(outputs), Shapes...>;
        added.spec = make_spec<spec>(
            fn, limits,
            typename spec::side_reading{.views = {v.source()...}, .lateness = pairs.windowing().allowed_lateness});
        for (const graph* of : std::initializer_list<const graph*>{&g, &v.owner()...})
          if (of != &g) throw pipeline_error(g.path_of("process"), "a side input is of another pipeline");
        added.views = {v.id()...};
      },
      options.views);
  added.inputs = {pairs.id()};
  added.where = where;
  const auto like_pairs = [&](const element_type& type) {
    return output_spec{&type, pairs.windowing(), pairs.bounded() && bounded};
  };
  std::vector<output_spec> all{like_pairs(element_type::of<Outs>())...};
  if constexpr (!Errors) {
    return collections_of<Outs...>(pairs.shared_owner(), g.add("process", std::move(added), all).outputs);
  } else {
    all.push_back(like_pairs(element_type::of<failed<Element>>()));
    return collections_of<Outs..., failed<Element>>(pairs.shared_owner(),
                                                    g.add("process", std::move(added), all).outputs);
  }
}

template <class T, class Fn, bool Errors, class... Shapes>
auto add_splittable(const pcollection<T>& in, const std::string& name, const Fn& fn, const splittable_limits& limits,
                    const step_options<Errors, Shapes...>& options, std::source_location where) {
  using element = owning_t<T>;
  using outputs = outputs_of<Fn>;
  if constexpr (require_splittable<element, Fn>(outputs{}, output_list<typename Shapes::contents...>{})) {
    using pair = kv<element, typename splittable_traits<Fn, element>::restriction>;
    using pairing = restriction_pairing<T, Fn>;
    const auto paired = stable_where_asked<Fn>(in, name, where);
    const open_composite open(in.owner(), name);
    const auto pair_up = make_element_spec<par_do_operator<T, user_function<pairing>, pair>>(
        arrow_text<T, pair>("restrictions by " + type_name<Fn>() + ","), pairing(fn));
    if constexpr (!Errors) {
      const auto pairs = add_step<pair>(paired, "pair", pair_up, options_from(), where);
      return add_splittable_node<element>(pairs, fn, limits, options, where, outputs{});
    } else {
      static_assert(!is_text_view<T>,
                    "millrace: par_do_splittable: elements that are std::string_view cannot leave for "
                    "an error output; map them to std::string first");
      const auto [pairs, unpaired] = add_step<pair>(paired, "pair", pair_up, options_from(with_errors), where);
      auto results = add_splittable_node<element>(pairs, fn, limits, options, where, outputs{});
      auto& errors = std::get<outputs::size>(results);
      errors = flatten("errors", std::vector{unpaired, errors}, where);
      return results;
    }
  }
}

}  // namespace detail

// Applies a function whose work for one element can be divided: see splittable/splittable_fn.hpp for what it has. Each
// element is paired with its restriction, the parts are dealt out to the shards, and there the function is called for
// them: as "NAME/pair" and "NAME/process". A call is ended by a split after `limits`, and the rest goes on later, so
// that checkpoints never wait for the end of a long restriction; what is left is part of them. The output is unbounded
// if the input is, or if the function can resume and does not say `bounded_per_element`. Takes the same options as map,
// before the limits: side inputs, whose contents only process sees, and an error output, to which an element goes when
// the function throws for good. What it had given out for earlier claims stands; the message says what was not done.
// A call that throws is made again from its last claim on; of a function with start_bundle or finish_bundle, or with a
// tracker that cannot be split between claims, the whole bundle is. Attempts are counted for each position.
template <class Fn>
[[nodiscard]] auto par_do_splittable(std::string name, Fn fn, splittable_limits limits = {},
                                     std::source_location where = std::source_location::current()) {
  return [name = std::move(name), fn = std::move(fn), limits, where]<class T>(const pcollection<T>& in) {
    return detail::add_splittable(in, name, fn, limits, detail::options_from(), where);
  };
}
template <class Fn, detail::step_option Option>
[[nodiscard]] auto par_do_splittable(std::string name, Fn fn, Option option, splittable_limits limits = {},
                                     std::source_location where = std::source_location::current()) {
  return [name = std::move(name), fn = std::move(fn), options = detail::options_from(std::move(option)), limits,
          where]<class T>(const pcollection<T>& in) {
    return detail::add_splittable(in, name, fn, limits, options, where);
  };
}
template <class Fn, detail::step_option First, detail::step_option Second>
[[nodiscard]] auto par_do_splittable(std::string name, Fn fn, First first, Second second, splittable_limits limits = {},
                                     std::source_location where = std::source_location::current()) {
  return [name = std::move(name), fn = std::move(fn),
          options = detail::options_from(std::move(first), std::move(second)), limits, where]<class T>(
             const pcollection<T>& in) { return detail::add_splittable(in, name, fn, limits, options, where); };
}

}  // namespace millrace
