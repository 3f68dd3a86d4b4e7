// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/versions.h"

namespace trainjobc::version_mpi_test {
using namespace trainjobc::test;

namespace {

std::string mpi_runtime(const std::string& policy, const std::string& launcher, const std::string& node) {
  return cluster_runtime("mlPolicy: {numNodes: 1, mpi: {" + policy + "}}, " +
                         template_of(launcher + ", " + node));
}

const std::string kLauncher = flow_replicated_job("launcher", "trainer");
const std::string kNodes = flow_replicated_job("node", "");

}  // namespace

TEST_CASE("one process per node means one slot per GPU from 2.1 on") {
  const std::string gpus = "resources: {limits: {nvidia.com/gpu: 8}}";
  CHECK(in_each_version(mpi_runtime("", flow_replicated_job("launcher", "trainer", gpus), kNodes) +
                            train_job("trainer: {numNodes: 2}"),
                        "ConfigMap", "data/hostfile") ==
        "2.0 \"job-node-0-0.job slots=1\\njob-node-0-1.job slots=1\\n\"\n"
        "2.1 \"job-node-0-0.job slots=8\\njob-node-0-1.job slots=8\\n\"\n"
        "2.2 \"job-node-0-0.job slots=8\\njob-node-0-1.job slots=8\\n\"\n"
        "2.3 \"job-node-0-0.job slots=8\\njob-node-0-1.job slots=8\\n\"\n");
}

TEST_CASE("the hostfile lists every replica from 2.3 on") {
  const std::string twice =
      "{name: node, replicas: 2, template: {spec: {template: {spec: {containers: [{name: node}]}}}}}";
  const std::string first = "\"job-node-0-0.job slots=1\\n\"\n";
  CHECK(in_each_version(mpi_runtime("", kLauncher, twice) + train_job(), "ConfigMap", "data/hostfile") ==
        "2.0 " + first + "2.1 " + first + "2.2 " + first +
            "2.3 \"job-node-0-0.job slots=1\\njob-node-1-0.job slots=1\\n\"\n");
}

TEST_CASE("2.0 requires a launcher with one replica, whatever its labels") {
  const std::string twice =
      "{name: launcher, replicas: 2, template: {spec: {template: {spec: {containers: [{name: node}]}}}}}";
  CHECK(in_each_version(mpi_runtime("", twice, kNodes) + train_job(), "JobSet",
                        "spec/replicatedJobs/launcher/replicas") ==
        "2.0 refused: spec.template.spec.replicatedJobs[0].replicas: the replicatedJob \"launcher\" must "
        "have exactly one replica, not 2\n"
        "2.1 2\n"
        "2.2 2\n"
        "2.3 2\n");
}

TEST_CASE("under runLauncherAsNode the nodes get the job's env and resources from 2.1 on") {
  const std::string job =
      train_job("trainer: {env: [{name: A, value: \"1\"}], resourcesPerNode: {limits: {cpu: 3}}}");
  const std::string manifests = mpi_runtime("runLauncherAsNode: true", kLauncher, kNodes) + job;
  const std::string env = "[{\"name\":\"A\",\"value\":\"1\"}]\n";
  CHECK(in_each_version(manifests, "JobSet", of_node("env")) ==
        "2.0 -\n2.1 " + env + "2.2 " + env + "2.3 " + env);
  CHECK(in_each_version(manifests, "JobSet", of_node("resources/limits")) ==
        "2.0 -\n2.1 {\"cpu\":\"3\"}\n2.2 {\"cpu\":\"3\"}\n2.3 {\"cpu\":\"3\"}\n");
}

TEST_CASE("a job overrides OpenMPI's variables until 2.2") {
  const std::string job = train_job("trainer: {env: [{name: OMPI_MCA_plm_rsh_args, value: mine}]}");
  CHECK(in_each_version(mpi_runtime("", kLauncher, kNodes) + job, "JobSet",
                        "spec/replicatedJobs/launcher/template/spec/template/spec/containers/node/env/"
                        "OMPI_MCA_plm_rsh_args/value") ==
        "2.0 \"mine\"\n2.1 \"mine\"\n2.2 \"mine\"\n"
        "2.3 refused: spec.trainer.env: OMPI_MCA_plm_rsh_args is reserved: the MPI runtime sets it\n");
}

TEST_CASE("the volume of the SSH key has file modes from 2.3 on") {
  const auto items = [](const std::string& key, const std::string& rest) {
    return "{\"secretName\":\"job-mpi-ssh-auth\"," + key +
           "\"items\":[{\"key\":\"ssh-privatekey\",\"path\":\"id_rsa\"" +
           (rest.empty() ? "" : ",\"mode\":416") + "},{\"key\":\"ssh-publickey\",\"path\":\"id_rsa.pub\"" +
           rest + "},{\"key\":\"ssh-publickey\",\"path\":\"authorized_keys\"" + rest + "}]}\n";
  };
  CHECK(in_each_version(mpi_runtime("", kLauncher, kNodes) + train_job(), "JobSet",
                        std::string(kPodSpec) + "/volumes/mpi-ssh-auth/secret") ==
        "2.0 " + items("", "") + "2.1 " + items("", "") + "2.2 " + items("", "") + "2.3 " +
            items("\"defaultMode\":256,", ",\"mode\":420"));
}

TEST_CASE("an MPI job gives its processes as a number") {
  const std::string word =
      "refused: spec.trainer.numProcPerNode: an MPI job needs a number of processes, not \"auto\"\n";
  const std::string type =
      "refused: spec.trainer.numProcPerNode: spec.trainer.numProcPerNode must be an integer, not "
      "the string \"auto\"\n";
  CHECK(in_each_version(mpi_runtime("", kLauncher, kNodes) + train_job("trainer: {numProcPerNode: auto}"),
                        "JobSet", "") == "2.0 " + word + "2.1 " + word + "2.2 " + type + "2.3 " + type);
}

}  // namespace trainjobc::version_mpi_test
