#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/element/watermark.hpp>
#include <millrace/transforms/operators/operator.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// Where a reader puts what it reads: room for one batch. Slots keep their objects between batches, so that a reader
// that assigns into slot() (a string, say) reuses their memory.
template <class T>
class source_output {
 public:
  virtual ~source_output() = default;
  // Whether the batch has no more room; the reader then returns read_status::more.
  [[nodiscard]] virtual bool full() const = 0;
  // The object to assign the next element to; it counts once placed() is called. Only while not full.
  [[nodiscard]] virtual T& slot() = 0;
  // The element in slot() is complete and belongs to event time `at`.
  virtual void placed(timestamp at) = 0;
  // Sets an element at an event time, or at the least timestamp, which means that its time is not known.
  void operator()(T value, timestamp at = timestamp::min()) {
    slot() = std::move(value);
    placed(at);
  }
};

// Reads one split, on one thread. remaining() is what a restart has to read: everything not yet put out.
template <class Reader, class Element, class Split>
concept split_reader = requires(Reader r, const Reader c, source_output<Element>& out, timestamp now) {
  // Puts elements out until the output is full or nothing is there; `now` is processing time.
  { r.read(out, now) } -> std::same_as<read_status>;
  { c.remaining() } -> std::convertible_to<Split>;
  { c.promise() } -> std::same_as<watermark>;
  // When reading makes sense again after read_status::waiting.
  { c.next_read() } -> std::same_as<timestamp>;
};

// A source is a value that knows how to divide what it reads into splits and how to open one. A split is codable and
// says what is still to be read, position included, so that it is also the checkpoint. Beam: a splittable DoFn's
// restriction. A source may have `committed(split) const`: it is told where each complete epoch ends, so that what lies
// before can go; and `std::string name_of(split) const`, by which a job's status names the split that holds a
// watermark.
template <class S>
concept readable = requires(const S s, typename S::split split, std::size_t desired) {
  typename S::element;
  requires codable<typename S::split>;
  { s.bounded() } -> std::same_as<bool>;
  // At most about `desired` splits; equal calls give equal splits while the world does not change. May touch the world
  // (files), and throws with a message that names what is wrong with it.
  { s.splits(desired) } -> std::same_as<std::vector<typename S::split>>;
  { s.open(split) } -> split_reader<typename S::element, typename S::split>;
  { s.describe() } -> std::convertible_to<std::string>;
};

// A readable source whose splits can be divided while they are read, so that a shard which has read its own takes over
// from one that is slower. Only where elements have no times of their own, or a bounded source is not meant to move the
// watermark before its end: it stays where it is until all shards are done.
template <class S>
concept divisible = readable<S> && requires(const S s, typename S::split split, double fraction) {
  // Whether this one does; asked for bounded sources.
  { s.divides() } -> std::same_as<bool>;
  // About how much a split has left to read, in a unit of the source.
  { s.weight(split) } -> std::convertible_to<double>;
  // Keeps what was put out and `fraction` of the rest, and gives away what is behind, which then is not read here any
  // more; nullopt where that is not worth it.
  { s.open(split).try_split(fraction) } -> std::same_as<std::optional<typename S::split>>;
};

}  // namespace millrace
