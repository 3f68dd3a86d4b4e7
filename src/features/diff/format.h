// SPDX-License-Identifier: Apache-2.0

// Reports of differences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "features/objects/differences.h"
#include "features/objects/pods.h"

namespace trainjobc::diff {

// What a change costs: the resources that its JobSets request more, or less, than before.

struct Cost {
  std::string scope;  // "", unless several were compared
  std::string ns;     // "default" if the inputs name none
  int64_t pods = 0;
  objects::Amounts requests;  // those that change; a saving is negative
};

// By scope and namespace; empty if the differences change no request.
std::vector<Cost> costs_of(const objects::Report& report);

// "+32 nvidia.com/gpu, +512Gi memory in team-a", "+2 pods in team-a of clusters/prod"
std::string cost_text(const Cost& cost);

struct FormatOptions {
  bool colour = false;
  bool show_ignored = false;
  bool files = false;  // two sets of files were compared, no cluster
  size_t width = 0;    // of the terminal, for the formats that people read; 0: none
};

// For people: fields grouped by object, old → new, and the input that each one comes from.
std::string format_text(const objects::Report& report, const FormatOptions& options);
// The same without the last line, which contains the counts.
std::string format_objects(const objects::Report& report, const FormatOptions& options);
// For people who changed files: fields grouped by the change that causes them, and the jobs that each change
// affects.
std::string format_reach(const objects::Report& report, const FormatOptions& options);
// As `kubectl diff` prints it, without what servers fill in and others manage; empty if nothing differs.
std::string format_unified(const objects::Report& report, const FormatOptions& options);
// For programs: {"differences": [...], "summary": {...}, "cost": [{"namespace", "pods", "requests"}]}
std::string format_json(const objects::Report& report, const FormatOptions& options);
// For a comment on a pull request, at most as long as GitHub accepts.
std::string format_markdown(const objects::Report& report, const FormatOptions& options);

// "no longer accepted by Trainer 2.3"; of two states of files: "no longer accepted"
std::string verdict_text(objects::Verdict verdict, const objects::Report& report);

// "1 of 14 jobs differs, 2 orphaned objects", for people.
std::string summary_of(const objects::Report& report, bool files);

// The names of the two sides in a unified diff and in the folders for an external program.
struct SideNames {
  std::string_view before = "LIVE";
  std::string_view after = "MERGED";
};
inline SideNames side_names(bool files) {
  return files ? SideNames{"OLD", "NEW"} : SideNames{};
}

// An object's file for a diff program, as kubectl names it: group.version.Kind.namespace.name. The name of
// its scope, if there are several, comes first: clusters_prod.group.version…
std::string manifest_name(const objects::ObjectDiff& object);
// YAML with sorted keys; "" for nullptr.
std::string manifest_of(const yaml::Node* object);

// KUBECTL_EXTERNAL_DIFF: a diff program of the user's choice.

// The program and its arguments, split as kubectl does: at spaces; as in kubectl, arguments with characters
// other than letters, digits, - and = are dropped.
std::vector<std::string> split_external(std::string_view variable);

// Writes the objects that differ to two folders, named LIVE-… and MERGED-… as in kubectl or after the sides,
// and runs the program on them: first the folders, then its arguments. Removes the folders afterwards.
base::IoResult<base::ProcessResult> run_external(const objects::Report& report, std::string_view variable,
                                                 const SideNames& sides, base::Streams streams,
                                                 base::ProcessRunner& runner);

}  // namespace trainjobc::diff
