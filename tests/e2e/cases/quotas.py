# SPDX-License-Identifier: Apache-2.0

"""Jobs and the quotas that Kueue is to admit them with: one namespace, and names of its own, for each case.

A case is what `quota` returns with the pods of its job. Its job is the only one of its queues, so that what Kueue says is
whether it could ever be admitted."""

QUEUE = "kueue.x-k8s.io/queue-name"
KUEUE = "kueue.x-k8s.io/v1beta2"
TRAINER = "trainer.kubeflow.org/v1alpha1"
RUNS_ON = "runs-on"
GPU = "nvidia.com/gpu"


def pods(count=1, requests=None, limits=None, replicas=1, annotations=None, init=(), **spec):
    """The pods of one replicatedJob."""
    container = {"name": "node", "image": "example/train:1", "resources": {}}
    if requests:
        container["resources"]["requests"] = requests
    if limits:
        container["resources"]["limits"] = limits
    spec = {"containers": [container], **spec}
    if init:
        spec["initContainers"] = [
            {"name": f"init-{i}", "image": "example/init:1", **one} for i, one in enumerate(init)
        ]
    return {"count": count, "replicas": replicas, "annotations": annotations or {}, "spec": spec}


def flavor(quotas, labels=None, taints=None, tolerations=None, topology=None):
    """quotas: an amount for each resource, or (nominal, borrowing limit, lending limit)."""
    spec = {}
    if labels:
        spec["nodeLabels"] = labels
    if taints:
        spec["nodeTaints"] = taints
    if tolerations:
        spec["tolerations"] = tolerations
    if topology:
        spec["topologyName"] = topology
    return quotas, spec


def taint(key, value="", effect="NoSchedule"):
    return {"key": key, "effect": effect, **({"value": value} if value else {})}


def amounts(resource, quota):
    if not isinstance(quota, tuple):
        quota = (quota,)
    keys = ("nominalQuota", "borrowingLimit", "lendingLimit")
    return {"name": resource, **{key: value for key, value in zip(keys, quota) if value is not None}}


def resource_groups(prefix, groups):
    """groups: flavors by name, each group with the resources of its first flavor."""
    return [
        {
            "coveredResources": list(next(iter(flavors.values()))[0]),
            "flavors": [
                {"name": f"{prefix}-{name}", "resources": [amounts(resource, quota) for resource, quota in quotas.items()]}
                for name, (quotas, _) in flavors.items()
            ],
        }
        for flavors in groups
    ]


def item(kind, name, spec, namespace="", **metadata):
    where = {"namespace": namespace} if namespace else {}
    return {"apiVersion": KUEUE, "kind": kind, "metadata": {"name": name, **where, **metadata}, "spec": spec}


