// SPDX-License-Identifier: Apache-2.0

// Containers: names, images, ports, restarts, probes and hooks.
#include <string>

#include "k8s/pod/pod.h"
#include "support/job_admission.h"

namespace trainjobc::test::jobs::job_admission_containers_test {
namespace {

TEST_CASE("a pod needs containers") {
  CHECK(pod_findings(R"(
containers: []
)") ==
        R"(containers: a pod needs at least one container | add containers
)");
}

TEST_CASE("names of containers") {
  CHECK(
      pod_findings(R"(
containers: [{name: Node_1, image: i}, {image: i}, {name: a.b, image: i}, {name: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, image: i}]
)") ==
      R"(containers[0].name: container name "Node_1" may contain only lower-case letters, digits and '-', and must begin and end with a letter or digit | write node-1
containers[1].name: containers[1] has no name | add name
containers[2].name: container name "a.b" may contain only lower-case letters, digits and '-', and must begin and end with a letter or digit | write a-b
containers[3].name: container name "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" is 64 characters long, at most 63 are allowed
)");
}

TEST_CASE("containers are named differently") {
  CHECK(pod_findings(R"(
containers: [{name: node, image: i}, {name: node, image: i}]
initContainers: [{name: node, image: i}, {name: warm, image: i}, {name: warm, image: i}]
)") ==
        R"(containers[1].name: two containers are named "node" | rename one of them
initContainers[0].name: two containers are named "node" | rename one of them
initContainers[2].name: two containers are named "warm" | rename one of them
)");
}

TEST_CASE("images") {
  CHECK(pod_findings(R"(
containers: [{name: node}, {name: two, image: "", imagePullPolicy: WhenBored}]
)") ==
        R"(containers[0].image: container "node" has no image | add image
containers[1].image: container "two" has no image | add image
containers[1].imagePullPolicy: imagePullPolicy can't be "WhenBored" | one of "Always", "IfNotPresent", "Never"
)");
  CHECK(container_findings(R"(
imagePullPolicy: Always
terminationMessagePolicy: FallbackToLogsOnError
)") == "");
  CHECK(
      container_findings(R"(
terminationMessagePolicy: Stdout
)") ==
      R"(terminationMessagePolicy: terminationMessagePolicy can't be "Stdout" | one of "File", "FallbackToLogsOnError"
)");
}

TEST_CASE("the pull policy that the API server sets") {
  for (const char* image : {"a", "a:latest", "r.io:5000/a", "r.io:5000/a:latest", "a:latest@sha256:1", ""})
    CHECK_MESSAGE(k8s::pod::default_pull_policy(image) == "Always", image);
  for (const char* image :
       {"a:1", "r.io:5000/a:1", "a@sha256:1", "r.io/a:1@sha256:1", "r.io:5000/a@sha256:1"})
    CHECK_MESSAGE(k8s::pod::default_pull_policy(image) == "IfNotPresent", image);
}

TEST_CASE("numbers of ports") {
  CHECK(container_findings(R"(
ports: [{containerPort: 70000}, {containerPort: 0}, {hostPort: 80}, {containerPort: 80, hostPort: -1}, {containerPort: 80, hostPort: 0}]
)") ==
        R"(ports[0].containerPort: containerPort must be from 1 to 65535, not 70000
ports[1].containerPort: a port needs a containerPort from 1 to 65535
ports[2].containerPort: a port needs a containerPort from 1 to 65535
ports[3].hostPort: hostPort must be from 1 to 65535, not -1
)");
}

TEST_CASE("names and protocols of ports") {
  CHECK(container_findings(R"(
ports:
- {containerPort: 1, name: torch-distributed-rdzv}
- {containerPort: 2, name: Metrics}
- {containerPort: 3, name: "29500"}
- {containerPort: 4, name: a--b}
- {containerPort: 5, name: -a}
- {containerPort: 6, name: http, protocol: udp}
- {containerPort: 7, name: http, protocol: SCTP}
)") ==
        R"(ports[0].name: port name "torch-distributed-rdzv" is 22 characters long, at most 15 are allowed
ports[1].name: port name "Metrics" may contain only lower-case letters, digits and '-' | write metrics
ports[2].name: port name "29500" must contain at least one letter
ports[3].name: port name "a--b" can't contain two dashes in a row
ports[4].name: port name "-a" can't begin or end with a dash | write a
ports[5].protocol: protocol can't be "udp" | did you mean "UDP"? (one of "TCP", "UDP", "SCTP")
ports[6].name: two ports of the container are named "http" | rename one of them
)");
}

TEST_CASE("a host port can be claimed once") {
  CHECK(pod_findings(R"(
containers:
- {name: a, image: i, ports: [{containerPort: 80, hostPort: 80}, {containerPort: 81, hostPort: 80}]}
- {name: b, image: i, ports: [{containerPort: 80, hostPort: 80, protocol: UDP}, {containerPort: 80, hostPort: 80, hostIP: 10.0.0.1}]}
initContainers:
- {name: c, image: i, ports: [{containerPort: 80, hostPort: 80}]}
- {name: d, image: i, ports: [{containerPort: 80, hostPort: 80}, {containerPort: 82, hostPort: 80}]}
)") ==
        R"(containers[0].ports[1].hostPort: hostPort 80 is used twice | give one of the ports another hostPort
initContainers[0].ports[1].hostPort: hostPort 80 is used twice | give one of the ports another hostPort
)");
}

TEST_CASE("a probe has one handler") {
  CHECK(container_findings(R"(
livenessProbe: {}
readinessProbe: {exec: {command: [a]}, httpGet: {port: 80}}
startupProbe: {exec: {command: []}}
)") ==
        R"(livenessProbe: livenessProbe has no action | add exec, or httpGet, or tcpSocket, or grpc
readinessProbe.httpGet: readinessProbe can't have both exec and httpGet | remove one of the two
startupProbe.exec.command: exec needs a command | add command
)");
}

TEST_CASE("handlers of probes") {
  CHECK(container_findings(R"(
livenessProbe: {httpGet: {port: 70000, scheme: https, httpHeaders: [{name: X Y}, {name: X-Y}]}}
readinessProbe: {tcpSocket: {port: HTTP}}
startupProbe: {grpc: {port: 0}}
)") ==
        R"(livenessProbe.httpGet.port: port must be from 1 to 65535, not 70000
livenessProbe.httpGet.scheme: scheme can't be "https" | did you mean "HTTPS"? (one of "HTTP", "HTTPS")
livenessProbe.httpGet.httpHeaders: header name "X Y" may contain only letters, digits and '-'
readinessProbe.tcpSocket.port: port name "HTTP" may contain only lower-case letters, digits and '-' | write http
startupProbe.grpc.port: port must be from 1 to 65535, not 0
)");
  CHECK(container_findings(R"(
livenessProbe: {httpGet: {port: http, scheme: HTTPS}}
readinessProbe: {tcpSocket: {port: 29500}}
startupProbe: {grpc: {port: 80}}
)") == "");
}

TEST_CASE("numbers of probes") {
  CHECK(container_findings(R"(
livenessProbe: {exec: {command: [a]}, initialDelaySeconds: -1, successThreshold: 2, terminationGracePeriodSeconds: 0}
readinessProbe: {exec: {command: [a]}, successThreshold: 2, periodSeconds: -1, terminationGracePeriodSeconds: 5}
startupProbe: {exec: {command: [a]}, successThreshold: -1}
)") ==
        R"(livenessProbe.initialDelaySeconds: initialDelaySeconds can't be negative, it is -1
livenessProbe.successThreshold: successThreshold of a livenessProbe must be 1 | remove it
livenessProbe.terminationGracePeriodSeconds: terminationGracePeriodSeconds must be at least 1, not 0
readinessProbe.periodSeconds: periodSeconds can't be negative, it is -1
readinessProbe.terminationGracePeriodSeconds: a readinessProbe never terminates a container | remove terminationGracePeriodSeconds
startupProbe.successThreshold: successThreshold can't be negative, it is -1
)");
}

TEST_CASE("hooks") {
  CHECK(container_findings(R"(
lifecycle: {preStop: {sleep: {seconds: 120}}, postStart: {}}
)") ==
        R"(lifecycle.postStart: postStart has no action | add exec, or httpGet, or tcpSocket, or sleep
lifecycle.preStop.sleep: a sleep of 120 seconds is longer than the pod's terminationGracePeriodSeconds of 30 | raise terminationGracePeriodSeconds to 120 or more
)");
  CHECK(container_findings(R"(
lifecycle: {preStop: {sleep: {seconds: 120}}}
)",
                           R"(
terminationGracePeriodSeconds: 120
)") == "");
  CHECK(container_findings(R"(
lifecycle: {preStop: {sleep: {seconds: -1}}, postStart: {exec: {command: [a]}, tcpSocket: {port: 1}}}
)") ==
        R"(lifecycle.postStart.tcpSocket: postStart can't have both exec and tcpSocket | remove one of the two
lifecycle.preStop.sleep: a sleep of -1 seconds is negative
)");
}

TEST_CASE("init containers have no probes or hooks, sidecars do") {
  CHECK(
      pod_findings(R"(
initContainers:
- {name: a, image: i, readinessProbe: {exec: {command: [a]}}, lifecycle: {preStop: {exec: {command: [a]}}}}
- {name: b, image: i, restartPolicy: Always, readinessProbe: {exec: {command: [a]}}, lifecycle: {preStop: {exec: {command: [a]}}}}
- {name: c, image: i, restartPolicy: Always, livenessProbe: {}}
- {name: d, image: i, lifecycle: {stopSignal: SIGINT}}
- {name: e, image: i, lifecycle: {}}
)") ==
      R"(initContainers[0].lifecycle: init container "a" can't have a lifecycle | remove it, or make it a sidecar with restartPolicy: Always
initContainers[0].readinessProbe: init container "a" can't have a readinessProbe | remove it, or make it a sidecar with restartPolicy: Always
initContainers[2].livenessProbe: livenessProbe has no action | add exec, or httpGet, or tcpSocket, or grpc
initContainers[4].lifecycle: init container "e" can't have a lifecycle | remove it, or make it a sidecar with restartPolicy: Always
)");
}

TEST_CASE("restarts of single containers") {
  CHECK(
      pod_findings(R"(
containers:
- {name: a, image: i, restartPolicy: Sometimes}
- {name: b, image: i, restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [1]}}]}
- {name: c, image: i, restartPolicy: Never, restartPolicyRules: [{action: Retry, exitCodes: {operator: Is}}, {action: Restart}]}
- {name: d, image: i, restartPolicy: Never, restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values: [1]}}]}
initContainers:
- {name: e, image: i, restartPolicyRules: [{action: Nonsense}]}
)") ==
      R"(containers[0].restartPolicy: restartPolicy can't be "Sometimes" | one of "Always", "Never", "OnFailure"
