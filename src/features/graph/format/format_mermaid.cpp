// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "features/graph/graph.h"

namespace trainjobc::graph {
namespace {

// Text between quotes, with entities for the characters that are special to Mermaid or HTML.
std::string quoted_label(const std::vector<std::string>& lines) {
  std::string label;
  for (const std::string& line : lines) {
    if (!label.empty()) label += "<br/>";
    for (const char c : line) {
      switch (c) {
        case '"': label += "#quot;"; break;
        case '#': label += "#35;"; break;
        case '<': label += "#lt;"; break;
        case '>': label += "#gt;"; break;
        case '&': label += "#amp;"; break;
        case '`': label += "#96;"; break;
        case '\\': label += "#92;"; break;
        default: label += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
      }
    }
  }
  return fmt::format("\"{}\"", label);
}

// What is around the label of a shape, and the class that colours it.
struct Outline {
  std::string_view open;
  std::string_view close;
  std::string_view style;
};

Outline outline_of(Shape shape) {
  switch (shape) {
    case Shape::Job: return {"([", "])", "job"};
    case Shape::Pods: return {"[", "]", "pods"};
    case Shape::Secret: return {"{{", "}}", "secret"};
    case Shape::ConfigMap: return {"[/", "/]", "config"};
    case Shape::Volume: return {"[(", ")]", "volume"};
    case Shape::Service: return {"(", ")", "service"};
    case Shape::Queue: return {"[[", "]]", "queue"};
    case Shape::Gang: return {"(", ")", "gang"};
  }
  return {"[", "]", "pods"};
}

// Light fills with dark text, for light and dark pages.
constexpr std::string_view kStyles =
    "  classDef job fill:#dbeafe,stroke:#1d4ed8,color:#111\n"
    "  classDef pods fill:#ffffff,stroke:#1d4ed8,color:#111\n"
    "  classDef secret fill:#fee2e2,stroke:#b91c1c,color:#111\n"
    "  classDef config fill:#fef9c3,stroke:#a16207,color:#111\n"
    "  classDef volume fill:#ede9fe,stroke:#6d28d9,color:#111\n"
    "  classDef service fill:#dcfce7,stroke:#15803d,color:#111\n"
    "  classDef queue fill:#e5e7eb,stroke:#374151,color:#111\n"
    "  classDef gang fill:#ffedd5,stroke:#c2410c,color:#111\n";

std::string arrow_text(const Arrow& arrow) {
  const std::string_view line = arrow.waits ? "-->" : "-.->";
  return arrow.label.empty() ? std::string(line) : fmt::format("{}|{}|", line, quoted_label({arrow.label}));
}

}  // namespace

std::string format_mermaid(const std::vector<JobGraph>& jobs) {
  std::string out = "flowchart LR\n";
  out += kStyles;
  for (size_t j = 0; j < jobs.size(); ++j) {
    const JobGraph& job = jobs[j];
    out += fmt::format("  subgraph j{}[{}]\n", j, quoted_label({job.title}));
    for (size_t i = 0; i < job.boxes.size(); ++i) {
      const Outline outline = outline_of(job.boxes[i].shape);
      out += fmt::format("    j{}n{}{}{}{}:::{}\n", j, i, outline.open, quoted_label(job.boxes[i].lines),
                         outline.close, outline.style);
    }
    for (const Arrow& arrow : job.arrows)
      out += fmt::format("    j{}n{} {} j{}n{}\n", j, arrow.from, arrow_text(arrow), j, arrow.to);
    out += "  end\n";
  }
  return out;
}

}  // namespace trainjobc::graph
