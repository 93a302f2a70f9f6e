// The part of trigger_state that writes it down, and that goes on where another trigger was.
#include <millrace/transforms/triggers/trigger_state.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace millrace {

void trigger_state::take_over(const trigger_program& program, bool fresh, bool past_end, const trigger_facts& facts) {
  trigger_state taken{program};
  if (fresh) taken.on_element(program, facts);
  if (past_end && taken.ready(program, facts)) {
    trigger_state later = taken;
    later.on_fire(program, facts);
    if (!later.finished()) {
      taken = std::move(later);
      if (fresh) taken.on_element(program, facts);
    }
  }
  *this = std::move(taken);
}

void trigger_state::skip(reader& in, std::size_t words, std::size_t slots) {
  for (; words > 0; --words) in.varint();
  for (; slots > 0; --slots) in.fixed<std::int64_t>();
}

void trigger_state::encode(writer& out) const {
  for (const std::uint64_t word : finished_) out.varint(word);
  for (const std::int64_t slot : slots_) out.fixed(slot);
}

}  // namespace millrace
