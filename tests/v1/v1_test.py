#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Migrated v1 jobs run the pods that the v1 operators make of them.

tests/v1/jobs/ has jobs, tests/v1/pods/ the pods that Training Operator v1.9.3 and the MPI Operator v0.7.0 make of them
(tests/v1/*-operator run their own controllers). Each job is migrated, linted and rendered, and the JobSet's pods are
compared with the recorded ones: images, commands, resources, volumes, everything else of the pods, and the variables by
which they find each other, apart from the names of the pods. What may differ is in DIFFERENCES, and each of it is in
the table of docs/from-v1.md.
usage: v1_test.py BINARY [JOB…] | --record [JOB…] (needs Go)
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import programs  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOBS = ROOT / "tests/v1/jobs"
PODS = ROOT / "tests/v1/pods"
DOCS = ROOT / "docs/from-v1.md"

# Ranks count through the roles in this order.
ROLES = {"MPIJob": ["worker", "launcher"]}
ALL_ROLES = ["chief", "master", "ps", "worker", "evaluator"]
# What the operators add to pods, and Trainer adds in another form: init containers and volumes.
OPERATORS = {"init-pytorch", "kubectl-delivery", "mpi-job-config", "mpi-job-kubectl", "ssh-auth"}
TRAINERS = {"mpi-ssh-auth", "mpi-hostfile", "root-ssh-key", "hydra-hostfile"}
# Labels in which roles differ, and the nodes of a TrainJob can't.
ALIKE = {"role"}
OPERATORS_MOUNTS = {"/etc/mpi", "/opt/kube"}
OPERATORS_KEYS = re.compile(r"training\.kubeflow\.org/|^(group-name|job-name|job-role|replica-.*|mpi-job-name)$|volcano\.sh/|scheduling\.k8s\.io/")
PORTS = {"pytorchjob-port", "tfjob-port", "xgboostjob-port", "jaxjob-port", "master"}
TORCHRUN = {"MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK"}
# Differences between the variables: their names, and when they may differ; the docs say why.
DIFFERENCES = {
    "PET_MASTER_PORT": lambda case: case.kind == "PyTorchJob" and not case.plain,
    "PET_NPROC_PER_NODE": lambda case: case.kind == "PyTorchJob" and not case.has_number_of_processes,
    "PET_NNODES": lambda case: case.is_elastic,
    "K_MPI_JOB_ROLE": lambda case: case.kind == "MPIJob",
    "OMPI_MCA_plm_rsh_agent": lambda case: case.is_mpi_v1,
    "I_MPI_HYDRA_BOOTSTRAP": lambda case: case.is_mpi_v1,
    "I_MPI_HYDRA_BOOTSTRAP_EXEC": lambda case: case.is_mpi_v1,
    "HYDRA_LAUNCH_EXTRA_ARGS": lambda case: case.is_hydra,
}
# What Hydra, the launcher of MPICH and Intel MPI, reads from other files.
HYDRA_HOSTFILE = ("/etc/mpi/hostfile", "/etc/hydra-hostfile/hostfile")


# What the v1 operator's pods have, too: it sets RANK after the job's own variables, which refer to it in vain.
TRUE_OF_V1_TOO = {("pytorch-accelerate", "advice/undefined-reference")}
# What lint can't know: whether the cluster allows it, as that of the v1 job did.
CLUSTERS_CHOICE = "privileged containers are not allowed"


def main_name(job):
    return {"PyTorchJob": "pytorch", "TFJob": "tensorflow", "XGBoostJob": "xgboost", "JAXJob": "jax", "PaddleJob": "paddle"}.get(job["kind"])


class Case:
    def __init__(self, path):
        self.path = path
        self.job = yaml.safe_load(path.read_text())
        self.kind = self.job["kind"]
        self.name = self.job["metadata"]["name"]
        self.is_mpi_v1 = self.kind == "MPIJob" and self.job["apiVersion"].endswith("/v1")
        elastic = self.job["spec"].get("elasticPolicy", {})
        self.is_elastic = elastic.get("minReplicas") != elastic.get("maxReplicas")
        self.has_number_of_processes = str(self.job["spec"].get("nprocPerNode", "")).isdigit()
        self.plain = False
        self.is_hydra = self.job["spec"].get("mpiImplementation", "OpenMPI") != "OpenMPI"
        recorded = json.loads((PODS / f"{path.stem}.json").read_text())
        self.hostfile = next((item["hostfile"] for item in recorded if "hostfile" in item), None)
        self.pods = [item for item in recorded if "spec" in item]
        roles = ROLES.get(self.kind, ALL_ROLES)
        self.pods.sort(key=lambda pod: (roles.index(self.role(pod)), int(re.search(r"\d*$", pod["name"]).group() or 0)))

    def role(self, pod):
        return pod["name"].removeprefix(self.name + "-").split("-")[0]


def run(binary, *words):
    return subprocess.run([binary, *map(str, words)], capture_output=True, text=True)


def migrated(binary, case, folder):
    """The rendered objects of the job; None and a problem if that fails."""
    made = run(binary, "migrate", "--no-config", "--to", "2.3", "--output-dir", folder, case.path)
    case.plain = "the job gets a runtime of its own" in made.stderr
    if made.returncode:
        return None, f"migrate ends with {made.returncode}: {made.stderr}"
    lint = run(binary, "lint", "--no-config", "--format", "json", folder)
    found = [
        item
        for item in json.loads(lint.stdout)["diagnostics"]
        if item["severity"] != "info"
        and not item["message"].startswith(CLUSTERS_CHOICE)
        and (case.path.stem, item["rule"]) not in TRUE_OF_V1_TOO
    ]
    if found:
        return None, f"lint of the migrated job: {found}"
    rendered = run(binary, "render", "--no-config", "--with-defaults", "--ssh-key", "omit", folder)
    if rendered.returncode:
        return None, f"render of the migrated job: {rendered.stderr}"
    return list(yaml.safe_load_all(rendered.stdout)), ""


def pods_of(job_set):
    """The pods that the JobSet's Jobs run, in order, with their host names and variables."""
    name = job_set["metadata"]["name"]
    pods = []
    total = 0
    for job in job_set["spec"]["replicatedJobs"]:
        for index in range(job.get("replicas", 1)):
            spec = job["template"]["spec"]
            for pod in range(spec.get("completions", 1)):
                fields = {"metadata.labels['jobset.sigs.k8s.io/jobset-name']": name, "metadata.annotations['batch.kubernetes.io/job-completion-index']": str(pod),
                          "metadata.annotations['jobset.sigs.k8s.io/job-global-index']": str(total), "status.podIP": "IP"}
                pods.append({"name": f"{name}-{job['name']}-{index}-{pod}", "fields": fields, **spec["template"].get("metadata", {}),
                             "spec": spec["template"]["spec"]})
            total += 1
    return pods


def variables(container, fields):
    """What the program sees: fields of the pod and $(…) filled in."""
    seen = {}
    for item in container.get("env", []):
        source = item.get("valueFrom")
        if source and "fieldRef" in source and source["fieldRef"]["fieldPath"] in fields:
            value = fields[source["fieldRef"]["fieldPath"]]
        elif source:
            value = json.dumps(source, sort_keys=True)
        else:
            value = re.sub(r"\$\((\w+)\)", lambda found: seen.get(found[1], found[0]), item.get("value", ""))
        seen[item["name"]] = value
    return seen


def addresses(case, new_pods):
    """Replacements of the v1 pods' addresses, the longest first."""
    changes = []
    for old, new in zip(case.pods, new_pods):
        namespace = case.job["metadata"].get("namespace", "")
        address = f"{new['name']}.{case.name}"
        for spelling in (f"{old['name']}.{case.name}.{namespace}.svc", f"{old['name']}.{namespace}.svc", old["name"]):
            changes.append((spelling, address))
    return sorted(changes, key=lambda change: -len(change[0]))


def translated(text, changes):
    if not changes:
        return text
    known = dict(reversed(changes))
    return re.sub("|".join(re.escape(old) for old, _ in changes), lambda found: known[found[0]], text)


def canonical(name, value):
    """TF_CONFIG is JSON, PET_RDZV_CONF a list (whose is_host=true the docs explain), and 4:4 nodes are 4."""
    if name == "TF_CONFIG":
        return json.loads(value)
    if name == "PET_RDZV_CONF":
        return sorted(set(value.split(",")) - {"is_host=true"})
    return re.sub(r"^(\d+):\1$", r"\1", value) if name == "PET_NNODES" else value


def torchrun_sets(case, name, container):
    text = json.dumps([container.get("command"), container.get("args")])
    return case.kind == "PyTorchJob" and name in TORCHRUN and re.search(r"torchrun|torch\.distributed", text) and name not in text


def compare_variables(case, old, new, changes, fields):
    want = variables(old, {"status.podIP": "IP"})
    got = variables(new, fields)
    for name, value in want.items():
        if name in DIFFERENCES and DIFFERENCES[name](case):
            continue
        if torchrun_sets(case, name, old) and name not in got:
            continue
        value = canonical(name, translated(value, changes))
        if case.is_hydra:
            value = value.replace(*HYDRA_HOSTFILE)
        if name not in got or canonical(name, got[name]) != value:
            yield f"{name} is {got.get(name)!r}, was {value!r}"


def missing_variables(case, old, new):
    got = {item["name"] for item in new.get("env", [])}
    text = json.dumps([old.get("command"), old.get("args")])
    for item in old.get("env", []):
        if item["name"] not in got and (item["name"] not in TORCHRUN or item["name"] in text):
            yield f"{item['name']} is missing"


def without_empty(value):
    if isinstance(value, dict):
        value = {key: without_empty(inner) for key, inner in value.items()}
        return {key: inner for key, inner in value.items() if inner not in (None, {}, [])}
    return [without_empty(item) for item in value] if isinstance(value, list) else value


def default_policy(image):
    """What the API server sets."""
    name, _, digest = image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    return "Always" if tag == "latest" or not (tag or digest) else "IfNotPresent"


def rest_of_container(case, container):
    rest = {key: value for key, value in container.items() if key not in ("name", "env", "ports", "volumeMounts")}
    rest["volumeMounts"] = sorted((mount for mount in container.get("volumeMounts", [])
                                   if mount["mountPath"] not in OPERATORS_MOUNTS and mount["name"] not in OPERATORS | TRAINERS),
                                  key=lambda mount: mount["mountPath"])
    rest["ports"] = [port["containerPort"] for port in container.get("ports", [])
                     if port.get("name") not in PORTS and port["containerPort"] != 29500]
    rest["imagePullPolicy"] = container.get("imagePullPolicy") or default_policy(container["image"])
    return without_empty(json.loads(json.dumps(rest)))


def rest_of_pod(pod):
    rest = {key: value for key, value in pod.items()
            if key not in ("containers", "initContainers", "restartPolicy", "hostname", "subdomain", "dnsConfig")}
    rest["volumes"] = sorted((volume for volume in pod.get("volumes", []) if volume["name"] not in OPERATORS | TRAINERS),
                             key=lambda volume: volume["name"])
    return without_empty(rest)


def index_of_main(case, containers):
    names = [container["name"] for container in containers]
    name = main_name(case.job)
    return names.index(name) if name in names else 0


def compare_metadata(old, new):
    """The operators add their own labels; JobSet's controller adds its own later."""
    for kind in ("labels", "annotations"):
        was, now = ({key: value for key, value in pod.get(kind, {}).items() if not OPERATORS_KEYS.search(key) and key not in ALIKE} for pod in (old, new))
        if was != now:
            yield f"{kind} are {now}, were {was}"


def compare_pod(case, old, new, changes):
    before, after = old["spec"], new["spec"]
    ours = index_of_main(case, before["containers"])
    if len(before["containers"]) != len(after["containers"]):
        yield f"{len(after['containers'])} containers, were {len(before['containers'])}"
        return
    for index, (a, b) in enumerate(zip(before["containers"], after["containers"])):
        rest, new_rest = rest_of_container(case, a), rest_of_container(case, b)
        for key in ("command", "args"):
            if key in rest:
                rest[key] = [translated(word, changes).replace(*HYDRA_HOSTFILE if case.is_hydra else ("", "")) for word in rest[key]]
        if case.is_mpi_v1 and case.role(old) == "worker" and rest.get("command") == ["sleep"]:
            rest.update(command=["/usr/sbin/sshd", "-De"])  # in the docs' table: kubectl exec
            rest.pop("args", None)
        if rest != new_rest:
            yield f"container {a['name']} is {json.dumps(new_rest)}, was {json.dumps(rest)}"
        if index == ours:
            yield from compare_variables(case, a, b, changes, new["fields"])
    inits, new_inits = ({c["name"]: c for c in spec.get("initContainers", []) if c["name"] not in OPERATORS | TRAINERS}
                        for spec in (before, after))
    if list(inits) != list(new_inits):
        yield f"the init containers are {list(new_inits)}, were {list(inits)}"
        return
    for name, old_init in inits.items():
        if rest_of_container(case, old_init) != rest_of_container(case, new_inits[name]):
            yield f"init container {name} is {json.dumps(new_inits[name])}, was {json.dumps(old_init)}"
        # v1 sets its variables there, too, and Trainer only what migrate adds.
        yield from (f"{name}: {problem}" for problem in missing_variables(case, old_init, new_inits[name]))
    yield from compare_metadata(old, new)
    was, now = rest_of_pod(before), rest_of_pod(after)
    if case.is_mpi_v1:
        was.pop("serviceAccountName", None)  # of kubectl exec
    if case.kind == "MPIJob" and "fsGroup" not in was.get("securityContext", {}):
        now.get("securityContext", {}).pop("fsGroup", None)  # in the docs' table: the key's group
        now = without_empty(now)
    if case.job["spec"].get("runPolicy", {}).get("schedulingPolicy", {}).get("priorityClass"):
        now.pop("priorityClassName", None)  # in the docs' table
    if was != now:
        yield f"the pod is {json.dumps(now)}, was {json.dumps(was)}"
    allowed = {"Never": "Never", "OnFailure": "OnFailure", "Always": "OnFailure"}[before.get("restartPolicy", "Always")]
    if after.get("restartPolicy") != allowed:
        yield f"restartPolicy is {after.get('restartPolicy')}, was {before.get('restartPolicy')}"


def hosts(text, changes):
    return sorted(translated(line, changes) for line in text.splitlines() if line)


def try_case(binary, case):
    with tempfile.TemporaryDirectory() as folder:
        objects, problem = migrated(binary, case, folder)
    if objects is None:
        yield problem
        return
    job_set = next(item for item in objects if item["kind"] == "JobSet")
    new_pods = pods_of(job_set)
    if len(new_pods) != len(case.pods):
        yield f"{len(new_pods)} pods, were {len(case.pods)}"
        return
    changes = addresses(case, new_pods)
    for old, new in zip(case.pods, new_pods):
        for problem in compare_pod(case, old, new, changes):
            yield f"{old['name']} -> {new['name']}: {problem}"
    if case.hostfile is not None:
        made = next(item for item in objects if item["kind"] == "ConfigMap")["data"]["hostfile"]
        if case.is_hydra:
            made = made.replace(" slots=", ":")  # as the init container does
        if hosts(case.hostfile, changes) != hosts(made, []):
            yield f"the hostfile is {made!r}, was {case.hostfile!r}"


# What the functions print that report what becomes of v1 jobs.
SOURCES = ("v1/*.cpp", "v1_jobs.cpp", "left_jobs.cpp", "configurations.cpp", "kustomizations.cpp")
REPORTS = re.compile(r"\b(?:change|lose|report|refuse|refuse_replacement|fail|finding|named_in_kustomization|add|add_found)\(")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
# What the unit tests show of it.
SHOWN = re.compile(r"(?:error|warning): (.+?) \[(?:migrate/(?:lost|left|in-place)|advice/v1-(?:difference|ignored-field))\]")
# Documents that can't be rewritten in place: tests of TrainJobs show it.
OTHERS_SHOW = ("this document can't be changed in place: …",)


def arguments_at(text, begin):
    depth, at = 1, begin
    while depth:
        literal = LITERAL.match(text, at)
        at = literal.end() if literal else at + 1
        if not literal:
            depth += {"(": 1, ")": -1}.get(text[at - 1], 0)
    return text[begin:at - 1]


def messages():
    """Of each call that reports something, its first text with several words."""
    for pattern in SOURCES:
        for path in sorted((ROOT / "src/features/migrate").glob(pattern)):
            text = re.sub(r'"\s*\n\s*"', "", path.read_text())
            for call in REPORTS.finditer(text):
                literals = [found for found in LITERAL.findall(arguments_at(text, call.end())) if found.count(" ") > 1]
                yield from literals[:1]


def shown():
    """The messages in what the unit tests expect."""
    for path in sorted((ROOT / "tests/unit/migrate").glob("*.cpp")):
        yield from (found[1] for found in SHOWN.finditer(re.sub(r'"\s*\n\s*"', "", path.read_text())))


def documented(table):
    """The entries of the table of messages, as patterns."""
    section = table[table.index("## Every message"):table.index("## Tried")]
    rows = [line.split("|")[1] for line in section.splitlines() if re.match(r"\| (?!message )", line)]
    entries = [entry.strip() for row in rows for entry in row.split(";")]
    return {entry: re.compile(".*".join(re.escape(part.strip()) for part in entry.replace("`", "").split("…"))) for entry in entries}


def undocumented(table):
    for message in sorted(set(messages())):
        words = re.sub(r"\{[^}]*\}", "…", message.replace('\\"', '"'))
        if words.rstrip(" ") not in table:
            yield f"{DOCS.name} does not mention the message {words!r}"
    entries = documented(table)
    seen = set(shown())
    for message in sorted(seen):
        if not any(entry.search(message) for entry in entries.values()):
            yield f"{DOCS.name} does not mention the message {message!r}, which a test shows"
    for entry, pattern in entries.items():
        if entry not in OTHERS_SHOW and not any(pattern.search(message) for message in seen):
            yield f"{DOCS.name} has the message {entry!r}, which no test shows"


def record(names):
    with tempfile.TemporaryDirectory() as folder:
        for program in ("training-operator", "mpi-operator"):
            words = [programs.find_go(), "build", "-trimpath", "-ldflags=-s -w", "-o", f"{folder}/{program}", "."]
            subprocess.run(words, cwd=ROOT / "tests/v1" / program, check=True)
        PODS.mkdir(exist_ok=True)
        for path in sorted(JOBS.glob("*.yaml")):
            if names and path.stem not in names:
                continue
            program = "mpi-operator" if "kubeflow.org/v2beta1" in path.read_text() else "training-operator"
            made = subprocess.run([f"{folder}/{program}", path], capture_output=True, text=True, check=True).stdout
            (PODS / f"{path.stem}.json").write_text(json.dumps(without_empty(json.loads(made)), indent=1) + "\n")


def main():
    if sys.argv[1] == "--record":
        record(sys.argv[2:])
        return 0
    binary = pathlib.Path(sys.argv[1]).resolve()
    failed = 0
    paths = [path for path in sorted(JOBS.glob("*.yaml")) if not sys.argv[2:] or path.stem in sys.argv[2:]]
    for path in paths:
        for problem in try_case(binary, Case(path)):
            failed += 1
            print(f"{path.stem}: {problem}")
    table = DOCS.read_text()
    for problem in undocumented(table):
        failed += 1
        print(problem)
    for name in DIFFERENCES:
        if f"`{name}`" not in table:
            failed += 1
            print(f"{DOCS.name} does not mention {name}, which differs")
    print(f"{len(paths)} v1 jobs compared with the pods that the v1 operators make, {failed} problems")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
