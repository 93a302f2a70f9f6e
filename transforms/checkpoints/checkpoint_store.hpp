#pragma once

#include <millrace/transforms/element/time.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace millrace {

// One complete epoch of a job: everything that a restart needs. Parts are opaque here; each is what one shard of one
// stage wrote. Immutable once complete, and shared by whoever rewinds.
struct checkpoint {
  std::string job;
  std::string fingerprint;  // of the graph and plan: tells another program's checkpoint
  std::string program;      // what its parts are: a job_description, encoded
  std::uint64_t epoch = 0;
  timestamp clock;  // processing time when it was complete
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::shared_ptr<const std::string>> parts;  // (stage, shard)
};

// Where complete epochs are kept. Used by one thread at a time; may block, so the runtime calls it off its shards.
class checkpoint_store {
 public:
  checkpoint_store() = default;
  checkpoint_store(const checkpoint_store&) = delete;
  checkpoint_store& operator=(const checkpoint_store&) = delete;
  virtual ~checkpoint_store() = default;

  // Makes an epoch durable as a whole: after a crash at any point newest() gives either it or an older one, never a
  // part. Older epochs may be removed afterwards. Throws std::runtime_error, naming the place and the cause, if it
  // cannot.
  virtual void write(const checkpoint& complete) = 0;
  // The newest whole epoch, if there is one. Throws when the store cannot be read or holds only damaged epochs.
  virtual std::optional<checkpoint> newest() = 0;
  // Whether a new process can resume from it.
  [[nodiscard]] virtual bool outlives_process() const = 0;
  // Where it is, for messages to people.
  [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace millrace
