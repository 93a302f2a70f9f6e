#include <millrace/transforms/side/side_budget.hpp>

namespace millrace::detail {

std::string beyond_side_budget(const side_input_budget& in) {
  return "more than the " + std::to_string(in.bytes_max)
         + " bytes of --side_input_bytes that a shard may hold; raise that option, or look values up without holding "
           "them all: enrich asks a service for single keys, co_group_by_key joins by key";
}

}  // namespace millrace::detail
