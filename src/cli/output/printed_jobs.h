// SPDX-License-Identifier: Apache-2.0

// The objects of TrainJobs as text: all that a command holds of them until every job is compiled.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/output/print_objects.h"
#include "cli/ssh/ssh_key_notes.h"
#include "compile/compile.h"

namespace trainjobc::cli {

struct PrintStyle {
  ObjectFormat format = ObjectFormat::Yaml;
  bool annotate_origin = false;
  bool mask_secrets = false;
  bool to_files = false;  // `file` and `ns` are wanted
};

struct PrintedObject {
  std::string text;
  std::string file;  // see file_name
  std::string ns;
  bool is_secret = false;
};

PrintedObject print(const Object& object, const PrintStyle& style);

struct PrintedJob {
  std::vector<PrintedObject> objects;
  SshKeys keys;
};

PrintedJob print_job(std::span<const Object> objects, const PrintStyle& style);

}  // namespace trainjobc::cli
