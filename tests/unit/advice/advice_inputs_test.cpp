// SPDX-License-Identifier: Apache-2.0

// Advice on what is beside a job in the inputs: its runtime's place, claims, namespaces, Experiments; and on
// placeholders.
#include <doctest/doctest.h>

#include "support/advice.h"
#include "support/test_console.h"

namespace trainjobc::advice_inputs_test {
using trainjobc::test::advice;
using trainjobc::test::errors;
using trainjobc::test::job;
using trainjobc::test::replicated_job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

std::string with_image(const std::string& name) {
  return runtime("{torch: {}}", trainer()) + job("  trainer:\n    image: '" + name + "'\n");
}

// A pod that mounts the claim "data".
constexpr const char* kVolume =
    "                  volumeMounts: [{name: data, mountPath: /data}]\n"
    "                volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n";

std::string claim(const std::string& ns, const std::string& mode) {
  return "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: " + ns +
         "}\nspec: {accessModes: [" + mode + "]}\n";
}

std::string labelled_namespace(const std::string& label) {
  return "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: default, labels: {" + label + "}}\n";
}

// An Experiment whose trials run with this trainer.
std::string experiment(const std::string& trainer_lines, const std::string& name = "tune") {
  return R"(---
apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {name: )" +
         name + R"(, namespace: team-a}
spec:
  parameters:
  - {name: lr, parameterType: double, feasibleSpace: {min: "0.01", max: "0.1"}}
  - {name: nodes, parameterType: categorical, feasibleSpace: {list: ["2", "4"]}}
  trialTemplate:
    trialParameters: [{name: rate, reference: lr}, {name: size, reference: nodes}]
    trialSpec:
      apiVersion: trainer.kubeflow.org/v1alpha1
      kind: TrainJob
      spec:
        runtimeRef: {name: rt}
        trainer:
)" + trainer_lines;
}

}  // namespace

TEST_CASE("advice/image-placeholder") {
  const auto image = [](const std::string& name) {
    return advice("advice/image-placeholder", with_image(name));
  };
  CHECK(image("<account>.dkr.ecr.eu-west-1.amazonaws.com/train:1") ==
        "in.yaml:29:13: warning: \"<account>\" stands for another name: no container runtime can pull this "
        "image [advice/image-placeholder]\n"
        "   29 |     image: '<account>.dkr.ecr.eu-west-1.amazonaws.com/train:1'\n"
        "      |             ^~~~~~~~~ write the image's name\n");
  CHECK(image("$IMAGE:1") ==
        "in.yaml:29:13: warning: \"$IMAGE\" stands for another name: no container runtime can pull this "
        "image [advice/image-placeholder]\n"
        "   29 |     image: '$IMAGE:1'\n"
        "      |             ^~~~~~ write the image's name\n");
  CHECK(
      image("docker.io/yourusername/train:1") ==
      R"(in.yaml:29:23: warning: "yourusername" stands for another name: no container runtime can pull this image [advice/image-placeholder]
   29 |     image: 'docker.io/yourusername/train:1'
      |                       ^~~~~~~~~~~~ write the image's name
)");
  CHECK(
      image("xxxxxxxxxxxx.dkr.ecr.eu-west-1.amazonaws.com/train:1") ==
      R"(in.yaml:29:13: warning: "xxxxxxxxxxxx" stands for another name: no container runtime can pull this image [advice/image-placeholder]
   29 |     image: 'xxxxxxxxxxxx.dkr.ecr.eu-west-1.amazonaws.com/train:1'
      |             ^~~~~~~~~~~~ write the image's name
)");
  CHECK(
      image("[IMAGE]") ==
      R"(in.yaml:29:13: warning: "[IMAGE]" stands for another name: no container runtime can pull this image [advice/image-placeholder]
   29 |     image: '[IMAGE]'
      |             ^~~~~~~ write the image's name
)");
  CHECK(image("docker.io/yours/xx:1") == "");
  CHECK(image("ghcr.io/team/${IMAGE}") ==
        "in.yaml:29:26: info: \"${IMAGE}\" stands for another name: no container runtime can pull this image "
        "[advice/image-placeholder]\n"
        "   29 |     image: 'ghcr.io/team/${IMAGE}'\n"
        "      |                          ^~~~~~~~ write the image's name\n");
  CHECK(image("YOUR_IMAGE") ==
        "in.yaml:29:13: warning: \"YOUR_IMAGE\" stands for another name: no container runtime can pull this "
        "image [advice/image-placeholder]\n"
        "   29 |     image: 'YOUR_IMAGE'\n"
        "      |             ^~~~~~~~~~ write the image's name\n");
  CHECK(image("gcr.io/PROJECT_ID/train:1") ==
        "in.yaml:29:20: warning: \"PROJECT_ID\" stands for another name: no container runtime can pull this "
        "image [advice/image-placeholder]\n"
        "   29 |     image: 'gcr.io/PROJECT_ID/train:1'\n"
        "      |                    ^~~~~~~~~~ write the image's name\n");
  for (const char* name : {"your-registry.example.com/a:1", "quay.io/CHANGE_ME/a:1", "ghcr.io/a/b:<tag>"})
    CHECK_MESSAGE(image(name) != "", name);
  for (const char* name : {"ghcr.io/team/train:1", "ghcr.io/yourbase/a:1", "ghcr.io/a/todo:1", "{{ image }}",
                           "%IMAGE%", "ghcr.io/a/b:RELEASE"})
    CHECK_MESSAGE(image(name) == "", name);
}

