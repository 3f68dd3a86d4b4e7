// SPDX-License-Identifier: Apache-2.0

// `trainjobc submit`: what it runs, what it says and how it ends, with a scripted kubectl.
#include "support/submit.h"

#include <doctest/doctest.h>

namespace trainjobc::submit_test {
using trainjobc::base::IoError;
using trainjobc::base::IoResult;
using trainjobc::base::ProcessRequest;
using trainjobc::base::ProcessResult;
using trainjobc::test::DiffRun;
using trainjobc::test::kMpiRuntime;
using trainjobc::test::replaced;
using trainjobc::test::SubmitRun;

namespace {

constexpr const char* kGetDemo =
    "kubectl get -f - -o json --ignore-not-found --show-managed-fields --namespace=team-a <JobSet/demo\n";
constexpr const char* kGetTrainJob =
    "kubectl get -f - -o json --ignore-not-found --namespace=team-a <TrainJob/demo\n";
constexpr const char* kApply =
    "kubectl apply --server-side --field-manager=trainjobc -f - --namespace=team-a\n";

ProcessResult said(std::string err) {
  return {1, "", std::move(err)};
}

// The live JobSet, and nothing else.
std::function<IoResult<ProcessResult>(const ProcessRequest&)> with_job_set(const std::string& job_set) {
  return [job_set](const ProcessRequest& request) {
    return SubmitRun::gets(request, "JobSet") ? ProcessResult{0, job_set, ""} : SubmitRun::accepted(request);
  };
}

}  // namespace

TEST_CASE("submit reads, then applies, and reports the result for each object") {
  SubmitRun run;
  CHECK(run.run() == 0);
  CHECK(run.runner.lines() == std::string(kGetDemo) + kGetTrainJob + kApply);
  CHECK(run.console.out == "JobSet team-a/demo created\n1 job: 1 created\n");
  CHECK(run.console.err == "");
  const std::string& sent = run.runner.requests.back().input;
  CHECK(
      sent.starts_with("---\napiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata:\n  name: demo\n"));
  // What JobSet admission fills in is not ours to own.
  CHECK(sent.find("successPolicy") == std::string::npos);
}

TEST_CASE("a Kueue queue that the JobSet doesn't name is not used") {
  SubmitRun run;
  const auto queue = [](const std::string& text, const std::string& at) {
    return replaced(text, at, at + "  labels: {kueue.x-k8s.io/queue-name: team}\n");
  };
  run.files.files["job.yaml"] = queue(DiffRun::job("demo", "2"), "  name: demo\n");
  CHECK(run.run() == 0);
  CHECK(run.console.out == "JobSet team-a/demo created\n1 job: 1 created\n");
  CHECK(run.console.err ==
        "note: JobSet team-a/demo is not queued: its TrainJob names the Kueue queue \"team\", but the labels "
        "of a "
        "TrainJob don't reach its JobSet; set kueue.x-k8s.io/queue-name in spec.template.metadata.labels of "
        "the "
        "runtime\n");
  run.files.files["runtime.yaml"] =
      replaced(DiffRun::runtime(), "    spec:\n",
               "    metadata: {labels: {kueue.x-k8s.io/queue-name: team}}\n    spec:\n");
  CHECK(run.run() == 0);
  CHECK(run.console.err == "");
}

TEST_CASE("a queued JobSet stays suspended, even if submit owns the field") {
  SubmitRun run;
  run.files.files["runtime.yaml"] =
      replaced(DiffRun::runtime(), "    spec:\n",
               "    metadata: {labels: {kueue.x-k8s.io/queue-name: team}}\n    spec:\n");
  run.runner.answer = with_job_set(replaced(run.rendered(), "\"suspend\": false", "\"suspend\": true"));
  CHECK(run.run() == 0);
  CHECK(run.console.out == "JobSet team-a/demo unchanged\n1 job: 1 unchanged\n");
  CHECK(run.console.err == "note: spec.suspend, owned by Kueue, is left unchanged in JobSet team-a/demo\n");
  CHECK(run.runner.requests.back().input.find("suspend") == std::string::npos);
}

TEST_CASE("submit of existing objects") {
  SubmitRun run;
  run.runner.answer = with_job_set(run.rendered());
  CHECK(run.run() == 0);
  CHECK(run.console.out == "JobSet team-a/demo unchanged\n1 job: 1 unchanged\n");
  run.files.files["runtime.yaml"] =
      replaced(DiffRun::runtime(), "    spec:\n", "    metadata: {labels: {a: b}}\n    spec:\n");
  CHECK(run.run() == 0);
  CHECK(run.console.out == "JobSet team-a/demo changed\n1 job: 1 changed\n");
}

TEST_CASE("variables are sent in their live order") {
  SubmitRun run;
  const auto runtime = [&](const std::string& env) {
    run.files.files["runtime.yaml"] = DiffRun::runtime() + "                      env: [" + env + "]\n";
  };
  runtime("{name: B, value: '2'}, {name: A, value: '1'}");
  run.runner.answer = with_job_set(run.rendered());
  runtime("{name: A, value: '1'}, {name: B, value: '2'}");
  CHECK(run.run() == 0);
  CHECK(run.console.out == "JobSet team-a/demo unchanged\n1 job: 1 unchanged\n");
  const std::string& sent = run.runner.requests.back().input;
  CHECK(sent.find("- name: B\n") < sent.find("- name: A\n"));
}

TEST_CASE("fields that another controller set are left alone, or taken over by force") {
  SubmitRun run;
  std::string live = replaced(run.rendered(), "\"suspend\": false", "\"suspend\": true");
  live = replaced(live, "\"metadata\": {",
                  R"("metadata": {"managedFields": [{"manager": "trainjobc", "operation": "Apply",
                  "fieldsV1": {"f:spec": {"f:replicatedJobs": {"f:a": {}, "f:b": {}, "f:c": {}}}}}, {"manager": "kueue", "operation": "Update",
                  "fieldsV1": {"f:spec": {"f:suspend": {}}}}], )");
  run.runner.answer = with_job_set(live);
  CHECK(run.run() == 0);
  CHECK(run.console.out == "JobSet team-a/demo unchanged\n1 job: 1 unchanged\n");
  CHECK(run.console.err == "note: spec.suspend, owned by kueue, is left unchanged in JobSet team-a/demo\n");
  CHECK(run.runner.requests.back().input.find("suspend") == std::string::npos);
  run.flags.force_conflicts = true;
  CHECK(run.run() == 0);
  CHECK(run.console.out == "JobSet team-a/demo changed\n1 job: 1 changed\n");
  CHECK(run.console.err == "");
  CHECK(run.runner.requests.back().input.find("  suspend: false\n") != std::string::npos);
}

