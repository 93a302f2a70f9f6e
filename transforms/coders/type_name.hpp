#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Apart from the types that it names: g++ leaves out the namespace of the function.
namespace millrace::type_names {

template <class T>
constexpr std::string_view signature() {
  return __PRETTY_FUNCTION__;
}

}  // namespace millrace::type_names

namespace millrace {

// The compiler's qualified name of T, such as "shop::order": the same in every process that runs one binary. Coders use
// it for the enums and aggregates of users, whose names nothing else tells. Names of templates and of local types
// differ between compilers.
template <class T>
std::string type_name() {
  constexpr std::string_view signature = type_names::signature<T>();
  constexpr std::string_view before = "T = ";
  constexpr std::size_t from = signature.find(before) + before.size();
  // g++ lists the aliases of the return type after "; ", clang only closes the bracket.
  constexpr std::size_t alias = signature.find("; std::string_view = ", from);
  std::string name{signature.substr(from, (alias < signature.size() ? alias : signature.rfind(']')) - from)};
  constexpr std::string_view unnamed = "{anonymous}";  // as g++ calls what clang calls (anonymous namespace)
  for (std::size_t at = name.find(unnamed); at != std::string::npos; at = name.find(unnamed, at))
    name.replace(at, unnamed.size(), "(anonymous namespace)");
  return name;
}

}  // namespace millrace
