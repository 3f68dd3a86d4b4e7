// SPDX-License-Identifier: Apache-2.0

// Advice on the SSH key of MPI jobs.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_ssh_key_test {
using trainjobc::test::advice;
using trainjobc::test::runtime;

namespace {

// The finding for a launcher whose pod and container have these security contexts, in flow style.
std::string key(const std::string& pod, const std::string& container, const std::string& version = "2.3",
                const std::string& path = "/home/mpiuser/.ssh", const std::string& words = "[mpirun, a]") {
  const std::string launcher = R"(      replicatedJobs:
      - name: launcher
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                securityContext: )" +
                               pod + R"(
                containers:
                - name: node
                  image: img:1
                  command: )" + words +
                               R"(
                  securityContext: )" +
                               container + "\n";
  const std::string policy = path.empty() ? "{mpi: {}}" : "{mpi: {sshAuthMountPath: " + path + "}}";
  return advice("advice/ssh-key", runtime(policy, launcher), {}, version);
}

}  // namespace

TEST_CASE("advice/ssh-key: root") {
  CHECK(
      key("{fsGroup: 1000}", "{runAsUser: 0}") ==
      R"(in.yaml:23:48: warning: mpirun runs as root, and ssh refuses the key in /home/mpiuser/.ssh: others can read it, mode 0640 [advice/ssh-key]
   23 |                   securityContext: {runAsUser: 0}
      |                                                ^ set runAsUser, and fsGroup in the pod's securityContext
)");
  CHECK(
      key("{runAsUser: 1000}", "{runAsUser: 0}", "2.2") ==
      R"(in.yaml:23:48: warning: mpirun runs as root, and ssh refuses the key in /home/mpiuser/.ssh: others can read it, mode 0644 [advice/ssh-key]
   23 |                   securityContext: {runAsUser: 0}
      |                                                ^ set runAsUser in the securityContext
)");
  // The image's user, whose home that is.
  CHECK(
      key("{fsGroup: 1000}", "{}", "2.3", "/root/.ssh") ==
      R"(in.yaml:12:15: warning: mpirun runs as root, and ssh refuses the key in /root/.ssh: others can read it, mode 0640 [advice/ssh-key]
   12 |       - name: launcher
      |               ^~~~~~~~ set runAsUser, and fsGroup in the pod's securityContext
)");
}

TEST_CASE("advice/ssh-key: another user, whose home is not /root") {
  CHECK(
      key("{fsGroup: 1000}", "{runAsUser: 1000}", "2.3", "/root/.ssh") ==
      R"(in.yaml:8:38: warning: mpirun runs as user 1000, whose ssh does not look for the key in /root/.ssh [advice/ssh-key]
    8 |   mlPolicy: {mpi: {sshAuthMountPath: /root/.ssh}}
      |                                      ^~~~~~~~~~ set sshAuthMountPath to the folder .ssh in the user's home
)");
  // The schema's default.
  CHECK(
      key("{runAsUser: 1000}", "{}", "2.2", "") ==
      R"(in.yaml:8:19: warning: mpirun runs as user 1000, whose ssh does not look for the key in /root/.ssh [advice/ssh-key]
    8 |   mlPolicy: {mpi: {}}
      |                   ^ set sshAuthMountPath to the folder .ssh in the user's home
)");
}

TEST_CASE("advice/ssh-key: another user") {
  CHECK(
      key("{}", "{runAsUser: 1000}") ==
      R"(in.yaml:23:48: warning: mpirun can't read the key in /home/mpiuser/.ssh: its owner and group are root, its mode is 0640 [advice/ssh-key]
   23 |                   securityContext: {runAsUser: 1000}
      |                                                ^~~~ set fsGroup in the pod's securityContext
)");
  CHECK(key("{}", "{}") != "");
  CHECK(key("{runAsGroup: 1000}", "{runAsUser: 1000, runAsGroup: 2000}") != "");
  for (const char* pod : {"{fsGroup: 1000}", "{runAsGroup: 0}", "{supplementalGroups: [1, 0]}"})
    CHECK_MESSAGE(key(pod, "{runAsUser: 1000}") == "", pod);
  for (const char* version : {"2.0", "2.1", "2.2"}) CHECK(key("{}", "{runAsUser: 1000}", version) == "");
}

TEST_CASE("advice/ssh-key: a key that is copied") {
  CHECK(key("{}", "{}", "2.3", "/mnt/key") == "");
  CHECK(key("{}", "{}", "2.3", "/root/.ssh", "[sh, -c, 'cp -r ~/.ssh /k; chmod 600 /k/*; mpirun a']") == "");
  // By another container of the pod.
  CHECK(key("{}",
            "{}\n                - {name: copy, image: 'img:1', command: [sh, -c, 'cp -r ~/.ssh /k; chmod "
            "600 /k/*']}") == "");
  CHECK(key("{}",
            "{}\n                - {name: other, image: 'img:1', command: [sh, -c, 'cp -r ~/.ssh /k']}") !=
        "");
}

}  // namespace trainjobc::advice_ssh_key_test
