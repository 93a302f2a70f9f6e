#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// How a graph or a plan is shown: lines of text, Graphviz DOT, or a Mermaid flow chart.
enum class diagram_format : std::uint8_t { text, dot, mermaid };

// Collects boxes and arrows and writes them as DOT or Mermaid, whose quoting differs.
class diagram {
 public:
  struct box {
    std::string id;  // letters and digits
    std::vector<std::string> lines;
    std::string group;  // empty: none
  };
  struct arrow {
    std::string from;
    std::string to;
    std::string label;
    bool dashed = false;
  };

  explicit diagram(std::string name) : name_(std::move(name)) {}
  void add(box b) { boxes_.push_back(std::move(b)); }
  void add(arrow a) { arrows_.push_back(std::move(a)); }
  // Boxes of one group are drawn together under its title. Groups are drawn in the order of their titles' addition.
  void title(std::string group, std::string text) { titles_.push_back({std::move(group), std::move(text)}); }

  [[nodiscard]] std::string dot() const;
  [[nodiscard]] std::string mermaid() const;

 private:
  struct group_title {
    std::string group;
    std::string text;
  };

  std::string name_;
  std::vector<box> boxes_;
  std::vector<arrow> arrows_;
  std::vector<group_title> titles_;
};

}  // namespace millrace
