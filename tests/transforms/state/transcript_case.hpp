#pragma once

#include <millrace/transforms/triggers/trigger.hpp>
#include <millrace/transforms/windows/windowing.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::transcripts {

// One step of a case: what is written of its settings.
struct case_step {
  windowing options;
  bool sets_windowing = false;  // there is a window_into
  bool rekey = false;
  bool remerge = false;
  std::string transform = "group";  // its first word
  std::vector<std::string> transform_words;
};

// An element of an event.
struct case_element {
  std::string key;
  std::string value;
  timestamp at;
};

// An event: its word, its elements or its words, and the expectations below it, each as words.
struct case_event {
  std::string word = {};
  std::vector<std::string> words = {};
  std::vector<case_element> elements = {};
  std::vector<std::vector<std::string>> expected = {};
};

// One case of a file of transcripts.
struct transcript_case {
  std::string name = {};
  std::vector<case_step> steps = {};
  bool unsafe = false;
  bool bounded = false;
  bool ordered = false;
  bool wrong = false;
  std::string refused = {};  // the part of the message, if building must fail
  std::vector<case_event> events = {};
};

// All cases of a file. Throws std::runtime_error with the line for what it does not understand.
[[nodiscard]] std::vector<transcript_case> read_transcripts(const std::filesystem::path& file);

// A time as it is written: milliseconds, min, max or gwmax.
[[nodiscard]] timestamp time_of(std::string_view word);

}  // namespace millrace::transcripts
