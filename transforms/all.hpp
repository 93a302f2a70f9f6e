#pragma once

// Everything that programs and their tests write with, in one include. Our own code includes what it uses instead.

#include <millrace/transforms/co_group_by_key.hpp>           // IWYU pragma: export
#include <millrace/transforms/combine.hpp>                   // IWYU pragma: export
#include <millrace/transforms/combiners.hpp>                 // IWYU pragma: export
#include <millrace/transforms/count.hpp>                     // IWYU pragma: export
#include <millrace/transforms/direct/direct_runner.hpp>      // IWYU pragma: export
#include <millrace/transforms/direct/expect.hpp>             // IWYU pragma: export
#include <millrace/transforms/direct/test_stream.hpp>        // IWYU pragma: export
#include <millrace/transforms/distinct.hpp>                  // IWYU pragma: export
#include <millrace/transforms/errors.hpp>                    // IWYU pragma: export
#include <millrace/transforms/filter.hpp>                    // IWYU pragma: export
#include <millrace/transforms/flat_map.hpp>                  // IWYU pragma: export
#include <millrace/transforms/flatten.hpp>                   // IWYU pragma: export
#include <millrace/transforms/graph/describe.hpp>            // IWYU pragma: export
#include <millrace/transforms/group_by_key.hpp>              // IWYU pragma: export
#include <millrace/transforms/keys.hpp>                      // IWYU pragma: export
#include <millrace/transforms/map.hpp>                       // IWYU pragma: export
#include <millrace/transforms/metric.hpp>                    // IWYU pragma: export
#include <millrace/transforms/options.hpp>                   // IWYU pragma: export
#include <millrace/transforms/par_do.hpp>                    // IWYU pragma: export
#include <millrace/transforms/pcollection.hpp>               // IWYU pragma: export
#include <millrace/transforms/pipeline.hpp>                  // IWYU pragma: export
#include <millrace/transforms/plan/explain.hpp>              // IWYU pragma: export
#include <millrace/transforms/reshuffle.hpp>                 // IWYU pragma: export
#include <millrace/transforms/side/as_view.hpp>              // IWYU pragma: export
#include <millrace/transforms/sources/create.hpp>            // IWYU pragma: export
#include <millrace/transforms/sources/event_times.hpp>       // IWYU pragma: export
#include <millrace/transforms/sources/read.hpp>              // IWYU pragma: export
#include <millrace/transforms/sources/sequence.hpp>          // IWYU pragma: export
#include <millrace/transforms/sources/write.hpp>             // IWYU pragma: export
#include <millrace/transforms/split.hpp>                     // IWYU pragma: export
#include <millrace/transforms/state/cell.hpp>                // IWYU pragma: export
#include <millrace/transforms/state/combining_state.hpp>     // IWYU pragma: export
#include <millrace/transforms/state/map_state.hpp>           // IWYU pragma: export
#include <millrace/transforms/state/multimap_state.hpp>      // IWYU pragma: export
#include <millrace/transforms/state/ordered_list_state.hpp>  // IWYU pragma: export
#include <millrace/transforms/state/set_state.hpp>           // IWYU pragma: export
#include <millrace/transforms/state/timer.hpp>               // IWYU pragma: export
#include <millrace/transforms/state/timer_family.hpp>        // IWYU pragma: export
#include <millrace/transforms/timestamps.hpp>                // IWYU pragma: export
#include <millrace/transforms/top.hpp>                       // IWYU pragma: export
#include <millrace/transforms/window_into.hpp>               // IWYU pragma: export
