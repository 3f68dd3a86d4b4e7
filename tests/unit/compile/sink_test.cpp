// SPDX-License-Identifier: Apache-2.0

// Jobs that are read, compiled and forgotten one by one: the same findings and the same objects.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "base/progress.h"
#include "compile/kept_jobs.h"
#include "yaml/write/writer.h"

namespace trainjobc::sink_test {
namespace {

std::string text_of(std::span<const Object> objects) {
  std::string text;
  for (const Object& object : objects) yaml::write_yaml(*object.root, yaml::KeyOrder::Kubernetes, text);
  return text;
}

std::string findings_of(const Compilation& compiled) {
  std::string text;
  for (const base::Diagnostic& found : compiled.diagnostics.items()) text += base::format_text(found, {});
  for (const LintedObject& object : compiled.linted)
    text += fmt::format("{}:{} {}\n", object.file, object.line, object.object);
  for (const PassedOver& one : compiled.passed_over)
    text += fmt::format("{}:{} {}\n", one.file, one.line, one.what);
  for (const std::string& job : compiled.other_jobs) text += job + " left out\n";
  return text + fmt::format("{} documents, {} jobs, for {}\n", compiled.documents, compiled.train_jobs,
                            compiled.trainer_version);
}

// Both ways, and made again, on several threads; what they say, if it is the same.
std::string both_ways(const std::string& input, Options options = {}) {
  options.threads = 4;
  const Compilation kept = compile_sources({{"in.yaml", input}}, {}, options);
  KeptJobs<std::string> texts(text_of);
  const Compilation passing = compile_into_sink({{"in.yaml", input}}, {}, options, &texts.sinks()(0));
  std::string objects = text_of(passing.objects);
  std::string again = objects;
  for (const std::string& job : texts.take(passing)) objects += job;
  for (const CollectedJob& job : passing.collected) again += text_of(job.make_again().objects);
  REQUIRE(again == objects);
  REQUIRE(findings_of(passing) == findings_of(kept));
  REQUIRE(objects == text_of(kept.objects));
  return findings_of(kept);
}

std::string job(const std::string& name, const std::string& more = "") {
  return "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: " + name +
         "}\nspec:\n  runtimeRef: {name: rt}\n" + more;
}

constexpr const char* kRuntime = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: rt
  labels: {trainer.kubeflow.org/framework: torch}
spec:
  mlPolicy: {torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata:
            labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}
          spec:
            template:
              spec:
                containers: [{name: node, image: "img:1"}]
)";

}  // namespace

TEST_CASE("in passing: many jobs before and after their runtime") {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += job(fmt::format("job-{}", 199 - i));
    if (i == 50) text += std::string("---\n") + kRuntime;
  }
  const std::string seen = both_ways(text);
  CHECK(seen.substr(seen.rfind('\n', seen.size() - 2) + 1) == "101 documents, 100 jobs, for 2.3\n");
}

TEST_CASE("in passing: of jobs of one name, the first counts") {
  const std::string text = kRuntime + job("same", "  trainer: {numNodes: 2}\n") + job("other") +
                           job("same", "  trainer: {numNodes: 3}\n");
  CHECK(both_ways(text) ==
        R"(in.yaml:35:18: error: TrainJob/default/same is defined twice [input/duplicate-object]
   35 | metadata: {name: same}
      |                  ^~~~
  note: the first one at in.yaml:22:18
in.yaml:1 ClusterTrainingRuntime//rt
in.yaml:20 TrainJob/default/same
in.yaml:27 TrainJob/default/other
in.yaml:33 TrainJob/default/same
4 documents, 3 jobs, for 2.3
)");
}