TEST_CASE("helpers come before their JobSets; Secrets are created, not applied") {
  SubmitRun run;
  run.files.files["runtime.yaml"] = kMpiRuntime;
  CHECK(run.run() == 0);
  CHECK(run.runner.lines() ==
        "kubectl get -f - -o json --ignore-not-found --show-managed-fields --namespace=team-a "
        "<ConfigMap/demo-mpi-hostfile\n" +
            std::string(kGetDemo) +
            "kubectl get -f - -o name --ignore-not-found --namespace=team-a <Secret/demo-mpi-ssh-auth\n" +
            kGetTrainJob + "kubectl create --field-manager=trainjobc -f - --namespace=team-a\n" + kApply +
            kApply);
  CHECK(run.console.out ==
        "Secret team-a/demo-mpi-ssh-auth created\n"
        "ConfigMap team-a/demo-mpi-hostfile created\n"
        "JobSet team-a/demo created\n"
        "1 job: 1 created\n");
}

TEST_CASE("submit --ssh-key omit lists the Secrets that must exist") {
  SubmitRun run;
  run.files.files["runtime.yaml"] = kMpiRuntime;
  run.flags.ssh_key.choice = "omit";
  CHECK(run.run() == 0);
  CHECK(run.console.out ==
        "ConfigMap team-a/demo-mpi-hostfile created\n"
        "JobSet team-a/demo created\n"
        "1 job: 1 created\n");
  CHECK(run.console.err ==
        "note: --ssh-key omit: create a Secret of type kubernetes.io/ssh-auth, with the keys ssh-privatekey "
        "and "
        "ssh-publickey, before the job starts: \"demo-mpi-ssh-auth\" in namespace \"team-a\"\n");
}

TEST_CASE("an existing Secret is kept, and not read") {
  SubmitRun run;
  run.files.files["runtime.yaml"] = kMpiRuntime;
  run.runner.answer = [](const ProcessRequest& request) {
    return SubmitRun::gets(request, "Secret") ? ProcessResult{0, "secret/demo-mpi-ssh-auth\n", ""}
                                              : SubmitRun::accepted(request);
  };
  CHECK(run.run() == 0);
  CHECK(run.console.out == R"(Secret team-a/demo-mpi-ssh-auth kept: already exists
ConfigMap team-a/demo-mpi-hostfile created
JobSet team-a/demo created
1 job: 1 created
)");
  CHECK(run.runner.lines().find("kubectl create") == std::string::npos);
}

TEST_CASE("users who may not read Secrets don't overwrite one") {
  SubmitRun run;
  run.files.files["runtime.yaml"] = kMpiRuntime;
  run.runner.answer = [](const ProcessRequest& request) {
    if (SubmitRun::gets(request, "Secret"))
      return said("Error from server (Forbidden): secrets is forbidden\n");
    if (request.argv[1] == "create") {
      return said(
          "Error from server (AlreadyExists): error when creating \"STDIN\": secrets "
          "\"demo-mpi-ssh-auth\" already exists\n");
    }
    return SubmitRun::accepted(request);
  };
  CHECK(run.run() == 0);
  CHECK(run.console.out == R"(Secret team-a/demo-mpi-ssh-auth kept: already exists
ConfigMap team-a/demo-mpi-hostfile created
JobSet team-a/demo created
1 job: 1 created
)");
  CHECK(run.console.err == "");
}

