// SPDX-License-Identifier: Apache-2.0

// `trainjobc submit --wait`, with a scripted kubectl and clock.
#include <doctest/doctest.h>

#include <csignal>

#include "support/watches.h"
#include "features/kubectl/failure.h"

namespace trainjobc::submit_wait_test {
using trainjobc::base::ProcessRequest;
using trainjobc::base::ProcessResult;
using trainjobc::test::DiffRun;
using trainjobc::test::kJobSets;
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
  return R"({"kind": "Event", "involvedObject": )" + about + R"(, "type": ")" + type + R"(", "reason": ")" +
         reason + R"(", "message": ")" + message + R"(", "eventTime": "2026-01-02T03:04:05.1Z"})";
}

constexpr const char* kRunning =
    R"({"replicatedJobsStatus": [{"name": "node", "ready": 1, "active": 2, "succeeded": 0, "failed": 0}]})";
constexpr const char* kDemo = R"({"kind": "JobSet", "name": "demo", "uid": "u-demo"})";

}  // namespace

TEST_CASE("--wait follows a JobSet to its end, in plain lines without a terminal") {
  WaitRun run;
  run.answers = {{0, job_set("demo", "{}"), ""}};
  run.says(kJobSets, "MODIFIED", job_set("demo", kRunning), std::chrono::seconds(75));
  run.says(kJobSets, "MODIFIED", job_set("demo", ended("Completed", "jobset completed successfully")));
  CHECK(run.run() == 0);
  CHECK(run.console.out == "JobSet team-a/demo created\n1 job: 1 created\nJobSet team-a/demo completed\n");
  CHECK(run.console.err ==
        "JobSet team-a/demo: no controller has picked it up yet: is JobSet's controller running?\n"
        "1:15  JobSet team-a/demo: running, node 1/2 ready\n");
  CHECK(run.asked == 2);  // at first, and as the watch says nothing
  CHECK(run.runner.requests.back().argv == std::vector<std::string>{"kubectl", "get", "-f", "-", "-o", "json",
                                                                    "--ignore-not-found",
                                                                    "--namespace=team-a"});
  CHECK(run.commands == std::vector<std::string>{
                            "kubectl get jobsets.jobset.x-k8s.io --watch --output-watch-events -o json "
                            "--field-selector=metadata.name=demo --namespace=team-a",
                            "kubectl get pods --watch --output-watch-events -o json "
                            "--selector=jobset.sigs.k8s.io/jobset-name=demo --namespace=team-a",
                            "kubectl get events --watch --output-watch-events -o json --namespace=team-a"});
}

TEST_CASE("a progress line on a terminal") {
  WaitRun run;
  run.console.terminal = true;
  run.answers = {{0, job_set("demo", "{}"), ""}};
  run.says(kJobSets, "MODIFIED", job_set("demo", kRunning));
  run.says(kJobSets, "MODIFIED", job_set("demo", ended("Completed", "")));
  CHECK(run.run() == 0);
  CHECK(run.console.err ==
        "\r\033[K0:00  JobSet team-a/demo: not started"
        "\r\033[K0:01  JobSet team-a/demo: running, node 1/2 ready"
        "\r\033[K");
}

