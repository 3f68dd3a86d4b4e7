// SPDX-License-Identifier: Apache-2.0

// `trainjobc submit --wait`, with a scripted kubectl and clock.
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>

#include "features/kubectl/kubectl.h"
#include "support/submit.h"

namespace trainjobc::submit_wait_test {
using trainjobc::base::ProcessRequest;
using trainjobc::base::ProcessResult;
using trainjobc::test::DiffRun;
using trainjobc::test::list_of;
using trainjobc::test::WaitRun;

namespace {

std::string job_set(const std::string& name, const std::string& status, const std::string& spec = "") {
  return R"({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": ")" + name +
         R"(", "uid": "u-)" + name + R"("}, "spec": {)" + spec +
         R"("replicatedJobs": [{"name": "node", "replicas": 2}]}, "status": )" + status + "}\n";
}

std::string ended(const std::string& type, const std::string& message) {
  return R"({"conditions": [{"type": ")" + type + R"(", "status": "True", "message": ")" + message +
         R"("}]})";
}

std::string event(const std::string& about, const std::string& type, const std::string& reason,
                  const std::string& message) {
  return R"({"kind": "Event", "metadata": {"name": "x"}, "involvedObject": )" + about + R"(, "type": ")" +
         type + R"(", "reason": ")" + reason + R"(", "message": ")" + message +
         R"(", "eventTime": "2026-01-02T03:04:05.1Z"})";
}

constexpr const char* kRunning =
    R"({"replicatedJobsStatus": [{"name": "node", "ready": 1, "active": 2, "succeeded": 0, "failed": 0}]})";
constexpr const char* kDemo = R"({"kind": "JobSet", "name": "demo", "uid": "u-demo"})";

constexpr const char* kJobSets = WaitRun::kJobSets;
using std::chrono::seconds;

}  // namespace

TEST_CASE("--wait follows a JobSet to its end, in plain lines without a terminal") {
  WaitRun run;
  run.from(seconds(0), kJobSets, job_set("demo", "{}"));
  run.from(seconds(30), kJobSets, job_set("demo", kRunning));
  run.from(seconds(34), kJobSets, job_set("demo", ended("Completed", "jobset completed successfully")));
  CHECK(run.run() == 0);
  CHECK(run.console.out == "JobSet team-a/demo created\n1 job: 1 created\nJobSet team-a/demo completed\n");
  CHECK(run.console.err ==
        "JobSet team-a/demo: no controller has picked it up yet: is JobSet's controller running?\n"
        "0:30  JobSet team-a/demo: running, Jobs: node 1/2 ready\n");
  CHECK(run.passed() == seconds(34));
  CHECK(run.asked == 18);
  run.commands.resize(3);
  CHECK(run.commands ==
        std::vector<std::string>{
            "kubectl get -f - -o json --ignore-not-found --namespace=team-a",
            "kubectl get pods -o json --selector=jobset.sigs.k8s.io/jobset-name=demo --namespace=team-a",
            "kubectl get events -o json --namespace=team-a"});
}

TEST_CASE("polls become less frequent with the time") {
  WaitRun run;
  run.from(seconds(0), kJobSets, job_set("demo", kRunning));
  run.from(seconds(3600), kJobSets, job_set("demo", ended("Completed", "")));
  CHECK(run.run() == 0);
  CHECK(run.passed() < seconds(3611));
  CHECK(run.asked < 420);
}

TEST_CASE("a progress line on a terminal") {
  WaitRun run;
  run.console.terminal = true;
  run.from(seconds(0), kJobSets, job_set("demo", "{}"));
  run.from(seconds(2), kJobSets, job_set("demo", kRunning));
  run.from(seconds(4), kJobSets, job_set("demo", ended("Completed", "")));
  CHECK(run.run() == 0);
  CHECK(run.console.err ==
        "\r\033[K0:00  JobSet team-a/demo: not started"
        "\r\033[K0:01  JobSet team-a/demo: not started"
        "\r\033[K0:02  JobSet team-a/demo: running, Jobs: node 1/2 ready"
        "\r\033[K0:03  JobSet team-a/demo: running, Jobs: node 1/2 ready"
        "\r\033[K");
}

