#pragma once

#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/sources/write.hpp>

#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

namespace detail {

// Shows everything at once, committed or not, and keeps nothing.
template <class T>
class observing_writer {
 public:
  explicit observing_writer(std::shared_ptr<std::vector<recorded<T>>> rows) : rows_(std::move(rows)) {}

  void write(const T& value, timestamp at, const context& in) {
    for (const window& w : in.windows) rows_->push_back({value, {at, w, in.pane}});
  }
  void prepare(std::uint64_t /*epoch*/) {}
  void commit(std::uint64_t /*epoch*/) {}
  void abort() {}
  void snapshot(writer& /*to*/) const {}
  void restore(reader& /*from*/) {}

 private:
  std::shared_ptr<std::vector<recorded<T>>> rows_;
};

template <class T>
class observing_sink {
 public:
  using element = T;
  explicit observing_sink(std::shared_ptr<std::vector<recorded<T>>> rows) : rows_(std::move(rows)) {}
  [[nodiscard]] observing_writer<T> open(const operator_environment& /*in*/) const {
    return observing_writer<T>{rows_};
  }
  [[nodiscard]] std::string describe() const { return "an observation of " + coder<T>::name(); }

 private:
  std::shared_ptr<std::vector<recorded<T>>> rows_;
};

}  // namespace detail

// What comes out of a collection at the moment it does, before any commit: for sessions, which run a whole job on the
// calling thread. After a crash the same may come again. Elsewhere use a recording. Copies share the rows.
template <class T>
class observation {
 public:
  // What came since the last call, in the order in which it came.
  [[nodiscard]] std::vector<recorded<T>> take() const { return std::exchange(*rows_, {}); }
  [[nodiscard]] const std::shared_ptr<std::vector<recorded<T>>>& rows() const { return rows_; }

 private:
  std::shared_ptr<std::vector<recorded<T>>> rows_ = std::make_shared<std::vector<recorded<T>>>();
};

// Shows a collection in an observation.
template <class T>
auto observe(std::string name, const observation<T>& to, std::source_location where = std::source_location::current()) {
  return write(std::move(name), detail::observing_sink<T>(to.rows()), where);
}

}  // namespace millrace