TEST_CASE("a line for each JobSet on a terminal, cut to its width; reasons stay above them in full") {
  WaitRun run;
  run.console.terminal = true;
  run.console.width = 60;
  run.files.files["job.yaml"] = DiffRun::job("one", "1") + "---\n" + DiffRun::job("two", "1");
  run.answers = {{0, job_set("one", kRunning) + "---\n" + job_set("two", "{}"), ""}};
  run.says(
      "events", "ADDED",
      event(R"({"kind": "JobSet", "name": "two", "uid": "u-two"})", "Warning", "JobCreationFailed",
            "job \\\"two-node-0\\\" creation failed with error: a long one, which no line has room for"));
  run.says(kJobSets, "MODIFIED", job_set("two", ended("Completed", "")));
  run.says(kJobSets, "MODIFIED", job_set("one", ended("Completed", "")));
  CHECK(run.run() == 0);
  CHECK(run.console.out == R"(JobSet team-a/one created
JobSet team-a/two created
2 jobs: 2 created
JobSet team-a/two completed
JobSet team-a/one completed
)");
  CHECK(run.console.err ==
        "\r\033[K0:00  JobSet team-a/one: running, node 1/2 ready\n"
        "\r\033[K0:00  JobSet team-a/two: not started"
        "\r\033[K\033[A\r\033[K"
        "JobSet team-a/two: Jobs are refused: job \"two-node-0\" creation failed with error: a long one, "
        "which no line has room for\n"
        "\r\033[K0:01  JobSet team-a/one: running, node 1/2 ready\n"
        "\r\033[K0:01  JobSet team-a/two: not started; Jobs are refused"
        "\r\033[K\033[A\r\033[K"
        "\r\033[K0:02  JobSet team-a/one: running, node 1/2 ready"
        "\r\033[K");
}

TEST_CASE("a JobSet that fails or is deleted") {
  WaitRun run;
  run.answers = {{0, job_set("demo", ended("Failed", "node-0 failed")), ""}};
  CHECK(run.run() == 1);
  CHECK(run.console.out == R"(JobSet team-a/demo created
1 job: 1 created
JobSet team-a/demo failed: node-0 failed
)");
  run.answers = {{0, "", ""}};
  CHECK(run.run() == 1);
  CHECK(run.console.out == R"(JobSet team-a/demo created
1 job: 1 created
JobSet team-a/demo was deleted before its result was seen
)");
  run.answers = {{0, job_set("demo", kRunning), ""}};
  run.says(kJobSets, "DELETED", job_set("demo", kRunning));
  CHECK(run.run() == 1);
  CHECK(run.console.out == R"(JobSet team-a/demo created
1 job: 1 created
JobSet team-a/demo was deleted before its result was seen
)");
}

TEST_CASE("the end of a JobSet that is deleted as soon as it ends") {
  WaitRun run;
  run.answers = {{0, job_set("demo", "{}"), ""}};
  run.says(kJobSets, "DELETED", job_set("demo", ended("Completed", "")));
  CHECK(run.run() == 0);
  CHECK(run.console.out == R"(JobSet team-a/demo created
1 job: 1 created
JobSet team-a/demo completed
)");
  // It is gone before the watch begins: its events tell.
  for (const auto& [reason, status] : {std::pair("AllJobsCompleted", 0), std::pair("FailedJobs", 1)}) {
    run.asked = 0;
    run.answers = {{0, job_set("demo", "{}"), ""}, {0, "", ""}};
    run.says("events", "ADDED", event(kDemo, "Normal", reason, "it ended"), std::chrono::seconds(6));
    CHECK(run.run() == status);
    CHECK(run.console.out.ends_with(status == 0 ? "JobSet team-a/demo completed\n"
                                                : "JobSet team-a/demo failed: it ended\n"));
  }
}

TEST_CASE("--timeout") {
  WaitRun run;
  run.flags.timeout = 5;
  run.answers = {{0, job_set("demo", "{}"), ""}};
  CHECK(run.run() == 2);
  CHECK(run.console.err == "trainjobc: 1 of 1 JobSets had not finished after 5 s; they continue to run\n");
  CHECK(run.clock.now() == trainjobc::base::Clock::Time(std::chrono::seconds(5)));
}

TEST_CASE("a failed request is retried, but not forever") {
  WaitRun run;
  const ProcessResult failure{1, "", "Unable to connect to the server: EOF\n"};
  run.answers = {failure, failure, {0, job_set("demo", ended("Completed", "")), ""}};
  CHECK(run.run() == 0);
  run.asked = 0;
  run.answers = {failure};
  CHECK(run.run() == 2);
  CHECK(run.asked == 5);
  CHECK(run.console.err ==
        "trainjobc: the cluster can't be reached: check the context, the kubeconfig and the network\n"
        "  kubectl get -f - -o json --ignore-not-found --namespace=team-a: exit status 1\n"
        "  Unable to connect to the server: EOF\n");
}

