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

// Prints the objects of each job on the thread that compiles it.
class PrintingSink final : public ObjectSink {
 public:
  explicit PrintingSink(const PrintStyle& style) : style_(style) {}

  void begin(size_t jobs) override { jobs_ = std::vector<PrintedJob>(jobs); }
  void take(size_t job, std::span<const Object> objects) override;

  // Of all passes over; valid until the next begin().
  PrintedJob& job(size_t index) { return jobs_[index]; }

 private:
  PrintStyle style_;
  std::vector<PrintedJob> jobs_;
};

}  // namespace trainjobc::cli
