# SPDX-License-Identifier: Apache-2.0

"""One Job of a JobSet, as the Job controller runs it: its pods by index, failures and policies."""

import copy
import string

from pods import Pod

COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"


def _matches(rule, pod):
    codes = rule.get("onExitCodes")
    if codes:
        return pod.exit_code is not None and (pod.exit_code in codes["values"]) == (codes["operator"] == "In")
    conditions = rule.get("onPodConditions", [])
    return pod.disrupted and any(item["type"] == "DisruptionTarget" for item in conditions)


def _indexes(text):
    """"0,3-5" → {0, 3, 4, 5}"""
    found = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


class Job:
    """`state` is Active, Complete or Failed, `reason` why it failed."""

    def __init__(self, cluster, name, template, subdomain, config, always_published):
        self.cluster = cluster
        self.name = name
        self.spec = template["spec"]
        self.subdomain = subdomain
        self.config = config
        self.always_published = always_published
        self.state = "Active"
        self.reason = ""
        self.parallelism = self.spec.get("parallelism", 1)
        self.completions = self.spec.get("completions", self.parallelism)
        if self.spec.get("completionMode", "Indexed") != "Indexed":
            raise NotImplementedError("completionMode NonIndexed")
        self.active = {}
        self.ended = []
        self.succeeded = set()
        self.failures = 0

    @property
    def pods(self):
        return self.ended + list(self.active.values())

    @property
    def ready(self):
        """As JobSet counts it: every pod is ready or has succeeded."""
        done = len(self.succeeded) + sum(pod.ready for pod in self.active.values())
        return self.state != "Active" or done >= min(self.parallelism, self.completions)

    def _create(self, index):
        template = copy.deepcopy(self.spec["template"])
        metadata = template.setdefault("metadata", {})
        metadata.setdefault("annotations", {})[COMPLETION_INDEX] = str(index)
        metadata.setdefault("labels", {})[COMPLETION_INDEX] = str(index)
        metadata["labels"]["batch.kubernetes.io/job-name"] = self.name
        reference = {"fieldRef": {"fieldPath": f"metadata.annotations['{COMPLETION_INDEX}']"}}
        for container in template["spec"].get("initContainers", []) + template["spec"]["containers"]:
            container.setdefault("env", []).append({"name": "JOB_COMPLETION_INDEX", "valueFrom": reference})
        number = self.cluster.next_number()
        suffix = "".join(string.ascii_lowercase[number // 26**place % 26] for place in range(5))
        host = f"{self.name}-{index}"
        return Pod(
            self.cluster, f"{host}-{suffix}", host, self.subdomain, template, self.config, self.always_published
        )

    def poll(self):
        if self.state != "Active":
            return
        waiting = [index for index in range(self.completions) if index not in self.succeeded]
        for index in waiting:
            if index not in self.active and len(self.active) < self.parallelism:
                self.active[index] = self._create(index)
        for index, pod in sorted(self.active.items()):
            if pod.phase == "Pending" and self.cluster.has_room():
                pod.start()
            pod.poll()
            if pod.phase in ("Succeeded", "Failed"):
                self._take(index, pod)
                if self.state != "Active":
                    return
        self._judge()

    def _take(self, index, pod):
        del self.active[index]
        self.ended.append(pod)
        if pod.phase == "Succeeded":
            self.succeeded.add(index)
            return
        for rule in self.spec.get("podFailurePolicy", {}).get("rules", []):
            if _matches(rule, pod):
                if rule["action"] == "FailJob":
                    self._end("Failed", "PodFailurePolicy")
                elif rule["action"] == "Count":
                    self.failures += 1
                elif rule["action"] != "Ignore":
                    raise NotImplementedError(f"podFailurePolicy {rule['action']}")
                return
        self.failures += 1

    def _has_restarted_too_often(self):
        """As pastBackoffLimitOnFailure of the Job controller counts: one restart less than failed pods."""
        if self.spec["template"]["spec"].get("restartPolicy", "OnFailure") != "OnFailure":
            return False
        restarts = sum(pod.restarts for pod in self.active.values())
        return restarts >= max(self.spec.get("backoffLimit", 6), 1)

    def _judge(self):
        if self.state != "Active":
            return
        if self.failures > self.spec.get("backoffLimit", 6) or self._has_restarted_too_often():
            self._end("Failed", "BackoffLimitExceeded")
        elif len(self.succeeded) == self.completions or self._policy_succeeds():
            self._end("Complete", "")

    def _policy_succeeds(self):
        for rule in self.spec.get("successPolicy", {}).get("rules", []):
            wanted = _indexes(rule["succeededIndexes"]) if "succeededIndexes" in rule else set(range(self.completions))
            if len(wanted & self.succeeded) >= rule.get("succeededCount", len(wanted)):
                return True
        return False

    def _end(self, state, reason):
        self.state = state
        self.reason = reason
        self.stop()

    def stop(self):
        for pod in self.active.values():
            if pod.phase != "Pending":
                pod.stop()
        self.ended += self.active.values()
        self.active = {}