TEST_CASE("a watch that ends is restarted, with the current JobSets") {
  WaitRun run;
  run.answers = {{0, job_set("demo", "{}"), ""}, {0, job_set("demo", ended("Failed", "x")), ""}};
  run.ends(kJobSets, {0, "", ""});
  CHECK(run.run() == 1);
  CHECK(run.console.out == R"(JobSet team-a/demo created
1 job: 1 created
JobSet team-a/demo failed: x
)");
  CHECK(run.clock.now() == trainjobc::base::Clock::Time(std::chrono::seconds(2)));
}

TEST_CASE("users who may not watch") {
  WaitRun run;
  const auto forbidden = [](const std::string& what) {
    return ProcessResult{
        1, "", "Error from server (Forbidden): " + what + " is forbidden: User \"u\" cannot list\n"};
  };
  SUBCASE("pods and events waits without their words") {
    run.answers = {{0, job_set("demo", "{}"), ""}};
    run.ends("pods", forbidden("pods"));
    run.ends("events", forbidden("events"));
    run.says(kJobSets, "MODIFIED", job_set("demo", ended("Completed", "")));
    CHECK(run.run() == 0);
    CHECK(
        run.console.err ==
        "note: you are not allowed to watch the pods of namespace team-a: what they report is not shown\n"
        "note: you are not allowed to watch the events of namespace team-a: what they report is not shown\n");
  }
  SUBCASE("JobSets asks for them") {
    run.answers = {{0, job_set("demo", "{}"), ""},
                   {0, job_set("demo", "{}"), ""},
                   {0, job_set("demo", ended("Completed", "")), ""}};
    run.ends(kJobSets, forbidden("jobsets"));
    CHECK(run.run() == 0);
    CHECK(run.asked == 3);
    CHECK(run.console.err ==
          "note: you are not allowed to watch the JobSets of namespace team-a: they "
          "are fetched every 2 s instead\n");
  }
}

TEST_CASE("Kueue's Workloads are watched while a JobSet is suspended, if there are any") {
  WaitRun run;
  run.answers = {{0, job_set("demo", "{}"), ""}};
  const std::string suspended = job_set("demo", "{}", R"("suspend": true, )");
  const std::string workload =
      R"({"kind": "Workload", "metadata": {"name": "jobset-demo-1f2e3", "ownerReferences": [{"kind": "JobSet", "name": "demo"}]}, "status": {"conditions": [{"type": "QuotaReserved", "status": "False", "message": "couldn't assign flavors to pod set node: insufficient quota for cpu"}]}})";
  run.says(kJobSets, "MODIFIED", suspended);
  SUBCASE("there are") {
    run.says("workloads.kueue.x-k8s.io", "ADDED", workload);
    run.says("workloads.kueue.x-k8s.io", "MODIFIED", workload);
    run.says(kJobSets, "MODIFIED", job_set("demo", ended("Completed", "")));
    CHECK(run.run() == 0);
    CHECK(run.console.err ==
          "JobSet team-a/demo: suspended: it can finish only after someone resumes it (spec.suspend: false)\n"
          "JobSet team-a/demo: waits for Kueue: couldn't assign flavors to pod set "
          "node: insufficient quota for cpu\n");
  }
  SUBCASE("there are none") {
    run.ends("workloads.kueue.x-k8s.io",
             {1, "", "error: the server doesn't have a resource type \"workloads\"\n"});
    run.says(kJobSets, "MODIFIED", job_set("demo", ended("Completed", "")), std::chrono::seconds(9));
    CHECK(run.run() == 0);
    CHECK(
        run.console.err ==
        "JobSet team-a/demo: suspended: it can finish only after someone resumes it (spec.suspend: false)\n");
    CHECK(run.commands.size() == 4);
  }
}

TEST_CASE("Ctrl-C keeps the jobs, unless they should be deleted") {
  WaitRun run;
  run.answers = {{0, job_set("demo", "{}"), ""}};
  run.interrupts(SIGINT);
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

}  // namespace trainjobc::submit_wait_test
