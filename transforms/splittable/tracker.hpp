#pragma once

#include <millrace/transforms/splittable/offset_range.hpp>

#include <concepts>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

namespace millrace {

// The tracker that a restriction names: `using tracker = ...;` in the restriction. A restriction may also have a
// size(), in a unit of its own: about how much work it is, by which idle shards choose what they take over. Less than 2
// is not divided. Without it the tracker's progress() says how much is left, if it has one; a size() of the function
// goes before both.
template <class Restriction>
using tracker_of = typename Restriction::tracker;

// What a tracker of a restriction does: see offset_tracker, which is one. It is copied before a claim, so that work on
// a position that failed can be repeated. One that says
//   static constexpr bool splits_between_claims = true;
// promises that try_split(0) always divides right behind what was claimed: then a call that failed is repeated from its
// last claim, and outputs go on at once. With others, such as those that split at the edges of blocks, outputs wait
// until the bundle ends, which is done again whole.
template <class T, class Restriction>
concept restriction_tracker =
    std::copyable<T> && requires(T t, const T c, const typename T::position& at, Restriction r, double fraction) {
      T(std::move(r));
      { t.try_claim(at) } -> std::same_as<bool>;
      { t.try_split(fraction) } -> std::same_as<std::optional<Restriction>>;
      { c.check_done() };
      { c.restriction() } -> std::convertible_to<Restriction>;
    };

namespace detail {

template <class Restriction>
concept splits_between_claims = requires { requires tracker_of<Restriction>::splits_between_claims; };

// Whoever calls a splittable function: asked before each claim, told of what came of it.
class claim_watch {
 public:
  virtual ~claim_watch() = default;
  // Another claim is about to be made, behind that many; false: the restriction is split first, so that it is refused.
  virtual bool attempted(std::uint64_t claims) = 0;
  virtual void refused() = 0;
};

template <class Restriction>
class tracked_call;

}  // namespace detail

// What a splittable function claims positions from: `process(const T& x, tracker<offset_range>& range, ...)`. Output is
// allowed only for positions whose claim succeeded. The restriction may be split at any claim: then the claim fails,
// the function returns, and the rest comes in another call, perhaps elsewhere.
template <class Restriction>
class tracker {
  using inner = tracker_of<Restriction>;

 public:
  using position = typename inner::position;

  tracker(const tracker&) = delete;
  tracker& operator=(const tracker&) = delete;

  // Whether the position is the caller's to work on. After a refusal the function has to return.
  [[nodiscard]] bool try_claim(const position& at) {
    if (refused_) return false;
    if (!watch_.attempted(claims_) && !residual_) residual_ = now_.try_split(0);
    before_ = now_;
    if (now_.try_claim(at)) {
      ++claims_;
      return true;
    }
    refused_ = true;
    watch_.refused();
    return false;
  }
  // What belongs to the caller at the moment: the restriction it was called with, less what was split off.
  [[nodiscard]] Restriction restriction() const { return now_.restriction(); }

 private:
  friend class detail::tracked_call<Restriction>;
  tracker(Restriction of, detail::claim_watch& watch) : now_(std::move(of)), watch_(watch) {}
  ~tracker() = default;

  inner now_;
  std::optional<inner> before_;  // the last attempt
  detail::claim_watch& watch_;
  std::optional<Restriction> residual_;
  std::uint64_t claims_ = 0;
  bool refused_ = false;
};

namespace detail {

// One call of a splittable function seen from outside: its tracker, and what is left when it has returned or thrown.
template <class Restriction>
class tracked_call {
 public:
  tracked_call(Restriction of, claim_watch& watch) : claims_(std::move(of), watch) {}

  [[nodiscard]] tracker<Restriction>& claims() { return claims_; }
  [[nodiscard]] std::uint64_t claimed() const { return claims_.claims_; }
  [[nodiscard]] bool refused() const { return claims_.refused_; }
  // What comes in another call, after the function has stopped or asked to be resumed. Throws where positions were left
  // out.
  std::optional<Restriction> rest(bool resumes) {
    if (resumes && !claims_.residual_) claims_.residual_ = claims_.now_.try_split(0);
    claims_.now_.check_done();
    return std::move(claims_.residual_);
  }
  // What was split off so that the next claim is refused; asked once.
  std::optional<Restriction> split_off() { return std::exchange(claims_.residual_, std::nullopt); }
  // What the last claim and all behind it make, for a call that failed while it worked on that position; nullopt where
  // the tracker cannot be split just there.
  std::optional<Restriction> from_last_claim() {
    try {
      auto left = claims_.before_->try_split(0);
      claims_.before_->check_done();
      return left;
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

 private:
  tracker<Restriction> claims_;
};

}  // namespace detail

}  // namespace millrace
