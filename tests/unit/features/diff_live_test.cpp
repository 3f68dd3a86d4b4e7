// SPDX-License-Identifier: Apache-2.0

// `trainjobc diff --live`: what differs, and what doesn't.
#include <doctest/doctest.h>

#include "support/diff.h"

namespace trainjobc::diff_live_test {
using trainjobc::test::DiffRun;
using trainjobc::test::replaced;

namespace {

struct LiveRun : DiffRun {
  LiveRun() {
    files.files["live.json"] = rendered();
    flags.live = {"live.json"};
  }
  std::string& live() { return files.files["live.json"]; }
};

// managedFields of an object that `trainer` applied, with one more entry.
std::string managed(const std::string& manager, const std::string& fields) {
  return R"("metadata": {"managedFields": [
    {"manager": "trainer", "operation": "Apply", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:replicatedJobs": {
      "k:{\"name\":\"node\"}": {".": {}, "f:name": {}, "f:replicas": {}, "f:template": {}}},
      "f:network": {}, "f:suspend": {}}}},
    {"manager": ")" +
         manager + R"(", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": )" + fields + "}], ";
}

}  // namespace

TEST_CASE("a JobSet is suspended with its TrainJob, which Kueue suspended") {
  LiveRun run;
  run.files.files["job.yaml"] = replaced(DiffRun::job("demo", "2"), "metadata:\n",
                                         "metadata:\n  labels: {kueue.x-k8s.io/queue-name: team}\n");
  run.live() = replaced(run.live(), "\"suspend\": false", "\"suspend\": true");
  const std::string job_set = run.live();
  CHECK(run.run() == 1);
  CHECK(run.console.out ==
        "JobSet team-a/demo\n"
        "  spec.suspend   true → false   default from job.yaml:8\n"
        "\n"
        "1 of 1 job differs\n");
  run.files.files["live.json"] =
      R"({"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "demo", "namespace": "team-a"}, "spec": {"suspend": true}}, )" +
      job_set + "]}";
  CHECK(run.run() == 0);
  CHECK(run.console.out == "no difference in 1 job\n");
}

TEST_CASE("Kueue patches a TrainJob that it admits, and Trainer its JobSet") {
  LiveRun run;
  const std::string job_set =
      replaced(run.live(), "\"containers\": [", "\"nodeSelector\": {\"pool\": \"a100\"}, \"containers\": [");
  const auto list = [&](const std::string& spec) {
    return R"({"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "trainer.kubeflow.org/v1alpha1",
      "kind": "TrainJob", "metadata": {"name": "demo", "namespace": "team-a"}, "spec": )" +
           spec + "}, " + job_set + "]}";
  };
  run.live() = list("{}");
  CHECK(run.run() == 1);
  CHECK(
      run.console.out ==
      "JobSet team-a/demo\n"
      "! spec.replicatedJobs[node]…nodeSelector   {\"pool\":\"a100\"} → none   in runtime.yaml:21\n"
      "  ! refused (1 field): this field of spec.replicatedJobs is immutable unless the JobSet is suspended\n"
      "    suspend it first (spec.suspend: true), or delete the JobSet and let it be recreated (kubectl "
      "delete "
      "jobset demo -n team-a), or rename the TrainJob\n"
      "\n"
      "1 of 1 job differs\n");
  run.live() =
      list(R"({"runtimePatches": [{"manager": "kueue.x-k8s.io/manager", "trainingRuntimeSpec": {"template": {
      "spec": {"replicatedJobs": [{"name": "node", "template": {"spec": {"template": {
        "spec": {"nodeSelector": {"pool": "a100"}}}}}}]}}}}]})");
  CHECK(run.run() == 0);
  CHECK(run.console.out == "no difference in 1 job\n");
}

