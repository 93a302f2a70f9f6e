#pragma once

#include <millrace/transforms/sources/source.hpp>
#include <millrace/transforms/splittable/splittable_limits.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

namespace millrace::detail {

template <readable Source>
class source_tracker;

// A split of a source as the restriction of a splittable function; none stands for a source that was not divided yet.
template <readable Source>
struct source_restriction {
  using tracker = source_tracker<Source>;

  std::optional<typename Source::split> left;

  // About how much is left, if the source says so of a split alone.
  [[nodiscard]] double size() const {
    if constexpr (requires(const typename Source::split& s) { Source::weight(s); })
      return left ? Source::weight(*left) : 0;
    else return 1;
  }
  [[nodiscard]] static bool bounded() { return true; }
};

// Who reads what of a split. A position is what a reader has left once a batch is emitted; none when it has read all.
template <readable Source>
class source_tracker {
 public:
  using position = std::optional<typename Source::split>;
  static constexpr bool splits_between_claims = true;

  explicit source_tracker(source_restriction<Source> of) : now_(std::move(of)) {}

  [[nodiscard]] bool try_claim(const position& behind) {
    if (!now_.left) return false;
    now_.left = behind;
    return true;
  }
  std::optional<source_restriction<Source>> try_split(double fraction) {
    if (!now_.left) return std::nullopt;
    if (fraction == 0) return source_restriction<Source>{std::exchange(now_.left, std::nullopt)};
    if constexpr (requires(typename Source::split& s) { Source::divide(s, fraction); })
      if (auto rest = Source::divide(*now_.left, fraction)) return source_restriction<Source>{std::move(rest)};
    return std::nullopt;
  }
  void check_done() const {
    if (now_.left) throw std::logic_error("a part of a source was never claimed");
  }
  [[nodiscard]] const source_restriction<Source>& restriction() const { return now_; }

 private:
  source_restriction<Source> now_;
};

// A call reads about as much as a source is asked for at a time.
inline constexpr splittable_limits read_each_limits{.outputs_max = 4096, .claims_max = 4096};

}  // namespace millrace::detail
