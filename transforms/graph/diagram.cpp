#include <millrace/transforms/graph/diagram.hpp>

#include <string_view>

namespace millrace {

namespace {

std::string replaced(std::string_view text, std::string_view what, std::string_view with, std::string_view more,
                     std::string_view with_more) {
  std::string result;
  for (const char c : text) {
    if (std::string_view(&c, 1) == what) result += with;
    else if (std::string_view(&c, 1) == more) result += with_more;
    else result += c;
  }
  return result;
}

std::string dot_text(std::string_view text) {
  return replaced(text, "\"", "\\\"", "\\", "\\\\");
}

// Mermaid labels are HTML inside quotes.
std::string mermaid_text(std::string_view text) {
  std::string escaped = replaced(text, "\"", "#quot;", "&", "#amp;");
  return replaced(escaped, "<", "#lt;", ">", "#gt;");
}

template <class Quote>
std::string joined(const std::vector<std::string>& lines, std::string_view between, Quote quote) {
  std::string text;
  for (const auto& l : lines) text += (text.empty() ? std::string{} : std::string(between)) + quote(l);
  return text;
}

}  // namespace

std::string diagram::dot() const {
  std::string text = "digraph \"" + dot_text(name_) + "\" {\n  node [shape=box];\n";
  const auto draw = [&](const box& b, std::string_view indent) {
    text += std::string(indent) + b.id + " [label=\"" + joined(b.lines, "\\n", dot_text) + "\"];\n";
  };
  for (const auto& g : titles_) {
    text += "  subgraph cluster_" + g.group + " {\n    label=\"" + dot_text(g.text) + "\";\n";
    for (const box& b : boxes_)
      if (b.group == g.group) draw(b, "    ");
    text += "  }\n";
  }
  for (const box& b : boxes_)
    if (b.group.empty()) draw(b, "  ");
  for (const arrow& a : arrows_) {
    text += "  " + a.from + " -> " + a.to + " [label=\"" + dot_text(a.label) + "\"";
    text += a.dashed ? ", style=dashed];\n" : "];\n";
  }
  return text + "}\n";
}

std::string diagram::mermaid() const {
  std::string text = "flowchart TD\n";
  const auto draw = [&](const box& b, std::string_view indent) {
    text += std::string(indent) + b.id + "[\"" + joined(b.lines, "<br/>", mermaid_text) + "\"]\n";
  };
  for (const auto& g : titles_) {
    text += "  subgraph " + g.group + "[\"" + mermaid_text(g.text) + "\"]\n";
    for (const box& b : boxes_)
      if (b.group == g.group) draw(b, "    ");
    text += "  end\n";
  }
  for (const box& b : boxes_)
    if (b.group.empty()) draw(b, "  ");
  for (const arrow& a : arrows_) {
    text += "  " + a.from + (a.dashed ? " -.->" : " -->");
    if (!a.label.empty()) text += "|\"" + mermaid_text(a.label) + "\"|";
    text += " " + a.to + "\n";
  }
  return text;
}

}  // namespace millrace
