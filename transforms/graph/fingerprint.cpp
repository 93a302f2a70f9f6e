#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/graph/fingerprint.hpp>
#include <millrace/transforms/sources/text_digest.hpp>

namespace millrace {

// Encoded rather than printed, so that no name can pass for a different structure.
std::string fingerprint(const graph& of) {
  writer bytes;
  const auto ids = [&](const std::vector<collection_id>& all) {
    bytes.varint(all.size());
    for (const collection_id c : all) bytes.varint(c);
  };
  coder<bool>::encode(bytes, of.unsafe_triggers_allowed());
  for (const node& n : of.nodes()) {
    coder<std::string>::encode(bytes, n.path);
    coder<std::string>::encode(bytes, n.spec->describe());
    bytes.varint(static_cast<std::uint64_t>(n.spec->kind()));
    bytes.varint(n.spec->fixed_shards().value_or(0));
    ids(n.inputs);
    ids(n.views);
    ids(n.outputs);
  }
  for (const collection& c : of.collections()) {
    coder<std::string>::encode(bytes, c.type->coder.name());
    coder<std::string>::encode(bytes, c.windowing.describe());
    coder<bool>::encode(bytes, c.bounded);
  }
  return text_digest(bytes.bytes());
}

}  // namespace millrace
