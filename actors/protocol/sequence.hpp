#pragma once

#include <cstdint>
#include <vector>

namespace millrace {

// What the sequence number of a bundle says about it.
enum class arrival : std::uint8_t {
  next,      // the one that was due
  repeated,  // it came before: drop it
  gap        // one is missing: the edge has lost data
};

// The sequence numbers that a shard has seen, one counter per sender. Within a generation every sender counts its
// bundles to this shard from 0, so that a repeated delivery changes nothing and a lost one is noticed at once.
class sequence_check {
 public:
  explicit sequence_check(std::size_t senders) : next_(senders, 0) {}

  arrival arrived(std::size_t sender, std::uint64_t sequence) {
    std::uint64_t& due = next_.at(sender);
    if (sequence < due) return arrival::repeated;
    if (sequence > due) return arrival::gap;
    ++due;
    return arrival::next;
  }

 private:
  std::vector<std::uint64_t> next_;
};

}  // namespace millrace
