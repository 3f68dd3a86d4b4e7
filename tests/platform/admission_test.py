#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ValidatingAdmissionPolicies beside the admission plugin of an API server (admission, a Go program): random pairs of a policy with
its binding and an object, the verdict and the message. admission_test.py ADMISSION_POLICIES FOLDER [COUNT [SEED]]
"""
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import programs  # noqa: E402

KINDS = {"TrainJob": ("trainer.kubeflow.org", "v1alpha1", "trainjobs"), "JobSet": ("jobset.x-k8s.io", "v1alpha2", "jobsets"),
         "Job": ("batch", "v1", "jobs"), "Pod": ("", "v1", "pods"),
         "ClusterTrainingRuntime": ("trainer.kubeflow.org", "v1alpha1", "clustertrainingruntimes")}  # fmt: skip
QUEUE = "kueue.x-k8s.io/queue-name"
# Of any object; N is a small number, K a key of labels, V a value.
EXPRESSIONS = [
    "object.metadata.?labels[?'K'].hasValue()",
    "object.metadata.labels['K'] in ['a', 'V']",
    "has(object.metadata.labels) && object.metadata.labels.all(k, k.startsWith('K') || size(object.metadata.labels[k]) < N)",
    "object.metadata.name.matches('^[a-z]+-N$')",
    "object.metadata.name.split('-')[1] == 'N'",
    "request.operation == 'CREATE' && request.kind.kind == 'TrainJob'",
    "request.resource.resource == 'pods' || request.name == object.metadata.name",
    "request.namespace != 'team-V'",
    "request.dryRun || request.subResource == ''",
    "oldObject == null",
    "oldObject.spec == object.spec",
    "oldObject != null && has(oldObject.metadata.labels) && 'K' in oldObject.metadata.labels",
    "request.operation == 'UPDATE' && oldObject.spec.?trainer.?numNodes == object.spec.?trainer.?numNodes",
    "namespaceObject.metadata.labels['team'] == 'V'",
    "namespaceObject == null || namespaceObject.metadata.name.endsWith('a')",
    "object.spec.numNodes == N",
    "object.spec.trainer.numNodes <= N",
    "has(object.spec.trainer) && object.spec.trainer.numNodes <= N",
    "object.spec.?trainer.?numNodes.orValue(1) * N < 12",
    "object.spec.trainer.env.all(e, e.name != 'DEBUG')",
    "object.spec.trainer.env.exists_one(e, has(e.value) && int(e.value) > N)",
    "quantity(object.spec.trainer.resourcesPerNode.limits['memory']).isLessThan(quantity('NGi'))",
    "object.spec.containers.all(c, has(c.resources) && 'memory' in c.resources.requests)",
    "object.spec.containers.filter(c, c.image.contains(':latest')).size() == 0",
    "object.spec.containers.map(c, c.image.split(':')).all(p, p.size() == 2 && p[1] != 'latest')",
    "[1, 2, 3].exists(i, i * N == 4) || N / (N - 2) == 3",
    "string(object.spec.trainer.numNodes) == 'N'",
    "size(object.spec.trainer.command) >= N",
    "object.spec.suspend == false",
]
WITH_VARIABLES = ["variables.nodes <= N", "variables.name.size() > N", "variables.nodes > 0 && variables.allowed.exists(a, a == 'V')"]
WITH_PARAMS = ["int(params.data.most) >= N", "params.data.most != 'N' && params.metadata.name == 'V'", "object.metadata.name in params.data"]
VARIABLES = [{"name": "nodes", "expression": "object.spec.trainer.numNodes"}, {"name": "name", "expression": "object.metadata.name"},
             {"name": "allowed", "expression": "variables.name.split('-')"}]  # fmt: skip
MESSAGES = ["'name: ' + object.metadata.name", "string(object.spec.trainer.numNodes) + ' nodes'", "''", "'  '", "'a\\nb'", "' a '",
            "object.metadata.labels['K'] + '!'"]  # fmt: skip
# What Kueue's documentation asks for: a queue, unless the namespace is exempt, and requests in each container.
QUEUED = {"matchConditions": [{"name": "has-no-owner", "expression": "!has(object.metadata.ownerReferences)"}],
          "validations": [{"expression": f"object.metadata.?labels[?'{QUEUE}'].orValue('') != ''", "message": "name a queue"}]}  # fmt: skip
REQUESTED = {"variables": [{"name": "lacking", "expression":
                            "object.spec.containers.filter(c, !('requests' in c.?resources.orValue({})))"}],
             "validations": [{"expression": "variables.lacking.size() == 0",
                              "messageExpression": "'no requests: ' + variables.lacking.map(c, c.name).join(', ')"}]}  # fmt: skip


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, share):
        return self.random.random() < share

    def pick(self, values):
        return self.random.choice(values)

    def filled(self, expression):
        number = str(self.random.randint(1, 4))
        text = re.sub(r"\bV\b", self.pick("abc"), re.sub(r"\bN(?=\b|Gi)", number, expression))
        return re.sub(r"\bK\b", self.pick(["team", "owner", QUEUE]), text)

    def expression(self, more=()):
        text = self.filled(self.pick([*EXPRESSIONS, *more, *more]))
        return f"({text}) {self.pick(['||', '&&'])} ({self.filled(self.pick(EXPRESSIONS))})" if self.chance(0.3) else text

    def labels(self):
        return {key: self.pick("abc") for key in ["team", "owner", QUEUE] if self.chance(0.5)}

    def selector(self):
        if self.chance(0.5):
            return {"matchLabels": {"team": self.pick("abc")}}
        operator = self.pick(["In", "NotIn", "Exists", "DoesNotExist"])
        values = {"values": ["a", "b"]} if operator.endswith("In") else {}
        return {"matchExpressions": [{"key": self.pick(["team", "owner"]), "operator": operator, **values}]}

    def rule(self, kind):
        group, version, resource = KINDS[kind]
        rule = {"apiGroups": [self.pick([group, group, "*", "apps"])], "apiVersions": [self.pick([version, version, "*", "v2"])],
                "operations": [self.pick(["CREATE", "CREATE", "*", "UPDATE"])],
                "resources": [self.pick([resource, resource, "*", f"{resource}/*", f"{resource}/status", "*/*"])]}  # fmt: skip
        if self.chance(0.2):
            rule["scope"] = self.pick(["Namespaced", "Cluster", "*"])
        if self.chance(0.1):
            rule["resourceNames"] = ["job-1", "job-2"]
        return rule

    def matches(self, kind, is_exact):
        group, version, resource = KINDS[kind]
        exact = {"apiGroups": [group], "apiVersions": [version], "operations": ["CREATE", "UPDATE"], "resources": [resource]}
        resources = {"resourceRules": [exact] if is_exact else [self.rule(kind), self.rule(self.pick(list(KINDS)))]}
        if self.chance(0.1):
            resources["excludeResourceRules"] = [self.rule(kind)]
        for key in ("objectSelector", "namespaceSelector"):
            if self.chance(0.15):
                resources[key] = self.selector()
        return resources

    def object(self, kind):
        group, version, _ = KINDS[kind]
        metadata = {"name": f"job-{self.random.randint(1, 4)}"}
        if kind != "ClusterTrainingRuntime":
            metadata["namespace"] = self.pick(["team-a", "team-b"])
        if labels := self.labels():
            metadata["labels"] = labels
        if kind == "Pod":
            spec = {"containers": [self.container(i) for i in range(self.random.randint(1, 3))]}
        elif kind == "TrainJob":
            spec = {"runtimeRef": {"name": "torch", "kind": "ClusterTrainingRuntime"}, "suspend": self.chance(0.5)}
            if self.chance(0.8):
                spec["trainer"] = self.trainer()
        else:
            spec = {"suspend": self.chance(0.5)}
        return {"apiVersion": f"{group}/{version}" if group else version, "kind": kind, "metadata": metadata, "spec": spec}

    def container(self, number):
        container = {"name": f"c-{number}", "image": self.pick(["a/b:1", "a/b:latest", "a/b", "r:5000/a:1"])}
        if self.chance(0.7):
            container["resources"] = {self.pick(["requests", "limits"]): {self.pick(["cpu", "memory"]): "2"}}
        return container

    def trainer(self):
        trainer = {"command": ["torchrun", "train.py"][: self.random.randint(1, 2)]}
        if self.chance(0.8):
            trainer["numNodes"] = self.random.randint(1, 5)
        if self.chance(0.5):
            trainer["env"] = [{"name": self.pick(["DEBUG", "LR"]), "value": self.pick(["1", "3", "x"])} for _ in range(2)]
        if self.chance(0.5):
            trainer["resourcesPerNode"] = {"limits": {"memory": self.pick(["1Gi", "3Gi", "2500Mi"])}}
        return trainer

    def validation(self, more):
        validation = {"expression": self.expression(more)}
        if self.chance(0.5):
            validation["message"] = self.pick(["not so", "no: 'x'", "{}"])
        if self.chance(0.4):
            validation["messageExpression"] = self.filled(self.pick(MESSAGES))
        return validation

    def request(self, number):
        kind = self.pick(["TrainJob", "TrainJob", "TrainJob", "Pod", "Pod", "JobSet", "Job", "ClusterTrainingRuntime"])
        spec = {"matchConstraints": self.matches(kind, self.chance(0.7))}
        binding = {"policyName": "policy", "validationActions": self.pick([["Deny"], ["Deny", "Audit"], ["Warn"], ["Warn", "Audit"]])}
        if number % 10 < 2:
            spec |= QUEUED if number % 10 == 0 else REQUESTED
        else:
            more = list(WITH_VARIABLES) if self.chance(0.4) else []
            spec["variables"] = VARIABLES if more else []
            if self.chance(0.3) and kind != "ClusterTrainingRuntime":
                more += WITH_PARAMS
                spec["paramKind"] = {"apiVersion": "v1", "kind": "ConfigMap"}
                by_name = {"name": self.pick(["a", "b"])}
                binding["paramRef"] = {"parameterNotFoundAction": "Deny", **(by_name if self.chance(0.7) else {"selector": {"matchLabels": {"team": "a"}}})}
            spec["validations"] = [self.validation(more) for _ in range(self.random.randint(1, 3))]
            if self.chance(0.3):
                spec["matchConditions"] = [{"name": f"c{i}", "expression": self.expression()} for i in range(self.random.randint(1, 2))]
        if self.chance(0.2):
            spec["failurePolicy"] = self.pick(["Ignore", "Fail"])
        if self.chance(0.3):
            binding["matchResources"] = self.matches(kind, True)
        objects = [
            {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "policy"}, "spec": spec},
            {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "bound"}, "spec": binding},
        ]
        for name in ("team-a", "team-b"):
            objects.append({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": self.labels()}})
            objects += [{"apiVersion": "v1", "kind": "ConfigMap", "data": {"most": self.pick("1234")},
                         "metadata": {"name": one, "namespace": name, "labels": {"team": "a"} if one == "a" else {}}} for one in "ab"]  # fmt: skip
        request = {"objects": objects, "object": self.object(kind), "resource": KINDS[kind][2]}
        if self.chance(0.3):
            old = self.object(kind)
            old["metadata"] |= {key: request["object"]["metadata"][key] for key in ("name", "namespace") if key in old["metadata"]}
            request["oldObject"] = old
        return request


def build(folder):
    program = folder / "admission-plugin"
    programs.run_go(HERE / "admission", "build", *programs.FLAGS, "-o", program, ".")
    return program


def said_by_server(answer):
    """[(verdict, message)]: a denial, of which the API server names the first only, and warnings."""
    if "error" in answer:
        return [("error", answer["error"])]
    texts = [("denied", answer["denied"])] if "denied" in answer else [("warned", text) for text in answer["warnings"]]
    return [(verdict, re.sub(r"^.*?(?:denied request|with binding 'bound'): ", "", text)) for verdict, text in texts]


def said_by_us(answer):
    verdicts = {"admission-policy": "denied", "admission-policy-warning": "warned"}
    said = []
    for one in answer:
        verdict = verdicts.get(one["rule"].split("/")[1], one["rule"])
        said.append((verdict, re.sub(r'^the ValidatingAdmissionPolicy "policy" \w+(?: of)? the .*?: ', "", one["message"])))
    return said[:1] if said and said[0][0] == "denied" else said


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    count, seed = (int(word) for word in (sys.argv[3:] + ["300", "1"][len(sys.argv) - 3 :])[:2])
    folder.mkdir(parents=True, exist_ok=True)
    try:
        plugin = build(folder)
    except programs.Missing as missing:
        print(f"note: the comparison of admission policies was skipped: {missing}")
        sys.exit(77 if os.environ.get("TRAINJOBC_E2E") != "required" else 1)
    maker = Maker(seed)
    requests = [maker.request(number) for number in range(count)]
    verdicts = collections.Counter()
    differences = []
    for request, ours, server in zip(requests, programs.answers(program, requests), programs.answers(plugin, requests), strict=True):
        own, other = said_by_us(ours), said_by_server(server)
        verdicts[other[0][0] if other else "allowed"] += 1
        if own != other:
            differences.append(f"{json.dumps(request)}\n  trainjobc:  {own}\n  API server: {other}")
    print("\n".join(differences[:20]))
    print(f"{count} requests: {dict(sorted(verdicts.items()))}; {len(differences)} differences")
    sys.exit(1 if differences or len(verdicts) != 3 else 0)


if __name__ == "__main__":
    main()