containers[1].restartPolicy: restartPolicyRules need a restartPolicy | add restartPolicy
containers[2].restartPolicyRules[0].action: action can't be "Retry" | one of "Restart", "RestartAllContainers"
containers[2].restartPolicyRules[0].exitCodes.operator: operator can't be "Is" | one of "In", "NotIn"
containers[2].restartPolicyRules[1].exitCodes: a restart rule needs exitCodes
initContainers[0].restartPolicy: restartPolicyRules need a restartPolicy | add restartPolicy
)");
}

TEST_CASE("resizing containers") {
  CHECK(
      container_findings(R"(
resizePolicy: [{resourceName: cpu, restartPolicy: RestartContainer}, {resourceName: gpu, restartPolicy: NotRequired}, {resourceName: cpu, restartPolicy: Now}]
)") ==
      R"(resizePolicy: a pod with restartPolicy Never can't restart a container for a resize | write NotRequired
resizePolicy: resizePolicy can't be set for "gpu" | cpu or memory
resizePolicy[2]: resizePolicy of cpu is set twice | remove one of the two
resizePolicy: restartPolicy of a resize can't be "Now" | NotRequired or RestartContainer
)");
  CHECK(
      pod_findings(R"(
restartPolicy: OnFailure
initContainers: [{name: a, image: i, resizePolicy: [{resourceName: cpu, restartPolicy: RestartContainer}]}]
)") ==
      R"(initContainers[0].resizePolicy[0].restartPolicy: init container "a" can't be restarted for a resize | write NotRequired
)");
}

