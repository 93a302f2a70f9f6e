#pragma once

#include "both_runners.hpp"

#include <millrace/transforms/direct/test_stream.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace millrace::programs {

using text = std::string;
using number = std::int64_t;
using pair = kv<text, number>;

// Jobs whose program is replaced while they run, on both runners.
class updating : public both_runners {
 protected:
  // What an update is refused with; empty if it is not.
  [[nodiscard]] static text refusal(job_session& job, const pipeline& p, const name_mapping& names = {}) {
    try {
      job.update(p, names);
      return {};
    } catch (const update_refused& e) {
      EXPECT_EQ(job.state(), session_state::running);
      return e.what();
    }
  }
};

// One element of key "k" in each event, whose time is its number; at last the end of time, if the input ends.
inline pcollection<pair> keyed_numbers(pipeline& p, const std::vector<number>& all, bool ends = false) {
  test_stream<pair> script{"numbers"};
  for (const number n : all) script.add({{{"k", n}, timestamp{n}}});
  if (ends) script.advance_watermark_to_infinity();
  return p | script;
}

}  // namespace millrace::programs