TEST_CASE("advice/job-before-runtime: in one file") {
  const std::string one = runtime("{torch: {}}", trainer());
  const std::string job_first = job("  trainer: {}\n").substr(4);
  CHECK(
      advice("advice/job-before-runtime", job_first + "---\n" + one) ==
      "in.yaml:6:22: warning: kubectl apply creates the job before its runtime, and the webhook refuses it: "
      "there is no ClusterTrainingRuntime \"rt\" yet [advice/job-before-runtime]\n"
      "    6 |   runtimeRef: {name: rt}\n"
      "      |                      ^~ put the runtime before the jobs, or in a file that is applied first\n"
      "  note: the runtime at in.yaml:12:9\n");
  // The line of a secret is not shown.
  const std::string secret =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: j}\n"
      "spec: {runtimeRef: {name: rt}, trainer: {command: [curl, -u, \"me:q7w8e9r0t1y2u3\"]}}\n";
  CHECK(
      advice("advice/job-before-runtime", secret + "---\n" + one) ==
      "in.yaml:4:27: warning: kubectl apply creates the job before its runtime, and the webhook refuses it: "
      "there is no ClusterTrainingRuntime \"rt\" yet [advice/job-before-runtime]\n"
      "  hint: put the runtime before the jobs, or in a file that is applied first\n"
      "  note: the runtime at in.yaml:9:9\n");
  CHECK(advice("advice/job-before-runtime", one + "---\n" + job_first) == "");
  CHECK(advice("advice/job-before-runtime", job_first, {{"rt.yaml", one}}) == "");
}

TEST_CASE("advice/ancestor-label: in the pod's template") {
  std::string text = runtime("{torch: {}}", "      replicatedJobs:\n" + replicated_job("node", ""));
  const std::string spec = "              spec:\n                containers:\n";
  text.insert(text.find(spec),
              "              metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}\n");
  CHECK(advice("advice/ancestor-label", text) ==
        "in.yaml:16:35: warning: Trainer does not read this label in the pod's template: replicatedJob "
        "\"node\" gets nothing of a TrainJob [advice/ancestor-label]\n"
        "   16 |               metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}\n"
        "      |                                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ move "
        "it to spec.template.spec.replicatedJobs[0].template.metadata.labels\n");
  CHECK(advice("advice/num-nodes-no-effect", text + job("  trainer: {numNodes: 4}\n")) ==
        "in.yaml:28:23: warning: numNodes has no effect: runtime \"rt\" has no replicatedJob with "
        "trainer.kubeflow.org/trainjob-ancestor-step: trainer [advice/num-nodes-no-effect]\n"
        "   28 |   trainer: {numNodes: 4}\n"
        "      |                       ^ label the replicatedJob that trains, in the runtime\n"
        "  note: the runtime at in.yaml:4:9\n"
        "  note: the label of the pod's template does not count at in.yaml:16:80\n");
}