TEST_CASE("submit sends no inputs with errors, including errors of Jobs") {
  SubmitRun run;
  run.files.files["job.yaml"] = replaced(DiffRun::job("demo", "2"), "numNodes", "numNode");
  CHECK(run.run() == 1);
  CHECK(run.runner.requests.empty());
  CHECK(run.console.out == "");
  CHECK(run.console.err ==
        "job.yaml:10:5: error: unknown field \"numNode\" in spec.trainer [input/unknown-field]\n"
        "   10 |     numNode: 2\n"
        "      |     ^~~~~~~ did you mean \"numNodes\"?\n"
        "trainjobc: nothing was sent\n");
  run.files.files["job.yaml"] =
      DiffRun::job("demo", "2") + "    resourcesPerNode: {requests: {cpu: 2}, limits: {cpu: 1}}\n";
  CHECK(run.run() == 1);
  CHECK(run.runner.requests.empty());
  CHECK(run.console.err ==
        R"(job.yaml:11:40: error: the cpu request of 2 is more than the limit of 1 [job/resources]
   11 |     resourcesPerNode: {requests: {cpu: 2}, limits: {cpu: 1}}
      |                                        ^ lower the request, or raise the limit
  note: the limit at job.yaml:11:58
trainjobc: nothing was sent
)");
}

TEST_CASE("no TrainJob, nothing to do") {
  SubmitRun run;
  run.flags.input.paths = {"runtime.yaml"};
  CHECK(run.run() == 0);
  CHECK(run.runner.requests.empty());
  CHECK(run.console.err == "note: the inputs contain no TrainJob\n");
}

TEST_CASE("an update that would be refused stops submit before it sends anything") {
  SubmitRun run;
  std::string live = run.rendered();
  live =
      replaced(live, "\"metadata\": {", "\"metadata\": {\"creationTimestamp\": \"2026-01-02T03:04:05Z\", ");
  live =
      replaced(live, "\"spec\": {",
               R"("status": {"restarts": 2, "replicatedJobsStatus": [{"name": "node", "ready": 1, "active": 1,
                  "succeeded": 0, "failed": 0, "suspended": 0}]}, "spec": {)");
  run.runner.answer = with_job_set(live);
  run.files.files["job.yaml"] = DiffRun::job("demo", "4");
  const std::string lost =
      "  JobSet team-a/demo: running, created 2026-01-02T03:04:05Z; node 1/1 ready\n"
      "    its Jobs and Pods, their logs, and everything that their containers wrote, "
      "except to persistent volumes\n"
      "    its restart count, 2 so far\n";
  CHECK(run.run() == 1);
  CHECK(run.console.out == "");
  CHECK(run.console.err ==
        "JobSet team-a/demo\n"
        "! spec.replicatedJobs[node].template.spec.parallelism   2 → 4   trainer/pod-count from job.yaml:10\n"
        "! …completions                                          2 → 4   trainer/pod-count from the same\n"
        "  ! refused (2 fields): spec.replicatedJobs is immutable\n"
        "    delete the JobSet and let it be recreated (kubectl delete jobset demo -n "
        "team-a), or rename the TrainJob\n"
        "\n"
        "trainjobc: nothing was sent: the cluster would refuse to update 1 object; --replace deletes and "
        "recreates it, which loses:\n" +
            lost);
  CHECK(run.runner.lines() == std::string(kGetDemo) + kGetTrainJob);

  run.flags.replace = true;
  CHECK(run.run() == 0);
  CHECK(run.console.err == "warning: --replace deletes and recreates objects; this is lost:\n" + lost);
  CHECK(run.console.out == "JobSet team-a/demo replaced\n1 job: 1 replaced\n");
  CHECK(run.runner.lines() ==
        std::string(kGetDemo) + kGetTrainJob +
            "kubectl create --field-manager=trainjobc --dry-run=server -f - --namespace=team-a\n"
            "kubectl delete jobsets.jobset.x-k8s.io --cascade=foreground --ignore-not-found --wait "
            "--namespace=team-a -- demo\n" +
            kApply);

  run.flags.dry_run = "server";
  CHECK(run.run() == 0);
  CHECK(run.console.out == "JobSet team-a/demo replaced (dry run)\n1 job: 1 replaced (dry run)\n");
  CHECK(run.runner.lines() == std::string(kGetDemo) + kGetTrainJob);
}

