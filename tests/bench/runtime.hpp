#pragma once

#include <millrace/transforms/pipeline.hpp>

#include <cstdint>
#include <memory>

namespace millrace::bench {

// The actor system in which pipelines are measured. It stays up between runs, so that a run is measured and not the
// start of threads.
class runtime {
 public:
  runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  ~runtime();

  // Runs a pipeline to its end on that many shards a stage. Throws std::runtime_error if it fails.
  void run(const pipeline& p, std::uint32_t shards);

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace millrace::bench
