// SPDX-License-Identifier: Apache-2.0

// The feature gate TrainJobStatus.
#include <doctest/doctest.h>

#include "support/advice.h"
#include "yaml/write/writer.h"

namespace trainjobc::status_gate_test {
namespace {

std::string rendered(const std::string& version, const std::string& trainer) {
  Options options;
  options.use_catalogue = false;
  options.threads = 1;
  options.trainer_version = version;
  options.policy.feature_gates = {"TrainJobStatus"};
  const Compilation compiled = compile_sources(
      {{"in.yaml", test::runtime("{numNodes: 1}", test::trainer()) + test::job(trainer)}}, {}, options);
  std::string text;
  for (const Object& object : compiled.objects)
    yaml::write_yaml(*object.root, yaml::KeyOrder::Kubernetes, text);
  return text;
}

}  // namespace

TEST_CASE("the gate adds an address, a token and a certificate") {
  CHECK(rendered("2.3", "  trainer: {}\n") == R"(apiVersion: v1
kind: ConfigMap
metadata:
  name: job-tls-config
data:
  ca.crt: ""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: job
spec:
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
        completions: 1
        parallelism: 1
        template:
          spec:
            containers:
            - name: node
              image: img:1
              env:
              - name: KUBEFLOW_TRAINER_SERVER_URL
                value: https://kubeflow-trainer-controller-manager.kubeflow-system.svc:10443/apis/trainer.kubeflow.org/v1alpha1/namespaces/default/trainjobs/job/status
              - name: KUBEFLOW_TRAINER_SERVER_CA_CERT
                value: /var/run/secrets/kubeflow/trainer/ca.crt
              - name: KUBEFLOW_TRAINER_SERVER_TOKEN
                value: /var/run/secrets/kubeflow/trainer/token
              volumeMounts:
              - name: kubeflow-trainer-token
                mountPath: /var/run/secrets/kubeflow/trainer
                readOnly: true
            volumes:
            - name: kubeflow-trainer-token
              projected:
                sources:
                - serviceAccountToken:
                    audience: trainer.kubeflow.org/v1alpha1/namespaces/default/trainjobs/job/status
                    expirationSeconds: 3600
                    path: token
                - configMap:
                    name: job-tls-config
                    items:
                    - key: ca.crt
                      path: ca.crt
)");
}

TEST_CASE("the job's own variable wins; Trainer 2.1 has no such gate") {
  CHECK(rendered("2.2", "  trainer: {env: [{name: KUBEFLOW_TRAINER_SERVER_URL, value: own}]}\n") == R"(apiVersion: v1
kind: ConfigMap
metadata:
  name: job-tls-config
data:
  ca.crt: ""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: job
spec:
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
        completions: 1
        parallelism: 1
        template:
          spec:
            containers:
            - name: node
              image: img:1
              env:
              - name: KUBEFLOW_TRAINER_SERVER_URL
                value: own
              - name: KUBEFLOW_TRAINER_SERVER_CA_CERT
                value: /var/run/secrets/kubeflow/trainer/ca.crt
              - name: KUBEFLOW_TRAINER_SERVER_TOKEN
                value: /var/run/secrets/kubeflow/trainer/token
              volumeMounts:
              - name: kubeflow-trainer-token
                mountPath: /var/run/secrets/kubeflow/trainer
                readOnly: true
            volumes:
            - name: kubeflow-trainer-token
              projected:
                sources:
                - serviceAccountToken:
                    audience: trainer.kubeflow.org/v1alpha1/namespaces/default/trainjobs/job/status
                    expirationSeconds: 3600
                    path: token
                - configMap:
                    name: job-tls-config
                    items:
                    - key: ca.crt
                      path: ca.crt
)");
  CHECK(rendered("2.1", "  trainer: {}\n").find("KUBEFLOW") == std::string::npos);
}

}  // namespace trainjobc::status_gate_test
