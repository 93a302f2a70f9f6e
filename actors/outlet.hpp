#pragma once

#include <millrace/transforms/sources/write.hpp>

#include <caf/actor.hpp>
#include <caf/send.hpp>

#include <atomic>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

namespace millrace {

namespace detail {

// Sends each element as a message, and refuses once the receiver is gone. CAF tells of an actor's end on the thread it
// ends on, hence the atomic.
template <class T>
class actor_writer {
 public:
  actor_writer(caf::actor to, std::shared_ptr<const std::atomic<bool>> gone)
      : to_(std::move(to)), gone_(std::move(gone)) {}
  void write(const T& value, timestamp /*at*/, const context& /*in*/) {
    if (gone_->load()) throw std::runtime_error("the actor that the elements are delivered to has ended");
    caf::anon_send(to_, value);
  }
  void prepare(std::uint64_t /*epoch*/) {}
  void commit(std::uint64_t /*epoch*/) {}
  void abort() {}
  void snapshot(writer& /*to*/) const {}
  void restore(reader& /*from*/) {}

 private:
  caf::actor to_;
  std::shared_ptr<const std::atomic<bool>> gone_;
};

template <class T>
class actor_sink {
 public:
  using element = T;
  explicit actor_sink(caf::actor to) : to_(std::move(to)), gone_(std::make_shared<std::atomic<bool>>(false)) {
    to_->attach_functor([gone = gone_](const caf::error&) { gone->store(true); });
  }
  [[nodiscard]] actor_writer<T> open(const operator_environment& /*in*/) const { return {to_, gone_}; }
  [[nodiscard]] std::string describe() const { return "messages of " + coder<T>::name() + " to an actor"; }

 private:
  caf::actor to_;
  std::shared_ptr<std::atomic<bool>> gone_;
};

}  // namespace detail

// A door out of a job: each element is sent to an actor as a message of its type, from the shard that made it. The type
// must be one that CAF can send (announce it, or allow it as a local message type).
//
// Guarantee: at least once. After a crash of a shard, elements since the last complete epoch are sent again; a receiver
// that must not see them twice compares an id of its own. Order is kept per shard. There is no back-pressure from the
// receiver's mailbox. When the receiver ends, the job fails and says so.
[[nodiscard]] inline auto deliver_to(std::string name, caf::actor to,
                                     std::source_location where = std::source_location::current()) {
  return [name = std::move(name), to = std::move(to), where]<class T>(const pcollection<T>& in) -> written {
    return write(name, detail::actor_sink<T>(to), where)(in);
  };
}

}  // namespace millrace