TEST_CASE("advice/ancestor-label: another label, or an annotation") {
  const auto labelled = [](const std::string& metadata) {
    std::string text = runtime("{torch: {}}", "      replicatedJobs:\n" + replicated_job("node", ""));
    const std::string spec = "          spec:\n            template:\n";
    text.insert(text.find(spec), "          metadata: {" + metadata + "}\n");
    return advice("advice/ancestor-label", text);
  };
  CHECK(
      labelled("labels: {trainer.kubeflow.org/trainjob-ancestor: trainer}") ==
      R"(in.yaml:14:31: warning: Trainer reads the label trainer.kubeflow.org/trainjob-ancestor-step only: replicatedJob "node" gets nothing of a TrainJob [advice/ancestor-label]
   14 |           metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor: trainer}}
      |                               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ write trainer.kubeflow.org/trainjob-ancestor-step
)");
  CHECK(
      labelled("annotations: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}") ==
      R"(in.yaml:14:36: warning: Trainer reads the label trainer.kubeflow.org/trainjob-ancestor-step only: replicatedJob "node" gets nothing of a TrainJob [advice/ancestor-label]
   14 |           metadata: {annotations: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
      |                                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ move it to spec.template.spec.replicatedJobs[0].template.metadata.labels
)");
  CHECK(labelled("labels: {trainer.kubeflow.org/trainjob-ancestor-steps: dataset-initializer}") != "");
  CHECK(
      labelled("labels: {trainer.kubeflow.org/trainjob-ancestor-step: trianer}") ==
      R"(in.yaml:14:76: warning: Trainer knows no step "trianer": replicatedJob "node" gets nothing of a TrainJob [advice/ancestor-label]
   14 |           metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trianer}}
      |                                                                            ^~~~~~~ did you mean "trainer"?
)");
  CHECK(labelled("labels: {trainer.kubeflow.org/trainjob-ancestor-step: mine}") == "");
  CHECK(labelled("labels: {trainer.kubeflow.org/trainjob-ancestor: mine, a.b/step: trainer}") == "");
}

TEST_CASE("advice/claim-access: a PersistentVolumeClaim of the inputs") {
  const std::string text = runtime("{torch: {}}", trainer(kVolume)) + job("  trainer: {numNodes: 2}\n");
  CHECK(advice("advice/claim-access", text + claim("default", "ReadWriteOnce")) ==
        "in.yaml:22:75: warning: 2 pods mount claim \"data\", which is ReadWriteOnce: only those on one node "
        "can start [advice/claim-access]\n"
        "   22 |                 volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n"
        "      |                                                                           ^~~~ name a claim "
        "that is ReadWriteMany, with a storage class that offers it\n"
        "  note: the claim at in.yaml:35:22\n");
  CHECK(advice("advice/claim-access", text + claim("default", "ReadWriteOncePod")) != "");
  CHECK(advice("advice/claim-access", text + claim("default", "ReadWriteMany")) == "");
  CHECK(advice("advice/claim-access", text + claim("team-b", "ReadWriteOnce")) == "");
  CHECK(advice("advice/claim-access", text) == "");
}

TEST_CASE("advice/istio-sidecar: the namespace's label") {
  const std::string text = runtime("{torch: {}}", trainer()) + job("  trainer: {numNodes: 2}\n");
  CHECK(advice("advice/istio-sidecar", text + labelled_namespace("istio-injection: enabled")) ==
        "in.yaml:25:9: warning: Istio's sidecar stands between the pods of \"node\": they may neither meet "
        "nor end [advice/istio-sidecar]\n"
        "   25 |   name: job\n"
        "      |         ^~~ label the pods sidecar.istio.io/inject: \"false\", in the runtime\n"
        "  note: the namespace's label at in.yaml:32:53\n");
  CHECK(advice("advice/istio-sidecar", text + labelled_namespace("istio.io/rev: canary")) != "");
  CHECK(advice("advice/istio-sidecar", text + labelled_namespace("istio-injection: disabled")) == "");
  std::string refusing = text;
  const std::string spec = "              spec:\n                containers:\n";
  refusing.insert(refusing.find(spec),
                  "              metadata: {labels: {sidecar.istio.io/inject: \"false\"}}\n");
  CHECK(advice("advice/istio-sidecar", refusing + labelled_namespace("istio-injection: enabled")) == "");
}

