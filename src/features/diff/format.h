// SPDX-License-Identifier: Apache-2.0

// Writes reports of differences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "features/objects/differences.h"
#include "features/objects/pods.h"

namespace trainjobc::diff {

// The cost of a change: the resources that its JobSets request in addition, or no longer.

struct Cost {
  std::string scope;  // "" unless several were compared
  std::string ns;     // "default" if the inputs name none
  int64_t pods = 0;
  objects::Amounts requests;  // the difference; a saving is negative
};

// Costs by scope and namespace; empty if the differences change no request.
std::vector<Cost> costs_of(const objects::Report& report);

// "+32 nvidia.com/gpu, +512Gi memory in team-a", "+2 pods in team-a of clusters/prod"
std::string cost_text(const Cost& cost);

struct FormatOptions {
  bool colour = false;
  bool show_ignored = false;
  bool files = false;  // compares two sets of files, without a cluster
  size_t width = 0;    // of the terminal, for formats that people read; 0: none
};

// Writes for people: fields grouped by object, old → new, with the input that each comes from.
std::string format_text(const objects::Report& report, const FormatOptions& options);
// Like format_text, without the last line, which has the counts.
std::string format_objects(const objects::Report& report, const FormatOptions& options);
// Writes for people who changed files: fields grouped by the change that causes them, with the jobs that it
// affects.
std::string format_reach(const objects::Report& report, const FormatOptions& options);
// Writes a unified diff like `kubectl diff`, without what servers fill in and others manage; empty if nothing
// differs. The report must have Manifests::Hunks.
std::string format_unified(const objects::Report& report, const FormatOptions& options);
// Writes for programs: {"differences": [...], "summary": {...}, "cost": [{"namespace", "pods", "requests"}]}
std::string format_json(const objects::Report& report, const FormatOptions& options);
// Writes a comment for a pull request, at most as long as GitHub accepts.
std::string format_markdown(const objects::Report& report, const FormatOptions& options);

// "no longer accepted by Trainer 2.3"; for two states of files: "no longer accepted"
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

// The name of an object's file for a diff program, in kubectl's style: group.version.Kind.namespace.name. If
// there are several scopes, the name of its scope comes first: clusters_prod.group.version…
std::string manifest_name(const objects::ObjectDiff& object);

// KUBECTL_EXTERNAL_DIFF: a diff program of the user's choice.

// The program and its arguments, split at spaces like kubectl does, which also drops arguments with
// characters other than letters, digits, - and =.
std::vector<std::string> split_external(std::string_view variable);

// Writes the objects that differ to two folders, named LIVE-… and MERGED-… as by kubectl, or after the sides,
// and runs the program with the folders, then its arguments. Removes the folders afterwards. The report must
// have Manifests::Texts.
base::IoResult<base::ProcessResult> run_external(const objects::Report& report, std::string_view variable,
                                                 const SideNames& sides, base::Streams streams,
                                                 base::ProcessRunner& runner);

}  // namespace trainjobc::diff