TEST_CASE("--replace tries a JobSet without the claims that are deleted with the old one") {
  SubmitRun run;
  run.files.files["runtime.yaml"] = DiffRun::runtime_with_claim();
  run.runner.answer = with_job_set(run.rendered());
  CHECK(run.run() == 0);
  CHECK(run.console.out == "JobSet team-a/demo unchanged\n1 job: 1 unchanged\n");

  run.files.files["runtime.yaml"] = DiffRun::runtime_with_claim("2Gi");
  CHECK(run.run() == 1);
  CHECK(run.console.err ==
        "JobSet team-a/demo\n"
        "! spec.volumeClaimPolicies[0].templates[0].spec.resources.requests.storage   \"1Gi\" → \"2Gi\"   "
        "runtime.yaml:15  "
        "spec.template.spec.volumeClaimPolicies[0].templates[0].spec.resources.requests.storage\n"
        "  ! refused (1 field): spec.volumeClaimPolicies is immutable\n"
        "    delete the JobSet and let it be recreated (kubectl delete jobset demo -n "
        "team-a), or rename the TrainJob\n"
        "\n"
        "trainjobc: nothing was sent: the cluster would refuse to update 1 object; --replace deletes and "
        "recreates it, which loses:\n"
        "  JobSet team-a/demo: not started\n"
        "    its Jobs and Pods, their logs, and everything that their containers wrote, "
        "except to persistent volumes\n"
        "    the claim cache-demo, and the data on its volume\n");
  run.flags.replace = true;
  CHECK(run.run() == 0);
  CHECK(run.console.out == "JobSet team-a/demo replaced\n1 job: 1 replaced\n");
  REQUIRE(run.runner.requests.size() == 5);
  CHECK(run.runner.requests[2].input.find("volumeClaimPolicies") == std::string::npos);
  CHECK(run.runner.requests[4].input.find("storage: 2Gi") != std::string::npos);
}

TEST_CASE("--replace tells how to delete the claims that stay") {
  SubmitRun run;
  const std::string retain = "          retentionPolicy: {whenDeleted: Retain}\n";
  run.files.files["runtime.yaml"] = DiffRun::runtime_with_claim("1Gi", retain);
  const std::string live = run.rendered();
  run.files.files["runtime.yaml"] = DiffRun::runtime_with_claim("2Gi", retain);
  run.flags.replace = true;
  run.runner.answer = [&](const ProcessRequest& request) -> IoResult<ProcessResult> {
    if (request.argv[1] == "create") {
      return said(
          "The JobSet \"demo\" is invalid: spec.volumeClaimPolicies[0].template[0].spec: Invalid value: {}: "
          "spec "
          "does not match existing PVC cache-demo in namespace team-a\n");
    }
    return with_job_set(live)(request);
  };
  CHECK(run.run() == 2);
  CHECK(run.runner.requests[2].input.find("storage: 2Gi") != std::string::npos);
  CHECK(run.runner.lines().find("kubectl delete") == std::string::npos);
  CHECK(run.console.err ==
        "warning: --replace deletes and recreates objects; this is lost:\n"
        "  JobSet team-a/demo: not started\n"
        "    its Jobs and Pods, their logs, and everything that their containers wrote, "
        "except to persistent volumes\n"
        "    but not the claim cache-demo, which is kept: the new JobSet is refused unless its template "
        "equals the claim's spec, including volumeMode, volumeName and storageClassName, and sets "
        "whenDeleted: Retain. To start with an empty volume, delete the claim first: kubectl delete pvc "
        "cache-demo -n team-a\n"
        "trainjobc: a claim of another JobSet of that name still exists: delete it (kubectl delete pvc, "
        "which may delete the data on its volume), or rename the claim template\n"
        "  kubectl create --field-manager=trainjobc --dry-run=server -f - --namespace=team-a: exit status 1\n"
        "  The JobSet \"demo\" is invalid: spec.volumeClaimPolicies[0].template[0].spec: Invalid value: {}: "
        "spec does not match existing PVC cache-demo in namespace team-a\n"
        "not applied:\n"
        "  JobSet team-a/demo\n");
}

TEST_CASE("an object whose old version could not be deleted is not sent") {
  SubmitRun run;
  const std::string live = run.rendered();
  run.files.files["job.yaml"] = DiffRun::job("demo", "4") + "---\n" + DiffRun::job("other", "1");
  run.flags.replace = true;
  run.runner.answer = [&](const ProcessRequest& request) -> IoResult<ProcessResult> {
    if (SubmitRun::has(request, "delete")) return said("Error from server (Forbidden): may not\n");
    return with_job_set(live)(request);
  };
  CHECK(run.run() == 2);
  CHECK(run.console.out == "JobSet team-a/other created\n2 jobs: 1 created, 1 not applied\n");
  CHECK(run.console.err == R"(warning: --replace deletes and recreates objects; this is lost:
  JobSet team-a/demo: not started
    its Jobs and Pods, their logs, and everything that their containers wrote, except to persistent volumes
trainjobc: you are not allowed to do this in this cluster: ask for a role that allows it, or choose another context
  kubectl delete jobsets.jobset.x-k8s.io --cascade=foreground --ignore-not-found --wait --namespace=team-a: exit status 1
  Error from server (Forbidden): may not
applied:
  JobSet team-a/other
not applied:
  JobSet team-a/demo
)");
}