TEST_CASE("Kueue does not own a JobSet, however much it adds to it") {
  LiveRun run;
  run.live() =
      replaced(run.live(), "\"containers\": [", "\"nodeSelector\": {\"pool\": \"a100\"}, \"containers\": [");
  run.live() = replaced(run.live(), "\"metadata\": {", managed("kueue", R"({"f:spec": {"f:replicatedJobs": {
      "k:{\"name\":\"node\"}": {"f:template": {"f:spec": {"f:template": {
        "f:metadata": {"f:labels": {".": {}, "f:a": {}, "f:b": {}, "f:c": {}}},
        "f:spec": {"f:nodeSelector": {}}}}}}}, "f:suspend": {}}})"));
  run.live() = replaced(run.live(), R"("f:replicas": {}, "f:template": {})", R"("f:replicas": {})");
  CHECK(run.run() == 0);
  CHECK(run.console.out == "no difference in 1 job\n");
}

TEST_CASE("the same") {
  LiveRun run;
  CHECK(run.run() == 0);
  CHECK(run.console.out == "no difference in 1 job\n");
  CHECK(run.console.err == "");
  run.flags.format = "unified";
  CHECK(run.run() == 0);
  CHECK(run.console.out == "");
}

TEST_CASE("changed fields, with the inputs that they come from") {
  LiveRun run;
  run.files.files["job.yaml"] = DiffRun::job("demo", "4");
  run.files.files["runtime.yaml"] = DiffRun::runtime("registry.example/train:2");
  CHECK(run.run() == 1);
  CHECK(run.console.out ==
        "JobSet team-a/demo\n"
        "! spec.replicatedJobs[node]…containers[node].image   \"registry.example/train:1\" → "
        "\"registry.example/train:2\"   runtime.yaml:23  "
        "spec.template.spec.replicatedJobs[0]…containers[0].image\n"
        "! …template.spec.parallelism                         2 → 4                                          "
        "           "
        "trainer/pod-count from job.yaml:10\n"
        "! …completions                                       2 → 4                                          "
        "           "
        "trainer/pod-count from the same\n"
        "  ! refused (3 fields): spec.replicatedJobs is immutable\n"
        "    delete the JobSet and let it be recreated (kubectl delete jobset demo -n team-a), or rename the "
        "TrainJob\n"
        "\n"
        "1 of 1 job differs\ncost: +2 pods in team-a\n");
}

TEST_CASE("server-set fields, defaults and spelling are no difference") {
  LiveRun run;
  run.files.files["runtime.yaml"] =
      DiffRun::runtime() + "                      resources: {limits: {memory: 1024Mi, cpu: '0.5'}}\n";
  run.live() = run.rendered();
  run.live() =
      replaced(run.live(), "\"metadata\": {",
               R"("status": {"restarts": 0}, "metadata": {"uid": "1", "resourceVersion": "7", "generation": 2,
      "creationTimestamp": "2026-01-01T00:00:00Z", "selfLink": "/x", "finalizers": ["a/b"],
      "ownerReferences": [{"kind": "TrainJob", "name": "demo"}],
      "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"}, )");
  run.live() = replaced(run.live(), "1024Mi", "1Gi");
  run.live() = replaced(run.live(), "\"500m\"", "\"0.5\"");
  run.live() =
      replaced(run.live(), "\"containers\": [",
               R"("dnsPolicy": "ClusterFirst", "securityContext": {}, "terminationGracePeriodSeconds": 30,
      "schedulerName": "default-scheduler", "containers": [)");
  run.live() = replaced(
      run.live(), "\"image\": ",
      R"("imagePullPolicy": "IfNotPresent", "terminationMessagePath": "/dev/termination-log", "ports": [],
      "image": )");
  CHECK(run.run() == 0);
  CHECK(run.console.out == "no difference in 1 job\n");
}

