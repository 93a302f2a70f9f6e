#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/timestamps.hpp>
#include <millrace/transforms/transcripts/case_programs.hpp>
#include <millrace/transforms/transcripts/stateful_programs.hpp>
#include <millrace/transforms/transcripts/timers_program.hpp>

#include <utility>

namespace millrace::transcripts {

namespace {

// Batches are stamped with the least of their times, which may be before that of the element that filled them.
pcollection<case_row> add_batches(const pcollection<case_row>& in, const case_transform& of,
                                  const std::string& prefix) {
  constexpr allowed_skew back{timestamp::max() - timestamp::min()};
  return in | par_do(prefix + "batches", batches_program{of})
         | with_timestamps(prefix + "times of batches", &timed_batch::least, back)
         | map(prefix + "values of batches", [](const timed_batch& b) { return case_row{b.key, b.values}; });
}

}  // namespace

pcollection<case_row> add_program(const pcollection<case_row>& in, const case_transform& of,
                                  const std::string& prefix) {
  const duration lateness = in.windowing().allowed_lateness;
  const std::string name = prefix + of.name;
  if (of.name == "running_count") return in | par_do(name, running_count_program{});
  if (of.name == "bag" && of.expire) return in | par_do(name, bag_program<true>{of, lateness});
  if (of.name == "bag") return in | par_do(name, bag_program<false>{of, lateness});
  if (of.name == "looping") return in | par_do(name, looping_program{of, lateness});
  if (of.name == "dedup") return in | par_do(name, dedup_program{*of.by});
  if (of.name == "sorted") return in | par_do(name, sorted_program{});
  if (of.name == "batches") return add_batches(in, of, prefix);
  if (of.name == "timers") return in | par_do(name, timers_program{});
  throw pipeline_error(in.owner().path_of(name), "transcripts know no such program");
}

}  // namespace millrace::transcripts