TEST_CASE("--replace deletes nothing whose new version is refused, and lists what was deleted") {
  SubmitRun run;
  const std::string live = run.rendered();
  run.files.files["job.yaml"] = DiffRun::job("demo", "4");
  run.flags.replace = true;
  std::string failing = "create";
  run.runner.answer = [&](const ProcessRequest& request) -> IoResult<ProcessResult> {
    if (request.argv[1] == failing) return said("The JobSet \"demo\" is invalid: spec: no\n");
    // kubectl tries the new object where the old one is.
    if (request.argv[1] == "create") {
      return said(
          "Error from server (AlreadyExists): error when creating \"STDIN\": jobsets.jobset.x-k8s.io "
          "\"demo\" "
          "already exists\n");
    }
    return with_job_set(live)(request);
  };
  CHECK(run.run() == 2);
  CHECK(run.runner.lines().find("kubectl delete") == std::string::npos);
  CHECK(run.console.err == R"(warning: --replace deletes and recreates objects; this is lost:
  JobSet team-a/demo: not started
    its Jobs and Pods, their logs, and everything that their containers wrote, except to persistent volumes
trainjobc: the API server refused it
  kubectl create --field-manager=trainjobc --dry-run=server -f - --namespace=team-a: exit status 1
  The JobSet "demo" is invalid: spec: no
not applied:
  JobSet team-a/demo
)");
  failing = "apply";
  CHECK(run.run() == 2);
  CHECK(run.console.err == R"(warning: --replace deletes and recreates objects; this is lost:
  JobSet team-a/demo: not started
    its Jobs and Pods, their logs, and everything that their containers wrote, except to persistent volumes
trainjobc: the API server refused it
  kubectl apply --server-side --field-manager=trainjobc -f - --namespace=team-a: exit status 1
  The JobSet "demo" is invalid: spec: no
not applied:
  JobSet team-a/demo (deleted by --replace)
)");
  failing = "";
  CHECK(run.run() == 0);
}

TEST_CASE("a partial failure lists what was applied") {
  SubmitRun run;
  run.files.files["job.yaml"] = DiffRun::job("one", "1") + "---\n" + DiffRun::job("two", "1");
  run.runner.answer = [](const ProcessRequest& request) {
    if (request.argv[1] != "apply") return SubmitRun::accepted(request);
    return ProcessResult{1, "jobset.jobset.x-k8s.io/one serverside-applied\n",
                         "Error from server (Forbidden): admission webhook \"w\" denied the request: no\n"};
  };
  CHECK(run.run() == 2);
  CHECK(run.console.out == "JobSet team-a/one created\n2 jobs: 1 created, 1 not applied\n");
  CHECK(run.console.err ==
        "trainjobc: the API server refused it\n"
        "  kubectl apply --server-side --field-manager=trainjobc -f - --namespace=team-a: exit status 1\n"
        "  Error from server (Forbidden): admission webhook \"w\" denied the request: no\n"
        "applied:\n  JobSet team-a/one\n"
        "not applied:\n  JobSet team-a/two\n");
}

TEST_CASE("what kubectl applied before it was ended counts") {
  SubmitRun run;
  run.files.files["job.yaml"] = DiffRun::job("one", "1") + "---\n" + DiffRun::job("two", "1");
  std::string why;
  run.runner.answer = [&](const ProcessRequest& request) -> IoResult<ProcessResult> {
    if (request.argv[1] != "apply") return SubmitRun::accepted(request);
    *request.unfinished = "jobset.jobset.x-k8s.io/one serverside-applied\n";
    return IoError{why};
  };
  const std::string left =
      "applied:\n  JobSet team-a/one\n"
      "not applied, as far as kubectl said:\n  JobSet team-a/two\n";
  const std::string call =
      "  kubectl apply --server-side --field-manager=trainjobc -f - --namespace=team-a: ";
  why = "run kubectl: no answer within 600 s";
  CHECK(run.run() == 2);
  CHECK(run.console.out == "JobSet team-a/one created\n2 jobs: 1 created, 1 not applied\n");
  CHECK(run.console.err == "trainjobc: kubectl did not answer\n" + call + why + "\n" + left);
  why = "run kubectl: interrupted";
  CHECK(run.run() == 2);
  CHECK(run.console.out == "JobSet team-a/one created\n2 jobs: 1 created, 1 not applied\n");
  CHECK(run.console.err == "trainjobc: interrupted while kubectl was running\n" + call + why + "\n" + left);
}

