#include <millrace/tests/tidy/source_text.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace millrace::tidy {

namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether the quote at `at` separates digits, as in 1'000.
bool separates_digits(std::string_view text, std::size_t at) {
  std::size_t start = at;
  while (start > 0 && (is_word(text[start - 1]) || text[start - 1] == '\'')) --start;
  return start < at && std::isdigit(static_cast<unsigned char>(text[start])) != 0;
}

// One pass over a source: each member blanks one kind of thing and leaves `at_` behind it.
class blanker {
 public:
  explicit blanker(std::string_view text) : text_(text), result_(text) {}

  std::string run() && {
    bool line_is_blank = true;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        line_is_blank = true;
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        blank_line(false);
      } else if (text_.substr(at_, 2) == "/*") {
        blank_until(text_.find("*/", at_ + 2), 2);
      } else if (c == '#' && line_is_blank) {
        blank_line(true);
      } else if (c == '"' && at_ > 0 && text_[at_ - 1] == 'R') {
        blank_raw();
      } else if (c == '"' || (c == '\'' && !separates_digits(text_, at_))) {
        blank_literal(c);
      } else {
        line_is_blank = line_is_blank && std::isspace(static_cast<unsigned char>(c)) != 0;
        ++at_;
      }
    }
    return std::move(result_);
  }

 private:
  void blank_to(std::size_t end) {
    for (; at_ < end; ++at_) {
      if (text_[at_] != '\n') result_[at_] = ' ';
    }
  }

  void blank_until(std::size_t found, std::size_t length) {
    blank_to(found == std::string_view::npos ? text_.size() : found + length);
  }

  void blank_line(bool continues) {
    std::size_t end = text_.find('\n', at_);
    while (continues && end != std::string_view::npos && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
    blank_until(end, 0);
  }

  void blank_raw() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return blank_to(text_.size());
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    blank_until(text_.find(close, open), close.size());
  }

  // The quotes stay, so that a literal still ends what stands before it.
  void blank_literal(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2U : 1U;
    ++at_;
    blank_to(std::min(end, text_.size()));
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
  }

  std::string_view text_;
  std::string result_;
  std::size_t at_ = 0;
};

bool is_type_head(std::string_view head) {
  constexpr std::array<std::string_view, 4> words{"class", "struct", "union", "enum"};
  for (const std::string_view word : words) {
    if (contains_word(head, word)) return true;
  }
  return false;
}

// `name(parameters) : member_` before a brace that initialises the member rather than opening the body.
bool initialises_member(std::string_view head) {
  if (head.find("->") != std::string_view::npos || !is_word(head.back())) return false;
  constexpr std::array<std::string_view, 6> closers{"const", "noexcept", "override", "final", "mutable", "try"};
  const std::string_view last = head.substr(head.find_last_of(" ):,&>") + 1);
  for (const std::string_view closer : closers) {
    if (last == closer) return false;
  }
  const std::size_t colon = head.find(" : ");
  return colon != std::string_view::npos && head.find('(') < colon;
}

bool assigns(std::string_view head) {
  const std::size_t equals = head.find(" = ");
  const bool ends_so = head.size() >= 2 && head.substr(head.size() - 2) == " =";
  return (ends_so || equals != std::string_view::npos) && (ends_so || equals < head.find('('));
}

block_kind kind_of(std::string_view head, block_kind parent) {
  if (parent == block_kind::function || parent == block_kind::other) return block_kind::other;
  if (contains_word(head, "namespace") || head == "extern \"\"") return block_kind::name_space;
  const std::string bare = without_prefix(head);
  if (is_type_head(bare) && bare.find('(') == std::string::npos) return block_kind::type;
  if (bare.empty() || bare.find('(') == std::string::npos || assigns(bare)) return block_kind::other;
  const bool in_constraint = bare.starts_with("requires requires") && bare.find("{}") == std::string::npos;
  if (in_constraint || initialises_member(bare)) return block_kind::other;
  return block_kind::function;
}

std::string squeezed(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!space) result += c;
    if (space && !result.empty() && result.back() != ' ') result += ' ';
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

// Follows the braces of a blanked source.
class brace_reader {
 public:
  outline read(std::string_view code) && {
    for (const char c : code) step(c);
    return std::move(result_);
  }

 private:
  struct open_block {
    block here;
    int outer_parentheses;
  };

  [[nodiscard]] block_kind kind() const { return open_.empty() ? block_kind::name_space : open_.back().here.kind; }

  void step(char c) {
    if (c == '\n') ++line_;
    if (c == '(') ++parentheses_;
    if (c == ')') --parentheses_;
    if (c == '{') return open();
    if (c == '}') return close();
    if (c == ';' && parentheses_ == 0) return end_statement();
    head_ += c;
  }

  void open() {
    const std::string head = squeezed(head_);
    const block_kind kind_here = parentheses_ > 0 ? block_kind::other : kind_of(head, kind());
    open_.push_back({block{kind_here, head, line_, line_}, parentheses_});
    parentheses_ = 0;
    heads_.push_back(kind_here == block_kind::other ? head_ : std::string());
    head_.clear();
  }

  // An initialiser is part of the statement around it, everything else ends one.
  void close() {
    if (open_.empty()) return;
    block done = open_.back().here;
    parentheses_ = open_.back().outer_parentheses;
    open_.pop_back();
    done.last_line = line_;
    const bool in_code = kind() == block_kind::function || kind() == block_kind::other;
    head_ = in_code ? std::string() : heads_.back();
    if (done.kind == block_kind::other && !in_code) head_ += "{}";
    heads_.pop_back();
    result_.blocks.push_back(std::move(done));
  }

  void end_statement() {
    std::string text = squeezed(head_);
    head_.clear();
    if (!text.empty()) result_.statements.push_back({kind(), std::move(text), line_});
  }

  outline result_;
  std::vector<open_block> open_;
  std::vector<std::string> heads_;
  std::string head_;
  std::size_t line_ = 1;
  int parentheses_ = 0;
};

// Behind the bracket that closes the one at `at`, where < and > count as brackets too.
std::size_t behind_angle(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '(') ++depth;
    if ((text[i] == '>' && text[i - 1] != '-') || text[i] == ')') --depth;
    if (depth == 0) return i + 1;
  }
  return text.size();
}

}  // namespace

std::string code_only(std::string_view text) {
  return blanker(text).run();
}

outline outline_of(std::string_view text) {
  return brace_reader().read(code_only(text));
}

std::string without_prefix(std::string_view declaration) {
  std::string text = squeezed(declaration);
  for (;;) {
    std::size_t end = 0;
    if (text.starts_with("template <") || text.starts_with("template<")) end = behind_angle(text, text.find('<'));
    if (text.starts_with("[[")) end = text.find("]]") == std::string::npos ? 0 : text.find("]]") + 2;
    if (end == 0) return text;
    text = squeezed(text.substr(end));
  }
}

bool contains_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

}  // namespace millrace::tidy
