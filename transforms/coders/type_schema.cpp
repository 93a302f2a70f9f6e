#include <millrace/transforms/coders/scalar.hpp>
#include <millrace/transforms/coders/text.hpp>
#include <millrace/transforms/coders/type_schema.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace millrace {

namespace {

using form = type_schema::form;

bool is_enum(const type_schema& of) {
  return of.is == form::parts && of.name.starts_with("enum ");
}

// Names that bytes depend on.
bool same_name(const type_schema& a, const type_schema& b) {
  return a.is == form::fields || (is_enum(a) && is_enum(b)) || a.name == b.name;
}

bool is_optional(const type_schema& of) {
  return of.is == form::parts && of.name == "optional";
}

std::string listed(const type_schema& of) {
  std::string text;
  for (const type_schema& part : of.parts) text += (text.empty() ? "" : ",") + to_text(part);
  return text;
}

}  // namespace

type_schema enum_schema(std::string name, type_schema underlying) {
  return {.name = "enum " + std::move(name), .is = form::parts, .parts = {std::move(underlying)}};
}

std::string to_text(const type_schema& of) {
  switch (of.is) {
  case form::value:
    return of.name;
  case form::fields:
    return of.name + "{" + listed(of) + "}";
  case form::parts:
  case form::alternatives:
    return of.name + "<" + listed(of) + ">";
  }
  return {};
}

bool same_bytes(const type_schema& old, const type_schema& now) {
  return old.is == now.is && same_name(old, now) && std::ranges::equal(old.parts, now.parts, same_bytes);
}

bool reads(const type_schema& now, const type_schema& old) {
  if (old.is != now.is || !same_name(old, now) || old.parts.size() > now.parts.size()) return false;
  for (std::size_t i = 0; i < old.parts.size(); ++i)
    if (!reads(now.parts[i], old.parts[i])) return false;
  const auto more = std::ranges::subrange(now.parts.begin() + static_cast<std::ptrdiff_t>(old.parts.size()),  //
                                          now.parts.end());
  if (now.is == form::fields) return std::ranges::all_of(more, is_optional);
  return more.empty() || now.is == form::alternatives;
}

void coder<type_schema>::encode(writer& out, const type_schema& value) {
  coder<std::string>::encode(out, value.name);
  out.varint(static_cast<std::uint64_t>(value.is));
  out.varint(value.parts.size());
  for (const type_schema& part : value.parts) encode(out, part);
}

type_schema coder<type_schema>::decode(reader& in) {
  const reader::nested level{in};
  type_schema of;
  of.name = coder<std::string>::decode(in);
  const std::uint64_t is = in.varint();
  if (is > static_cast<std::uint64_t>(form::alternatives)) in.fail("a schema has an unknown form");
  of.is = static_cast<form>(is);
  for (std::size_t parts = in.count(3); parts > 0; --parts) of.parts.push_back(decode(in));
  return of;
}

}  // namespace millrace