TEST_CASE("advice/ssh-key: OpenShift gives pods a user and a group") {
  const std::string text = runtime("{mpi: {sshAuthMountPath: /root/.ssh}}",
                                   "      replicatedJobs:\n" +
                                       replicated_job("launcher", "trainer",
                                                      "                  command: [mpirun, a]\n"
                                                      "                  securityContext: {runAsUser: 0}\n") +
                                       replicated_job("node", ""));
  CHECK(advice("advice/ssh-key", text) != "");
  const auto with_object = [&](const std::string& version) {
    return text + "---\napiVersion: " + version + "\nkind: Any\nmetadata: {name: a}\n";
  };
  for (const char* version : {"security.openshift.io/v1", "route.openshift.io/v1"})
    CHECK(advice("advice/ssh-key", with_object(version)) == "");
  const auto with_settings = [](const std::string& settings, const std::string& manifest) {
    base::MemoryFileSystem files;
    files.files[".trainjobc.yaml"] = settings;
    files.files["in.yaml"] = manifest;
    trainjobc::test::TestConsole console(files);
    cli::run({"lint", "in.yaml"}, console);
    return console.out + console.err;
  };
  const std::string clean = with_settings("platform: openshift\n", text);
  CHECK(clean == with_settings("rules: {advice/ssh-key: off}\n", text));
  CHECK(clean != with_settings("platform: kubernetes\n", text));
  CHECK(clean != with_settings("platform: kubernetes\n", with_object("route.openshift.io/v1")));
}

TEST_CASE("job/security-context: privileged containers, where the cluster allows them") {
  const std::string text =
      runtime("{torch: {}}", trainer("                  securityContext: {privileged: true}\n")) + job("");
  CHECK(
      errors(text) ==
      R"(in.yaml:21:49: error: privileged containers are not allowed unless the cluster allows them [job/security-context]
   21 |                   securityContext: {privileged: true}
      |                                                 ^~~~ remove privileged, or write allowPrivileged: true in .trainjobc.yaml if the cluster allows it
)");
  CHECK(errors(text + labelled_namespace("pod-security.kubernetes.io/warn: privileged")) == errors(text));
  CHECK(errors(text + labelled_namespace("pod-security.kubernetes.io/enforce: privileged")) == "");
  CHECK(errors(text + "---\napiVersion: route.openshift.io/v1\nkind: Route\nmetadata: {name: a}\n") == "");
  base::MemoryFileSystem files;
  files.files[".trainjobc.yaml"] = "allowPrivileged: true\n";
  files.files["in.yaml"] = text;
  trainjobc::test::TestConsole console(files);
  CHECK(cli::run({"render", "in.yaml"}, console) == 0);
  files.files["in.yaml"] = text.substr(0, text.rfind("---"));  // the runtime alone
  CHECK(cli::run({"lint", "in.yaml"}, console) == 0);
}

TEST_CASE("job/image: a patch can't set the image of a container that it adds") {
  const std::string patch =
      "  trainer: {numNodes: 2}\n  runtimePatches:\n  - manager: trainer.kubeflow.org/user\n    "
      "trainingRuntimeSpec:\n"
      "      template:\n        spec:\n          replicatedJobs:\n          - name: node\n            "
      "template:\n"
      "              spec:\n                template:\n                  spec:\n                    "
      "initContainers:\n"
      "                    - {name: warm, env: [{name: A, value: b}]}\n";
  CHECK(errors(runtime("{torch: {}}", trainer()) + job(patch)) ==
        R"(in.yaml:41:23: error: container "warm" has no image [job/image]
   41 |                     - {name: warm, env: [{name: A, value: b}]}
      |                       ^ add it to the runtime, with an image: a patch has no field for one
)");
}

TEST_CASE("The TrainJob of an Experiment is checked, but for its placeholders") {
  const std::string one = runtime("{torch: {}}", trainer());
  CHECK(errors(one + experiment("          numProcPerNode: \"4\"\n")) ==
        "in.yaml:37:27: error: spec.trainer.numProcPerNode must be an integer, not the string \"4\" "
        "[input/type]\n"
        "   37 |           numProcPerNode: \"4\"\n"
        "      |                           ^~~ leave the quotes out: 4\n");
  CHECK(errors(one +
               experiment("          args: [\"--lr=${trialParameters.rate}\"]\n"
                          "          resourcesPerNode: {limits: {cpu: \"${trialParameters.size}\"}}\n")) ==
        "");
  CHECK(advice("advice/shell-variable",
               one + experiment("          env:\n          - {name: PATH, value: \"$PATH:/x\"}\n"
                                "          - {name: A, value: \"$PATH:/${trialParameters.rate}\"}\n")) ==
        "in.yaml:38:34: warning: PATH contains \"$PATH\" as it is: no shell reads the values of env "
        "[advice/shell-variable]\n"
        "   38 |           - {name: PATH, value: \"$PATH:/x\"}\n"
        "      |                                  ^~~~~ write its value, or set PATH in a script\n");
  CHECK(advice("advice/job-before-runtime",
               experiment("          numNodes: 2\n").substr(4) + "---\n" + one) == "");
}