TEST_CASE("a line for each JobSet on a terminal, cut to its width; reasons stay above them in full") {
  WaitRun run;
  run.console.terminal = true;
  run.console.width = 60;
  run.files.files["job.yaml"] = DiffRun::job("one", "1") + "---\n" + DiffRun::job("two", "1");
  run.from(seconds(0), kJobSets, list_of(job_set("one", kRunning), job_set("two", "{}")));
  run.from(
      seconds(1), "events",
      event(R"({"kind": "JobSet", "name": "two", "uid": "u-two"})", "Warning", "JobCreationFailed",
            "job \\\"two-node-0\\\" creation failed with error: a long one, which no line has room for"));
  run.from(seconds(3), kJobSets, list_of(job_set("one", kRunning), job_set("two", ended("Completed", ""))));
  run.from(seconds(5), kJobSets, job_set("one", ended("Completed", "")));
  CHECK(run.run() == 0);
  CHECK(run.console.out == R"(JobSet team-a/one created
JobSet team-a/two created
2 jobs: 2 created
JobSet team-a/two completed
JobSet team-a/one completed
)");
  CHECK(run.console.err.find("\r\033[K\033[A\r\033[K"
                             "JobSet team-a/two: Jobs are refused: job \"two-node-0\" creation failed with "
                             "error: a long one, which no line has room for\n"
                             "\r\033[K0:02  JobSet team-a/one: running, Jobs: node 1/2 ready\n"
                             "\r\033[K0:02  JobSet team-a/two: not started; Jobs are refused") !=
        std::string::npos);
  CHECK(run.console.err.ends_with("\r\033[K"));
}

TEST_CASE("a JobSet that fails or is deleted") {
  WaitRun run;
  run.from(seconds(0), kJobSets, job_set("demo", ended("Failed", "node-0 failed")));
  CHECK(run.run() == 1);
  CHECK(run.console.out == R"(JobSet team-a/demo created
1 job: 1 created
JobSet team-a/demo failed: node-0 failed
)");
  run.from(seconds(0), kJobSets, "");
  CHECK(run.run() == 1);
  CHECK(run.console.out == R"(JobSet team-a/demo created
1 job: 1 created
JobSet team-a/demo was deleted before its result was seen
)");
  CHECK(run.passed() == seconds(2));  // an event may arrive late
}

TEST_CASE("the end of a JobSet that is deleted as soon as it ends") {
  for (const auto& [reason, status] : {std::pair("AllJobsCompleted", 0), std::pair("FailedJobs", 1)}) {
    for (const seconds late : {seconds(1), seconds(3)}) {
      WaitRun run;
      run.from(seconds(0), kJobSets, job_set("demo", kRunning));
      run.from(seconds(1), kJobSets, "");
      run.from(late, "events", event(kDemo, "Normal", reason, "it ended"));
      CHECK(run.run() == status);
      CHECK(run.console.out.ends_with(status == 0 ? "JobSet team-a/demo completed\n"
                                                  : "JobSet team-a/demo failed: it ended\n"));
    }
  }
}

TEST_CASE("--timeout") {
  WaitRun run;
  run.flags.kubectl.timeout = 5;
  run.from(seconds(0), kJobSets, job_set("demo", "{}"));
  CHECK(run.run() == 2);
  CHECK(run.console.err == "trainjobc: 1 of 1 JobSets had not finished after 5 s; they continue to run\n");
  CHECK(run.passed() == seconds(5));
  CHECK(run.runner.requests.back().timeout == seconds(5));
}

