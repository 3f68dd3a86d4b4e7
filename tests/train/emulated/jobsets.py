# SPDX-License-Identifier: Apache-2.0

"""A JobSet as its controller runs it: names, order, restarts, success."""

import copy

from jobs import Job

LABELS = "jobset.sigs.k8s.io/"


class JobSet:
    """`state` is Suspended, Running, Completed or Failed."""

    def __init__(self, cluster, manifest, config):
        self.cluster = cluster
        self.name = manifest["metadata"]["name"]
        self.spec = manifest["spec"]
        self.config = config
        self.restarts = 0
        self.counted_restarts = 0
        self.old_jobs = []
        self.jobs = {}
        self.reason = ""
        self.state = "Suspended" if self.spec.get("suspend") else "Running"
        self.replicated = {item["name"]: item for item in self.spec["replicatedJobs"]}

    @property
    def pods(self):
        """All that there have been, in the order of the replicatedJobs."""
        return [pod for job in self.old_jobs + [job for jobs in self.jobs.values() for job in jobs] for pod in job.pods]

    def resume(self):
        self.state = "Running"

    def poll(self):
        if self.state != "Running":
            return
        for name, replicated in self.replicated.items():
            if name not in self.jobs and self._may_start(replicated):
                self.jobs[name] = [self._create(replicated, index) for index in range(replicated.get("replicas", 1))]
        for job in self._all():
            job.poll()
        if any(job.state == "Failed" for job in self._all()):
            self._fail()
        elif self._has_succeeded():
            self._end("Completed")

    def _all(self):
        return [job for jobs in self.jobs.values() for job in jobs]

    def _may_start(self, replicated):
        for needed in replicated.get("dependsOn", []):
            if not self._reached(needed["name"], needed["status"]):
                return False
        if self.spec.get("startupPolicy", {}).get("startupPolicyOrder") == "InOrder":
            for name in self.replicated:
                if name == replicated["name"]:
                    return True
                if not self._reached(name, "Ready"):
                    return False
        return True

    def _reached(self, name, status):
        jobs = self.jobs.get(name)
        if jobs is None:
            return False
        return all(job.ready if status == "Ready" else job.state == "Complete" for job in jobs)

    def _create(self, replicated, index):
        network = self.spec.get("network", {})
        template = copy.deepcopy(replicated["template"])
        name = f"{self.name}-{replicated['name']}-{index}"
        metadata = template["spec"]["template"].setdefault("metadata", {})
        for kind in ("labels", "annotations"):
            metadata[kind] = {**(metadata.get(kind) or {}), **self._labels(replicated, index)}
        self._add_claims(template["spec"]["template"]["spec"])
        subdomain = network.get("subdomain") or self.name
        published = network.get("publishNotReadyAddresses", True)
        return Job(self.cluster, name, template, subdomain, self.config, published)

    def _labels(self, replicated, index):
        return {
            LABELS + "jobset-name": self.name,
            LABELS + "replicatedjob-name": replicated["name"],
            LABELS + "replicatedjob-replicas": str(replicated.get("replicas", 1)),
            LABELS + "job-index": str(index),
            LABELS + "restart-attempt": str(self.restarts),
        }

    def _add_claims(self, pod):
        """A claim of volumeClaimPolicies is a volume of each pod that mounts it."""
        containers = pod.get("initContainers", []) + pod["containers"]
        mounted = {mount["name"] for container in containers for mount in container.get("volumeMounts", [])}
        for policy in self.spec.get("volumeClaimPolicies", []):
            for template in policy["templates"]:
                name = template["metadata"]["name"]
                if name in mounted:
                    claim = {"claimName": f"{name}-{self.name}"}
                    pod.setdefault("volumes", []).append({"name": name, "persistentVolumeClaim": claim})

    def _has_succeeded(self):
        policy = self.spec.get("successPolicy", {})
        wanted = policy.get("targetReplicatedJobs") or list(self.replicated)
        done = [job for name in wanted for job in self.jobs.get(name, []) if job.state == "Complete"]
        if policy.get("operator", "All") == "Any":
            return bool(done)
        return len(done) == sum(self.replicated[name].get("replicas", 1) for name in wanted)

    def _action(self, failed):
        """Of the first rule that fits one of the failed jobs."""
        if "failurePolicy" not in self.spec:
            return "FailJobSet"
        for rule in self.spec["failurePolicy"].get("rules", []):
            if "onJobFailureMessagePatterns" in rule:
                raise NotImplementedError("failurePolicy with onJobFailureMessagePatterns")
            targets, reasons = rule.get("targetReplicatedJobs"), rule.get("onJobFailureReasons")
            for name, job in failed:
                if (not targets or name in targets) and (not reasons or job.reason in reasons):
                    return rule["action"]
        return "RestartJobSet"

    def _fail(self):
        policy = self.spec.get("failurePolicy")
        failed = [(name, job) for name, jobs in self.jobs.items() for job in jobs if job.state == "Failed"]
        self.reason = f"{failed[0][1].name}: {failed[0][1].reason}"
        action = self._action(failed)
        if action == "RestartJobSet" and self.counted_restarts >= (policy or {}).get("maxRestarts", 0):
            action = "FailJobSet"
        if action == "FailJobSet":
            self._end("Failed")
        elif action in ("RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts"):
            self.counted_restarts += action == "RestartJobSet"
            self._restart()
        else:
            raise NotImplementedError(f"failurePolicy {action}")

    def _restart(self):
        self.restarts += 1
        for job in self._all():
            job.stop()
        self.old_jobs += self._all()
        self.jobs = {}

    def _end(self, state):
        self.state = state
        self.stop()

    def stop(self):
        for job in self._all():
            job.stop()
