#pragma once

#include <rapidcheck.h>

#include <optional>
#include <utility>

// Lets properties take std::optional, which rapidcheck cannot make by itself.
template <class T>
struct rc::Arbitrary<std::optional<T>> {
  static Gen<std::optional<T>> arbitrary() {
    return gen::map(gen::maybe(gen::arbitrary<T>()),
                    [](Maybe<T>&& made) { return made ? std::optional<T>{std::move(*made)} : std::optional<T>{}; });
  }
};