TEST_CASE("what happened just before --timeout is told") {
  WaitRun run;
  run.flags.kubectl.timeout = 5;
  run.from(seconds(0), kJobSets, job_set("demo", "{}"));
  run.from(seconds(5), kJobSets, job_set("demo", ended("Completed", "")));
  CHECK(run.run() == 0);
}

TEST_CASE("a failed request is retried, but not forever") {
  const std::string error = "Unable to connect to the server: EOF\n";
  WaitRun run;
  run.fails(seconds(0), kJobSets, error);
  run.from(seconds(4), kJobSets, job_set("demo", ended("Completed", "")));
  CHECK(run.run() == 0);
  WaitRun other;
  other.fails(seconds(0), kJobSets, error);
  CHECK(other.run() == 2);
  CHECK(other.asked == 5);
  CHECK(other.console.err ==
        "trainjobc: the cluster can't be reached: check the context, the kubeconfig and the network\n"
        "  kubectl get -f - -o json --ignore-not-found --namespace=team-a: exit status 1\n"
        "  Unable to connect to the server: EOF\n");
}

TEST_CASE("users who may not list pods and events wait without their words") {
  WaitRun run;
  const auto forbidden = [](const std::string& what) {
    return "Error from server (Forbidden): " + what + " is forbidden: User \"u\" cannot list\n";
  };
  run.from(seconds(0), kJobSets, job_set("demo", "{}"));
  run.fails(seconds(0), "pods", forbidden("pods"));
  run.fails(seconds(0), "events", forbidden("events"));
  run.from(seconds(4), kJobSets, job_set("demo", ended("Completed", "")));
  CHECK(run.run() == 0);
  CHECK(run.console.err ==
        "note: you are not allowed to list the pods of namespace team-a: what they report is not shown\n"
        "note: you are not allowed to list the events of namespace team-a: what they report is not shown\n");
  CHECK(run.commands.size() == 5);
}

TEST_CASE("a deleted JobSet whose events can't be listed") {
  WaitRun run;
  run.from(seconds(0), kJobSets, "");
  run.fails(seconds(0), "events", "Unable to connect to the server: EOF\n");
  CHECK(run.run() == 1);
  CHECK(run.console.out.ends_with("JobSet team-a/demo was deleted before its result was seen\n"));
  CHECK(run.console.err.starts_with(
      "note: the events of namespace team-a can't be listed: what they report is not shown\n"));
}

TEST_CASE("Kueue's Workloads are polled while a JobSet is suspended, if there are any") {
  WaitRun run;
  const std::string kind = "workloads.kueue.x-k8s.io";
  const std::string workload =
      R"({"kind": "Workload", "metadata": {"name": "jobset-demo-1f2e3", "ownerReferences": [{"kind": "JobSet", "name": "demo"}]}, "status": {"conditions": [{"type": "QuotaReserved", "status": "False", "message": "couldn't assign flavors to pod set node: insufficient quota for cpu"}]}})";
  run.from(seconds(0), kJobSets, job_set("demo", "{}"));
  run.from(seconds(2), kJobSets, job_set("demo", "{}", R"("suspend": true, )"));
  run.from(seconds(8), kJobSets, job_set("demo", ended("Completed", "")));
  const std::string suspended =
      "JobSet team-a/demo: suspended: it can finish only after someone resumes it (spec.suspend: false)\n";
  const auto polls = [&] {
    return std::ranges::count_if(
        run.commands, [&](const std::string& command) { return command.find(kind) != std::string::npos; });
  };
  SUBCASE("there are") {
    run.from(seconds(4), kind, workload);
    CHECK(run.run() == 0);
    CHECK(run.console.err == suspended +
                                 "JobSet team-a/demo: waits for Kueue: couldn't assign flavors to pod set "
                                 "node: insufficient quota for cpu\n");
    CHECK(polls() == 3);
  }
  SUBCASE("there are none") {
    run.fails(seconds(0), kind, "error: the server doesn't have a resource type \"workloads\"\n");
    CHECK(run.run() == 0);
    CHECK(run.console.err == suspended);
    CHECK(polls() == 1);
  }
}

