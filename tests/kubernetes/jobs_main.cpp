// SPDX-License-Identifier: Apache-2.0

// Checks Jobs for the test that compares with Kubernetes' own strategies. Each line of the input is a Job as
// JSON. Each line of the output is what JobSet makes of it, which errors stand in the way before there is a
// Job, and what each version of Kubernetes refuses of it and drops.
#include <fmt/format.h>

#include <iostream>
#include <string>

#include "compile/compile.h"
#include "k8s/job/job.h"
#include "k8s/jobset/jobset.h"
#include "k8s/kubernetes.h"
#include "platform/defaults.h"
#include "support/reading.h"
#include "yaml/write/writer.h"

namespace {

using namespace trainjobc;

std::string json(const yaml::Node& node) {
  std::string out;
  yaml::write_json(node, yaml::KeyOrder::AsIs, 0, out);
  return out;
}

std::string json_list(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ',';
    yaml::write_json_string(text, out);
  }
  return out + "]";
}

// What Trainer's and JobSet's schemas and webhooks refuse of a runtime with the Job.
std::vector<std::string> refusals(const std::string& replicated_job) {
  Options options;
  options.render = false;
  options.use_catalogue = false;
  options.threads = 1;
  options.trainer_version = "2.3";
  const std::string runtime = fmt::format(
      R"({{"apiVersion":"trainer.kubeflow.org/v1alpha1","kind":"ClusterTrainingRuntime","metadata":{{"name":"rt"}},)"
      R"("spec":{{"template":{{"spec":{{"replicatedJobs":[{}]}}}}}}}})",
      replicated_job);
  const std::string job =
      R"({"apiVersion":"trainer.kubeflow.org/v1alpha1","kind":"TrainJob","metadata":{"name":"j"},)"
      R"("spec":{"runtimeRef":{"name":"rt"}}})";
  std::vector<std::string> texts;
  const Compilation compiled = compile_sources({{"in.yaml", runtime + "\n---\n" + job}}, {}, options);
  for (const base::Diagnostic& found : compiled.diagnostics.items()) {
    if (base::is_refusal(found)) texts.push_back(found.field + ": " + found.message);
  }
  return texts;
}

std::string check(const std::string& line) {
  const test::Reading read(line);
  std::string spec;
  yaml::write_json(*read.root().get("spec"), yaml::KeyOrder::AsIs, 0, spec);
  const std::string replicated_job =
      fmt::format(R"({{"name":"n","replicas":1,"template":{{"spec":{}}}}})", spec);
  std::string out = fmt::format(R"({{"refused":{})", json_list(refusals(replicated_job)));
  const test::Reading job_set(fmt::format(
      R"({{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","metadata":{{"name":"j","namespace":"default"}},)"
      R"("spec":{{"replicatedJobs":[{}]}}}})",
      replicated_job));
  base::Arena arena;
  const yaml::Maker make(arena);
  const yaml::Node& admitted = *k8s::jobset::with_webhook_defaults(&job_set.root(), make);
  const k8s::jobset::JobSetView view = k8s::jobset::view_job_set(admitted);
  const yaml::Node& job = *k8s::jobset::first_job(admitted, view, view.jobs.front(), make);
  const yaml::Node& pod = *job.at({"spec", "template", "spec"});
  out += fmt::format(R"(,"job":{},"pod":{})", json(job), json(*platform::with_pod_defaults(pod, make)));
  for (const std::string& version : k8s::kubernetes_versions()) {
    const k8s::KubernetesBehaviour& kubernetes = *k8s::find_kubernetes(version);
    std::vector<std::string> errors;
    for (const base::Diagnostic& found : k8s::job::validate_jobs(admitted, make, kubernetes))
      errors.push_back(fmt::format("{}: {} [{}]", found.field, found.message, found.rule));
    std::vector<std::string> dropped;
    for (const k8s::Dropped& one : k8s::dropped_fields(pod, "", kubernetes)) dropped.push_back(one.path);
    const yaml::Node& stored =
        *platform::with_job_defaults(*k8s::without_dropped(job, kubernetes, make), make);
    out += fmt::format(R"(,"{}":{{"errors":{},"dropped":{},"defaulted":{}}})", version, json_list(errors),
                       json_list(dropped), json(stored));
  }
  return out + "}\n";
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) std::cout << check(line);
}