TEST_CASE("fields of another controller are set apart") {
  LiveRun run;
  const std::string before = run.live();
  run.live() =
      replaced(run.live(), "\"metadata\": {", managed("kueue", R"({"f:metadata": {"f:labels": {"f:team": {}}},
      "f:spec": {"f:coordinator": {}}})") + R"("labels": {"team": "a"}, )");
  run.live() = replaced(run.live(), "\"spec\": {", R"("spec": {"coordinator": {"replicatedJob": "node"}, )");
  REQUIRE(run.live() != before);
  CHECK(run.run() == 0);
  CHECK(run.console.out == "no difference in 1 job\n");
  run.flags.show_ignored = true;
  CHECK(run.run() == 0);
  CHECK(run.console.out ==
        "JobSet team-a/demo\n"
        "  metadata.labels.team   \"a\" → none                        ignored: managed by kueue\n"
        "  spec.coordinator       {\"replicatedJob\":\"node\"} → none   ignored: managed by kueue\n"
        "\n"
        "no difference in 1 job\n");
}

TEST_CASE("a value of which another controller took ownership is set apart") {
  LiveRun run;
  run.live() = replaced(run.live(), "\"metadata\": {", managed("kueue", R"({"f:spec": {"f:suspend": {}}})"));
  run.live() = replaced(run.live(), R"("f:network": {}, "f:suspend": {})", R"("f:network": {})");
  run.live() = replaced(run.live(), "\"suspend\": false", "\"suspend\": true");
  run.flags.show_ignored = true;
  CHECK(run.run() == 0);
  CHECK(run.console.out ==
        "JobSet team-a/demo\n"
        "  spec.suspend   true → false   ignored: managed by kueue\n"
        "\n"
        "no difference in 1 job\n");
}

TEST_CASE("an annotation added by hand is set apart, a value changed by hand is not") {
  LiveRun run;
  run.live() = replaced(run.live(), "\"metadata\": {",
                        managed("kubectl-edit", R"({"f:metadata": {"f:annotations": {"f:note": {}}},
      "f:spec": {"f:ttlSecondsAfterFinished": {}, "f:network": {"f:publishNotReadyAddresses": {}}}})") +
                            R"("annotations": {"note": "x"}, )");
  run.live() =
      replaced(run.live(), "\"publishNotReadyAddresses\": true", "\"publishNotReadyAddresses\": false");
  run.live() = replaced(run.live(), "\"f:network\": {}, ", "");
  CHECK(run.run() == 1);
  CHECK(run.console.out ==
        "JobSet team-a/demo\n"
        "! spec.network.publishNotReadyAddresses   false → true   jobset/default from runtime.yaml:12, last "
        "written by "
        "kubectl-edit\n"
        "  ! refused (1 field): spec.network is immutable\n"
        "    delete the JobSet and let it be recreated (kubectl delete jobset demo -n team-a), or rename the "
        "TrainJob\n"
        "\n"
        "1 of 1 job differs\n");
}

TEST_CASE("a live field without an owner is a difference") {
  LiveRun run;
  run.live() = replaced(run.live(), "\"spec\": {", R"("spec": {"ttlSecondsAfterFinished": 60, )");
  run.flags.format = "json";
  CHECK(run.run() == 1);
  CHECK(run.console.out == R"({
  "version": 1,
  "differences": [
    {
      "object": "JobSet/team-a/demo",
      "path": "spec.ttlSecondsAfterFinished",
      "kind": "changed",
      "live": 60,
      "rendered": null,
      "file": "runtime.yaml",
      "line": 12,
      "column": 7,
      "rule": "",
      "manager": "",
      "refusal": "",
      "remedy": ""
    }
  ],
  "summary": {
    "jobs": 1,
    "differing": 1,
    "orphaned": 0
  },
  "cost": []
}
)");
}

TEST_CASE("claims are compared as JobSet's webhook stores them") {
  LiveRun run;
  run.files.files["runtime.yaml"] = DiffRun::runtime_with_claim();
  run.live() = run.rendered();
  // What the webhook adds.
  REQUIRE(run.live().find("\"whenDeleted\": \"Delete\"") != std::string::npos);
  REQUIRE(run.live().find("\"status\": {}") != std::string::npos);
  CHECK(run.run() == 0);
  // Nothing sets this default, so writing it is a change.
  run.files.files["runtime.yaml"] =
      replaced(run.files.files["runtime.yaml"], "accessModes:", "volumeMode: Filesystem, accessModes:");
  CHECK(run.run() == 1);
  CHECK(run.console.out == R"(JobSet team-a/demo
! spec.volumeClaimPolicies[0].templates[0].spec.volumeMode   none → "Filesystem"   runtime.yaml:15  spec.template.spec.volumeClaimPolicies[0].templates[0].spec.volumeMode
  ! refused (1 field): spec.volumeClaimPolicies is immutable
    delete the JobSet and let it be recreated (kubectl delete jobset demo -n team-a), or rename the TrainJob

1 of 1 job differs
)");
}