TEST_CASE("what kubectl deleted before it was ended counts") {
  SubmitRun run;
  const std::string live = run.rendered();
  run.files.files["job.yaml"] = DiffRun::job("demo", "4");
  run.flags.replace = true;
  for (const char* words : {"deleted", "deleted from team-a namespace"}) {
    run.runner.answer = [&](const ProcessRequest& request) -> IoResult<ProcessResult> {
      if (!SubmitRun::has(request, "delete")) return with_job_set(live)(request);
      *request.unfinished = std::string("jobset.jobset.x-k8s.io \"demo\" ") + words + "\n";
      return IoError{"run kubectl: no answer within 600 s"};
    };
    CHECK(run.run() == 2);
    CHECK(run.console.out == "1 job: 1 not applied\n");
    CHECK(run.console.err == R"(warning: --replace deletes and recreates objects; this is lost:
  JobSet team-a/demo: not started
    its Jobs and Pods, their logs, and everything that their containers wrote, except to persistent volumes
trainjobc: kubectl did not answer
  kubectl delete jobsets.jobset.x-k8s.io --cascade=foreground --ignore-not-found --wait --namespace=team-a: run kubectl: no answer within 600 s
not applied, as far as kubectl said:
  JobSet team-a/demo (deleted by --replace)
)");
  }
}

TEST_CASE("the settings limit the time of each call") {
  SubmitRun run;
  run.files.files[".trainjobc.yaml"] = "programTimeout: 7s\n";
  const auto longest = [&] {
    run.run();
    std::chrono::milliseconds time{0};
    for (const ProcessRequest& request : run.runner.requests) time = std::max(time, request.timeout);
    return time.count();
  };
  CHECK(longest() == 7000);
  run.flags.kubectl.timeout = 3;
  CHECK(longest() == 3000);
  run.flags.input.no_config = true;
  CHECK(longest() == 3000);
  run.flags.kubectl.timeout = 0;
  CHECK(longest() == 600'000);
}

TEST_CASE("a JobSet is not sent without what it mounts") {
  SubmitRun run;
  run.files.files["runtime.yaml"] = kMpiRuntime;
  run.runner.answer = [](const ProcessRequest& request) {
    const bool is_map =
        request.argv[1] == "apply" && request.input.find("kind: ConfigMap") != std::string::npos;
    return is_map ? said("Error from server (Forbidden): configmaps is forbidden\n")
                  : SubmitRun::accepted(request);
  };
  CHECK(run.run() == 2);
  CHECK(run.console.out == "Secret team-a/demo-mpi-ssh-auth created\n1 job: 1 not applied\n");
  CHECK(
      run.console.err ==
      R"(trainjobc: you are not allowed to do this in this cluster: ask for a role that allows it, or choose another context
  kubectl apply --server-side --field-manager=trainjobc -f - --namespace=team-a: exit status 1
  Error from server (Forbidden): configmaps is forbidden
applied:
  Secret team-a/demo-mpi-ssh-auth
not applied:
  ConfigMap team-a/demo-mpi-hostfile
  JobSet team-a/demo
)");
}

TEST_CASE("a TrainJob of that name is warned about") {
  SubmitRun run;
  run.runner.answer = [](const ProcessRequest& request) {
    if (!SubmitRun::gets(request, "TrainJob")) return SubmitRun::accepted(request);
    return ProcessResult{0, R"({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob",
                              "metadata": {"name": "demo", "namespace": "team-a"}})",
                         ""};
  };
  CHECK(run.run() == 0);
  CHECK(run.console.err ==
        "warning: TrainJob team-a/demo exists in the cluster: the Trainer controller owns the JobSet of that "
        "name and may revert what is submitted; apply the TrainJob instead, or delete it first (kubectl "
        "delete trainjob demo -n team-a also deletes its JobSet)\n");
  run.runner.answer = [](const ProcessRequest& request) {
    return SubmitRun::gets(request, "TrainJob")
               ? said("error: the server doesn't have a resource type \"trainjobs\"\n")
               : SubmitRun::accepted(request);
  };
  CHECK(run.run() == 0);
  CHECK(run.console.err == "");
}

TEST_CASE("flags reach kubectl, whatever their values") {
  SubmitRun run;
  run.flags.kubectl.context = "-prod; touch x";
  run.flags.kubectl.kubeconfig = "$(reboot)";
  run.flags.input.ns = "team-b";
  run.flags.force_conflicts = true;
  run.flags.kubectl.timeout = 5;
  run.files.files["job.yaml"] = replaced(DiffRun::job("demo", "2"), "  namespace: team-a\n", "");
  CHECK(run.run() == 0);
  CHECK(run.runner.requests.back().argv ==
        std::vector<std::string>{"kubectl", "apply", "--server-side", "--field-manager=trainjobc",
                                 "--force-conflicts", "-f", "-", "--namespace=team-b",
                                 "--context=-prod; touch x", "--kubeconfig=$(reboot)"});
  CHECK(run.runner.requests.back().timeout == std::chrono::seconds(5));
  run.flags.input.ns = "-x; reboot";
  CHECK(run.run() == 1);
  CHECK(run.runner.requests.empty());
  run.files.files["job.yaml"] = DiffRun::job("-rf", "1");
  CHECK(run.run() == 1);
  CHECK(run.runner.requests.empty());
}

