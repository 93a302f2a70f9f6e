#pragma once

#include <millrace/transforms/coders/reader.hpp>
#include <millrace/transforms/coders/writer.hpp>
#include <millrace/transforms/element/stamp.hpp>
#include <millrace/transforms/operators/environment.hpp>

#include <concepts>
#include <cstdint>
#include <string>

namespace millrace {

// Writes what one shard of a sink is given. The protocol of an epoch: write()*, prepare(n) makes everything so far
// durable but invisible, snapshot() records what commit needs, and once the whole epoch n is durable commit(n) makes it
// visible. After a restart restore() gets the snapshot of the committed epoch, and commit(n) is called again: it is
// idempotent, and whatever was written after that epoch is removed.
template <class Writer, class Element>
concept sink_writer = requires(Writer w, const Writer c, const Element& value, timestamp at, const context& in,
                               std::uint64_t epoch, writer& to, reader& from) {
  w.write(value, at, in);
  w.prepare(epoch);
  w.commit(epoch);
  w.abort();
  c.snapshot(to);
  w.restore(from);
};

// A sink is a value that opens a writer for a shard. open() is told step, shard, shards, job and clock. It may have
// `operator_traits traits() const`, which says adds_only and keeps_files where they hold: for warnings; and
// `state_schema state() const`, which says what its snapshots hold: without it a changed program whose sink describes
// itself otherwise cannot go on from a snapshot that is not empty.
template <class S>
concept writable = requires(const S s, const operator_environment& in) {
  typename S::element;
  { s.open(in) } -> sink_writer<typename S::element>;
  { s.describe() } -> std::convertible_to<std::string>;
};

}  // namespace millrace