TEST_CASE("the controller's scripts of Flux jobs are set apart") {
  LiveRun run;
  run.files.files["runtime.yaml"] =
      replaced(DiffRun::runtime(), "    numNodes: 1\n", "    numNodes: 1\n    flux: {}\n");
  run.files.files["job.yaml"] = DiffRun::job("demo", "2");
  const std::string rendered = run.rendered();
  const std::string script = "\"init.sh\": \"";
  const std::string kind = "\"kind\": \"ConfigMap\",";
  REQUIRE(rendered.find(kind) < rendered.find(script));
  const auto live = [&](const std::string& metadata) {
    std::string text = replaced(rendered, script, script + "echo others; ");
    const size_t at = text.find("\"metadata\": {", text.find(kind));
    return text.insert(at + 13, metadata);
  };
  run.live() = live("\"ownerReferences\": [{\"kind\": \"TrainJob\", \"name\": \"demo\"}], ");
  CHECK(run.run() == 0);
  run.flags.show_ignored = true;
  CHECK(run.run() == 0);
  CHECK(run.console.out == R"(ConfigMap team-a/demo-flux-entrypoint
  data[init.sh]      ignored: managed by trainer
      -echo others; #!/bin/bash
      +#!/bin/bash
       # Prepares the shared volume /mnt/flux: the Flux installation and the broker's configuration.
       config=/mnt/flux/config
       mkdir -p "$config/etc/flux/system/cron.d" "$config/etc/flux/config" "$config/etc/curve" \

no difference in 1 job
)");
  // Somebody else's are an older trainjobc's, or changed by hand.
  run.live() = live("");
  CHECK(run.run() == 1);
  const std::string managers =
      R"("managedFields": [{"manager": "trainjobc", "operation": "Apply", "fieldsV1": {"f:data": {"f:init.sh": {}}}}],)";
  run.live() = live(managers);
  CHECK(run.run() == 1);
  run.live() = live(replaced(managers, "trainjobc", "trainer"));
  CHECK(run.run() == 0);
}

TEST_CASE("a Flux job's certificate is compared with one that was made for the same uid") {
  LiveRun run;
  run.files.files["runtime.yaml"] =
      replaced(DiffRun::runtime(), "    numNodes: 1\n", "    numNodes: 1\n    flux: {}\n");
  run.files.files["job.yaml"] = replaced(DiffRun::job("demo", "2"), "metadata:\n", "metadata:\n  uid: a\n");
  const std::string certificate = "\"curve.cert\": \"";
  const std::string rendered = replaced(run.rendered(), certificate, certificate + "AAAA");
  CHECK(rendered.find("ownerReferences") == std::string::npos);
  const auto live = [&](const std::string& uid) {
    std::string text = rendered;
    const size_t at = text.find("\"metadata\": {", text.find("\"kind\": \"Secret\","));
    return text.insert(
        at + 13,
        "\"ownerReferences\": [{\"kind\": \"TrainJob\", \"name\": \"demo\", \"uid\": \"" + uid + "\"}], ");
  };
  run.live() = live("a");
  CHECK(run.run() == 1);
  run.live() = live("b");
  CHECK(run.run() == 0);
}