TEST_CASE("The parameters of an Experiment are strings, whatever they stand for") {
  const std::string one = runtime("{torch: {}}", trainer());
  CHECK(
      errors(one + experiment("          numNodes: ${trialParameters.size}\n")) ==
      R"(in.yaml:37:21: error: spec.trainer.numNodes must be an integer, and Katib replaces the placeholder by a string [input/type]
   37 |           numNodes: ${trialParameters.size}
      |                     ^~~~~~~~~~~~~~~~~~~~~~~ write a number, or put the template into a ConfigMap, where Katib replaces text of YAML: trialTemplate.configMap
)");
  CHECK(
      errors(one + experiment("          numProcPerNode: \"${trialParameters.size}\"\n"), {}, "2.1") ==
      R"(in.yaml:37:27: error: Katib replaces the placeholder by a string, and "2" is neither a number nor auto, cpu or gpu [input/processes-per-node]
   37 |           numProcPerNode: "${trialParameters.size}"
      |                           ^~~~~~~~~~~~~~~~~~~~~~~~~ write a number, or put the template into a ConfigMap, where Katib replaces text of YAML: trialTemplate.configMap
)");
  CHECK(
      errors(one + experiment("          numProcPerNode: \"${trialParameters.size}\"\n")) ==
      R"(in.yaml:37:27: error: spec.trainer.numProcPerNode must be an integer, and Katib replaces the placeholder by a string [input/type]
   37 |           numProcPerNode: "${trialParameters.size}"
      |                           ^~~~~~~~~~~~~~~~~~~~~~~~~ write a number, or put the template into a ConfigMap, where Katib replaces text of YAML: trialTemplate.configMap
)");
}

TEST_CASE("A fix keeps the parameters of an Experiment") {
  const std::string one = runtime("{torch: {}}", trainer());
  CHECK(
      advice("advice/one-word-argument",
             one + experiment("          args: [\"--epochs 3 --lr ${trialParameters.rate}\"]\n")) ==
      R"(in.yaml:37:18: info: the program gets these 4 words as one argument, with the spaces between them [advice/one-word-argument]
   37 |           args: ["--epochs 3 --lr ${trialParameters.rate}"]
      |                  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ write one item per word: [--epochs, "3", --lr, "${trialParameters.rate}"]
)");
  CHECK(advice("advice/one-word-argument",
               one + experiment("          args: [\"--epochs 3 --lr ${RATE}\"]\n")) == "");
  CHECK(
      advice("advice/one-word-command",
             one + experiment("          command: [\"train --lr ${trialParameters.rate}\"]\n")) ==
      R"(in.yaml:37:21: error: the container looks for a program with this whole line as its name: each item of a command must be one word [advice/one-word-command]
   37 |           command: ["train --lr ${trialParameters.rate}"]
      |                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ write one item per word, or [sh, -c, "…"]
)");
  CHECK(
      advice("advice/unset-variable",
             one + experiment("          command: [sh, -c, \"torchrun --nnodes=$NNODES t.py "
                              "${trialParameters.rate}\"]\n")) ==
      R"(in.yaml:37:48: warning: Trainer does not set $NNODES: the shell replaces it by nothing [advice/unset-variable]
   37 |           command: [sh, -c, "torchrun --nnodes=$NNODES t.py ${trialParameters.rate}"]
      |                                                ^~~~~~~ write $PET_NNODES, or leave the flags out: torchrun reads PET_* itself
)");
}

TEST_CASE("A TrainJob may have the name of an Experiment") {
  const std::string text = runtime("{torch: {}}", trainer()) + job("  trainer: {}\n");
  CHECK(errors(text + experiment("          numNodes: 2\n", "job")) == "");
}

TEST_CASE("jobset/name: of a runtime without jobs") {
  CHECK(errors(runtime("{torch: {}}", "      replicatedJobs:\n" + replicated_job("Node", "trainer"))) ==
        "in.yaml:12:15: error: of a TrainJob \"j\", the Job name \"j-Node-0\" must be a DNS label "
        "[jobset/name]\n"
        "   12 |       - name: Node\n"
        "      |               ^~~~ use lower-case letters, digits and dashes: \"node\"\n");
}

}  // namespace trainjobc::advice_inputs_test
