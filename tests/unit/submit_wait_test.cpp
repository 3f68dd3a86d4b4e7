// `trainjobc submit --wait`, with kubectl and the time played.
#include <doctest/doctest.h>

#include "support/submit.h"
#include "tools/kubectl/failure.h"

using trainjobc::base::ProcessRequest;
using trainjobc::base::ProcessResult;
using trainjobc::test::DiffRun;
using trainjobc::test::SubmitRun;

namespace {

std::string job_set(const std::string& name, const std::string& status) {
  return R"({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": ")" + name +
         R"("}, "spec": {"replicatedJobs": [{"name": "node", "replicas": 2}]}, "status": )" + status + "}\n";
}

std::string ended(const std::string& type, const std::string& message) {
  return R"({"conditions": [{"type": ")" + type + R"(", "status": "True", "message": ")" + message +
         R"("}]})";
}

constexpr const char* kRunning =
    R"({"replicatedJobsStatus": [{"name": "node", "ready": 1, "active": 2, "succeeded": 0, "failed": 0}]})";

// Answers the questions of the wait one after the other, the last one for ever.
struct WaitRun : SubmitRun {
  std::vector<ProcessResult> answers;
  size_t asked = 0;

  WaitRun() {
    flags.wait = true;
    runner.answer = [this](const ProcessRequest& request) {
      const bool is_question = gets(request, "JobSet") && !has(request, "--show-managed-fields");
      if (!is_question) return accepted(request);
      return answers[std::min(asked++, answers.size() - 1)];
    };
  }
};

}  // namespace

TEST_CASE("--wait ends with the JobSet, quietly where nobody looks") {
  WaitRun run;
  run.answers = {{0, job_set("demo", "{}"), ""},
                 {0, job_set("demo", kRunning), ""},
                 {0, job_set("demo", ended("Completed", "jobset completed successfully")), ""}};
  CHECK(run.run() == 0);
  CHECK(run.console.out == "JobSet team-a/demo created\n1 job: 1 created\nJobSet team-a/demo completed\n");
  CHECK(run.console.err == "");
  CHECK(run.clock.sleeps == 2);
  CHECK(run.runner.requests.back().argv == std::vector<std::string>{"kubectl", "get", "-f", "-", "-o", "json",
                                                                    "--ignore-not-found",
                                                                    "--namespace=team-a"});
  CHECK(run.runner.requests.back().input ==
        "---\n{\"apiVersion\": \"jobset.x-k8s.io/v1alpha2\", \"kind\": \"JobSet\", \"metadata\": {\"name\": "
        "\"demo\"}}\n");
}

TEST_CASE("a progress line on a terminal") {
  WaitRun run;
  run.console.terminal = true;
  run.answers = {{0, job_set("demo", ended("Suspended", "")), ""},
                 {0, job_set("demo", kRunning), ""},
                 {0, job_set("demo", ended("Completed", "")), ""}};
  CHECK(run.run() == 0);
  CHECK(run.console.err ==
        "\r\033[K0:00  JobSet team-a/demo: suspended"
        "\r\033[K0:02  JobSet team-a/demo: running, node 1/2 ready"
        "\r\033[K");
}

TEST_CASE("a JobSet that fails or goes away") {
  WaitRun run;
  run.answers = {{0, job_set("demo", ended("Failed", "node-0 failed")), ""}};
  CHECK(run.run() == 1);
  CHECK(run.console.out.ends_with("JobSet team-a/demo failed: node-0 failed\n"));
  run.answers = {{0, "", ""}};
  CHECK(run.run() == 1);
  CHECK(run.console.out.ends_with("JobSet team-a/demo was deleted before its end was seen\n"));
}

TEST_CASE("several JobSets, each said when it ends") {
  WaitRun run;
  run.console.terminal = true;
  run.files.files["job.yaml"] = DiffRun::job("one", "1") + "---\n" + DiffRun::job("two", "1");
  run.answers = {{0, job_set("one", kRunning) + "---\n" + job_set("two", ended("Completed", "")), ""},
                 {0, job_set("one", ended("Completed", "")), ""}};
  CHECK(run.run() == 0);
  CHECK(run.console.out.ends_with("JobSet team-a/two completed\nJobSet team-a/one completed\n"));
  CHECK(run.console.err == "\r\033[K0:00  1 of 2 ended  JobSet team-a/one: running, node 1/2 ready\r\033[K");
}

TEST_CASE("--timeout") {
  WaitRun run;
  run.flags.timeout = 5;
  run.answers = {{0, job_set("demo", kRunning), ""}};
  CHECK(run.run() == 2);
  CHECK(run.console.err == "trainjobc: 1 of 1 JobSets had not ended after 5 s; they go on without submit\n");
  CHECK(run.clock.now() == trainjobc::base::Clock::Time(std::chrono::seconds(5)));
}

TEST_CASE("a question that fails is asked again, not for ever") {
  WaitRun run;
  const ProcessResult failure{1, "", "Unable to connect to the server: EOF\n"};
  run.answers = {failure, failure, {0, job_set("demo", ended("Completed", "")), ""}};
  CHECK(run.run() == 0);
  run.asked = 0;
  run.answers = {failure};
  CHECK(run.run() == 2);
  CHECK(run.asked == 5);
  CHECK(run.console.err ==
        "trainjobc: the cluster can't be reached: look at the context, the kubeconfig and the network\n"
        "  kubectl get -f - -o json --ignore-not-found --namespace=team-a: exit status 1\n"
        "  Unable to connect to the server: EOF\n");
}

TEST_CASE("what kubectl says tells what went wrong") {
  using trainjobc::kubectl::Cause;
  using trainjobc::kubectl::cause_of;
  CHECK(cause_of("error: Apply failed with 1 conflict: conflict with \"a\": .spec.suspend") ==
        Cause::Conflict);
  CHECK(cause_of("Error from server (Forbidden): jobsets is forbidden: User \"u\" cannot list") ==
        Cause::Forbidden);
  CHECK(cause_of("Error from server (Forbidden): admission webhook \"w\" denied the request: x") ==
        Cause::Refused);
  CHECK(cause_of("Error from server (Forbidden): pods is forbidden: exceeded quota: q") == Cause::Refused);
  CHECK(
      cause_of(
          "Error from server (InternalError): failed calling webhook \"w\": dial tcp: connection refused") ==
      Cause::Webhook);
  CHECK(cause_of("error: You must be logged in to the server (Unauthorized)") == Cause::Unauthorized);
  CHECK(cause_of("error: the server doesn't have a resource type \"jobsets\"") == Cause::NoKind);
  CHECK(cause_of("error: resource mapping not found: no matches for kind \"JobSet\"") == Cause::NoKind);
  CHECK(cause_of("Error from server (NotFound): namespaces \"x\" not found") == Cause::NoNamespace);
  CHECK(cause_of("error: context \"x\" does not exist") == Cause::Settings);
  CHECK(cause_of("Unable to connect to the server: dial tcp: lookup x: no such host") == Cause::Unreachable);
  CHECK(cause_of("The JobSet \"x\" is invalid: spec: Invalid value") == Cause::Refused);
  CHECK(cause_of("Error from server (AlreadyExists): secrets \"x\" already exists") == Cause::Exists);
  CHECK(cause_of("something else") == Cause::Other);
}
