# SPDX-License-Identifier: Apache-2.0

"""Several jobs at once, and the queues that they wait in: which of them does Kueue admit?

A case is a namespace, whose name begins those of its ClusterQueues, Cohorts and flavors. All its ClusterQueues refer to the
flavor GATE. As long as that is missing, Kueue admits nothing; then all of them become active at the same moment, and the
order in which it tries the jobs depends on nothing but the rules."""

import random

from cases import quotas
from cases.quotas import A100, GPU, H100, cpu, flavor, node, pods, taint

GATE = "gate"
PRIORITY = "kueue.x-k8s.io/priority-class"
PRIORITIES = {"low": 10, "middle": 20, "high": 30, **{f"rank-{i}": 40 + i for i in range(12)}}
POD_PRIORITIES = {"pods-low": 5, "pods-high": 50}
STRICT = {"queueingStrategy": "StrictFIFO"}
TRY_NEXT = {"flavorFungibility": {"whenCanBorrow": "TryNextFlavor"}}
RECLAIM = {"preemption": {"reclaimWithinCohort": "Any"}}


def gate_group():
    resource = {"name": "example.com/gate", "nominalQuota": 0}
    return {"coveredResources": [resource["name"]], "flavors": [{"name": GATE, "resources": [resource]}]}


def gate():
    return quotas.item("ResourceFlavor", GATE, {})


def shared():
    """What all cases use: the priority classes."""
    workloads = [
        {"apiVersion": quotas.KUEUE, "kind": "WorkloadPriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in PRIORITIES.items()
    ]
    of_pods = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in POD_PRIORITIES.items()
    ]
    return workloads + of_pods


def job(count=1, cores="1", queue="main", priority="", **spec):
    """By what a job asks for; `name` if the order of creation is not that of the names."""
    name = spec.pop("name", "")
    sets = spec.pop("sets", None) or node(count, {"cpu": str(cores)}, **spec)
    return {"sets": sets, "queue": queue, "priority": priority, "name": name}


def case(jobs, queues, cohorts=()):
    """queues: (name, groups, cohort, fields of the spec); cohorts: (name, parent, groups)."""
    return {"jobs": jobs, "queues": queues, "cohorts": cohorts}


def alone(jobs, *groups, **more):
    return case(jobs, [("main", groups, "", more)])


def pair(jobs, main=None, other=None, cohorts=(), groups=None):
    """Two queues with 4 CPUs each, in a cohort."""
    own, others = groups or ((cpu(4),), (cpu(4),))
    return case(jobs, [("main", own, "team", main or {}), ("other", others, "team", other or {})], cohorts)


def cores(*amounts, **more):
    return [job(1, amount, **more) for amount in amounts]


FLAVORS = {"small": flavor({"cpu": 4}), "large": flavor({"cpu": 6})}
LABELLED = {"a": flavor({"cpu": 4}, A100), "h": flavor({"cpu": 4}, H100)}
NEAR_AND_FAR = [("team", "root", ({"near": flavor({"cpu": 4})},)), ("root", "", ({"far": flavor({"cpu": 4})},))]

