#pragma once

#include <millrace/transforms/coders/fields.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

namespace millrace {

// An object of any type that is never made: only addresses inside it are taken. The compilers spell the address of a
// member with the member's name, which is where the names of fields come from.
template <class T>
union never_made {
  constexpr never_made() : nothing{} {}
  constexpr never_made(const never_made&) = delete;
  constexpr never_made& operator=(const never_made&) = delete;
  constexpr ~never_made() {}  // NOLINT(modernize-use-equals-default)

  char nothing;
  T object;
};

// One such object for every type.
template <class T>
inline constexpr never_made<T> never_made_of;

// The address of a member as a template argument.
template <class Member>
struct member_address {
  const Member* address;
};

template <class Member>
member_address(const Member*) -> member_address<Member>;

// The compiler's own name of this function, in which the argument appears as "…object.NAME}" (clang) or
// "…object.TYPE::NAME)}" (gcc).
template <member_address Address>
consteval std::string_view spelled_address() {
  return __PRETTY_FUNCTION__;
}

// The identifier that ends a spelled address.
consteval std::string_view last_identifier(std::string_view spelled) {
#if defined(__clang__)
  constexpr std::string_view closing = "}]";
#else
  constexpr std::string_view closing = ")}";
#endif
  spelled = spelled.substr(0, spelled.rfind(closing));
  const auto before = spelled.find_last_of(".:");
  return spelled.substr(before + 1);
}

// The addresses of the fields of an aggregate that is never made, as a tuple.
template <plain_aggregate T>
consteval auto field_addresses() {
  return visit_fields(never_made_of<T>.object, [](const auto&... fields) { return std::tuple{&fields...}; });
}

template <plain_aggregate T, std::size_t... Indices>
consteval auto collect_field_names(std::index_sequence<Indices...> /*all*/) {
  return std::array<std::string_view, sizeof...(Indices)>{
      last_identifier(spelled_address<member_address{std::get<Indices>(field_addresses<T>())}>())...};
}

// The names of the fields of a plain aggregate, in the order of their declaration.
template <plain_aggregate T>
inline constexpr auto field_names = collect_field_names<T>(std::make_index_sequence<field_count<T>>{});

}  // namespace millrace
