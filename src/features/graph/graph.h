// SPDX-License-Identifier: Apache-2.0

// Pictures of rendered jobs: what runs, what it waits for, what it needs.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/process.h"
#include "compile/compile.h"

namespace trainjobc::graph {

enum class Shape { Job, Pods, Secret, ConfigMap, Volume, Service, Queue, Gang };

struct Box {
  Shape shape = Shape::Job;
  std::vector<std::string> lines;  // the text in the box
};

struct Arrow {
  size_t from = 0;  // indexes of boxes
  size_t to = 0;
  std::string label;   // "" for none
  bool waits = false;  // `to` starts after `from`; otherwise: `from` uses `to`
};

struct JobGraph {
  std::string title;  // "TrainJob team-a/llama"
  std::vector<Box> boxes;
  std::vector<Arrow> arrows;
  std::string scope;  // "" unless the inputs have several
};

// `objects` are those of one TrainJob, with a JobSet among them, compiled with_defaults.
JobGraph draw_job(std::span<const Object> objects);

// Writes a flowchart for Mermaid, which GitHub and GitLab draw.
std::string format_mermaid(const std::vector<JobGraph>& jobs);
// Writes it in Graphviz' language.
std::string format_dot(const std::vector<JobGraph>& jobs);
// Draws it with Graphviz' `dot`; an error if that fails.
base::IoResult<std::string> format_svg(const std::vector<JobGraph>& jobs, base::ProcessRunner& runner,
                                       std::chrono::seconds timeout);

}  // namespace trainjobc::graph
