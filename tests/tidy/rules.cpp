#include <millrace/tests/tidy/rules.hpp>
#include <millrace/tests/tidy/source_text.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <sstream>

namespace millrace::tidy {

namespace {

constexpr std::size_t file_lines_max = 400;
constexpr std::size_t function_lines_max = 60;

struct allowance {
  std::vector<std::string> folders;
  std::vector<std::string> libraries;
  bool system_headers;
};

const allowance& allowed_in(const std::string& folder) {
  static const std::map<std::string, allowance, std::less<>> table{
      {"transforms", {{"transforms"}, {"boost/unordered", "boost/container"}, false}},
      {"io", {{"transforms", "io"}, {"boost/", "zlib.h", "zstd.h", "zstd_errors.h", "sqlite3.h"}, true}},
      {"actors",
       {{"transforms", "actors"}, {"boost/unordered", "boost/container", "boost/json", "caf/", "zstd.h"}, false}},
      {"examples", {{"transforms", "io", "actors"}, {""}, true}},
      {"tools", {{"transforms", "io", "actors"}, {""}, true}},
      {"tests", {{"transforms", "io", "actors", "tests"}, {""}, true}},
  };
  static const allowance nothing{};
  const auto found = table.find(folder);
  return found == table.end() ? nothing : found->second;
}

std::string folder_of(std::string_view path) {
  return std::string(path.substr(0, path.find('/')));
}

bool is_product(const std::string& folder) {
  return folder == "transforms" || folder == "io" || folder == "actors";
}

bool is_umbrella(std::string_view path) {
  return path.ends_with("/all.hpp");
}

// Folders of actors/ that hold plain decisions and formats: they know no actor.
bool is_free_of_caf(std::string_view path) {
  return path.starts_with("actors/protocol/") || path.starts_with("actors/plan/")
         || path.starts_with("actors/shard_core.");
}

// The two files that may know a library which the rest of transforms/ may not.
bool is_exception(std::string_view path, std::string_view header) {
  return (path.starts_with("transforms/windows/calendar.") && header.starts_with("date/"))
         || (path.starts_with("transforms/regex.") && header.starts_with("re2/"));
}

// The reference engine is written independently: the standard library and its own headers, nothing else. Its tests may
// know the test framework.
bool is_reference_engine(std::string_view path) {
  return path.starts_with("tests/reference/") && !path.ends_with(".test.cpp");
}

std::string why_not_ours(const source& file, const std::string& header) {
  if (is_reference_engine(file.path)) return "the reference engine knows nothing of the product: no " + header;
  const std::string folder = folder_of(file.path);
  const std::string inside = header.substr(std::string("millrace/").size());
  const auto& folders = allowed_in(folder).folders;
  if (std::find(folders.begin(), folders.end(), folder_of(inside)) == folders.end()) {
    return folder + "/ may not include " + header;
  }
  if (is_product(folder) && is_umbrella(inside) && !is_umbrella(file.path)) {
    return "umbrella headers are for users: include what is used instead of " + header;
  }
  return {};
}

std::string why_not_library(const source& file, const std::string& header) {
  const std::string folder = folder_of(file.path);
  const allowance& allowed = allowed_in(folder);
  const bool standard = header.find_first_of("./") == std::string::npos;
  if (standard || is_exception(file.path, header)) return {};
  if (is_reference_engine(file.path)) return "the reference engine knows only the standard library: no " + header;
  if (header.starts_with("caf/") && is_free_of_caf(file.path)) return file.path + " knows no actor: no " + header;
  if (header.starts_with("caf/io/") && folder == "actors") return "the network belongs to cluster/: no " + header;
  for (const std::string& library : allowed.libraries) {
    if (header.starts_with(library)) return {};
  }
  const bool c_header = header.ends_with(".h") && !header.starts_with("caf/");
  if (c_header && allowed.system_headers) return {};
  return folder + "/ may not include " + header;
}

std::size_t line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// A declaration of an object that can change: no function, no type, no constant.
bool is_mutable_variable(const statement& here) {
  const std::string text = without_prefix(here.text);
  constexpr std::array<std::string_view, 15> harmless{"using",     "typedef",       "class",  "struct",   "union",
                                                      "enum",      "concept",       "extern", "template", "friend",
                                                      "constexpr", "static_assert", "const",  "operator", "namespace"};
  for (const std::string_view word : harmless) {
    if (contains_word(text, word)) return false;
  }
  const bool marked = contains_word(text, "static");
  if (here.within == block_kind::function || here.within == block_kind::other) return text.starts_with("static ");
  if (here.within == block_kind::type && !marked) return false;
  const std::size_t value = std::min(text.find('='), text.find("{}"));
  const std::size_t call = text.find('(');
  const bool declares_two_words = text.find(' ') != std::string::npos;
  return declares_two_words && (call == std::string::npos || value < call);
}

const std::vector<std::string>& banned_words() {
  static const std::vector<std::string> words{"manager", "helper", "helpers", "util", "utils", "common",
                                              "base",    "impl",   "handler", "data", "info",  "v2"};
  return words;
}

// Any word of a file's name counts, of a type's name only the last: it says what the type is.
std::string banned_word_in(const std::string& name, bool only_last) {
  if (name == "pane_info" || name == "do_fn") return {};
  std::istringstream parts(only_last ? name.substr(name.rfind('_') + 1) : name);
  std::string part;
  while (std::getline(parts, part, '_')) {
    if (std::find(banned_words().begin(), banned_words().end(), part) != banned_words().end()) return part;
  }
  return name.starts_with("do_") && !name.starts_with("do_fn") ? "do_" : "";
}

std::string file_stem(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

}  // namespace

offences wrong_includes(const source& file) {
  static const std::regex include(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  offences found;
  std::istringstream lines(file.text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (!std::regex_search(line, match, include)) continue;
    const std::string header = match[2];
    std::string why;
    if (match[1] == "\"") {
      const bool elsewhere = header.find("..") != std::string::npos || header.starts_with("millrace/");
      if (elsewhere) why = "quotes are for private headers beside the file, not for " + header;
    } else {
      why = header.starts_with("millrace/") ? why_not_ours(file, header) : why_not_library(file, header);
    }
    if (!why.empty()) found.push_back({file.path, number, why});
  }
  return found;
}

offences too_long(const source& file) {
  offences found;
  const std::size_t lines = static_cast<std::size_t>(std::count(file.text.begin(), file.text.end(), '\n'));
  if (lines > file_lines_max) {
    found.push_back({file.path, lines, "a file of " + std::to_string(lines) + " lines, more than 400"});
  }
  for (const block& here : outline_of(file.text).blocks) {
    const std::size_t length = here.last_line - here.first_line + 1;
    if (here.kind == block_kind::function && length > function_lines_max) {
      found.push_back({file.path, here.first_line,
                       "a function of " + std::to_string(length) + " lines, more than 60: " + here.head});
    }
  }
  return found;
}

offences shared_state(const source& file) {
  const std::string folder = folder_of(file.path);
  if ((folder != "transforms" && folder != "actors") || file.path.starts_with("actors/inlet.")
      || file.path.starts_with("actors/outlet.") || file.path.starts_with("actors/run."))
    return {};
  static const std::regex shared(
      R"(\bthread_local\b|\bstd::(mutex|recursive_mutex|shared_mutex|timed_mutex|condition_variable\w*|atomic\w*)\b)"
      R"(|\bstd::(lock_guard|unique_lock|scoped_lock|shared_lock|once_flag|call_once|thread|jthread|async|latch)\b)");
  offences found;
  const std::string code = code_only(file.text);
  for (auto at = std::sregex_iterator(code.begin(), code.end(), shared); at != std::sregex_iterator(); ++at) {
    const auto where = static_cast<std::size_t>(at->position());
    found.push_back({file.path, line_of(code, where), at->str() + " where a shard owns all it touches"});
  }
  for (const statement& here : outline_of(file.text).statements) {
    if (is_mutable_variable(here)) found.push_back({file.path, here.line, "mutable global state: " + here.text});
  }
  return found;
}

offences bad_names(const source& file) {
  offences found;
  if (const std::string word = banned_word_in(file_stem(file.path), false); !word.empty()) {
    found.push_back({file.path, 1, "the file's name says nothing: " + word});
  }
  if (file.path.ends_with(".hpp") && !file.text.starts_with("#pragma once\n")) {
    found.push_back({file.path, 1, "a header starts with #pragma once"});
  }
  static const std::regex name(R"(\b(?:class|struct|union|enum class|enum)\s+(\w+))");
  for (const block& here : outline_of(file.text).blocks) {
    const std::string head = without_prefix(here.head);
    std::smatch match;
    if (here.kind != block_kind::type || !std::regex_search(head, match, name)) continue;
    if (const std::string word = banned_word_in(match[1], true); !word.empty()) {
      found.push_back({file.path, here.first_line, "the type's name says nothing: " + match[1].str()});
    }
  }
  return found;
}

offences shared_namespace(const source& file) {
  if (!file.path.ends_with(".test.cpp") || file.path.starts_with("tests/reference/")) return {};
  const std::string file_name = file.path.substr(file.path.rfind('/') + 1);
  const std::string own = "::" + file_name.substr(0, file_name.find('.')) + "_test";
  if (file.text.find(own + " {\n") != std::string::npos) return {};
  return {{file.path, 1, "a test's names are in a namespace named after its file: no namespace ends in " + own}};
}

offences unlisted(const source& file, std::string_view cmake_list) {
  const std::string inside = file.path.substr(file.path.find('/') + 1);
  std::string padded(cmake_list);
  std::replace_if(padded.begin(), padded.end(), [](char c) { return c == '\n' || c == '(' || c == ')'; }, ' ');
  if (padded.find(" " + inside + " ") != std::string::npos) return {};
  return {{file.path, 1, "not listed in " + folder_of(file.path) + "/CMakeLists.txt"}};
}

}  // namespace millrace::tidy
