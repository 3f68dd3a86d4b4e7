// SPDX-License-Identifier: Apache-2.0

// Two files of a team and their findings, for tests of reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "lint/report/findings.h"

namespace trainjobc::test {

class Findings {
 public:
  const base::SourceFile bert{"jobs/bert.yaml",
                              "kind: TrainJob\nspec:\n  trainer:\n    resourcePerNode: {}\n"};
  const base::SourceFile llama{"jobs/llama.yaml", "kind: TrainJob\nspec: {name: \"é𝄞\", gpu: 4}\n"};
  base::Diagnostics found;
  std::vector<std::string> files{"jobs/bert.yaml", "jobs/empty.yaml", "jobs/llama.yaml"};
  std::vector<LintedObject> objects{{"jobs/bert.yaml", "TrainJob/default/bert", 1},
                                    {"jobs/llama.yaml", "TrainJob/default/llama", 1},
                                    {"jobs/llama.yaml", "TrainingRuntime/default/torch", 9}};

  // With its fix.
  base::Diagnostic unknown_field() const {
    base::Diagnostic d;
    d.rule = "input/unknown-field";
    d.object = "TrainJob/default/bert";
    d.field = "spec.trainer.resourcePerNode";
    d.message = "unknown field \"resourcePerNode\" in spec.trainer";
    d.hint = "did you mean \"resourcesPerNode\"?";
    d.location = {&bert, 4, 5, 4, 20};
    d.fix = {{{&bert, 4, 5, 4, 20}, "resourcesPerNode"}};
    return d;
  }

  // After characters of two and four bytes, and with a note.
  base::Diagnostic gpu_limit() const {
    base::Diagnostic d;
    d.rule = "job/gpu-limit";
    d.stage = base::Stage::Job;
    d.severity = base::Severity::Warning;
    d.object = "TrainJob/default/llama";
    d.field = "spec.replicatedJobs[0]";
    d.message = "gpu is requested without a limit";
    d.location = {&llama, 2, 24, 2, 27};
    d.notes = {{"the job", {&llama, 1, 7, 1, 15}}};
    return d;
  }

  // Without a place.
  base::Diagnostic ssh_key() const {
    base::Diagnostic d;
    d.rule = "render/ssh-key";
    d.object = "TrainJob/default/llama";
    d.message = "no SSH key for the job: <seed> & \"key\"\x1b[0m";
    return d;
  }

  // On a file as a whole.
  base::Diagnostic priority_class() const {
    base::Diagnostic d;
    d.rule = "advice/priority-class";
    d.stage = base::Stage::Advice;
    d.severity = base::Severity::Info;
    d.message = "100%: a,b\nc";
    d.location.file = &llama;
    return d;
  }

  void add_all() {
    found.add(ssh_key());
    found.add(unknown_field());
    found.add(priority_class());
    found.add(gpu_limit());
  }

  std::string report(lint::ReportFormat format, const lint::Repository& repository = {}) const {
    return lint::make_report(
        format, {.diagnostics = found, .files = files, .objects = objects, .repository = repository});
  }
};

}  // namespace trainjobc::test