CASES = {
    # One queue
    "fifo": alone(cores(2, 2, 2), cpu(4)),
    "all-fit": alone(cores(1, 1, 2), cpu(4)),
    "smaller-one-passes": alone(cores(3, 2, 1), cpu(4)),
    "strict-waits": alone(cores(3, 2, 1), cpu(4), **STRICT),
    "strict-and-too-large": alone(cores(9, 1), cpu(4), **STRICT),
    "too-large-is-skipped": alone(cores(9, 1), cpu(4)),
    "priority-first": alone([job(1, 3, priority="low"), job(1, 3, priority="high")], cpu(4)),
    "priority-none-is-zero": alone([job(1, 3), job(1, 3, priority="low")], cpu(4)),
    "priority-equal": alone([job(1, 3, priority="high"), job(1, 3, priority="high")], cpu(4)),
    "priority-of-pods": alone([job(1, 3), job(1, 3, priorityClassName="pods-low"), job(1, 3, priorityClassName="pods-high")], cpu(4)),
    "label-before-pods": alone([job(1, 3, priorityClassName="pods-low"), job(1, 3, priority="low", priorityClassName="pods-low")], cpu(4)),
    "strict-by-priority": alone([job(1, 9, priority="low"), job(1, 2), job(1, 3, priority="high")], cpu(4), **STRICT),
    "names-against-creation": alone([job(1, 3, name="z"), job(1, 3, name="a")], cpu(4)),
    "flavors-fill": alone(cores(3, 3, 2, 2), FLAVORS),
    "flavors-by-label": alone([job(1, 3), job(1, 3, nodeSelector=H100), job(1, 1), job(1, 2, nodeSelector=A100)], LABELLED),
    "flavor-tainted": alone(
        [job(1, 3), job(1, 3, tolerations=[{"key": "spot", "operator": "Exists"}]), job(1, 1)],
        {"spot": flavor({"cpu": 4}, taints=[taint("spot")]), "plain": flavor({"cpu": 3})},
    ),
    "several-groups": alone(
        [job(sets=node(1, {"cpu": "1"}, limits={GPU: str(count)})) for count in (3, 2, 1)],
        cpu(9),
        {"g": flavor({GPU: 4}), "h": flavor({GPU: 2})},
    ),
    "pods": alone(cores(1, 1, 1) + [job(2)], {"f": flavor({"cpu": 9, "pods": 3})}),
    "pod-sets": alone(
        [job(sets=quotas.sets_of(1, 2)), job(sets=quotas.sets_of(2, 2)), job(sets=quotas.sets_of(1, 1))], FLAVORS
    ),
    "pod-sets-try-again": alone(
        [
            job(1, 2),
            job(sets={"initializer": pods(2, {"cpu": "1"}), "node": pods(2, {"cpu": "1"}, nodeSelector=A100)}),
        ],
        {"a": flavor({"cpu": 4}, A100), "h": flavor({"cpu": 2}, H100)},
    ),
    "some-ask-nothing": alone([job(sets=node(2)), job(1, 4), job(sets=node(2))], cpu(4)),
    # Two queues of a cohort
    "borrows-what-is-idle": pair(cores(4, 4)),
    "own-quota-first": pair([*cores(4, 4), *cores(4, queue="other")]),
    "borrowing-waits": pair([job(1, 6), job(1, 4, "other")]),
    "borrowing-by-priority": pair([job(1, 6, priority="low"), job(1, 6, "other", "high")]),
    "borrowing-by-creation": pair([job(1, 6), job(1, 6, "other")]),
    "limits": pair(
        [*cores(4, 2), *cores(4, 1, 1, queue="other")], groups=((cpu(4, 1),), (cpu(4, None, 1),))
    ),
    "strict-other": pair([*cores(5, 2), *cores(6, 1, queue="other")], other=STRICT),
    "next-before-borrowing": pair(cores(3, 3, 3), TRY_NEXT, groups=((FLAVORS,), ({"small": flavor({"cpu": 4})},))),
    "borrowing-before-next": pair(cores(3, 3, 3), groups=((FLAVORS,), ({"small": flavor({"cpu": 4})},))),
    "nearest-cohort": case(
        cores(4, 2, 2, 2, 2),
        [("main", ({"far": flavor({"cpu": 2}), "near": flavor({"cpu": 2})},), "team", TRY_NEXT)],
        NEAR_AND_FAR,
    ),
    "kept-for-its-owner": pair([job(1, 7), job(1, 3, "other"), job(1, 1), job(1, 2, "other"), job(1, 4, "other")]),
    "strict-keeps-its-quota": pair(
        [job(1, 4), job(1, 4), job(1, 2, "other"), job(1, 1)], other=STRICT, cohorts=[("team", "", (cpu(2),))]
    ),
    "siblings": case(
        [*cores(6, queue="main"), *cores(5, queue="other"), *cores(1, 2, queue="third")],
        [("main", (cpu(2),), "left", {}), ("other", (cpu(4),), "left", {}), ("third", (cpu(4),), "right", {})],
        [("left", "root", ()), ("right", "root", (cpu(0, None, 2),)), ("root", "", (cpu(1),))],
    ),
    # Jobs that are displaced
    "reclaimed": pair([job(1, 6), job(1, 2, "other"), job(1, 2, "other")], other=RECLAIM),
    "not-reclaimed": pair([job(1, 6), job(1, 2, "other"), job(1, 2, "other")]),
    "reclaimed-from-lower": pair(
        [job(1, 6, priority="middle"), job(1, 2, "other", "rank-1"), job(1, 2, "other", "low")],
        other={"preemption": {"reclaimWithinCohort": "LowerPriority"}},
    ),
}
# After each try of a job with several pod sets, Kueue 0.15 goes on with the next flavor of those that found one; but what
# it writes in the job's status may make it begin again. With three flavors that may never end, and the jobs behind are not
# tried.
CASES["starved"] = alone(
    [job(sets={"initializer": pods(1, {"cpu": "1"}), "node": pods(1, {"cpu": "9"}, nodeSelector=A100)}), job(1, 1)],
    {"a": flavor({"cpu": 2}, A100), "h": flavor({"cpu": 2}, H100), "v": flavor({"cpu": 2}, {"gpu": "v100"})},
)
STARVED = {"starved": ["j1"]}
LARGEST = 8  # jobs of a random case


def random_flavors(dice):
    """The groups of the queues of a case, as names of flavors by resource, with labels."""
    names = ["f", "g", "h"][: dice.choice((1, 1, 2, 2, 3))]
    labels = {name: {"type-of": name} if dice.random() < 0.5 else None for name in names}
    resources = dice.choice((["cpu"], ["cpu"], ["cpu", "memory"]))
    return names, labels, resources, dice.random() < 0.3


def random_quota(dice, limits, most=6):
    amount = dice.randint(0, most)
    if not limits or dice.random() < 0.5:
        return amount
    lending = dice.choice((None, None, 0, 1, 2))
    return (amount, dice.choice((None, 0, 1, 2, 3)), None if lending is None else min(lending, amount))