TEST_CASE("an update that removes the successPolicy is warned about") {
  LiveRun run;
  const std::string warning =
      "warning: JobSet team-a/demo: the inputs no longer set spec.successPolicy. The cluster accepts an "
      "update that removes it, and the JobSet controller then fails on this JobSet every time: keep "
      "successPolicy: {operator: All} in the runtime\n";
  const auto applied_by = [](const std::string& manager) {
    return "\"metadata\": {\"managedFields\": [{\"manager\": \"" + manager +
           R"(", "operation": "Apply", "fieldsV1": {"f:spec": {"f:successPolicy": {}}}}], )";
  };
  const std::string live = run.live();
  run.live() = replaced(live, "\"metadata\": {", applied_by("trainjobc"));
  CHECK(run.run() == 0);
  CHECK(run.console.err == warning);
  run.live() = replaced(live, "\"metadata\": {",
                        R"("metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration":
                        "{\"spec\":{\"successPolicy\":{\"operator\":\"All\"}}}"}, )");
  CHECK(run.run() == 0);
  CHECK(run.console.err == warning);
  // What the webhook or the controller wrote stays.
  run.live() = live;
  CHECK(run.run() == 0);
  CHECK(run.console.err == "");
  run.live() = replaced(live, "\"metadata\": {", applied_by("trainer"));
  CHECK(run.run() == 0);
  CHECK(run.console.err == "");
  run.files.files["runtime.yaml"] = replaced(DiffRun::runtime(), "      replicatedJobs:\n",
                                             "      successPolicy: {operator: All}\n      replicatedJobs:\n");
  run.live() = replaced(live, "\"metadata\": {", applied_by("trainjobc"));
  CHECK(run.run() == 0);
  CHECK(run.console.err == "");
}

TEST_CASE("missing and orphaned objects") {
  LiveRun run;
  run.files.files["job.yaml"] = DiffRun::job("other", "2");
  CHECK(run.run() == 1);
  CHECK(run.console.out ==
        "JobSet team-a/other   missing: it would be created   job.yaml:4  metadata.name\n"
        "\n"
        "JobSet team-a/demo   orphaned: no input creates it\n"
        "\n"
        "1 of 1 job differs, 1 object orphaned\n");
  run.flags.orphans = "none";
  CHECK(run.run() == 1);
  CHECK(run.console.out ==
        "JobSet team-a/other   missing: it would be created   job.yaml:4  metadata.name\n"
        "\n"
        "1 of 1 job differs\ncost: +2 pods in team-a\n");
}

TEST_CASE("objects of a typed list have the type of the list, and are as secret as others") {
  LiveRun run;
  // The item loses its type, then the list gets it.
  const std::string group = R"("apiVersion": "jobset.x-k8s.io/v1alpha2",)";
  for (const auto& [from, to] : {std::pair<std::string, std::string>(group, ""),
                                 {R"("kind": "JobSet",)", ""},
                                 {R"("apiVersion": "v1",)", group},
                                 {R"("kind": "List",)", R"("kind": "JobSetList",)"}}) {
    REQUIRE(run.live().find(from) != std::string::npos);
    run.live() = replaced(run.live(), from, to);
  }
  CHECK(run.run() == 0);
  CHECK(run.console.out == "no difference in 1 job\n");
  run.live() += R"(
---
{"apiVersion": "v1", "kind": "SecretList", "items": [
  {"metadata": {"name": "demo-mpi-ssh-auth", "namespace": "team-a"}, "data": {"ssh-privatekey": "c2VjcmV0Cg=="}}]})";
  run.flags.format = "unified";
  run.flags.orphans = "all";
  CHECK(run.run() == 1);
  CHECK(run.console.out ==
        R"(diff -u -N LIVE/v1.Secret.team-a.demo-mpi-ssh-auth MERGED/v1.Secret.team-a.demo-mpi-ssh-auth
--- LIVE/v1.Secret.team-a.demo-mpi-ssh-auth
+++ MERGED/v1.Secret.team-a.demo-mpi-ssh-auth
@@ -1,7 +0,0 @@
-apiVersion: v1
-kind: Secret
-metadata:
-  name: demo-mpi-ssh-auth
-  namespace: team-a
-data:
-  ssh-privatekey: "***"
)");
}