TEST_CASE("Ctrl-C keeps the jobs, unless they should be deleted") {
  WaitRun run;
  run.from(seconds(0), kJobSets, job_set("demo", "{}"));
  run.interrupts(seconds(3), SIGINT);
  SUBCASE("leaves") {
    CHECK(run.run() == 130);
    CHECK(run.console.err ==
          "trainjobc: interrupted; this JobSet continues to run (stop a job with kubectl delete jobset):\n"
          "  JobSet team-a/demo\n");
  }
  SUBCASE("deletes") {
    run.flags.cancel_on_interrupt = true;
    CHECK(run.run() == 130);
    CHECK(run.console.err == "trainjobc: interrupted; deleted:\n  JobSet team-a/demo\n");
    CHECK(run.runner.requests.back().argv == std::vector<std::string>{"kubectl", "delete", kJobSets,
                                                                      "--ignore-not-found", "--wait=false",
                                                                      "--namespace=team-a", "--", "demo"});
  }
  SUBCASE("fails to delete") {
    run.flags.cancel_on_interrupt = true;
    const auto before = run.runner.answer;
    run.runner.answer = [&](const ProcessRequest& request) -> trainjobc::base::IoResult<ProcessResult> {
      if (request.argv[1] == "delete")
        return ProcessResult{1, "", "Error from server (Forbidden): jobsets \"demo\" is forbidden\n"};
      return before(request);
    };
    CHECK(run.run() == 130);
    CHECK(run.console.err ==
          "trainjobc: interrupted; not deleted:\n"
          "  JobSet team-a/demo\n"
          "you are not allowed to do this in this cluster: ask for a role that allows "
          "it, or choose another context\n"
          "  kubectl delete jobsets.jobset.x-k8s.io --ignore-not-found --wait=false "
          "--namespace=team-a: exit status 1\n"
          "  Error from server (Forbidden): jobsets \"demo\" is forbidden\n");
  }
}

TEST_CASE("kubectl's output shows the cause of a failure") {
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

TEST_CASE("--wait with --as trainjob: the JobSet is Trainer's to create") {
  WaitRun run;
  run.flags.as = "trainjob";
  run.from(seconds(30), kJobSets, job_set("demo", kRunning));
  run.from(seconds(34), kJobSets, job_set("demo", ended("Completed", "jobset completed successfully")));
  CHECK(run.run() == 0);
  CHECK(run.console.out == R"(ClusterTrainingRuntime plain applied
TrainJob team-a/demo applied
1 job: 1 applied
JobSet team-a/demo completed
)");
  CHECK(run.console.err ==
        R"(JobSet team-a/demo: Trainer has not created it yet: is its controller running?
0:30  JobSet team-a/demo: running, Jobs: node 1/2 ready
)");
}

TEST_CASE("Ctrl-C with --as trainjob: Trainer would create a JobSet again") {
  WaitRun run;
  run.flags.as = "trainjob";
  run.from(seconds(0), kJobSets, job_set("demo", "{}"));
  run.interrupts(seconds(3), SIGINT);
  SUBCASE("leaves") {
    CHECK(run.run() == 130);
    CHECK(run.console.err ==
          "trainjobc: interrupted; this JobSet continues to run (stop a job with kubectl delete trainjob):\n"
          "  JobSet team-a/demo\n");
  }
  SUBCASE("deletes") {
    run.flags.cancel_on_interrupt = true;
    CHECK(run.run() == 130);
    CHECK(run.console.err == "trainjobc: interrupted; deleted:\n  TrainJob team-a/demo\n");
    CHECK(run.runner.requests.back().argv ==
          std::vector<std::string>{"kubectl", "delete", "trainjobs.trainer.kubeflow.org",
                                   "--ignore-not-found", "--wait=false", "--namespace=team-a", "--", "demo"});
  }
}

}  // namespace trainjobc::submit_wait_test
