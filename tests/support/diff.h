// SPDX-License-Identifier: Apache-2.0

// What the tests of `trainjobc diff` share: an in-memory console, and fake programs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/process.h"
#include "cli/commands.h"
#include "support/test_console.h"

namespace trainjobc::test {

// Records the requests, and returns what the test sets.
class FakeRunner final : public base::ProcessRunner {
 public:
  std::vector<base::ProcessRequest> requests;
  std::function<base::IoResult<base::ProcessResult>(const base::ProcessRequest&)> answer =
      [](const base::ProcessRequest&) { return base::IoError{"run: no such program"}; };

  base::IoResult<base::ProcessResult> run(const base::ProcessRequest& request) override {
    requests.push_back(request);
    return answer(request);
  }

  // Every request as one line of words, with the names that `get` reads from its standard input.
  std::string lines() const {
    std::string text;
    for (const base::ProcessRequest& request : requests) {
      for (size_t i = 0; i < request.argv.size(); ++i) text += (i > 0 ? " " : "") + request.argv[i];
      if (request.argv[1] == "get") text += names_of(request.input);
      text += '\n';
    }
    return text;
  }

 private:
  static std::string names_of(const std::string& input) {
    const std::string kind = "\"kind\": \"";
    const std::string name = "\"name\": \"";
    std::string text;
    for (size_t at = input.find(kind); at != std::string::npos; at = input.find(kind, at)) {
      at += kind.size();
      text += " <" + input.substr(at, input.find('"', at) - at);
      at = input.find(name, at) + name.size();
      text += "/" + input.substr(at, input.find('"', at) - at);
    }
    return text;
  }
};

// Two objects as kubectl prints them.
inline std::string list_of(const std::string& first, const std::string& second) {
  return R"({"apiVersion": "v1", "kind": "List", "items": [)" + first + ", " + second + "]}";
}

// A run of the command with files in memory.
struct DiffRun {
  base::MemoryFileSystem files;
  TestConsole console{files};
  FakeRunner runner;
  cli::DiffFlags flags;

  DiffRun() {
    console.programs = &runner;
    flags.input.no_catalogue = true;
    flags.input.trainer_version = "2.3";
    files.files["runtime.yaml"] = runtime();
    files.files["job.yaml"] = job("demo", "2");
    flags.input.paths = {"runtime.yaml", "job.yaml"};
  }

  int run() {
    console.out.clear();
    console.err.clear();
    return cli::run_diff(console, flags);
  }

  // The JobSets that `render --with-defaults` prints for the files of `flags`, as a cluster would store them.
  std::string rendered() {
    TestConsole other(files);
    std::vector<std::string> arguments{"render", "--with-defaults",   "--no-catalogue",           "-o",
                                       "json",   "--trainer-version", flags.input.trainer_version};
    arguments.insert(arguments.end(), flags.input.paths.begin(), flags.input.paths.end());
    cli::run(arguments, other);
    return other.out;
  }

  static std::string runtime(const std::string& image = "registry.example/train:1") {
    return "apiVersion: trainer.kubeflow.org/v1alpha1\n"
           "kind: ClusterTrainingRuntime\n"
           "metadata:\n"
           "  name: plain\n"
           "  labels:\n"
           "    trainer.kubeflow.org/framework: plain\n"
           "spec:\n"
           "  mlPolicy:\n"
           "    numNodes: 1\n"
           "  template:\n"
           "    spec:\n"
           "      replicatedJobs:\n"
           "        - name: node\n"
           "          template:\n"
           "            metadata:\n"
           "              labels:\n"
           "                trainer.kubeflow.org/trainjob-ancestor-step: trainer\n"
           "            spec:\n"
           "              template:\n"
           "                spec:\n"
           "                  containers:\n"
           "                    - name: node\n"
           "                      image: " +
           image + "\n";
  }

  // The same with a claim "cache", and more lines of its policy.
  static std::string runtime_with_claim(const std::string& storage = "1Gi", const std::string& policy = "") {
    std::string text = runtime();
    const std::string jobs = "      replicatedJobs:\n";
    text.insert(text.find(jobs),
                "      volumeClaimPolicies:\n"
                "        - templates:\n"
                "            - metadata: {name: cache}\n"
                "              spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: " +
                    storage + "}}}\n" + policy);
    return text + "                      volumeMounts: [{name: cache, mountPath: /cache}]\n";
  }

  static std::string job(const std::string& name, const std::string& nodes) {
    return "apiVersion: trainer.kubeflow.org/v1alpha1\n"
           "kind: TrainJob\n"
           "metadata:\n"
           "  name: " +
           name +
           "\n"
           "  namespace: team-a\n"
           "spec:\n"
           "  runtimeRef:\n"
           "    name: plain\n"
           "  trainer:\n"
           "    numNodes: " +
           nodes + "\n";
  }
};

// An MPI runtime of the same name.
inline constexpr const char* kMpiRuntime =
    "apiVersion: trainer.kubeflow.org/v1alpha1\n"
    "kind: ClusterTrainingRuntime\n"
    "metadata:\n"
    "  name: plain\n"
    "  labels: {trainer.kubeflow.org/framework: mpi}\n"
    "spec:\n"
    "  mlPolicy: {numNodes: 1, mpi: {numProcPerNode: 1, mpiImplementation: OpenMPI, sshAuthMountPath: "
    "/root/.ssh}}\n"
    "  template:\n"
    "    spec:\n"
    "      replicatedJobs:\n"
    "        - name: launcher\n"
    "          template: {spec: {template: {spec: {containers: [{name: node, image: 'i:1'}]}}}}\n"
    "        - name: node\n"
    "          template:\n"
    "            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}\n"
    "            spec: {template: {spec: {containers: [{name: node, image: 'i:1'}]}}}\n";

// `text` with its first `from` replaced; unchanged if there is none.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

}  // namespace trainjobc::test