TEST_CASE("objects that Trainer didn't create are no orphans") {
  LiveRun run;
  run.files.files["more.yaml"] =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kube-root-ca.crt, namespace: team-a}\n---\n"
      "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\n"
      "metadata: {name: own, namespace: team-a, ownerReferences: [{kind: Workflow, name: w}]}\nspec: {}\n";
  run.flags.live.emplace_back("more.yaml");
  CHECK(run.run() == 0);
  CHECK(run.console.out == "no difference in 1 job\n");
}

TEST_CASE("errors have an exit status above 1") {
  LiveRun run;
  run.flags.live = {"nowhere.json"};
  CHECK(run.run() == 2);
  CHECK(run.console.err == "trainjobc: --live: open nowhere.json: No such file or directory\n");
  run.flags.live = {"-"};
  run.flags.input.paths = {"-"};
  CHECK(run.run() == 2);
  CHECK(run.console.err == "trainjobc: standard input can be read only once\n");
  run.flags.live = {"live.json"};
  run.flags.kubectl.context = "prod";
  run.flags.input.paths = {"job.yaml"};
  CHECK(run.run() == 2);
  CHECK(run.console.err ==
        "trainjobc: --live needs no cluster: leave out --context, --kubeconfig, --server-side\n");
  run.flags.kubectl.context = "";
  CHECK(run.run() == 2);  // the runtime is not among the inputs
  CHECK(run.console.out == "");
}

TEST_CASE("inputs without a namespace, and objects saved from one") {
  LiveRun run;
  run.files.files["job.yaml"] = replaced(run.files.files["job.yaml"], "  namespace: team-a\n", "");
  CHECK(run.run() == 1);
  CHECK(run.console.err ==
        "note: JobSet \"demo\" has no namespace, the live one is in \"team-a\": "
        "--namespace team-a compares them\n");
  run.flags.input.ns = "team-a";
  CHECK(run.run() == 0);
  CHECK(run.console.err == "");
}

TEST_CASE("a live file without objects is an error; in a directory, it is skipped") {
  LiveRun run;
  const auto told = [&](const std::string& text) {
    run.live() = text;
    CHECK(run.run() == 2);
    CHECK(run.console.out == "");
    return run.console.err;
  };
  const std::string item = R"({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}})";
  CHECK(told("[" + item + "]") ==
        "trainjobc: --live: live.json:1: this is an array, not a List: write {\"kind\": \"List\", \"items\": "
        "[…]}, as kubectl "
        "get -o json does\n");
  CHECK(told("{\"kind\": \"List\", \"items\": [" + item + ",\n3]}") ==
        "trainjobc: --live: live.json:2: this is an integer, which is neither an object nor a List of "
        "objects\n");
  CHECK(
      told("\"x\"") ==
      "trainjobc: --live: live.json:1: this is a string, which is neither an object nor a List of objects\n");
  CHECK(told("{}") ==
        "trainjobc: --live: live.json:1: this is a map, which is neither an object nor a List of objects\n");
  CHECK(told("kind: List\n") ==
        "trainjobc: --live: live.json:1: this is a map, which is neither an object nor a List of objects\n");
  run.files.files["saved/list.json"] = "[" + item + "]";
  run.files.files["saved/live.json"] = run.rendered();
  run.flags.live = {"saved"};
  CHECK(run.run() == 0);
  CHECK(run.console.out == "no difference in 1 job\n");
}

TEST_CASE("an unreadable live file is not quoted") {
  LiveRun run;
  run.live() = "data: {key: c2VjcmV0, key: c2VjcmV0}\n";
  CHECK(run.run() == 2);
  CHECK(run.console.out == "");
  CHECK(run.console.err == R"(live.json:1:23: error: key "key" is set twice in this map [yaml/duplicate-key]
  hint: remove one of the two
  note: first set here at live.json:1:8
)");
  CHECK(run.console.err.find("c2VjcmV0") == std::string::npos);
}

}  // namespace trainjobc::diff_live_test
