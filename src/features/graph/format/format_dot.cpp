// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "features/graph/graph.h"

namespace trainjobc::graph {
namespace {

// A quoted string of the DOT language, lines centred below each other.
std::string dot_label(const std::vector<std::string>& lines) {
  std::string label;
  for (const std::string& line : lines) {
    if (!label.empty()) label += "\\n";
    for (const char c : line) {
      if (c == '"' || c == '\\') label += '\\';
      label += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return fmt::format("\"{}\"", label);
}

std::string_view attributes_of(Shape shape) {
  switch (shape) {
    case Shape::Job: return "shape=box, style=\"rounded,filled\", fillcolor=\"#dbeafe\", color=\"#1d4ed8\"";
    case Shape::Pods: return "shape=box, style=filled, fillcolor=\"#ffffff\", color=\"#1d4ed8\"";
    case Shape::Secret: return "shape=tab, style=filled, fillcolor=\"#fee2e2\", color=\"#b91c1c\"";
    case Shape::ConfigMap: return "shape=note, style=filled, fillcolor=\"#fef9c3\", color=\"#a16207\"";
    case Shape::Volume: return "shape=cylinder, style=filled, fillcolor=\"#ede9fe\", color=\"#6d28d9\"";
    case Shape::Service:
      return "shape=box, style=\"rounded,filled\", fillcolor=\"#dcfce7\", color=\"#15803d\"";
    case Shape::Queue:
      return "shape=box, peripheries=2, style=filled, fillcolor=\"#e5e7eb\", color=\"#374151\"";
    case Shape::Gang: return "shape=box, style=\"rounded,filled\", fillcolor=\"#ffedd5\", color=\"#c2410c\"";
  }
  return "shape=box";
}

constexpr std::string_view kUse = "style=dashed, color=\"#6b7280\", fontcolor=\"#374151\"";

// Above the arrow: the lower line is for it.
std::string label_of(const Arrow& arrow) {
  return arrow.label.empty() ? "" : fmt::format("label={}, ", dot_label({arrow.label, " "}));
}

}  // namespace

std::string format_dot(const std::vector<JobGraph>& jobs) {
  std::string out =
      "digraph trainjobs {\n"
      "  rankdir=LR;\n"
      "  nodesep=0.4;\n"
      "  ranksep=0.7;\n"
      "  fontname=\"sans-serif\";\n"
      "  node [fontname=\"sans-serif\", fontsize=11];\n"
      "  edge [fontname=\"sans-serif\", fontsize=9];\n";
  // Graphviz draws the last one at the top.
  for (size_t j = jobs.size(); j-- > 0;) {
    const JobGraph& job = jobs[j];
    out += fmt::format("  subgraph cluster_{} {{\n    label={};\n    color=\"#9ca3af\";\n", j,
                       dot_label({job.title}));
    for (size_t i = 0; i < job.boxes.size(); ++i)
      out += fmt::format("    j{}n{} [label={}, {}];\n", j, i, dot_label(job.boxes[i].lines),
                         attributes_of(job.boxes[i].shape));
    for (const Arrow& arrow : job.arrows)
      out += fmt::format("    j{}n{} -> j{}n{} [{}{}];\n", j, arrow.from, j, arrow.to, label_of(arrow),
                         arrow.waits ? "style=solid" : kUse);
    out += "  }\n";
  }
  return out + "}\n";
}

base::IoResult<std::string> format_svg(const std::vector<JobGraph>& jobs, base::ProcessRunner& runner) {
  base::ProcessRequest request;
  request.argv = {"dot", "-Tsvg"};
  request.input = format_dot(jobs);
  request.timeout = std::chrono::minutes(2);
  auto ran = runner.run(request);
  if (const auto* error = std::get_if<base::IoError>(&ran)) {
    return base::IoError{
        fmt::format("SVG needs Graphviz ({}): install it, or use -o mermaid or -o dot", error->message)};
  }
  auto& result = std::get<base::ProcessResult>(ran);
  if (result.status == 0) return std::move(result.out);
  while (result.err.ends_with('\n')) result.err.pop_back();
  return base::IoError{fmt::format("dot ended with status {}: {}", result.status, result.err)};
}

}  // namespace trainjobc::graph
