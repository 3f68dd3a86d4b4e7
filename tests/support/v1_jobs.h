// SPDX-License-Identifier: Apache-2.0

// Jobs of Training Operator v1, and what `trainjobc migrate` makes of them.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/test_console.h"

namespace trainjobc::test {

struct V1Run {
  base::MemoryFileSystem files;
  test::TestConsole console{files};
  int status = -1;

  // The file's text afterwards.
  std::string write(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"migrate", "--no-config", "--to", "2.3", "--write", "in.yaml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    status = cli::run(arguments, console);
    return files.files["in.yaml"];
  }
};

inline std::string written(const std::string& text, const std::vector<std::string>& more = {}) {
  V1Run run;
  run.files.files["in.yaml"] = text;
  const std::string after = run.write(more);
  CHECK(run.console.err.find("error") == std::string::npos);
  return after;
}

// What is said about the job.
inline std::string said(const std::string& text, const std::vector<std::string>& more = {}) {
  V1Run run;
  run.files.files["in.yaml"] = text;
  run.write(more);
  return run.console.err;
}

inline std::string head(const std::string& kind, const std::string& version = "v1") {
  return "apiVersion: kubeflow.org/" + version + "\nkind: " + kind + "\nmetadata: {name: a}\n";
}

inline std::string named(std::string text, const std::string& name) {
  const std::string given = "{name: a}";
  return text.replace(text.find(given), given.size(), "{name: " + name + "}");
}

// A replica whose container is on one line.
inline std::string replica(const std::string& role, const std::string& count, const std::string& container,
                           const std::string& more = "") {
  return "    " + role + ":\n      replicas: " + count + "\n" + more +
         "      template: {spec: {containers: [{" + container + "}]}}\n";
}

inline const std::string kTorch = "name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]";

inline std::string torch(const std::string& spec, const std::string& more = "") {
  return head("PyTorchJob") + "spec:\n" + spec + "  pytorchReplicaSpecs:\n" +
         replica("Worker", "2", kTorch, more);
}

}  // namespace trainjobc::test
