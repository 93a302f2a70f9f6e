#pragma once

#include <millrace/transforms/element/time.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace millrace {

namespace detail {
class finalization;
}  // namespace detail

// Where a do_fn leaves calls that are to be made once its bundle can no longer be lost, such as the acknowledgement of
// messages: `process`, `on_timer`, `on_window_expiration` or `finish_bundle` of a par_do takes a trailing
// bundle_finalizer&. Best effort: a call is made at most once, after the checkpoint that contains the bundle is
// durable; it is never made for a bundle, an element or a timer that failed, nor once it has expired, and it is lost
// with the process or shard that would make it. What it throws is ignored.
class bundle_finalizer {
 public:
  // Registers a call for the bundle that is being processed. It is not made later than `expires_in` from now by the
  // processing clock.
  void after_commit(duration expires_in, std::function<void()> call) {
    open_.push_back({now_ + expires_in, std::move(call)});
  }

 private:
  friend class detail::finalization;
  struct registered {
    timestamp expires;
    std::function<void()> call;
  };

  timestamp now_;
  std::vector<registered> open_;
};

namespace detail {

// Keeps what a function registers until the epoch that contains its bundle is committed. Owned by the operator.
class finalization {
 public:
  [[nodiscard]] bundle_finalizer& out() { return out_; }

  // A call of the function begins.
  void begin(timestamp now) {
    out_.now_ = now;
    complete_ = out_.open_.size();
  }
  // What the call that has failed registered is forgotten.
  void take_back() { back_to(complete_); }

  // How many calls of open bundles are registered, and the way back to that number.
  [[nodiscard]] std::size_t registered() const { return out_.open_.size(); }
  void back_to(std::size_t registered) { out_.open_.resize(std::min(registered, out_.open_.size())); }

  void prepare(std::uint64_t epoch) {
    std::vector<bundle_finalizer::registered>& of = prepared_[epoch];
    of.insert(of.end(), std::make_move_iterator(out_.open_.begin()), std::make_move_iterator(out_.open_.end()));
    out_.open_.clear();
    complete_ = 0;
  }
  void commit(std::uint64_t epoch, timestamp now) {
    const auto end = prepared_.upper_bound(epoch);
    for (auto e = prepared_.begin(); e != end; ++e)
      for (const auto& r : e->second)
        if (now <= r.expires) call(r);
    prepared_.erase(prepared_.begin(), end);
  }
  void abort() noexcept {
    out_.open_.clear();
    prepared_.clear();
  }

 private:
  static void call(const bundle_finalizer::registered& r) {
    try {
      r.call();
    } catch (...) {  // NOLINT(bugprone-empty-catch): the bundle is done, whatever comes of this
    }
  }

  bundle_finalizer out_;
  std::size_t complete_ = 0;
  std::map<std::uint64_t, std::vector<bundle_finalizer::registered>> prepared_;
};

}  // namespace detail

}  // namespace millrace
