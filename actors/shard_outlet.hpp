#pragma once

#include <millrace/actors/protocol/compression.hpp>
#include <millrace/actors/protocol/credit.hpp>
#include <millrace/actors/protocol/slice_map.hpp>
#include <millrace/actors/shipment.hpp>
#include <millrace/transforms/bundles/outlet.hpp>

#include <functional>
#include <vector>

namespace millrace {

// What an edge has carried from one sender.
struct edge_traffic {
  std::uint64_t bundles = 0;
  std::uint64_t rows = 0;
  std::uint64_t timers = 0;
  std::uint64_t raw_bytes = 0;   // of the columns
  std::uint64_t sent_bytes = 0;  // after packing; equal to raw_bytes without compression

  void merge(const edge_traffic& other);
};

// How an outlet is set up.
struct outlet_options {
  std::uint32_t edge = 0;
  std::uint32_t sender = 0;
  std::uint64_t generation = 0;
  std::uint32_t shards = 1;            // of the consuming stage
  std::size_t window_bytes = 1 << 20;  // per destination
  bool pack = false;
};

// The sending side of one edge of one shard: stamps bundles, keeps them in order, and spends credit. The last bundle to
// each destination is held until release(), so that the watermark behind its rows can travel with it.
class shard_outlet final : public bundle_outlet {
 public:
  // `deliver` hands a shipment to a destination shard; it is called only while there is credit.
  using deliver_fn = std::function<void(std::uint32_t edge, std::uint32_t shard, shipment)>;
  shard_outlet(const outlet_options& options, deliver_fn deliver);

  [[nodiscard]] std::uint32_t shards() const override { return map_.shards(); }
  [[nodiscard]] std::uint32_t owner(std::uint32_t slice) const override { return map_.owner(slice); }
  [[nodiscard]] bundle_ptr take() override;
  void send(std::uint32_t shard, bundle_ptr rows) override;

  // Everything sent so far may go, with `mark` behind it; a nonzero `barrier` ends an epoch. Destinations that would
  // learn nothing new get no bundle.
  void release(const watermark& mark, std::uint64_t barrier);
  // Credit came back from a destination.
  void granted(std::uint32_t shard, std::size_t bytes, bundle_ptr spent);

  // Rows wait for credit of some destination.
  [[nodiscard]] bool blocked() const { return blocked_ > 0; }
  [[nodiscard]] std::size_t waiting_bytes() const;
  [[nodiscard]] const edge_traffic& traffic() const { return traffic_; }

 private:
  struct destination {
    credit_window window;
    bundle_ptr held;
    std::uint64_t sequence = 0;
    watermark told;
  };

  void post(std::uint32_t shard, bundle_ptr rows, const watermark& mark, std::uint64_t barrier);
  void pump(std::uint32_t shard);

  outlet_options options_;
  deliver_fn deliver_;
  slice_map map_;
  frame_codec codec_;
  std::vector<destination> to_;
  std::vector<bundle_ptr> spare_;
  std::size_t blocked_ = 0;
  edge_traffic traffic_;
};

}  // namespace millrace