class Quota:
    """The objects of one case, with the prefix of its names."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.objects = {}

    def add(self, kind, name, spec, namespace=""):
        self.objects[kind, name] = item(kind, f"{self.prefix}-{name}", spec, namespace)

    def flavors(self, groups):
        for flavors in groups:
            for name, (_, spec) in flavors.items():
                spec = dict(spec)
                if "topologyName" in spec:
                    level = {"levels": [{"nodeLabel": "kubernetes.io/hostname"}]}
                    self.add("Topology", spec["topologyName"], level)
                    spec["topologyName"] = f"{self.prefix}-{spec['topologyName']}"
                self.add("ResourceFlavor", name, spec)

    def queue(self, name, groups, cohort="", selector=None, missing=(), **more):
        self.flavors(groups)
        for lost in missing:
            self.objects.pop(("ResourceFlavor", lost))
        spec = {"namespaceSelector": {} if selector is None else selector, **more}
        if groups:
            spec["resourceGroups"] = resource_groups(self.prefix, groups)
        if cohort:
            spec["cohortName"] = f"{self.prefix}-{cohort}"
        if selector == "none":
            del spec["namespaceSelector"]
        self.add("ClusterQueue", name, spec)

    def cohort(self, name, parent="", groups=()):
        self.flavors(groups)
        spec = {"parentName": f"{self.prefix}-{parent}"} if parent else {}
        if groups:
            spec["resourceGroups"] = resource_groups(self.prefix, groups)
        self.add("Cohort", name, spec)

    def local(self, name="local", queue="main", **more):
        self.objects["LocalQueue", name] = item(
            "LocalQueue", name, {"clusterQueue": f"{self.prefix}-{queue}", **more}, self.prefix
        )


def runtime(name, sets):
    jobs = []
    for set_name, one in sets.items():
        template = {"metadata": {"annotations": {RUNS_ON: "true", **one["annotations"]}}, "spec": one["spec"]}
        spec = {"parallelism": one["count"], "completions": one["count"], "template": template}
        job = {"name": set_name, "replicas": one["replicas"], "template": {"spec": spec}}
        if set_name == "node":
            job["template"]["metadata"] = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
        jobs.append(job)
    nodes = sets["node"]["count"] if "node" in sets else 1
    return {
        "apiVersion": TRAINER,
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": name},
        "spec": {"mlPolicy": {"numNodes": nodes}, "template": {"spec": {"replicatedJobs": jobs}}},
    }


def train_job(name, namespace, queue):
    labels = {"labels": {QUEUE: queue}} if queue else {}
    return {
        "apiVersion": TRAINER,
        "kind": "TrainJob",
        "metadata": {"name": name, "namespace": namespace, **labels},
        "spec": {"runtimeRef": {"name": name}},
    }


def simple(sets, *groups, **more):
    """One queue with these groups."""

    def build(quota):
        quota.queue("main", groups, **more)
        quota.local()

    return sets, build


def node(*arguments, **named):
    return {"node": pods(*arguments, **named)}


def tree(sets, own, others=(), cohorts=(), **more):
    """The queue `main` with the group `own` in cohort `team`; other queues (name, group, cohort) and cohorts (name,
    parent, groups)."""

    def build(quota):
        quota.queue("main", (own,), cohort="team", **more)
        for name, group, cohort in others:
            quota.queue(name, (group,), cohort=cohort)
        for name, parent, groups in cohorts:
            quota.cohort(name, parent, groups)
        quota.local()

    return sets, build


def cpu(*quota):
    return {"f": flavor({"cpu": quota if len(quota) > 1 else quota[0]})}


def required(*terms):
    required_terms = {"nodeSelectorTerms": [{"matchExpressions": term} for term in terms]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required_terms}}


def expression(key, op, *values):
    return {"key": key, "operator": op, **({"values": list(values)} if values else {})}


A100, H100 = {"gpu": "a100"}, {"gpu": "h100"}
TWO = {"a": flavor({"cpu": 4}, A100), "h": flavor({"cpu": 8}, H100)}
SMALL_LARGE = {"small": flavor({"cpu": 2}), "large": flavor({"cpu": 8})}


def build_stopped_local(quota):
    quota.queue("main", (cpu(8),))
    quota.local(stopPolicy="Hold")


def build_no_local(quota):
    quota.queue("main", (cpu(8),))


def build_no_queue(quota):
    quota.queue("other", (cpu(8),))
    quota.local()


def build_default(quota):
    quota.queue("main", (cpu(8),))
    quota.local("default")


def sets_of(*counts, **requests):
    names = ("initializer", "node", "extra")
    return {name: pods(count, {"cpu": "1", **requests}) for name, count in zip(names, counts)}


NAMESPACE = "kubernetes.io/metadata.name"
# name: (pods of each replicatedJob, what makes the quotas, the job's queue or None for "local")
CASES = {
    # Amounts
    "fits": simple(node(2, {"cpu": "1"}), cpu(2)),
    "too-many": simple(node(3, {"cpu": "1"}), cpu(2)),
    "exactly": simple(node(4, {"cpu": "500m"}), cpu(2)),
    "milli-over": simple(node(1, {"cpu": "2001m"}), cpu(2)),
    "fraction": simple(node(3, {"cpu": "0.5"}), cpu("1500m")),
    "below-milli": simple(node(1, {"cpu": "1.0001"}), cpu(1)),
    "memory-rounds": simple(node(2, {"memory": "100m"}), {"f": flavor({"memory": 1})}),
    "memory-binary": simple(node(2, {"memory": "1Gi"}), {"f": flavor({"memory": "2G"})}),
    "memory-fits": simple(node(2, {"memory": "1G"}), {"f": flavor({"memory": "2Gi"})}),
    "zero-quota": simple(node(1, {"cpu": "1"}), cpu(0)),
    "nothing-asked": simple(node(2), cpu(0)),
    "zero-asked": simple(node(2, {"cpu": "0"}), cpu(0)),
    "exponent": simple(node(1, {"memory": "2e3"}), {"f": flavor({"memory": "2k"})}),
    "device": simple(node(2, limits={GPU: "8"}), {"f": flavor({GPU: 16})}),
    "device-short": simple(node(2, limits={GPU: "8"}), {"f": flavor({GPU: 15})}),
    # What counts as requested
    "limits-count": simple(node(1, limits={"cpu": "3"}), cpu(2)),
    "requests-before-limits": simple(node(1, {"cpu": "1"}, limits={"cpu": "3"}), cpu(2)),
    "overhead": simple(node(1, {"cpu": "1"}, overhead={"cpu": "2"}, runtimeClassName="heavy"), cpu(2)),
    "init-larger": simple(node(1, {"cpu": "1"}, init=({"resources": {"requests": {"cpu": "3"}}},)), cpu(2)),
    "init-smaller": simple(node(1, {"cpu": "2"}, init=({"resources": {"requests": {"cpu": "1"}}},)), cpu(2)),
    "sidecar": simple(
        node(1, {"cpu": "1"}, init=({"resources": {"requests": {"cpu": "2"}}, "restartPolicy": "Always"},)), cpu(2)
    ),
    "init-after-sidecar": simple(
        node(
            1,
            {"cpu": "1"},
            init=(
                {"resources": {"requests": {"cpu": "1"}}, "restartPolicy": "Always"},
                {"resources": {"requests": {"cpu": "2"}}},
            ),
        ),
        cpu(2),
    ),
    "pod-level": simple(node(1, {"cpu": "1"}, resources={"requests": {"cpu": "3"}, "limits": {"cpu": "3"}}), cpu(2)),
    "all-pod-sets": simple(sets_of(1, 2), cpu(2)),
    "all-pod-sets-fit": simple(sets_of(1, 2), cpu(3)),
    "replicas": simple({"node": pods(1, {"cpu": "1"}), "extra": pods(2, {"cpu": "1"}, replicas=2)}, cpu(4)),
    "completions": simple({"node": pods(1, {"cpu": "1"}), "extra": pods(3, {"cpu": "1"})}, cpu(4)),
    # Which resources are covered
    "uncovered": simple(node(1, {"cpu": "1", "memory": "1Gi"}), cpu(2)),
    "uncovered-device": simple(node(1, {"cpu": "1"}, limits={GPU: "1"}), cpu(2)),
    "uncovered-zero": simple(node(1, {"cpu": "1", "memory": "0"}), cpu(2)),
    "no-groups": simple(node(1, {"cpu": "1"})),
    "no-groups-nothing-asked": simple(node(1)),
    "two-groups": simple(
        node(2, {"cpu": "1"}, limits={GPU: "4"}), cpu(2), {"g": flavor({GPU: 4}), "h": flavor({GPU: 8})}
    ),
    "two-groups-one-short": simple(node(2, {"cpu": "1"}, limits={GPU: "4"}), cpu(1), {"g": flavor({GPU: 8})}),
    "one-group-two-resources": simple(
        node(2, {"cpu": "1", "memory": "1Gi"}),
        {"a": flavor({"cpu": 8, "memory": "1Gi"}), "b": flavor({"cpu": 2, "memory": "2Gi"})},
    ),
    "one-group-no-flavor-for-both": simple(
        node(2, {"cpu": "1", "memory": "1Gi"}),
        {"a": flavor({"cpu": 8, "memory": "1Gi"}), "b": flavor({"cpu": 1, "memory": "2Gi"})},
    ),
    "pods-covered": simple(node(3, {"cpu": "1"}), {"f": flavor({"cpu": 8, "pods": 2})}),
    "pods-covered-fit": simple(node(2, {"cpu": "1"}), {"f": flavor({"cpu": 8, "pods": 2})}),
    "pods-alone": simple(node(3), {"f": flavor({"pods": 3})}),
    # Flavors in their order
    "second-flavor": simple(node(4, {"cpu": "1"}), SMALL_LARGE),
    "first-flavor": simple(node(2, {"cpu": "1"}), SMALL_LARGE),
    "no-flavor": simple(node(9, {"cpu": "1"}), SMALL_LARGE),
    "sets-share-a-flavor": simple(sets_of(2, 2), SMALL_LARGE),
    "sets-together-too-many": simple(sets_of(2, 9), SMALL_LARGE),
    "sets-try-again": simple(
        {"initializer": pods(2, {"cpu": "1"}), "node": pods(2, {"cpu": "1"}, nodeSelector=A100)},
        {"a": flavor({"cpu": 2}, A100), "h": flavor({"cpu": 2}, H100)},
    ),
    "sets-try-again-in-vain": simple(
        {"initializer": pods(2, {"cpu": "1"}), "node": pods(2, {"cpu": "1"}, nodeSelector=A100)},
        {"a": flavor({"cpu": 2}, A100), "h": flavor({"cpu": 1}, H100)},
    ),
    # Node labels
    "selector": simple(node(2, {"cpu": "1"}, nodeSelector=H100), TWO),
    "selector-other": simple(node(2, {"cpu": "1"}, nodeSelector={"gpu": "v100"}), TWO),
    "selector-unknown-key": simple(node(2, {"cpu": "1"}, nodeSelector={"zone": "b"}), TWO),
    "selector-key-of-another-flavor": simple(
        node(2, {"cpu": "1"}, nodeSelector={"zone": "b"}),
        {"a": flavor({"cpu": 4}, A100), "z": flavor({"cpu": 4}, {"zone": "b"})},
    ),
    "selector-no-labels": simple(node(1, {"cpu": "1"}, nodeSelector=H100), cpu(2)),
    "affinity-in": simple(
        node(1, {"cpu": "1"}, affinity=required([expression("gpu", "In", "h100", "h200")])), TWO
    ),
    "affinity-not-in": simple(node(1, {"cpu": "1"}, affinity=required([expression("gpu", "NotIn", "a100", "h100")])), TWO),
    "affinity-exists": simple(
        node(1, {"cpu": "1"}, affinity=required([expression("fast", "Exists")])),
        {"a": flavor({"cpu": 4}, A100), "h": flavor({"cpu": 4}, {"fast": "yes"})},
    ),
    "affinity-not-exists": simple(
        node(1, {"cpu": "1"}, affinity=required([expression("fast", "DoesNotExist")])),
        {"a": flavor({"cpu": 4}, {"fast": "yes"}), "h": flavor({"cpu": 4}, H100)},
    ),
    "affinity-greater": simple(
        node(1, {"cpu": "1"}, affinity=required([expression("size", "Gt", "40")])),
        {"a": flavor({"cpu": 4}, {"size": "40"}), "h": flavor({"cpu": 4}, {"size": "80"})},
    ),
    "affinity-less": simple(
        node(1, {"cpu": "1"}, affinity=required([expression("size", "Lt", "40")])),
        {"a": flavor({"cpu": 4}, {"size": "40"}), "h": flavor({"cpu": 4}, {"size": "80"})},
    ),
    "affinity-either": simple(
        node(1, {"cpu": "1"}, affinity=required([expression("gpu", "In", "v100")], [expression("gpu", "In", "h100")])), TWO
    ),
    "affinity-irrelevant-term": simple(
        node(1, {"cpu": "1"}, affinity=required([expression("gpu", "In", "v100")], [expression("zone", "In", "b")])), TWO
    ),
    "affinity-both": simple(
        node(1, {"cpu": "1"}, affinity=required([expression("gpu", "In", "h100"), expression("gpu", "NotIn", "h100")])), TWO
    ),
    # Taints
    "tainted": simple(node(1, {"cpu": "1"}), {"f": flavor({"cpu": 4}, taints=[taint("spot", "true")])}),
    "tolerated": simple(
        node(1, {"cpu": "1"}, tolerations=[{"key": "spot", "operator": "Exists"}]),
        {"f": flavor({"cpu": 4}, taints=[taint("spot", "true")])},
    ),
    "tolerated-by-value": simple(
        node(1, {"cpu": "1"}, tolerations=[{"key": "spot", "value": "true", "effect": "NoSchedule"}]),
        {"f": flavor({"cpu": 4}, taints=[taint("spot", "true")])},
    ),
    "another-value": simple(
        node(1, {"cpu": "1"}, tolerations=[{"key": "spot", "value": "false"}]),
        {"f": flavor({"cpu": 4}, taints=[taint("spot", "true")])},
    ),
    "another-effect": simple(
        node(1, {"cpu": "1"}, tolerations=[{"key": "spot", "operator": "Exists", "effect": "NoExecute"}]),
        {"f": flavor({"cpu": 4}, taints=[taint("spot", "true")])},
    ),
    "tolerates-all": simple(
        node(1, {"cpu": "1"}, tolerations=[{"operator": "Exists"}]),
        {"f": flavor({"cpu": 4}, taints=[taint("spot", "true"), taint("gone", effect="NoExecute")])},
    ),
    "second-taint": simple(
        node(1, {"cpu": "1"}, tolerations=[{"key": "spot", "operator": "Exists"}]),
        {"f": flavor({"cpu": 4}, taints=[taint("spot", "true"), taint("gone", effect="NoExecute")])},
    ),
    "prefer-no-schedule": simple(
        node(1, {"cpu": "1"}), {"f": flavor({"cpu": 4}, taints=[taint("slow", effect="PreferNoSchedule")])}
    ),
    "flavor-tolerates": simple(
        node(1, {"cpu": "1"}),
        {
            "f": flavor(
                {"cpu": 4}, taints=[taint("spot", "true")], tolerations=[{"key": "spot", "operator": "Exists"}]
            )
        },
    ),
    "taint-then-next": simple(
        node(1, {"cpu": "1"}), {"spot": flavor({"cpu": 4}, taints=[taint("spot")]), "f": flavor({"cpu": 4})}
    ),
    # Cohorts
    "borrows": tree(node(4, {"cpu": "1"}), cpu(2), [("other", cpu(2), "team")]),
    "borrows-too-much": tree(node(5, {"cpu": "1"}), cpu(2), [("other", cpu(2), "team")]),
    "borrowing-limit": tree(node(4, {"cpu": "1"}), cpu(2, 1), [("other", cpu(4), "team")]),
    "within-borrowing-limit": tree(node(3, {"cpu": "1"}), cpu(2, 1), [("other", cpu(4), "team")]),
    "no-borrowing": tree(node(3, {"cpu": "1"}), cpu(2, 0), [("other", cpu(4), "team")]),
    "lending-limit": tree(node(4, {"cpu": "1"}), cpu(2), [("other", cpu(4, None, 1), "team")]),
    "within-lending-limit": tree(node(3, {"cpu": "1"}), cpu(2), [("other", cpu(4, None, 1), "team")]),
    "own-lending-limit": tree(node(5, {"cpu": "1"}), cpu(3, None, 0), [("other", cpu(2), "team")]),
    "lending-and-borrowing": tree(node(5, {"cpu": "1"}), cpu(3, 1, 1), [("other", cpu(4), "team")]),
    "another-flavor-of-the-cohort": tree(
        node(3, {"cpu": "1"}), cpu(2), [("other", {"g": flavor({"cpu": 8})}, "team")]
    ),
    "another-cohort": tree(node(3, {"cpu": "1"}), cpu(2), [("other", cpu(8), "another")]),
    "cohort-quota": tree(node(4, {"cpu": "1"}), cpu(2), cohorts=[("team", "", (cpu(2),))]),
    "cohort-quota-short": tree(node(5, {"cpu": "1"}), cpu(2), cohorts=[("team", "", (cpu(2),))]),
    "grandparent": tree(
        node(5, {"cpu": "1"}), cpu(1), cohorts=[("team", "root", (cpu(2),)), ("root", "", (cpu(2),))]
    ),
    "grandparent-short": tree(
        node(6, {"cpu": "1"}), cpu(1), cohorts=[("team", "root", (cpu(2),)), ("root", "", (cpu(2),))]
    ),
    "cohort-borrowing-limit": tree(
        node(5, {"cpu": "1"}), cpu(1), cohorts=[("team", "root", (cpu(2, 1),)), ("root", "", (cpu(2),))]
    ),
    "sibling-cohort-lends": tree(
        node(5, {"cpu": "1"}),
        cpu(1),
        [("other", cpu(4), "sibling")],
        [("team", "root", ()), ("sibling", "root", ())],
    ),
    "sibling-cohort-keeps": tree(
        node(4, {"cpu": "1"}),
        cpu(1),
        [("other", cpu(4), "sibling")],
        [("team", "root", ()), ("sibling", "root", (cpu(0, None, 2),)), ("root", "", ())],
    ),
    "cycle": tree(node(1, {"cpu": "1"}), cpu(2), cohorts=[("team", "root", ()), ("root", "team", ())]),
    # Flavors and borrowing
    "borrow-before-next": tree(
        node(4, {"cpu": "1"}), SMALL_LARGE, [("other", {"small": flavor({"cpu": 4})}, "team")]
    ),
    "next-before-borrow": tree(
        node(4, {"cpu": "1"}),
        SMALL_LARGE,
        [("other", {"small": flavor({"cpu": 4})}, "team")],
        flavorFungibility={"whenCanBorrow": "TryNextFlavor"},
    ),
    "borrow-if-no-next": tree(
        node(4, {"cpu": "1"}),
        {"small": flavor({"cpu": 2}), "tiny": flavor({"cpu": 1})},
        [("other", {"small": flavor({"cpu": 4})}, "team")],
        flavorFungibility={"whenCanBorrow": "TryNextFlavor"},
    ),
    "borrow-nearest": tree(
        node(4, {"cpu": "1"}),
        {"far": flavor({"cpu": 2}), "near": flavor({"cpu": 2})},
        cohorts=[
            ("team", "root", ({"near": flavor({"cpu": 4})},)),
            ("root", "", ({"far": flavor({"cpu": 4})},)),
        ],
        flavorFungibility={"whenCanBorrow": "TryNextFlavor"},
    ),
    # Queues
    "stopped": simple(node(1, {"cpu": "1"}), cpu(2), stopPolicy="Hold"),
    "missing-flavor": simple(node(1, {"cpu": "1"}), SMALL_LARGE, missing=("large",)),
    "no-selector": simple(node(1, {"cpu": "1"}), cpu(2), selector="none"),
    "selector-of-name": simple(node(1, {"cpu": "1"}), cpu(2), selector={"matchLabels": {NAMESPACE: "selector-of-name"}}),
    "selector-of-other": simple(
        node(1, {"cpu": "1"}), cpu(2), selector={"matchExpressions": [expression(NAMESPACE, "In", "elsewhere")]}
    ),
    "selector-of-label": simple(node(1, {"cpu": "1"}), cpu(2), selector={"matchLabels": {"team": "blue"}}),
    "selector-of-another-label": simple(node(1, {"cpu": "1"}), cpu(2), selector={"matchLabels": {"team": "red"}}),
    "stopped-local-queue": (node(1, {"cpu": "1"}), build_stopped_local),
    "no-local-queue": (node(1, {"cpu": "1"}), build_no_local),
    "no-cluster-queue": (node(1, {"cpu": "1"}), build_no_queue),
    "default-queue": (node(1, {"cpu": "1"}), build_default),
    "nine-pod-sets": simple({f"s{i}": pods(1, {"cpu": "1"}) for i in range(8)} | node(1, {"cpu": "1"}), cpu(20)),
    "eight-pod-sets": simple({f"s{i}": pods(1, {"cpu": "1"}) for i in range(7)} | node(1, {"cpu": "1"}), cpu(20)),
    # Topologies
    "topology-only-queue": simple(node(2, {"cpu": "1"}), {"t": flavor({"cpu": 4}, {"type": "kwok"}, topology="hosts")}),
    "topology-not-asked": simple(
        node(2, {"cpu": "1"}),
        {"t": flavor({"cpu": 4}, {"type": "kwok"}, topology="hosts"), "f": flavor({"cpu": 4})},
    ),
    "topology-asked": simple(
        node(2, {"cpu": "1"}, annotations={"kueue.x-k8s.io/podset-required-topology": "kubernetes.io/hostname"}),
        {"f": flavor({"cpu": 4}), "t": flavor({"cpu": 4}, {"type": "kwok"}, topology="hosts")},
    ),
    "topology-level-missing": simple(
        node(2, {"cpu": "1"}, annotations={"kueue.x-k8s.io/podset-required-topology": "rack"}),
        {"t": flavor({"cpu": 4}, {"type": "kwok"}, topology="hosts")},
    ),
    "topology-missing": simple(
        node(2, {"cpu": "1"}, annotations={"kueue.x-k8s.io/podset-preferred-topology": "kubernetes.io/hostname"}), cpu(4)
    ),
}
UNQUEUED = ("default-queue",)  # whose jobs name no queue
LABELS = {"team": "blue"}  # of each namespace


def objects_of(name):
    """Kueue's objects, with the namespace; the runtime; the TrainJob."""
    sets, build = CASES[name]
    quota = Quota(name)
    build(quota)
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": LABELS}}
    queue = "" if name in UNQUEUED else "local"
    return [namespace, *quota.objects.values()], runtime(name, sets), train_job(name, name, queue)
