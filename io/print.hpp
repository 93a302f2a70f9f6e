#pragma once

#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/sources/write.hpp>

#include <cstdint>
#include <cstdio>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace millrace {

// Writes whole lines to a stream, a bundle at a time. Streams lock themselves, so shards may share one.
class line_printer {
 public:
  explicit line_printer(std::FILE* to) : to_(to) {}
  void add(std::string_view line) { (waiting_ += line) += '\n'; }
  // Throws io_error if the stream refuses.
  void flush();

 private:
  std::FILE* to_;
  std::string waiting_;
};

// Prints the elements of a collection as a sink.
template <class T>
class print_sink {
 public:
  using element = T;
  explicit print_sink(std::FILE* to) : to_(to) {}

  class element_printer {
   public:
    explicit element_printer(std::FILE* to) : lines_(to) {}
    void write(const T& value, timestamp /*at*/, const context& /*in*/) {
      if constexpr (std::is_convertible_v<const T&, std::string_view>) lines_.add(value);
      else lines_.add(describe_element(value));
    }
    void end_bundle() { lines_.flush(); }
    void prepare(std::uint64_t /*epoch*/) { lines_.flush(); }
    void commit(std::uint64_t /*epoch*/) {}
    void abort() {}
    void snapshot(writer& /*to*/) const {}
    void restore(reader& /*from*/) {}

   private:
    line_printer lines_;
  };

  [[nodiscard]] element_printer open(const operator_environment& /*in*/) const { return element_printer(to_); }
  [[nodiscard]] std::string describe() const { return "elements to a stream"; }

 private:
  std::FILE* to_;
};

// Prints a collection, an element a line: `counts | print("show")`. At least once: a restart may repeat lines. Text is
// printed as it is, other elements as in error messages.
inline auto print(std::string name, std::FILE* to = stdout,
                  std::source_location where = std::source_location::current()) {
  return [name = std::move(name), to, where]<class T>(const pcollection<T>& in) -> written {
    return in | write(name, print_sink<T>(to), where);
  };
}

}  // namespace millrace