TEST_CASE("dry runs") {
  SubmitRun run;
  run.flags.dry_run = "server";
  CHECK(run.run() == 0);
  CHECK(run.runner.requests.back().argv ==
        std::vector<std::string>{"kubectl", "apply", "--server-side", "--field-manager=trainjobc",
                                 "--dry-run=server", "-f", "-", "--namespace=team-a"});
  CHECK(run.console.out == "JobSet team-a/demo created (dry run)\n1 job: 1 created (dry run)\n");
  run.flags.dry_run = "client";
  CHECK(run.run() == 0);
  CHECK(run.runner.requests.back().argv ==
        std::vector<std::string>{"kubectl", "create", "--field-manager=trainjobc", "--dry-run=client", "-f",
                                 "-", "--namespace=team-a"});
  run.flags.wait = true;
  CHECK(run.run() == 2);
  CHECK(run.console.err == "trainjobc: --wait and --dry-run can't be used together\n");
}

TEST_CASE("runtimePatches of a running TrainJob") {
  SubmitRun run;
  run.files.files["job.yaml"] = DiffRun::job("demo", "2") +
                                "  runtimePatches:\n"
                                "    - manager: example.com/me\n"
                                "      trainingRuntimeSpec: {template: {metadata: {labels: {a: new}}}}\n";
  std::string suspend = "false";
  run.runner.answer = [&](const ProcessRequest& request) {
    if (!SubmitRun::gets(request, "TrainJob")) return SubmitRun::accepted(request);
    return ProcessResult{0,
                         R"({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob",
      "metadata": {"name": "demo", "namespace": "team-a"}, "spec": {"suspend": )" +
                             suspend + R"(, "runtimePatches": [
        {"manager": "kueue.x-k8s.io/manager", "trainingRuntimeSpec": {"template": {"metadata": {"labels": {"b": "x"}}}}},
        {"manager": "example.com/me", "time": "2026-01-02T03:04:05Z",
         "trainingRuntimeSpec": {"template": {"metadata": {"labels": {"a": "old"}}}}}]}})",
                         ""};
  };
  CHECK(run.run() == 1);
  CHECK(run.runner.lines() == std::string(kGetDemo) + kGetTrainJob);
  const std::string refusal =
      "TrainJob team-a/demo\n"
      "! spec.runtimePatches[example.com/me].trainingRuntimeSpec.template.metadata.labels.a   \"old\" → "
      "\"new\"   "
      "job.yaml:13  spec.runtimePatches[0].trainingRuntimeSpec.template.metadata.labels.a\n"
      "  ! refused (1 field): spec.runtimePatches of a TrainJob can be changed only while it is suspended\n"
      "    suspend it first (spec.suspend: true) and wait until its Jobs are gone\n"
      "\n";
  CHECK(
      run.console.err ==
      R"(warning: TrainJob team-a/demo exists in the cluster: the Trainer controller owns the JobSet of that name and may revert what is submitted; apply the TrainJob instead, or delete it first (kubectl delete trainjob demo -n team-a also deletes its JobSet)
TrainJob team-a/demo
! spec.runtimePatches[example.com/me].trainingRuntimeSpec.template.metadata.labels.a   "old" → "new"   job.yaml:13  spec.runtimePatches[0].trainingRuntimeSpec.template.metadata.labels.a
  ! refused (1 field): spec.runtimePatches of a TrainJob can be changed only while it is suspended
    suspend it first (spec.suspend: true) and wait until its Jobs are gone

trainjobc: nothing was sent: the cluster would refuse to update 1 object
)");
  suspend = "true";
  CHECK(run.run() == 0);
}

TEST_CASE("an object that is being deleted must be gone first") {
  SubmitRun run;
  run.runner.answer = with_job_set(replaced(run.rendered(), "\"metadata\": {",
                                            R"("metadata": {"deletionTimestamp": "2026-01-02T03:04:05Z", )"));
  CHECK(run.run() == 1);
  CHECK(run.console.err ==
        "trainjobc: nothing was sent: JobSet team-a/demo is being deleted; submit again after it is gone\n");
}

TEST_CASE("if kubectl prints nothing, nothing was applied") {
  SubmitRun run;
  run.runner.answer = [](const ProcessRequest&) { return ProcessResult{}; };
  CHECK(run.run() == 2);
  CHECK(run.console.out == "1 job: 1 not applied\n");
  CHECK(run.console.err ==
        "warning: the cluster has Kubeflow Trainer: what is submitted are JobSets of their own, which it "
        "does not manage; --as trainjob applies the TrainJobs instead\ntrainjobc: kubectl failed\n"
        "  kubectl apply: the answer does not mention 1 object\n"
        "not applied:\n"
        "  JobSet team-a/demo\n");

  run.files.files["runtime.yaml"] = kMpiRuntime;
  run.runner.answer = [](const ProcessRequest& request) {
    return request.argv[1] == "create" ? ProcessResult{} : SubmitRun::accepted(request);
  };
  CHECK(run.run() == 2);
  CHECK(run.console.err == R"(trainjobc: kubectl failed
  kubectl create: the answer does not mention 1 object
applied:
  ConfigMap team-a/demo-mpi-hostfile
not applied:
  Secret team-a/demo-mpi-ssh-auth
  JobSet team-a/demo
)");
}

