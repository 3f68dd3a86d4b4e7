// SPDX-License-Identifier: Apache-2.0

// `trainjobc diff` against a cluster, with a fake kubectl.
#include <doctest/doctest.h>

#include "support/diff.h"

namespace trainjobc::diff_kubectl_test {
using trainjobc::base::ProcessRequest;
using trainjobc::base::ProcessResult;
using trainjobc::test::DiffRun;
using trainjobc::test::kMpiRuntime;
using trainjobc::test::list_of;
using trainjobc::test::replaced;

namespace {

ProcessResult ok(std::string out) {
  return {0, std::move(out), ""};
}

}  // namespace

TEST_CASE("one call per kind and namespace; JobSets in a context's namespace are requested without one") {
  DiffRun run;
  run.files.files["job.yaml"] = replaced(DiffRun::job("demo", "2"), "  namespace: team-a\n", "") + "---\n" +
                                DiffRun::job("one", "1") + "---\n" + DiffRun::job("two", "1");
  const std::string live =
      replaced(run.rendered(), "\"name\": \"demo\"", R"("name": "demo", "namespace": "of-context")");
  run.runner.answer = [&](const ProcessRequest&) { return ok(live); };
  run.flags.kubectl.context = "-prod";
  run.flags.kubectl.kubeconfig = "/etc/kube";
  run.flags.orphans = "none";
  CHECK(run.run() == 0);
  CHECK(run.console.err == "");
  CHECK(run.runner.lines() ==
        "kubectl get jobsets.jobset.x-k8s.io -o json --show-managed-fields --context=-prod "
        "--kubeconfig=/etc/kube\n"
        "kubectl get jobsets.jobset.x-k8s.io -o json --show-managed-fields --namespace=team-a "
        "--context=-prod --kubeconfig=/etc/kube\n");
}

TEST_CASE("a queue's TrainJob is fetched: Kueue suspends it, and Trainer its JobSet") {
  DiffRun run;
  run.files.files["job.yaml"] = replaced(DiffRun::job("demo", "2"), "metadata:\n",
                                         "metadata:\n  labels: {kueue.x-k8s.io/queue-name: team}\n");
  const std::string live = replaced(run.rendered(), "\"suspend\": false", "\"suspend\": true");
  run.runner.answer = [&](const ProcessRequest& request) {
    return ok(request.argv[2].starts_with("jobsets")
                  ? live
                  : R"({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", )"
                    R"("metadata": {"name": "demo", "namespace": "team-a"}, "spec": {"suspend": true}})");
  };
  CHECK(run.run() == 0);
  CHECK(run.console.out == "no difference in 1 job\n");
  CHECK(run.console.err == "");
  CHECK(run.runner.lines() ==
        "kubectl get jobsets.jobset.x-k8s.io -o json --show-managed-fields --namespace=team-a\n"
        "kubectl get -f - -o json --ignore-not-found --namespace=team-a <TrainJob/demo\n");
}

TEST_CASE("an implausible answer of kubectl is an error") {
  DiffRun run;
  const auto error = [&](const std::string& answer) {
    run.runner.answer = [&](const ProcessRequest&) { return ok(answer); };
    CHECK(run.run() == 2);
    CHECK(run.console.out == "");
    const std::string start = "trainjobc: kubectl failed\n  kubectl get: ";
    CHECK(run.console.err.starts_with(start));
    return run.console.err.substr(std::min(start.size(), run.console.err.size()));
  };
  CHECK(error("") == "the answer is empty\n");
  CHECK(error("null") == "the answer contains no object\n");
  CHECK(error("[]") == "the answer contains a list, which is neither an object nor a list of objects\n");
  CHECK(error("{}") == "the answer contains a map, which is neither an object nor a list of objects\n");
  CHECK(error("done") == "the answer contains a string, which is neither an object nor a list of objects\n");
  CHECK(error(R"({"kind": "List", "items": null})") ==
        "the answer contains a map, which is neither an object nor a list of objects\n");
  CHECK(error(R"({"kind": "List", "items": [null]})") ==
        "the answer contains null, which is neither an object nor a list of objects\n");
  CHECK(error(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}})") ==
        "the answer contains Pod \"a\", which was not requested\n");
  CHECK(error(R"({"kind": "List", "items": []})"
              "\n"
              R"({"kind": "List", "items": []})") == "the answer contains 2 documents, not one\n");
  CHECK(error("{\"a\": ") == "the answer is not JSON\n");
}

