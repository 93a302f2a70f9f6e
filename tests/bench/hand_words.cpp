#include <millrace/tests/bench/hand_words.hpp>
#include <millrace/tests/bench/inputs.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace millrace::bench {

namespace {

class mapped_file {
 public:
  explicit mapped_file(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat is{};
    if (file >= 0 && fstat(file, &is) == 0) {
      size_ = static_cast<std::size_t>(is.st_size);
      bytes_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    }
    if (file >= 0) close(file);
    if (bytes_ == MAP_FAILED) throw std::runtime_error("cannot map " + path);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() { munmap(bytes_, size_); }
  [[nodiscard]] std::string_view text() const { return {static_cast<const char*>(bytes_), size_}; }

 private:
  void* bytes_ = MAP_FAILED;
  std::size_t size_ = 0;
};

// One bit for each of 64 bytes that separates words.
std::uint64_t separators(const char* at) {
  std::uint64_t bits = 0;
#if defined(__SSE2__)
  for (unsigned part = 0; part < 4; ++part) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + std::size_t{16} * part));
    const __m128i found =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
    bits |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(found))) << (16 * part);
  }
#else
  for (unsigned i = 0; i < 64; ++i) bits |= std::uint64_t{at[i] == ' ' || at[i] == '\n'} << i;
#endif
  return bits;
}

template <class F>
void each_word(std::string_view text, F&& f) {
  std::size_t start = 0;
  std::size_t block = 0;
  const auto ends_at = [&](std::size_t end) {
    if (end > start) f(text.substr(start, end - start));
    start = end + 1;
  };
  for (; block + 64 <= text.size(); block += 64)
    for (std::uint64_t bits = separators(text.data() + block); bits != 0; bits &= bits - 1)
      ends_at(block + static_cast<std::size_t>(std::countr_zero(bits)));
  for (; block < text.size(); ++block)
    if (text[block] == ' ' || text[block] == '\n') ends_at(block);
  ends_at(text.size());
}

// Words by their first 16 bytes; only longer ones are compared in the text.
class word_table {
 public:
  explicit word_table(std::string_view text) : text_(text), slots_(std::size_t{1} << 16U) {}

  void add(std::string_view word) {
    const head h = head_of(word);
    slot& s = slots_[place_of(h, word)];
    if (s.count++ == 0) {
      s.first = h;
      s.where = static_cast<std::uint64_t>(word.data() - text_.data()) << size_bits | word.size();
      if (++used_ * 2 > slots_.size()) grow();
    }
  }
  [[nodiscard]] std::uint64_t checksum() const {
    std::uint64_t total = 0;
    for (const slot& s : slots_)
      if (s.count != 0) total += word_hash(word_of(s)) * s.count;
    return total;
  }

 private:
  static constexpr unsigned size_bits = 16;
  static constexpr std::size_t head_bytes = 16;
  struct head {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    friend bool operator==(const head&, const head&) = default;
  };
  struct alignas(32) slot {
    head first;
    std::uint64_t where = 0;  // place in the text and size
    std::uint64_t count = 0;
  };

  [[nodiscard]] std::string_view word_of(const slot& s) const {
    return text_.substr(s.where >> size_bits, s.where & ((std::uint64_t{1} << size_bits) - 1));
  }
  [[nodiscard]] head head_of(std::string_view word) const {
    static constexpr std::uint64_t keep[4] = {~std::uint64_t{0}, ~std::uint64_t{0}, 0, 0};
    head h;
    if (word.data() + head_bytes > text_.data() + text_.size()) {
      std::memcpy(&h, word.data(), std::min(word.size(), head_bytes));
      return h;
    }
    head mask;
    std::memcpy(&mask, reinterpret_cast<const char*>(keep) + head_bytes - std::min(word.size(), head_bytes),
                sizeof mask);
    std::memcpy(&h, word.data(), sizeof h);
    return {h.low & mask.low, h.high & mask.high};
  }
  [[nodiscard]] std::size_t place_of(const head& h, std::string_view word) const {
    const std::uint64_t hash = table_hash(h.low ^ (h.high * 0x9fb21c651e98df25ULL) ^ word.size());
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].count != 0 && !is(slots_[at], h, word)) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  [[nodiscard]] bool is(const slot& s, const head& h, std::string_view word) const {
    if (!(s.first == h)) return false;
    const std::string_view there = word_of(s);
    return there.size() == word.size()
           && (word.size() <= head_bytes || there.substr(head_bytes) == word.substr(head_bytes));
  }
  void grow() {
    const std::vector<slot> old = std::exchange(slots_, std::vector<slot>(slots_.size() * 2));
    for (const slot& s : old)
      if (s.count != 0) slots_[place_of(s.first, word_of(s))] = s;
  }

  std::string_view text_;
  std::vector<slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace

std::uint64_t count_words_by_hand(const std::string& path) {
  const mapped_file file(path);
  word_table table(file.text());
  each_word(file.text(), [&](std::string_view word) { table.add(word); });
  return table.checksum();
}

}  // namespace millrace::bench
