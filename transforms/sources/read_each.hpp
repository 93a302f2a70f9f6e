#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/par_do_splittable.hpp>
#include <millrace/transforms/sources/source.hpp>
#include <millrace/transforms/sources/source_restriction.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

namespace detail {

// What a reader puts out before it is claimed: a batch of elements with their times.
template <class T>
class read_ahead final : public source_output<T> {
 public:
  static constexpr std::size_t rows_max = 256;

  [[nodiscard]] bool full() const override { return times_.size() == rows_max; }
  [[nodiscard]] T& slot() override {
    if (values_.size() == times_.size()) values_.emplace_back();
    return values_[times_.size()].value;
  }
  void placed(timestamp at) override { times_.push_back(at); }
  [[nodiscard]] bool empty() const { return times_.empty(); }

  // Emits everything; an element whose time is not known has that of the element that named the source.
  void emit(emitter<T>& out) {
    for (std::size_t i = 0; i < times_.size(); ++i) {
      if (times_[i] == timestamp::min()) out(values_[i].value);
      else out.emit(values_[i].value, times_[i]);
    }
  }
  void clear() { times_.clear(); }

 private:
  struct kept {  // values of bool stay addressable
    T value{};
  };
  std::vector<kept> values_;  // their memory is used again
  std::vector<timestamp> times_;
};

// Reads the sources that elements name, as a splittable function: the restriction is a split of the source, what is
// claimed is a batch of a reader, and a reader stays open between calls, since its file would have to be found, and
// unpacked to the same place, again.
template <class Element, class SourceOf>
class each_source {
  using source = std::remove_cvref_t<std::invoke_result_t<const SourceOf&, const Element&>>;
  using element = typename source::element;
  using split_type = typename source::split;
  using reader_type = decltype(std::declval<const source&>().open(std::declval<split_type>()));

 public:
  using output = element;
  using restriction = source_restriction<source>;

  explicit each_source(SourceOf source_of) : source_of_(std::move(source_of)) {}
  // Readers stay with the function that opened them.
  each_source(const each_source& other) : source_of_(other.source_of_) {}
  each_source(each_source&&) noexcept = default;
  each_source& operator=(const each_source&) = delete;
  each_source& operator=(each_source&&) = delete;
  ~each_source() = default;

  restriction initial_restriction(const Element& /*of*/) const { return {}; }
  // The splits of the source, which is asked for as few as it likes: more are made while they are read.
  std::vector<restriction> split(const Element& of, const restriction& /*whole*/) const {
    const source from = source_of_(of);
    if (!from.bounded())
      throw std::invalid_argument(std::string(from.describe())
                                  + " has no end: only sources that end are read by element, use read() for others");
    std::vector<restriction> parts;
    for (split_type& s : from.splits(1)) parts.push_back({std::move(s)});
    return parts;
  }
  void process(const Element& of, tracker<restriction>& left, emitter<element>& out) {
    opened& now = open(of, *left.restriction().left);
    try {
      while (true) {
        if (now.ahead.empty() && !now.ended) now.read();
        if (!left.try_claim(now.behind())) return;
        now.ahead.emit(out);
        now.ahead.clear();
        if (now.ended) return close(now);
        now.at = now.reader.remaining();
      }
    } catch (...) {
      close(now);  // nobody knows where it is
      throw;
    }
  }
  void teardown() { open_.clear(); }

 private:
  // A reader that has put out all before `at`, and what it has read behind.
  struct opened {
    opened(std::string named, source of, const split_type& from)
        : by(std::move(named)), origin(std::move(of)), reader(origin.open(from)), at(from) {}

    void read() {
      const read_status status = reader.read(ahead, timestamp::min());
      ended = status == read_status::ended;
      if (status == read_status::waiting)
        throw std::invalid_argument(std::string(origin.describe()) + " waits for its elements: use read() for it");
    }
    // What is left once `ahead` is emitted.
    [[nodiscard]] std::optional<split_type> behind() const {
      return ended ? std::nullopt : std::optional<split_type>(reader.remaining());
    }

    std::string by;  // the element
    source origin;
    reader_type reader;
    split_type at;
    read_ahead<element> ahead;
    bool ended = false;
  };
  static constexpr std::size_t open_max = 32;

  opened& open(const Element& of, const split_type& from) {
    std::string by = encode_whole(of);
    const std::string wanted = encode_whole(from);
    for (const auto& o : open_)
      if (o->by == by && encode_whole(o->at) == wanted) return *o;
    if (open_.size() == open_max) open_.erase(open_.begin());
    open_.push_back(std::make_unique<opened>(std::move(by), source_of_(of), from));
    return *open_.back();
  }
  void close(const opened& done) {
    std::erase_if(open_, [&](const auto& o) { return o.get() == &done; });
  }

  SourceOf source_of_;
  std::vector<std::unique_ptr<opened>> open_;  // the one that was opened first comes first
};

// What read_each's function gives for an element, or void.
template <class Element, class SourceOf>
struct source_for {
  using type = void;
};
template <class Element, class SourceOf>
  requires std::is_invocable_v<const SourceOf&, const Element&>
struct source_for<Element, SourceOf> {
  using type = std::remove_cvref_t<std::invoke_result_t<const SourceOf&, const Element&>>;
};
template <class Element, class SourceOf>
consteval bool require_source_for() {
  constexpr bool reads = readable<typename source_for<Element, SourceOf>::type>;
  static_assert(reads, "millrace: read_each takes a function that gives a source for an element, such as "
                       "[](const std::string& path) { return text_source(path); }");
  return reads;
}

}  // namespace detail

// Reads the source that each element names, a splittable function around any bounded source:
//   paths | read_each("read", [](const std::string& path) { return text_source(path); })
// Elements whose time is not known have the stamp of the element that named their source. Exactly once: a restart goes
// on where the reader had come to. Shards that have nothing to do take over what others have not opened, and where the
// source says how its splits divide (`divide(split&, fraction)`) the rest of what is being read. Equal elements have to
// give equal sources. With an error output, an element goes there whose source cannot be read; what was read of it
// before stands.
template <class SourceOf>
[[nodiscard]] auto read_each(std::string name, SourceOf source_of,
                             std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    if constexpr (detail::require_source_for<detail::owning_t<T>, SourceOf>()) {
      using reading = detail::each_source<detail::owning_t<T>, SourceOf>;
      return par_do_splittable(name, reading(source_of), detail::read_each_limits, where)(in);
    }
  };
}
template <class SourceOf>
[[nodiscard]] auto read_each(std::string name, SourceOf source_of, error_output wanted,
                             std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    if constexpr (detail::require_source_for<detail::owning_t<T>, SourceOf>()) {
      using reading = detail::each_source<detail::owning_t<T>, SourceOf>;
      return par_do_splittable(name, reading(source_of), wanted, detail::read_each_limits, where)(in);
    }
  };
}

}  // namespace millrace
