// SPDX-License-Identifier: Apache-2.0

// Objects as text, in one stream or in the files of --output-dir.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.h"
#include "cli/ssh_key.h"
#include "compile/compile.h"
#include "lint/report/document.h"

namespace trainjobc::cli {

enum class ObjectFormat { Yaml, Json, Name };

// The text before the first object, between two, and after the last: for YAML documents, for a v1 List as
// kubectl prints it, or for one kind.group/name per line.
report::Joints joints_of(ObjectFormat format, bool is_empty);

// The file that holds one object in an output directory, named as kustomize names it:
// jobset.x-k8s.io_v1alpha2_jobset_llama.yaml.
std::string file_name(const Object& object);

// The objects of TrainJobs as text, which is all that a command keeps of them until every job is compiled.

struct PrintStyle {
  ObjectFormat format = ObjectFormat::Yaml;
  bool annotate_origin = false;
  bool mask_secrets = false;
  bool to_files = false;  // `file` and `ns` are needed
};

struct PrintedObject {
  std::string text;
  std::string file;  // see file_name
  std::string ns;
  std::string scope;  // "" unless the inputs have several scopes
  bool is_secret = false;
};

PrintedObject print(const Object& object, const PrintStyle& style);

struct PrintedJob {
  std::string scope;
  std::vector<PrintedObject> objects;
  SshKeys keys;
};

PrintedJob print_job(std::span<const Object> objects, const PrintStyle& style);

// render --output-dir: one file per object.

// Lists the files that the last run with --prune-output wrote, one per line, and the folders of scopes, with
// a slash at their end. Begins with a dot, so trainjobc, kustomize and kubectl don't read it as a manifest.
inline constexpr std::string_view kOutputList = ".trainjobc-output";

enum class Prune {
  No,
  Later,  // only record what the next run may remove, as some objects could not be rendered
  Now,
};

// Writes each object to `directory`; several scopes and namespaces get a folder each. Only the owner can read
// Secrets. Prune::Now removes files that the list of the last such run names and this run does not write, but
// only those that are still the manifest of the object that they are named after. Symbolic links below the
// directory are not followed. Returns the exit status; errors have been reported.
int write_directory(Console& console, const std::string& directory,
                    std::span<const PrintedObject* const> objects, Prune prune);

}  // namespace trainjobc::cli
