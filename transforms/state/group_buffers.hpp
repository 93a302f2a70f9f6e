#pragma once

#include <millrace/transforms/coders/reader.hpp>
#include <millrace/transforms/coders/writer.hpp>
#include <millrace/transforms/element/stamp.hpp>

#include <cstdint>
#include <string_view>

namespace millrace {

// A place in a grouping's buffers: what one key has collected in one window.
using buffer_id = std::uint32_t;

// A pane that a grouping gives out. The views end with the call.
struct fired_pane {
  std::string_view key;
  buffer_id buffer = 0;
  stamp at;
  bool empty = false;  // nothing came since the last pane; the buffer may hold more if panes accumulate
};

// What a grouping knows of the elements it groups: nothing but this. An operator implements it once for its types, with
// bags for group_by_key and accumulators for a combine; the grouping decides what goes where and when it comes out. A
// buffer lives from `create` or `decode` to `release`, and belongs to one key and window at a time.
class group_buffers {
 public:
  group_buffers() = default;
  group_buffers(const group_buffers&) = delete;
  group_buffers& operator=(const group_buffers&) = delete;
  virtual ~group_buffers() = default;

  // A new, empty buffer.
  virtual buffer_id create() = 0;
  // Adds the element at `row` of the bundle that is being grouped. An element in several windows is added several
  // times.
  virtual void add(buffer_id to, std::uint32_t row) = 0;
  // Adds all of `from` to `into`; `from` is released next.
  virtual void merge(buffer_id into, buffer_id from) = 0;
  // Makes the buffer as if new.
  virtual void clear(buffer_id of) = 0;
  // Ends a buffer; its id may be given out again.
  virtual void release(buffer_id of) = 0;
  // Gives a pane to what follows. It must not call the grouping.
  virtual void emit(const fired_pane& pane) = 0;

  // Writes a buffer, of any length.
  virtual void encode(buffer_id of, writer& out) const = 0;
  // Makes a buffer from exactly the bytes that encode wrote.
  virtual buffer_id decode(reader& in) = 0;
};

}  // namespace millrace