TEST_CASE("init containers are checked as others are") {
  CHECK(
      pod_findings(R"(
initContainers: [{name: a, image: i}, {name: b, image: i, imagePullPolicy: Sometimes}]
)") ==
      R"(initContainers[1].imagePullPolicy: imagePullPolicy can't be "Sometimes" | one of "Always", "IfNotPresent", "Never"
)");
}

TEST_CASE("ephemeral containers have no resources") {
  for (const char* list : {"limits: {cpu: 1}", "requests: {cpu: 1}", "claims: [{name: c}]"})
    CHECK_MESSAGE(
        pod_findings("ephemeralContainers: [{name: e, image: i, resources: {" + std::string(list) + "}}]\n")
                .find("an ephemeral container can't have resources") != std::string::npos,
        list);
}

TEST_CASE("templates can't have ephemeral containers") {
  CHECK(
      pod_findings(R"(
ephemeralContainers: [{name: node, image: " i", ports: [{containerPort: 1}], targetContainerName: nope}]
)") ==
      R"(ephemeralContainers: ephemeral containers are allowed only in running pods, not in templates | remove ephemeralContainers
ephemeralContainers[0].name: two containers are named "node" | rename one of them
ephemeralContainers[0].ports: an ephemeral container can't have ports | remove it
ephemeralContainers[0].image: image " i" begins or ends with a space
ephemeralContainers[0].targetContainerName: the pod has no container "nope"
)");
}

}  // namespace
}  // namespace trainjobc::test::jobs::job_admission_containers_test
