#pragma once

#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/operators/batch.hpp>

namespace millrace {

// The typed push link inside a stage: one virtual call per step and batch.
template <class T>
class receiver {
 public:
  receiver() = default;
  receiver(const receiver&) = delete;
  receiver& operator=(const receiver&) = delete;
  virtual ~receiver() = default;

  virtual void accept(const batch<T>& in) = 0;
};

namespace detail {
template <class T>
inline constexpr char type_tag = 0;
}  // namespace detail

// Identifies an element type within one process; equal for equal types, also across shared libraries' inline variables.
using type_key = const void*;
template <class T>
inline constexpr type_key type_key_of = &detail::type_tag<T>;

// A receiver without its type: how operators are wired. The type key is checked once, at wiring.
class receiver_ref {
 public:
  receiver_ref() = default;
  template <class T>
  receiver_ref(receiver<T>& to) : to_(&to), type_(type_key_of<T>) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] explicit operator bool() const { return to_ != nullptr; }
  [[nodiscard]] type_key type() const { return type_; }
  // The typed receiver; throws broken_invariant when the element types differ.
  template <class T>
  [[nodiscard]] receiver<T>& as() const {
    check(type_ == type_key_of<T>, "both ends of a link have one element type");
    return *static_cast<receiver<T>*>(to_);
  }

 private:
  void* to_ = nullptr;
  type_key type_ = nullptr;
};

}  // namespace millrace