TEST_CASE("a dry run without a result for an object is an error") {
  DiffRun run;
  const std::string live = run.rendered();
  run.runner.answer = [&](const ProcessRequest& request) {
    return ok(request.argv[1] == "get" ? live : R"({"kind": "List", "items": []})");
  };
  run.flags.server_side = true;
  CHECK(run.run() == 2);
  CHECK(run.console.err ==
        "trainjobc: kubectl failed\n  kubectl apply: the answer contains no JobSet \"demo\"\n");
}

TEST_CASE("helper objects are requested by name") {
  DiffRun run;
  run.files.files["runtime.yaml"] = kMpiRuntime;
  run.runner.answer = [](const ProcessRequest& request) {
    return ok(request.input.empty() ? R"({"kind": "List", "items": []})" : "");
  };
  CHECK(run.run() == 1);
  CHECK(run.runner.lines() ==
        "kubectl get jobsets.jobset.x-k8s.io -o json --show-managed-fields --namespace=team-a\n"
        "kubectl get -f - -o json --ignore-not-found --show-managed-fields --namespace=team-a "
        "<ConfigMap/demo-mpi-hostfile\n"
        "kubectl get -f - -o json --ignore-not-found --show-managed-fields --namespace=team-a "
        "<Secret/demo-mpi-ssh-auth\n");
  CHECK(run.console.out ==
        "ConfigMap team-a/demo-mpi-hostfile   missing: it would be created   job.yaml:4  metadata.name\n"
        "\n"
        "Secret team-a/demo-mpi-ssh-auth   missing: it would be created   the same\n"
        "\n"
        "JobSet team-a/demo   missing: it would be created   the same\n"
        "\n"
        "1 of 1 job differs\n"
        "cost: +3 pods in team-a\n");
}

TEST_CASE("an existing SSH key is kept; one that may not be read is assumed to exist") {
  DiffRun run;
  run.files.files["runtime.yaml"] = kMpiRuntime;
  const std::string all = run.rendered();
  run.runner.answer = [&](const ProcessRequest& request) {
    return request.input.find("\"Secret\"") != std::string::npos
               ? ProcessResult{1, "", "Error from server (Forbidden): secrets is forbidden\n"}
               : ok(all);
  };
  CHECK(run.run() == 0);
  CHECK(run.console.out == "no difference in 1 job\n");
  CHECK(run.console.err ==
        "warning: Secrets could not be looked up: you are not allowed to do this in this cluster: ask for a "
        "role that allows it, or choose another context\n"
        "  kubectl get -f - -o json --ignore-not-found --show-managed-fields "
        "--namespace=team-a: exit status 1\n"
        "  Error from server (Forbidden): secrets is forbidden\n");
}

TEST_CASE("other jobs are orphans for directories, not for single files") {
  DiffRun run;
  run.files.files["jobs/job.yaml"] = DiffRun::job("demo", "2");
  run.files.files["jobs/runtime.yaml"] = DiffRun::runtime();
  const std::string other =
      replaced(replaced(run.rendered(), "\"demo\"", "\"other\""), "\"demo\"", "\"other\"");
  const std::string own = run.rendered();
  run.runner.answer = [&](const ProcessRequest&) { return ok(list_of(own, other)); };
  CHECK(run.run() == 0);
  CHECK(run.console.out == "no difference in 1 job\n");
  run.flags.input.paths = {"jobs"};
  CHECK(run.run() == 1);
  CHECK(run.console.out ==
        "JobSet team-a/other   orphaned: no input creates it\n\nno difference in 1 job, 1 object orphaned\n"
        "cost: -2 pods in team-a\n");
}

