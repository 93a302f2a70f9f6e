#pragma once

#include <millrace/transforms/count.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/pipeline.hpp>

#include <cstdint>
#include <source_location>
#include <string>
#include <utility>

namespace millrace {

// Each element of a window once, with the first pane that has it: pcollection<T> -> pcollection<T>. Equal elements are
// those with equal encodings.
[[nodiscard]] inline auto distinct(std::string name, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    detail::require_group_key<T>();
    using stored = detail::stored_key<T>;
    using counted = kv<stored, std::uint64_t>;
    const auto body = [&](const pcollection<T>& all) {
      return all | count_per_element("count", where)
             | par_do(
                 "first pane",
                 [](const counted& x, emitter<stored>& out) {
                   if (out.at().pane.is_first) out(x.key);
                 },
                 where);
    };
    return composite(name, body)(in);
  };
}

}  // namespace millrace