TEST_CASE("submit sends nothing after an implausible answer of kubectl") {
  SubmitRun run;
  for (const char* answer : {"null", "{}", "[]", "ok"}) {
    run.runner.answer = [&](const ProcessRequest&) { return ProcessResult{0, answer, ""}; };
    CHECK(run.run() == 2);
    CHECK(run.console.err.starts_with("trainjobc: kubectl failed\n  kubectl get: the answer contains "));
    CHECK(run.console.err.ends_with("\nnothing was sent\n"));
    CHECK(run.runner.lines().find("apply") == std::string::npos);
  }
  run.files.files["runtime.yaml"] = kMpiRuntime;
  run.runner.answer = [](const ProcessRequest& request) {
    return ProcessResult{0, SubmitRun::gets(request, "Secret") ? "null\n" : "", ""};
  };
  CHECK(run.run() == 2);
  CHECK(run.console.err ==
        "trainjobc: kubectl failed\n  kubectl get: the answer names something other than Secrets\nnothing "
        "was sent\n");
}

TEST_CASE("kubectl is missing, hangs or can't connect") {
  SubmitRun run;
  run.runner.answer = [](const ProcessRequest&) { return IoError{"run kubectl: No such file or directory"}; };
  CHECK(run.run() == 2);
  CHECK(run.console.err ==
        "trainjobc: kubectl was not found: install it, or add its folder to PATH\n"
        "  kubectl get -f - -o json --ignore-not-found --show-managed-fields --namespace=team-a: run "
        "kubectl: No such file or directory\n"
        "nothing was sent\n");
  run.runner.answer = [](const ProcessRequest&) { return IoError{"run kubectl: no answer within 5 s"}; };
  CHECK(run.run() == 2);
  CHECK(run.console.err == R"(trainjobc: kubectl did not answer
  kubectl get -f - -o json --ignore-not-found --show-managed-fields --namespace=team-a: run kubectl: no answer within 5 s
nothing was sent
)");
  run.runner.answer = [](const ProcessRequest&) {
    return said(
        "E0912 10:00:00.123456   42 memcache.go:265] \"Unhandled Error\" err=\"refused\"\n"
        "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n");
  };
  CHECK(run.run() == 2);
  CHECK(run.console.err ==
        "trainjobc: the cluster can't be reached: check the context, the kubeconfig and the network\n"
        "  kubectl get -f - -o json --ignore-not-found --show-managed-fields "
        "--namespace=team-a: exit status 1\n"
        "  The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n"
        "nothing was sent\n");
}

TEST_CASE("submit --as trainjob: the runtimes of the inputs, then the TrainJobs as they are written") {
  SubmitRun run;
  run.flags.as = "trainjob";
  CHECK(run.run() == 0);
  CHECK(run.console.out == R"(ClusterTrainingRuntime plain applied
TrainJob team-a/demo applied
1 job: 1 applied
)");
  CHECK(run.console.err == "");
  std::string sent;
  for (const base::ProcessRequest& request : run.runner.requests) {
    for (const std::string& word : request.argv) sent += word + " ";
    sent += "\n";
    for (size_t at = request.input.find("kind: "); at != std::string::npos;
         at = request.input.find("\nkind: ", at)) {
      const size_t begin = request.input.find("kind: ", at);
      sent += "  " + request.input.substr(begin, request.input.find('\n', begin) - begin) + "\n";
      at = begin + 1;
    }
  }
  CHECK(sent == R"(kubectl apply --server-side --field-manager=trainjobc -f - 
  kind: ClusterTrainingRuntime
kubectl apply --server-side --field-manager=trainjobc -f - --namespace=team-a 
  kind: TrainJob
)");
  run.flags.replace = true;
  CHECK(run.run() == 2);
  CHECK(
      run.console.err ==
      R"(trainjobc: --replace is for JobSets: a TrainJob that can't be updated has to be deleted (kubectl delete trainjob NAME)
)");
}

TEST_CASE("submit warns of a cluster with Trainer") {
  SubmitRun run;
  run.runner.answer = [](const base::ProcessRequest& request) {
    return SubmitRun::gets(request, "TrainJob") ? base::ProcessResult{} : SubmitRun::accepted(request);
  };
  CHECK(run.run() == 0);
  CHECK(
      run.console.err ==
      R"(warning: the cluster has Kubeflow Trainer: what is submitted are JobSets of their own, which it does not manage; --as trainjob applies the TrainJobs instead
)");
}

}  // namespace trainjobc::submit_test