TEST_CASE("kubectl's error is passed on") {
  DiffRun run;
  run.runner.answer = [](const ProcessRequest&) {
    return ProcessResult{1, "", "error: the server doesn't have a resource type \"jobsets\"\n"};
  };
  CHECK(run.run() == 2);
  CHECK(run.console.out == "");
  CHECK(run.console.err ==
        "trainjobc: the cluster does not know this kind of object: install the controller it belongs to, "
        "JobSet or the scheduler, with its CustomResourceDefinitions\n"
        "  kubectl get jobsets.jobset.x-k8s.io -o json --show-managed-fields "
        "--namespace=team-a: exit status 1\n"
        "  error: the server doesn't have a resource type \"jobsets\"\n");
}

TEST_CASE("--server-side compares with the result of a dry run") {
  DiffRun run;
  const std::string live = run.rendered();
  // A webhook of the cluster adds a label.
  const std::string result =
      replaced(run.rendered(), "\"metadata\": {", R"("metadata": {"labels": {"added": "x"}, )");
  run.runner.answer = [&](const ProcessRequest& request) {
    return ok(request.argv[1] == "get" ? live : result);
  };
  run.flags.server_side = true;
  CHECK(run.run() == 1);
  CHECK(run.runner.requests.back().argv ==
        std::vector<std::string>{"kubectl", "apply", "--server-side", "--dry-run=server", "--force-conflicts",
                                 "--field-manager=trainjobc", "-o", "json", "-f", "-", "--namespace=team-a"});
  CHECK(run.runner.requests.back().input == R"(---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: demo
  namespace: team-a
spec:
  network:
    enableDNSHostnames: true
    publishNotReadyAddresses: true
  startupPolicy:
    startupPolicyOrder: AnyOrder
  successPolicy:
    operator: All
  suspend: false
  replicatedJobs:
  - name: node
    groupName: default
    replicas: 1
    template:
      metadata:
        labels:
          trainer.kubeflow.org/trainjob-ancestor-step: trainer
      spec:
        completionMode: Indexed
        completions: 2
        parallelism: 2
        template:
          spec:
            restartPolicy: OnFailure
            containers:
            - name: node
              image: registry.example/train:1
)");
  CHECK(run.console.out ==
        "JobSet team-a/demo\n"
        "  metadata.labels.added   none → \"x\"   in job.yaml:4\n"
        "\n"
        "1 of 1 job differs\n");
}

TEST_CASE("--server-side sends variables in their live order") {
  DiffRun run;
  const auto runtime = [&](const std::string& env) {
    run.files.files["runtime.yaml"] = DiffRun::runtime() + "                      env: [" + env + "]\n";
  };
  const auto place_of = [&](const std::string& name) {
    return run.runner.requests.back().input.find("- name: " + name + "\n");
  };
  runtime("{name: B, value: '2'}, {name: C, value: $(B)}, {name: A, value: '1'}");
  const std::string live = run.rendered();
  run.runner.answer = [&](const ProcessRequest&) { return ok(live); };
  run.flags.server_side = true;
  runtime("{name: A, value: '1'}, {name: B, value: '2'}, {name: C, value: $(B)}");
  CHECK(run.run() == 0);
  CHECK(place_of("B") < place_of("C"));
  CHECK(place_of("C") < place_of("A"));
}

TEST_CASE("--server-side doesn't ask about updates that are known to be refused") {
  DiffRun run;
  const std::string live = run.rendered();
  run.files.files["job.yaml"] = DiffRun::job("demo", "4");
  run.runner.answer = [&](const ProcessRequest&) { return ok(live); };
  run.flags.server_side = true;
  CHECK(run.run() == 1);
  CHECK(run.runner.lines() ==
        "kubectl get jobsets.jobset.x-k8s.io -o json --show-managed-fields --namespace=team-a\n");
  CHECK(run.console.out == R"(JobSet team-a/demo
! spec.replicatedJobs[node].template.spec.parallelism   2 → 4   trainer/pod-count from job.yaml:10
! …completions                                          2 → 4   trainer/pod-count from the same
  ! refused (2 fields): spec.replicatedJobs is immutable
    delete the JobSet and let it be recreated (kubectl delete jobset demo -n team-a), or rename the TrainJob

1 of 1 job differs
cost: +2 pods in team-a
)");
}