TEST_CASE("in passing: a document that only looks like a TrainJob is what it is") {
  // The line is part of a text; the document is the runtime of the job.
  std::string runtime = kRuntime;
  runtime.insert(runtime.find("metadata:"), "x: \"\nkind: TrainJob\n  \"\n");
  CHECK(both_ways(job("a") + "---\n" + runtime) ==
        R"(in.yaml:10:1: error: unknown field "x" in the object [input/unknown-field]
   10 | x: "
      | ^ its fields are apiVersion, kind, metadata, spec
in.yaml:2 TrainJob/default/a
in.yaml:8 ClusterTrainingRuntime//rt
2 documents, 1 jobs, for 2.3
)");
  const std::string other = "---\napiVersion: example.com/v1\nkind: TrainJob\nmetadata: {name: b}\n";
  CHECK(both_ways(kRuntime + job("a") + other) ==
        "in.yaml:26:13: error: there is no kind \"TrainJob\" in \"example.com/v1\" [input/unknown-kind]\n"
        "   26 | apiVersion: example.com/v1\n"
        "      |             ^~~~~~~~~~~~~~ write trainer.kubeflow.org/v1alpha1\n"
        "in.yaml:1 ClusterTrainingRuntime//rt\n"
        "in.yaml:20 TrainJob/default/a\n"
        "3 documents, 1 jobs, for 2.3\n");
  CHECK(both_ways(kRuntime + job("a") + other, {.passthrough = true}) ==
        "in.yaml:26:13: error: there is no kind \"TrainJob\" in \"example.com/v1\" [input/unknown-kind]\n"
        "   26 | apiVersion: example.com/v1\n"
        "      |             ^~~~~~~~~~~~~~ write trainer.kubeflow.org/v1alpha1\n"
        "in.yaml:1 ClusterTrainingRuntime//rt\n"
        "in.yaml:20 TrainJob/default/a\n"
        "3 documents, 1 jobs, for 2.3\n");
}

TEST_CASE("in passing: jobs for an older Trainer") {
  const std::string old =
      "  podTemplateOverrides: [{targetJobs: [{name: node}], spec: {nodeSelector: {a: b}}}]\n";
  CHECK(both_ways(kRuntime + job("a") + job("b", old)) ==
        "in.yaml:31:3: info: compiled for Trainer 2.1: spec.podTemplateOverrides exists only in 2.1; Trainer "
        "2.3 has runtimePatches instead [advice/trainer-version]\n"
        "   31 |   podTemplateOverrides: [{targetJobs: [{name: node}], spec: {nodeSelector: {a: b}}}]\n"
        "      |   ^~~~~~~~~~~~~~~~~~~~ trainjobc migrate --to 2.3 converts it; pin with --trainer-version "
        "2.1 if the cluster runs that\n"
        "in.yaml:1 ClusterTrainingRuntime//rt\n"
        "in.yaml:20 TrainJob/default/a\n"
        "in.yaml:26 TrainJob/default/b\n"
        "3 documents, 2 jobs, for 2.1\n");
}

TEST_CASE("in passing: only the jobs that are asked for") {
  CHECK(both_ways(kRuntime + job("a") + job("b") + job("c"), {.jobs = {"b"}}) ==
        "in.yaml:1 ClusterTrainingRuntime//rt\n"
        "in.yaml:26 TrainJob/default/b\n"
        "default/a left out\n"
        "default/c left out\n"
        "2 documents, 1 jobs, for 2.3\n");
}

TEST_CASE("each job that is compiled is a step of the work") {
  struct Counts final : base::Progress {
    bool begin(std::string, size_t) override { return true; }
    void expect(size_t more) override { expected += more; }
    void step() override { ++done; }
    void end() override {}

    size_t expected = 0;
    std::atomic<size_t> done = 0;
  } counts;
  const base::Work work(&counts, "compiling", 0);
  Options options;
  options.work = &work;
  std::string input = kRuntime;
  for (int i = 0; i < 40; ++i) input += job(fmt::format("j{}", i));
  compile_sources({{"in.yaml", input}}, {}, options);
  CHECK(counts.expected == 40);
  CHECK(counts.done == 40);
}

}  // namespace trainjobc::sink_test
