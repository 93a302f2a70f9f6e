#pragma once

#include <millrace/transforms/bundles/bundle.hpp>
#include <millrace/transforms/combine_fn.hpp>
#include <millrace/transforms/element/check.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace millrace {

// How the values of a bundle's rows reach a combine function without a copy where that is possible.

// Calls use(value_of) with a function that gives the value of row from + i, valid until its next call. Rows of fixed
// width are seen where they lie: columns are aligned as operator new aligns.
template <class T, class Use>
void with_values(const column& values, std::uint32_t from, Use&& use) {
  if constexpr (column_traits<T>::kind == column_kind::fixed && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
    check(values.width() == sizeof(T), "the values of a bundle have the width of their type");
    const T* first = reinterpret_cast<const T*>(values.fixed(from));
    use([first](std::uint32_t i) -> const T& { return first[i]; });
  } else if constexpr (column_traits<T>::kind == column_kind::text) {
    std::string value;
    use([&](std::uint32_t i) -> const T& { return value.assign(values.bytes_at(from + i)); });
  } else {
    use([&](std::uint32_t i) -> T { return value_at<T>(values, from + i); });
  }
}

// Calls use(value_of, kind) for the rows from `from` on, which are inputs (kind is std::false_type) or accumulators of
// a combine that was begun before the edge (std::true_type).
template <class In, class Acc, class Use>
void each_kind_of_value(const bundle& rows, std::uint32_t from, Use&& use) {
  if (!rows.header.accumulators)
    return with_values<In>(rows.values, from, [&](auto&& value_of) { use(value_of, std::false_type{}); });
  with_values<partial<Acc>>(rows.values, from, [&](auto&& part_of) {
    use([&](std::uint32_t i) -> Acc { return part_of(i).accumulator; }, std::true_type{});
  });
}

// How many elements the rows [from, end) stand for.
template <class Acc>
[[nodiscard]] std::uint64_t elements_of(const bundle& rows, std::uint32_t from, std::uint32_t end) {
  if (!rows.header.accumulators) return end - from;
  std::uint64_t elements = 0;
  with_values<partial<Acc>>(rows.values, from, [&](auto&& part_of) {
    for (std::uint32_t i = 0; i < end - from; ++i) elements += part_of(i).elements;
  });
  return elements;
}

}  // namespace millrace
