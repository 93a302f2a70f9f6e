#pragma once

#include <millrace/transforms/element/kv.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace millrace {

// The most fields that an aggregate may have to be taken apart.
inline constexpr std::size_t fields_max = 24;

// Stands for a field of any type in a brace initialiser that is never evaluated.
struct any_field {
  template <class Field>
  // The body is never run; clang wants one where the type of the field has no linkage.
  operator Field() const {  // NOLINT(google-explicit-constructor)
    __builtin_unreachable();
  }
};

// Stands for a base class of Aggregate in such an initialiser, and for nothing else.
template <class Aggregate>
struct any_ancestor_of {
  template <class Ancestor>
    requires std::is_base_of_v<Ancestor, Aggregate> && (!std::is_same_v<Ancestor, Aggregate>)
  operator Ancestor() const;  // NOLINT(google-explicit-constructor)
};

// `Index` is not used: it lets a pack expand to as many of the same type.
template <std::size_t Index>
using any_field_at = any_field;

// Whether Aggregate{…} takes as many initialisers as there are indices.
template <class Aggregate, std::size_t... Indices>
consteval bool takes_initializers(std::index_sequence<Indices...> /*all*/) {
  return requires { Aggregate{any_field_at<Indices>{}...}; };
}

// How many initialisers Aggregate{…} takes, at most fields_max + 1.
template <class Aggregate, std::size_t Count = 0>
consteval std::size_t count_initializers() {
  if constexpr (Count <= fields_max && takes_initializers<Aggregate>(std::make_index_sequence<Count + 1>{}))
    return count_initializers<Aggregate, Count + 1>();
  else return Count;
}

// Whether the initialiser after those of `Before` may be {} when those of `After` follow. It may not be where a
// built-in array starts, since {} then stands for all its elements and the rest are too many.
template <class Aggregate, std::size_t... Before, std::size_t... After>
consteval bool takes_one_field(std::index_sequence<Before...> /*before*/, std::index_sequence<After...> /*after*/) {
  return requires { Aggregate{any_field_at<Before>{}..., {}, any_field_at<After>{}...}; };
}

// Whether each of the Count initialisers stands for one field.
template <class Aggregate, std::size_t Count, std::size_t... Indices>
consteval bool one_field_each(std::index_sequence<Indices...> /*all*/) {
  return (
      takes_one_field<Aggregate>(std::make_index_sequence<Indices>{}, std::make_index_sequence<Count - Indices - 1>{})
      && ...);
}

// std::array is an aggregate of one built-in array and has a coder of its own.
template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t Size>
inline constexpr bool is_std_array<std::array<T, Size>> = true;

// What plain_aggregate asks; each question is safe to ask only after those before it.
template <class T>
consteval bool is_plain_aggregate() {
  if constexpr (!std::is_class_v<T> || !std::is_aggregate_v<T> || is_kv<T> || is_std_array<T>) return false;
  else if constexpr (!std::default_initializable<T> || !std::movable<T>) return false;
  else if constexpr (requires { T{any_ancestor_of<T>{}}; }) return false;
  else {
    constexpr std::size_t count = count_initializers<T>();
    return count <= fields_max && one_field_each<T, count>(std::make_index_sequence<count>{});
  }
}

// A struct that can be taken apart into its fields: an aggregate with at most fields_max of them, default
// constructible and movable, without base classes, built-in arrays (std::array is fine), references and bit-fields.
template <class T>
concept plain_aggregate = is_plain_aggregate<T>();

// How many fields a plain aggregate has.
template <plain_aggregate T>
inline constexpr std::size_t field_count = count_initializers<T>();

// The second half of visit_fields, split so that each half can be read.
template <std::size_t Count, class Aggregate, class Visitor>
constexpr decltype(auto) visit_many_fields(Aggregate& value, Visitor&& visitor) {
  constexpr std::size_t count = Count;
  if constexpr (count == 13) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13);
  } else if constexpr (count == 14) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14);
  } else if constexpr (count == 15) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15);
  } else if constexpr (count == 16) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16);
  } else if constexpr (count == 17) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17);
  } else if constexpr (count == 18) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18);
  } else if constexpr (count == 19) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19);
  } else if constexpr (count == 20) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20);
  } else if constexpr (count == 21) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21);
  } else if constexpr (count == 22) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22);
  } else if constexpr (count == 23) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23] =
        value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22,
                   f23);
  } else if constexpr (count == 24) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23,
           f24] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22,
                   f23, f24);
  }
}

// Calls visitor(field…) with references to all fields of `value`, in the order of their declaration.
template <class Aggregate, class Visitor>
  requires plain_aggregate<std::remove_const_t<Aggregate>>
constexpr decltype(auto) visit_fields(Aggregate& value, Visitor&& visitor) {
  constexpr std::size_t count = field_count<std::remove_const_t<Aggregate>>;
  if constexpr (count > 12) return visit_many_fields<count>(value, std::forward<Visitor>(visitor));
  else if constexpr (count == 0) return visitor();
  else if constexpr (count == 1) {
    auto& [f1] = value;
    return visitor(f1);
  } else if constexpr (count == 2) {
    auto& [f1, f2] = value;
    return visitor(f1, f2);
  } else if constexpr (count == 3) {
    auto& [f1, f2, f3] = value;
    return visitor(f1, f2, f3);
  } else if constexpr (count == 4) {
    auto& [f1, f2, f3, f4] = value;
    return visitor(f1, f2, f3, f4);
  } else if constexpr (count == 5) {
    auto& [f1, f2, f3, f4, f5] = value;
    return visitor(f1, f2, f3, f4, f5);
  } else if constexpr (count == 6) {
    auto& [f1, f2, f3, f4, f5, f6] = value;
    return visitor(f1, f2, f3, f4, f5, f6);
  } else if constexpr (count == 7) {
    auto& [f1, f2, f3, f4, f5, f6, f7] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7);
  } else if constexpr (count == 8) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8);
  } else if constexpr (count == 9) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8, f9);
  } else if constexpr (count == 10) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10);
  } else if constexpr (count == 11) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11);
  } else if constexpr (count == 12) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12] = value;
    return visitor(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12);
  }
}

// The types of the fields of a plain aggregate, as a std::tuple.
template <plain_aggregate T>
using field_types = decltype(visit_fields(
    std::declval<T&>(), []<class... Fields>(Fields&...) { return std::type_identity<std::tuple<Fields...>>{}; }))::type;

}  // namespace millrace
