#pragma once

#include <millrace/io/file_descriptor.hpp>
#include <millrace/transforms/checkpoints/checkpoint_store.hpp>

#include <filesystem>
#include <memory>

namespace millrace {

// Keeps the epochs of one job in a folder: a checked file for each, written whole under a temporary name, synced and
// renamed. The two newest are kept. A damaged newest epoch is passed over for the one before it; if all are damaged,
// newest() throws and names them, since beginning anew would be a silent loss. A lock keeps two processes from using
// one folder at the same time.
class checkpoint_directory final : public checkpoint_store {
 public:
  // Makes the folder if it is not there. Throws io_error if that fails or another process holds it.
  explicit checkpoint_directory(std::filesystem::path folder);

  void write(const checkpoint& complete) override;
  std::optional<checkpoint> newest() override;
  [[nodiscard]] bool outlives_process() const override { return true; }
  [[nodiscard]] std::string describe() const override { return folder_.string(); }

 private:
  std::filesystem::path folder_;
  file_descriptor lock_;
};

// The checkpoint store in a folder: `run(p, options, {.checkpoints = directory(options.checkpoints)})`. Null for an
// empty path, which means no store.
std::shared_ptr<checkpoint_store> directory(const std::filesystem::path& folder);

}  // namespace millrace