TEST_CASE("--server-side reads again if a JobSet was created in the meantime") {
  DiffRun run;
  const std::string rendered = run.rendered();
  run.files.files["job.yaml"] = DiffRun::job("demo", "4");
  const ProcessResult refused{1, "",
                              "Error from server: admission webhook \"w\" denied the request: immutable\n"};
  int looked = 0;
  run.runner.answer = [&](const ProcessRequest& request) {
    if (request.argv[1] != "get") return refused;
    return ok(looked++ == 0 ? R"({"kind": "List", "items": []})" : rendered);
  };
  run.flags.server_side = true;
  CHECK(run.run() == 1);
  CHECK(run.console.err == "");
  const std::string get =
      "kubectl get jobsets.jobset.x-k8s.io -o json --show-managed-fields --namespace=team-a\n";
  CHECK(run.runner.lines() == get +
                                  "kubectl apply --server-side --dry-run=server --force-conflicts "
                                  "--field-manager=trainjobc -o json -f - --namespace=team-a\n" +
                                  get);
  CHECK(run.console.out == R"(JobSet team-a/demo
! spec.replicatedJobs[node].template.spec.parallelism   2 → 4   trainer/pod-count from job.yaml:10
! …completions                                          2 → 4   trainer/pod-count from the same
  ! refused (2 fields): spec.replicatedJobs is immutable
    delete the JobSet and let it be recreated (kubectl delete jobset demo -n team-a), or rename the TrainJob

1 of 1 job differs
cost: +2 pods in team-a
)");
}

TEST_CASE("--server-side gives up if the dry run is refused and nothing has changed") {
  DiffRun run;
  run.runner.answer = [&](const ProcessRequest& request) {
    return request.argv[1] == "get" ? ok(R"({"kind": "List", "items": []})")
                                    : ProcessResult{1, "", "Error from server: denied the request: no\n"};
  };
  run.flags.server_side = true;
  CHECK(run.run() == 2);
  CHECK(run.runner.requests.size() == 4);
  CHECK(run.console.err ==
        "trainjobc: the API server refused it\n"
        "  kubectl apply --server-side --dry-run=server --force-conflicts --field-manager=trainjobc -o json "
        "-f - --namespace=team-a: exit status 1\n"
        "  Error from server: denied the request: no\n");
}

TEST_CASE("KUBECTL_EXTERNAL_DIFF gets two folders, and decides the exit status") {
  DiffRun run;
  const std::string live = run.rendered();
  run.files.files["job.yaml"] = DiffRun::job("demo", "4");
  run.console.variables["KUBECTL_EXTERNAL_DIFF"] = "mydiff --bare x;y -N";
  run.runner.answer = [&](const ProcessRequest& request) {
    return request.argv[0] == "kubectl" ? ok(live) : ProcessResult{1, "shown\n", ""};
  };
  CHECK(run.run() == 1);
  CHECK(run.console.out == "shown\n");
  const std::vector<std::string>& argv = run.runner.requests.back().argv;
  REQUIRE(argv.size() == 5);
  CHECK(argv[0] == "mydiff");
  CHECK(argv[1].find("/LIVE-") != std::string::npos);
  CHECK(argv[2].find("/MERGED-") != std::string::npos);
  CHECK(argv[3] == "--bare");
  CHECK(argv[4] == "-N");
  CHECK_FALSE(trainjobc::base::RealFileSystem().exists(argv[1]));
  run.flags.format = "json";
  CHECK(run.run() == 1);
  CHECK(run.console.out != "shown\n");
}

}  // namespace trainjobc::diff_kubectl_test
