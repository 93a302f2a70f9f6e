#include <millrace/transforms/transcripts/event_lines.hpp>
#include <millrace/transforms/transcripts/read_transcripts.hpp>
#include <millrace/transforms/transcripts/setting_lines.hpp>
#include <millrace/transforms/transcripts/words.hpp>

#include <fstream>
#include <istream>
#include <set>
#include <stdexcept>

namespace millrace::transcripts {

namespace {

// Without comment, and without spaces at the end.
std::string meant(std::string line) {
  for (std::size_t i = 0; i < line.size(); ++i)
    if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) line.resize(i);
  for (char& c : line)
    if (c == '\t' || c == '\r') c = ' ';
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// Takes the lines of a file one after the other.
class case_reader {
 public:
  void take(const std::string& line, std::uint32_t number) {
    const std::vector<std::string> words = words_of(line);
    if (words[0] == "==") return begin_case(words, line, number);
    if (cases_.empty()) throw std::invalid_argument("a case begins with \"== NUMBER title\"");
    transcript_case& last = cases_.back();
    if (line[0] == ' ') {
      if (last.events.empty()) throw std::invalid_argument("an expectation stands below an event");
      last.events.back().expected.push_back(expected_line_of(line, number));
      if (last.events.back().expected.back().is == expected_line::kind::refused
          && last.events.back().is != case_event::kind::update)
        throw std::invalid_argument("\"refused\" stands below an update");
    } else if (settings_.take(last, words, line)) {
      if (!last.events.empty()) throw std::invalid_argument("settings come before the first event");
    } else {
      if (last.refused) throw std::invalid_argument("a case that is refused has no events");
      last.events.push_back(event_of(words, line, number));
      static_cast<void>(updated_steps(last.steps, last.events.back().settings));
    }
  }
  std::vector<transcript_case> cases() { return std::move(cases_); }

 private:
  void begin_case(const std::vector<std::string>& words, const std::string& line, std::uint32_t number) {
    if (words.size() < 2) throw std::invalid_argument("a case has a number: == NUMBER title");
    if (!numbers_.insert(words[1]).second) throw std::invalid_argument("there is a case " + words[1] + " already");
    transcript_case begun;
    begun.line = number;
    begun.number = words[1];
    begun.title = line.substr(line.find(words[1]) + words[1].size());
    begun.title.erase(0, begun.title.find_first_not_of(' '));
    begun.steps = {first_step()};
    cases_.push_back(std::move(begun));
    settings_ = {};
  }

  std::vector<transcript_case> cases_;
  std::set<std::string> numbers_;
  setting_lines settings_;
};

}  // namespace

std::vector<transcript_case> read_transcripts(const std::filesystem::path& file) {
  std::ifstream in{file};
  if (!in || std::filesystem::is_directory(file)) throw transcript_error("cannot read " + file.string());
  return read_transcripts(in, file.string());
}

std::vector<transcript_case> read_transcripts(std::istream& in, const std::string& name) {
  case_reader reader;
  std::uint32_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    line = meant(std::move(line));
    if (line.empty()) continue;
    try {
      reader.take(line, number);
    } catch (const std::invalid_argument& e) {
      throw transcript_error(name + ":" + std::to_string(number) + ": " + e.what());
    }
  }
  if (in.bad()) throw transcript_error("cannot read " + name);
  return reader.cases();
}

}  // namespace millrace::transcripts
