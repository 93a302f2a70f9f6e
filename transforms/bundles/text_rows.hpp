#pragma once

#include <millrace/transforms/bundles/column.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace millrace {

// Appends texts to a variable column. Views that follow each other, as those of the words of a line do, belong to one
// object: memory that lies less than a short row behind a view and before the next one cannot be anybody else's, since
// allocations keep more distance than that. So each of them can be read up to the end of the last.
inline void append_texts(column& to, std::span<const std::string_view> rows) {
  const auto begin = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(rows[i].data()); };
  const auto end = [&](std::size_t i) { return begin(i) + rows[i].size(); };
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first;
    while (last + 1 < rows.size() && begin(last + 1) >= end(last) && begin(last + 1) - end(last) < column::short_row)
      ++last;
    const std::uintptr_t readable_to = end(last);
    for (; first <= last; ++first) to.append_bytes(rows[first], readable_to - begin(first));
  }
}

}  // namespace millrace
