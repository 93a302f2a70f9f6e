#pragma once

#include <millrace/actors/options.hpp>
#include <millrace/actors/shard_outlet.hpp>
#include <millrace/transforms/metrics/metric_board.hpp>
#include <millrace/transforms/metrics/notices.hpp>

#include <caf/actor.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace millrace {

// Every message between the actors of a job: the protocol on one page. All actors of a job live in one process, so
// payloads are plain C++ values, moved and never serialised; bundles travel as shipments.
//
//   data path      shard -> shard           shipment, credit_grant
//   splits         shard -> shard           left, give (answered by split_offer), given
//   a shard's life supervisor -> stage      start_stage, respawn
//                  stage -> shard           start_shard
//                  shard -> supervisor      shard_event, shard_work, shard_drops
//   epochs         checkpointer -> shard    barrier, commit
//                  shard -> checkpointer    snapshot_part, commit_done
//                  checkpointer -> writer   checkpoint;        writer -> checkpointer written
//   the user       job -> supervisor        wait, status, checkpoint, cancel, drain
//   an update      job -> supervisor        hand_over (answered by handover), then go_on or give_way
//                  supervisor -> checkpointer hand_over, go_on

using start_atom = caf::atom_constant<caf::atom("start")>;
using work_atom = caf::atom_constant<caf::atom("work")>;
using tick_atom = caf::atom_constant<caf::atom("tick")>;
using barrier_atom = caf::atom_constant<caf::atom("barrier")>;
using commit_atom = caf::atom_constant<caf::atom("commit")>;
using step_atom = caf::atom_constant<caf::atom("step")>;
using checkpoint_atom = caf::atom_constant<caf::atom("checkpoint")>;
using drain_atom = caf::atom_constant<caf::atom("drain")>;
using cancel_atom = caf::atom_constant<caf::atom("cancel")>;
using abort_atom = caf::atom_constant<caf::atom("abort")>;
using wait_atom = caf::atom_constant<caf::atom("wait")>;
using status_atom = caf::atom_constant<caf::atom("status")>;
using peek_atom = caf::atom_constant<caf::atom("peek")>;
using shards_atom = caf::atom_constant<caf::atom("shards")>;
using play_atom = caf::atom_constant<caf::atom("play")>;
using final_atom = caf::atom_constant<caf::atom("final")>;
using written_atom = caf::atom_constant<caf::atom("written")>;
using left_atom = caf::atom_constant<caf::atom("left")>;
using give_atom = caf::atom_constant<caf::atom("give")>;
using given_atom = caf::atom_constant<caf::atom("given")>;
using hand_over_atom = caf::atom_constant<caf::atom("hand_over")>;
using go_on_atom = caf::atom_constant<caf::atom("go_on")>;
using give_way_atom = caf::atom_constant<caf::atom("give_way")>;
using settled_atom = caf::atom_constant<caf::atom("settled")>;

// What all actors of a job share and nobody changes.
struct blueprint {
  std::shared_ptr<const graph> of;
  plan stages;
  job_options options;
  std::string job;
  std::string fingerprint;
  std::string program;                    // its job_description, encoded
  std::set<node_id> general_nodes = {};   // because of the checkpoint that it goes on from
  std::vector<std::string> notices = {};  // of the adoption of that checkpoint

  [[nodiscard]] timestamp now() const { return options.clock(); }
};
using blueprint_ptr = std::shared_ptr<const blueprint>;

// The shard actors of one generation, by stage and shard.
struct roster {
  std::uint64_t generation = 0;
  std::vector<std::vector<caf::actor>> shards;
};
using roster_ptr = std::shared_ptr<const roster>;

// Begin generation roster->generation from a checkpoint, or from nothing.
struct start_shard {
  roster_ptr peers;
  std::shared_ptr<const checkpoint> from;
};

// The answer of a shard that is asked for a split. The asker tells it whether it has taken what was offered.
struct split_offer {
  enum class what : std::uint8_t { nothing, later, split };
  what offered = what::nothing;
  std::uint64_t epoch = 0;  // the last one whose barrier the donor has passed
  std::string split;
};

// Something in the life of a shard, told to the supervisor.
struct shard_event {
  enum class what : std::uint8_t { started, finished, failed, has_effects };
  what happened = what::started;
  std::uint32_t stage = 0;
  std::uint32_t shard = 0;
  std::uint64_t generation = 0;
  shard_loss why = shard_loss::crashed;
  std::string message;  // of a failure: step, element and cause
};

// A shard's part of an epoch.
struct snapshot_part {
  std::uint64_t epoch = 0;
  std::uint64_t generation = 0;
  std::uint32_t stage = 0;
  std::uint32_t shard = 0;
  std::string bytes;
};

// A shard has made the effects of an epoch visible.
struct commit_done {
  std::uint64_t epoch = 0;
  std::uint64_t generation = 0;
  std::uint32_t stage = 0;
  std::uint32_t shard = 0;
};

// What a shard tells of itself when asked.
struct shard_status {
  std::uint32_t stage = 0;
  std::uint32_t shard = 0;
  std::uint64_t generation = 0;
  timestamp input_watermark = timestamp::min();
  timestamp output_watermark = timestamp::min();
  std::size_t queued_bytes = 0;
  std::size_t queued_bytes_max = 0;
  bool has_state = false;
  bool idle = false;
  std::string split;             // behind the watermark of a shard that reads
  std::vector<step_drop> drops;  // that the shard had not told of
  std::map<std::string, metric_board> metrics;
  std::map<std::string, metric_board> attempted;  // in this generation, with what failed calls have reported
  std::map<edge_id, edge_traffic> traffic;
  edge_traffic timer_traffic;
};
// What a shard has reported in a generation that is over for it: by a rewind, a failure, or its death.
struct shard_work {
  std::map<std::string, metric_board> attempted;
};
// Elements that steps of a shard have dropped.
struct shard_drops {
  std::vector<step_drop> drops;
};

using shard_status_ptr = std::shared_ptr<const shard_status>;

// Where a job stands that may give way to a changed program: it takes no further epoch until it is told to go on or to
// give way. Without a checkpoint it does neither, and says why.
struct handover {
  std::shared_ptr<const checkpoint> at;
  blueprint_ptr job;
  std::string refused;
};

struct job_report;
using job_report_ptr = std::shared_ptr<const job_report>;
using checkpoint_ptr = std::shared_ptr<const checkpoint>;

}  // namespace millrace

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::shipment)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::credit_grant)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::roster_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::start_shard)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::split_offer)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::shard_event)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::snapshot_part)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::commit_done)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::shard_work)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::shard_drops)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::shard_status_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::job_report_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::checkpoint_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::handover)