def random_groups(dice, made, limits, most=6):
    names, labels, resources, devices = made
    group = {
        name: flavor({resource: random_quota(dice, limits, most) for resource in resources}, labels[name]) for name in names
    }
    return (group, {"d": flavor({GPU: random_quota(dice, limits, most)})}) if devices else (group,)


def random_preemption(dice):
    policy = {
        "reclaimWithinCohort": dice.choice(("Never", "LowerPriority", "Any", "Any")),
        "withinClusterQueue": dice.choice(("Never", "LowerPriority", "LowerOrNewerEqualPriority")),
    }
    if policy["reclaimWithinCohort"] != "Never" and dice.random() < 0.4:
        policy["borrowWithinCohort"] = {"policy": "LowerPriority"}
        if dice.random() < 0.5:
            policy["borrowWithinCohort"]["maxPriorityThreshold"] = dice.choice((10, 44, 46))
    return {"preemption": policy}


def random_spec(dice, displaces):
    spec = dict(STRICT) if dice.random() < 0.3 else {}
    fungibility = {}
    if dice.random() < 0.4:
        fungibility["whenCanBorrow"] = dice.choice(("MayStopSearch", "TryNextFlavor"))
    if dice.random() < 0.3:
        fungibility["whenCanPreempt"] = dice.choice(("MayStopSearch", "TryNextFlavor"))
    if fungibility:
        spec["flavorFungibility"] = fungibility
    if displaces:
        spec.update(random_preemption(dice))
    return spec


def random_cohorts(dice, names, made):
    """(name, parent, groups)"""
    cohorts = []
    for index, name in enumerate(names):
        parent = names[dice.randrange(index)] if index and dice.random() < 0.9 else ""
        cohorts.append((name, parent, random_groups(dice, made, bool(parent), 3) if dice.random() < 0.6 else ()))
    return cohorts


def random_job(dice, queues, made, priority):
    _, labels, resources, devices = made
    requests = {"cpu": str(dice.randint(1, 4))}
    if "memory" in resources:
        requests["memory"] = str(dice.randint(1, 4))
    spec = {"limits": {GPU: str(dice.randint(1, 3))}} if devices and dice.random() < 0.5 else {}
    chosen = [one for one in labels.values() if one]
    if chosen and dice.random() < 0.3:
        spec["nodeSelector"] = dice.choice(chosen)
    sets = node(dice.choice((1, 1, 1, 2, 3)), requests, **spec)
    # With more flavors, see STARVED.
    if len(made[0]) < 3 and dice.random() < 0.3:
        sets = {"initializer": pods(1, {"cpu": "1"}), **sets}
    return job(sets=sets, queue=dice.choice(queues), priority=priority)


def random_case(seed, displaces):
    dice = random.Random(f"queues {seed}")
    made = random_flavors(dice)
    queues = ["main", "other", "third", "fourth"][: dice.choice((1, 2, 2, 3, 3, 4))]
    cohorts = ["root", "left", "right"][: dice.choice((1, 1, 2, 3))] if len(queues) > 1 or dice.random() < 0.3 else []
    several = [
        (name, random_groups(dice, made, bool(cohorts)), dice.choice(cohorts) if cohorts else "", random_spec(dice, displaces))
        for name in queues
    ]
    count = dice.randint(3, LARGEST)
    # Of jobs with one priority that were admitted in the same second, Kueue displaces any.
    ranks = dice.sample([f"rank-{i}" for i in range(12)], count)
    chosen = ranks if displaces else [dice.choice(("", "", "low", "high")) for _ in range(count)]
    jobs = [random_job(dice, queues, made, priority) for priority in chosen]
    if seed % 2:
        for one, name in zip(jobs, dice.sample("abcdefghijklm", count)):
            one["name"] = name
    return case(jobs, several, random_cohorts(dice, cohorts, made))


def cases(count, first=0):
    """By name: all written ones, and `count` random ones, of which every third has jobs that are displaced."""
    made = dict(CASES)
    for seed in range(first, first + count):
        made[f"random-{seed}"] = random_case(seed, seed % 3 == 2)
    return made


def objects_of(name, one):
    """Kueue's objects, with the namespace; (runtime, TrainJob) by order of creation."""
    quota = quotas.Quota(name)
    for cohort, parent, groups in one["cohorts"]:
        quota.cohort(cohort, parent, groups)
    for queue, groups, cohort, more in one["queues"]:
        quota.queue(queue, groups, cohort, **more)
        quota.objects["ClusterQueue", queue]["spec"].setdefault("resourceGroups", []).append(gate_group())
        quota.local(queue, queue)
    jobs = []
    for index, each in enumerate(one["jobs"]):
        job_name = each["name"] or f"j{index}"
        runtime = quotas.runtime(f"{name}-{job_name}", each["sets"])
        train_job = quotas.train_job(job_name, name, each["queue"])
        train_job["spec"]["runtimeRef"]["name"] = f"{name}-{job_name}"
        if each["priority"]:
            train_job["metadata"]["labels"][PRIORITY] = each["priority"]
        jobs.append((runtime, train_job))
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    return [namespace, *quota.objects.values()], jobs


def is_named(one):
    """Were its jobs not created in the order of their names?"""
    return any(each["name"] for each in one["jobs"])
