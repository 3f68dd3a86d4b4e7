// SPDX-License-Identifier: Apache-2.0

// v1 jobs: names and labels of the operators' pods
#include <doctest/doctest.h>

#include <string>

#include "support/v1_jobs.h"

namespace trainjobc::v1_names_test {
using namespace trainjobc::test;

namespace {

// A PyTorchJob of a master and two workers with this container.
std::string job(const std::string& container, const std::string& pod = "") {
  const std::string pods =
      "      template: {spec: {" + pod + "containers: [{name: pytorch, image: i:1, " + container + "}]}}\n";
  return head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n    Master:\n      replicas: 1\n" + pods +
         "    Worker:\n      replicas: 2\n" + pods;
}

// The line of the file that begins so.
std::string line(const std::string& text, const std::string& begin) {
  const size_t at = text.find(begin);
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

std::string command(const std::string& words, const std::string& name = "command") {
  return line(written(job(name + ": [" + words + "]")), name + ":");
}

}  // namespace

TEST_CASE("migrate v1: the names of pods become their addresses") {
  CHECK(command("ping, a-master-0") == "command: [ping, a-node-0-0.a]");
  CHECK(command("ping, 'a-worker-1:80'") == "command: [ping, a-node-0-2.a:80]");
  CHECK(command("--hosts=a-master-0.a.default.svc", "args") == "args: [--hosts=a-node-0-0.a.default.svc]");
  CHECK(command("--hosts=a-master-0.svc.cluster.local", "args") ==
        "args: [--hosts=a-node-0-0.a.svc.cluster.local]");
  CHECK(command("torchrun, --rdzv-endpoint=a-worker-0:29400") ==
        "command: [torchrun, --rdzv-endpoint=a-node-0-1.a:29400]");
  CHECK(command("'http://a-master-0/x'") == "command: [http://a-node-0-0.a/x]");
  CHECK(command("xa-master-0, a-master-01, a-masters-0") ==
        "command: [xa-master-0, a-master-01, a-masters-0]");
}

TEST_CASE("migrate v1: names in a script stay in their lines") {
  const std::string script =
      "command:\n            - sh\n            - -c\n            - |\n              # to the master\n"
      "              ping a-master-0\n\n              ping a-worker-0:1 a-worker-1:2\n";
  const std::string text =
      head("PyTorchJob") +
      "spec:\n  pytorchReplicaSpecs:\n    Master:\n      replicas: 1\n      template: "
      "&pods\n        spec:\n          containers:\n          - name: pytorch\n            "
      "image: i:1\n            " +
      script + "    Worker:\n      replicas: 2\n      template: *pods\n";
  const std::string after = written(text);
  CHECK(after.find("&pods") == std::string::npos);
  CHECK(after.substr(after.find("    command:"), 136) ==
        "    command:\n    - sh\n    - -c\n    - |\n      # to the master\n      ping a-node-0-0.a\n\n"
        "      ping a-node-0-1.a:1 a-node-0-2.a:2\n    env:\n");
}

TEST_CASE("migrate v1: a name that depends on something else is a finding at its line") {
  CHECK(said(job("command: [sh, -c, 'ping a-worker-$i; ping ${JOB}-master-0']")) ==
        "in.yaml:8:90: warning: a-worker-$i is not a pod's name after the migration [advice/v1-difference]\n"
        "    8 |       template: {spec: {containers: [{name: pytorch, image: i:1, command: [sh, -c, 'ping "
        "a-worker-$i; ping ${JOB}-master-0']}]}}\n"
        "      |                                                                                          "
        "^~~~~~~~~~~ the address of worker is now a-node-0-1.a to a-node-0-2.a\n"
        "in.yaml:8:108: warning: ${JOB}-master-0 is not a pod's name after the migration "
        "[advice/v1-difference]\n"
        "    8 |       template: {spec: {containers: [{name: pytorch, image: i:1, command: [sh, -c, 'ping "
        "a-worker-$i; ping ${JOB}-master-0']}]}}\n"
        "      |                                                                                             "
        "               ^~~~~~~~~~~~~~~ the address of master is now a-node-0-0.a\n"
        "1 of 1 object migrated to Trainer 2.3\nnote: what differs from v1, and what to do: "
        "https://trainjobc.github.io/trainjobc/from-v1/\n");
  CHECK(said(job("command: [sh, -c, 'tail /logs/a-worker-0.log a-worker-7']")) ==
        "in.yaml:8:90: warning: /logs/a-worker-0.log is not a pod's name after the migration "
        "[advice/v1-difference]\n"
        "    8 |       template: {spec: {containers: [{name: pytorch, image: i:1, command: [sh, -c, 'tail "
        "/logs/a-worker-0.log a-worker-7']}]}}\n"
        "      |                                                                                          "
        "^~~~~~~~~~~~~~~~~~~~ the address of worker is now a-node-0-1.a to a-node-0-2.a\n"
        "in.yaml:8:111: warning: a-worker-7 is not a pod's name after the migration [advice/v1-difference]\n"
        "    8 |       template: {spec: {containers: [{name: pytorch, image: i:1, command: [sh, -c, 'tail "
        "/logs/a-worker-0.log a-worker-7']}]}}\n"
        "      |                                                                                             "
        "                  ^~~~~~~~~~ the address of worker is now a-node-0-1.a to a-node-0-2.a\n"
        "1 of 1 object migrated to Trainer 2.3\nnote: what differs from v1, and what to do: "
        "https://trainjobc.github.io/trainjobc/from-v1/\n");
  CHECK(said(job("env: [{name: K, valueFrom: {fieldRef: {fieldPath: 'metadata.labels["
                 "''training.kubeflow.org/replica-index'']'}}}]")) ==
        "in.yaml:8:135: warning: no pod has the label training.kubeflow.org/replica-index after the "
        "migration [advice/v1-difference]\n"
        "    8 |       template: {spec: {containers: [{name: pytorch, image: i:1, env: [{name: K, valueFrom: "
        "{fieldRef: {fieldPath: 'metadata.labels[''training.kubeflow.org/replica-index'']'}}}]}]}}\n"
        "      |                                                                                             "
        "                                          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ Trainer's pods have "
        "batch.kubernetes.io/job-completion-index instead\n"
        "1 of 1 object migrated to Trainer 2.3\nnote: what differs from v1, and what to do: "
        "https://trainjobc.github.io/trainjobc/from-v1/\n");
}

TEST_CASE("migrate v1: labels in a job's selectors") {
  const auto spread = [](const std::string& selector) {
    return "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, "
           "labelSelector: {" +
           selector + "}}], ";
  };
  CHECK(line(written(job("command: [a]", spread("matchLabels: {training.kubeflow.org/job-name: a, "
                                                "training.kubeflow.org/replica-type: master}"))),
             "labelSelector") ==
        "labelSelector: {matchLabels: {jobset.sigs.k8s.io/jobset-name: a, "
        "jobset.sigs.k8s.io/replicatedjob-name: node, batch.kubernetes.io/job-completion-index: \"0\"}}}], "
        "containers: [{name: node}]}}");
  CHECK(line(written(job("command: [a]",
                         spread("matchExpressions: [{key: training.kubeflow.org/job-name, operator: In, "
                                "values: [a]}]"))),
             "labelSelector") ==
        "labelSelector: {matchExpressions: [{key: jobset.sigs.k8s.io/jobset-name, operator: In, values: "
        "[a]}]}}], containers: [{name: node}]}}");
  CHECK(said(job("command: [a]", spread("matchLabels: {training.kubeflow.org/replica-type: worker}"))) ==
        "in.yaml:8:149: warning: no pod has the label training.kubeflow.org/replica-type after the migration "
        "[advice/v1-difference]\n"
        "    8 |       template: {spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
        "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {training.kubeflow.org/replica-type: "
        "worker}}}], containers: [{name: pytorch, image: i:1, command: [a]}]}}\n"
        "      |                                                                                             "
        "                                                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ "
        "Trainer's pods have jobset.sigs.k8s.io/replicatedjob-name instead\n"
        "1 of 1 object migrated to Trainer 2.3\nnote: what differs from v1, and what to do: "
        "https://trainjobc.github.io/trainjobc/from-v1/\n");
}

TEST_CASE("migrate v1: labels in Services, PodMonitors and NetworkPolicies of the same inputs") {
  const std::string service =
      "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec:\n  # the master\n  selector:\n"
      "    training.kubeflow.org/job-name: a\n    training.kubeflow.org/replica-type: master\n---\n";
  const std::string monitor =
      "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: m}\nspec:\n  selector: "
      "{matchLabels: {training.kubeflow.org/job-name: a}}\n  podTargetLabels: "
      "[training.kubeflow.org/job-name]\n---\n";
  const std::string policy =
      "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: n}\nspec:\n  podSelector: "
      "{matchLabels: {training.kubeflow.org/job-name: a}}\n  ingress: [{from: [{podSelector: "
      "{matchExpressions: "
      "[{key: training.kubeflow.org/job-name, operator: Exists}]}}]}]\n---\n";
  const std::string after = written(service + monitor + policy + torch(""));
  CHECK(after.substr(0, after.find("apiVersion: trainer")) ==
        "apiVersion: v1\n"
        "kind: Service\n"
        "metadata: {name: s}\n"
        "spec:\n"
        "  # the master\n"
        "  selector:\n"
        "    jobset.sigs.k8s.io/jobset-name: a\n"
        "    training.kubeflow.org/replica-type: master\n"
        "---\n"
        "apiVersion: monitoring.coreos.com/v1\n"
        "kind: PodMonitor\n"
        "metadata: {name: m}\n"
        "spec:\n"
        "  selector: {matchLabels: {jobset.sigs.k8s.io/jobset-name: a}}\n"
        "  podTargetLabels: [jobset.sigs.k8s.io/jobset-name]\n"
        "---\n"
        "apiVersion: networking.k8s.io/v1\n"
        "kind: NetworkPolicy\n"
        "metadata: {name: n}\n"
        "spec:\n"
        "  podSelector: {matchLabels: {jobset.sigs.k8s.io/jobset-name: a}}\n"
        "  ingress: [{from: [{podSelector: {matchExpressions: [{key: jobset.sigs.k8s.io/jobset-name, "
        "operator: Exists}]}}]}]\n"
        "---\n");
  CHECK(said("apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec:\n  selector: "
             "{training.kubeflow.org/replica-type: worker}\n---\n" +
             torch("")) ==
        "in.yaml:5:14: warning: no pod has the label training.kubeflow.org/replica-type after the migration "
        "[advice/v1-difference]\n"
        "    5 |   selector: {training.kubeflow.org/replica-type: worker}\n"
        "      |              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ Trainer's pods have "
        "jobset.sigs.k8s.io/replicatedjob-name instead\n"
        "1 of 1 object migrated to Trainer 2.3\nnote: what differs from v1, and what to do: "
        "https://trainjobc.github.io/trainjobc/from-v1/\n");
}

TEST_CASE("migrate v1: selectors of jobs that stay are not touched") {
  const std::string service =
      "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec:\n  selector:\n"
      "    training.kubeflow.org/job-name: other\n---\n";
  const std::string after = written(service + torch(""));
  CHECK(after.substr(0, service.size()) == service);
  // A job that Trainer refuses once it is converted.
  const std::string refused =
      "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec:\n  selector:\n"
      "    training.kubeflow.org/job-name: a\n---\n" +
      job("resources: {limits: {nvidia.com/gpu: 0.5}}");
  V1Run run;
  run.files.files["in.yaml"] = refused;
  CHECK(run.write() == refused);
  CHECK(run.status == 1);
}

TEST_CASE("migrate v1: MPI's names") {
  const std::string mpi =
      head("MPIJob", "v2beta1") + "spec:\n  mpiReplicaSpecs:\n" +
      replica("Launcher", "1",
              "name: l, image: i:1, command: [mpirun, -H, 'a-worker-0:8,a-worker-1.a.default.svc:8', "
              "--host-discovery-script, /etc/mpi/discover_hosts.sh, a-launcher]") +
      replica("Worker", "2", "name: w, image: i:1");
  const std::string after = written(mpi);
  const size_t hosts = after.find("[mpirun");
  CHECK(after.substr(hosts, after.find(']', hosts) - hosts) ==
        "[mpirun, -H, \"a-node-0-0.a:8,a-node-0-1.a.default.svc:8\", --host-discovery-script, "
        "/etc/mpi/discover_hosts.sh, a-launcher-0-0.a");
  CHECK(said(mpi) ==
        "in.yaml:8:150: warning: there is no /etc/mpi/discover_hosts.sh after the migration "
        "[advice/v1-difference]\n"
        "    8 |       template: {spec: {containers: [{name: l, image: i:1, command: [mpirun, -H, "
        "'a-worker-0:8,a-worker-1.a.default.svc:8', --host-discovery-script, /etc/mpi/discover_hosts.sh, "
        "a-launcher]}]}}\n"
        "      |                                                                                             "
        "                                                         ^~~~~~~~~~~~~~~~~~~~~~~~~~ Trainer mounts "
        "/etc/mpi/hostfile only; read that\n"
        "1 of 1 object migrated to Trainer 2.3\nnote: what differs from v1, and what to do: "
        "https://trainjobc.github.io/trainjobc/from-v1/\n");
}

}  // namespace trainjobc::v1_names_test
