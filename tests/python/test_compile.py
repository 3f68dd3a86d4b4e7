# SPDX-License-Identifier: Apache-2.0
"""render, lint and what they take and return."""

import gc
import json
import re
import subprocess
import sys
import threading
import time

import pytest

import trainjobc
from conftest import JOB, ROOT

TEXT = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert, namespace: team-a}
spec:
  runtimeRef: {name: torch-distributed}
  trainer: {numNodes: 2, image: "registry.example/bert:1", command: [python, train.py]}
"""


def test_a_dict_becomes_the_objects_of_the_command(job, command):
    made = trainjobc.render(job)
    assert made.findings == ()
    assert made.trainer_version == "2.3"
    assert made.yaml == command("render", "-", stdin=json.dumps(job))[1]
    assert [json.dumps(one) for one in made.objects] == [json.dumps(json.loads(one.json)) for one in made.manifests]
    (job_set,) = made.manifests
    assert (job_set.kind, job_set.namespace, job_set.name) == ("JobSet", "team-a", "bert")
    assert job_set.train_job == "TrainJob/team-a/bert"


def test_text_paths_and_bytes_are_the_same(job, tmp_path):
    file = tmp_path / "job.yaml"
    file.write_text(TEXT)
    expected = trainjobc.render(job)
    for given in (TEXT, file, str(file), tmp_path, TEXT.encode(), [TEXT], (one for one in [job])):
        assert trainjobc.render(given).yaml == expected.yaml


class Model:
    def __init__(self, content):
        self.content = content

    def to_dict(self):
        return self.content


class Metadata:
    """As the models of the kubernetes client are."""

    attribute_map = {"name": "name", "self_link": "selfLink", "namespace": "namespace"}
    name, self_link, namespace = "bert", None, "team-a"

    def to_dict(self):
        return {"name": self.name, "self_link": self.self_link, "namespace": self.namespace}


def test_models_are_taken_with_the_names_of_kubernetes(job):
    expected = trainjobc.render(job).yaml
    assert trainjobc.render(Model(job)).yaml == expected
    assert trainjobc.render({**job, "metadata": Metadata()}).yaml == expected


def test_a_list_and_folders(tmp_path, job, command):
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden/no.yaml").write_text("a: [")
    (tmp_path / "a").mkdir()
    (tmp_path / "a/job.json").write_text(json.dumps(job))
    (tmp_path / "notes.txt").write_text("a: [")
    assert trainjobc.render(tmp_path).yaml == command("render", tmp_path)[1]
    assert trainjobc.render({"apiVersion": "v1", "kind": "List", "items": [job]}).yaml == trainjobc.render(job).yaml


def test_the_examples_are_those_of_the_command(command):
    folder = ROOT / "examples"
    made = trainjobc.render(folder, ssh_key="omit")
    assert made.yaml == command("render", folder, "--ssh-key", "omit")[1]
    assert trainjobc.render(folder, ssh_key="omit", threads=4) == made


def test_findings_of_a_dict_name_the_field(job):
    job["spec"]["trainer"]["numNode"] = job["spec"]["trainer"].pop("numNodes")
    with pytest.raises(trainjobc.Rejected) as caught:
        trainjobc.render(job)
    (finding,) = caught.value.findings
    assert vars(finding) == {
        "rule": "input/unknown-field",
        "stage": "input",
        "severity": "error",
        "is_refusal": True,
        "object": "TrainJob/team-a/bert",
        "field": "spec.trainer.numNode",
        "message": 'unknown field "numNode" in spec.trainer',
        "hint": 'did you mean "numNodes"?',
        "place": trainjobc.Place(None, None, None, None, None, "spec.trainer.numNode"),
        "notes": (),
        "fixes": finding.fixes,
        "fixes_are_safe": finding.fixes_are_safe,
        "text": "TrainJob/team-a/bert: spec.trainer.numNode: error: unknown field \"numNode\" in spec.trainer "
                "[input/unknown-field]\n  hint: did you mean \"numNodes\"?\n",
    }
    assert (finding.file, finding.line, finding.column, finding.path) == (None, None, None, "spec.trainer.numNode")
    assert str(caught.value) == "\n" + finding.text


def test_findings_of_text_and_files_name_the_line(tmp_path):
    wrong = TEXT.replace("numNodes", "numNode")
    (finding,) = trainjobc.lint(wrong).findings
    assert (finding.file, finding.line, finding.column) == ("objects[0]", 6, 13)
    assert finding.path == "spec.trainer.numNode"
    file = tmp_path / "job.yaml"
    file.write_text(wrong)
    (finding,) = trainjobc.lint(file).findings
    assert (finding.file, finding.line, str(finding.place)) == (str(file), 6, f"{file}:6:13")


def test_lint_says_what_the_command_says(command, tmp_path):
    file = tmp_path / "job.yaml"
    file.write_text(TEXT.replace("registry.example/bert:1", "registry.example/bert:latest"))
    report = trainjobc.lint(file)
    said = json.loads(command("lint", "--format", "json", file)[1])["diagnostics"]
    assert [[one.rule, one.message, one.line, one.column] for one in report.findings] == [
        [one["rule"], one["message"], one["line"], one["column"]] for one in said
    ]
    assert report.findings and not report.errors and report.warnings


def test_lint_applies_own_rules_of_settings(job):
    settings = """policies:
- {id: nodes, kinds: [TrainJob], expression: plan.nodes < 1, message: no nodes}
rules: {advice/image-tag: 'off'}
"""
    rules = [(one.rule, one.message, one.path) for one in trainjobc.lint(job, settings=settings).findings]
    assert ("team/nodes", "no nodes", "spec.trainer.numNodes") in rules
    assert not [one for one in trainjobc.lint(job).findings if one.rule == "team/nodes"]
    with pytest.raises(trainjobc.InvalidRequest, match='unknown key "policy"'):
        trainjobc.lint(job, settings="policy: []\n")


def test_lint_knows_from_settings_what_the_cluster_allows():
    text = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: rdma, namespace: a, labels: {trainer.kubeflow.org/framework: torch}}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers: [{name: node, image: "a/b:1", command: [torchrun, a.py], securityContext: {privileged: true}}]
"""
    assert [one.rule for one in trainjobc.lint(text).errors] == ["job/security-context"]
    for settings in ("allowPrivileged: true", "platform: openshift"):
        assert not trainjobc.lint(text, settings=settings).findings


def test_a_finding_of_the_job_stage_has_the_path_of_the_input(job):
    job["spec"]["trainer"]["resourcesPerNode"] = {"requests": {"nvidia.com/gpu": 1}}
    found = [one for one in trainjobc.lint(job).findings if one.stage == "job"]
    assert [(one.rule, one.path) for one in found] == [("job/gpu-limit", "spec.trainer.resourcesPerNode.requests[nvidia.com/gpu]")]
    assert found[0].field.startswith("spec.replicatedJobs[")


def test_keep_going_returns_the_good_jobs(job):
    bad = {**job, "metadata": {"name": "Bad", "namespace": "team-a"}}
    with pytest.raises(trainjobc.Rejected):
        trainjobc.render([job, bad])
    made = trainjobc.render([job, bad], keep_going=True)
    assert [one.name for one in made.manifests] == ["bert"]
    assert [one.object for one in made.findings] == ["TrainJob/team-a/Bad"]


def test_runtimes_and_versions(job):
    runtime = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": "ours", "labels": {"trainer.kubeflow.org/framework": "torch"}},
        "spec": {
            "mlPolicy": {"numNodes": 1, "torch": {}},
            "template": {"spec": {"replicatedJobs": [{
                "name": "node",
                "template": {
                    "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
                    "spec": {"template": {"spec": {"containers": [{"name": "node", "image": "ours:1"}]}}},
                },
            }]}},
        },
    }
    job["spec"]["runtimeRef"]["name"] = "ours"
    with pytest.raises(trainjobc.Rejected) as caught:
        trainjobc.render(job)
    assert [one.rule for one in caught.value.findings] == ["input/missing-runtime"]
    assert [one.kind for one in trainjobc.render(job, runtimes=[runtime]).manifests] == ["JobSet"]
    assert trainjobc.render(job, runtimes=runtime, trainer_version="2.1").trainer_version == "2.1"
    assert trainjobc.trainer_versions() == tuple(sorted(path.stem[1:] for path in (ROOT / "schema").glob("v*.json")))


def test_invalid_requests(job, tmp_path):
    with pytest.raises(trainjobc.InvalidRequest, match='there is no Trainer version "9.9"'):
        trainjobc.render(job, trainer_version="9.9")
    with pytest.raises(ValueError, match="ssh_key"):
        trainjobc.render(job, ssh_key="none")
    with pytest.raises(TypeError, match="neither YAML, a path, a dict nor an object with to_dict.*: int"):
        trainjobc.render([1])
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="too many lists and dicts in each other"):
        trainjobc.render({**job, "spec": deep})
    with pytest.raises(TypeError, match="a manifest can't contain a value of type object"):
        trainjobc.render({**job, "spec": object()})
    with pytest.raises(FileNotFoundError):
        trainjobc.render(tmp_path / "absent.yaml")
    with pytest.raises(FileNotFoundError):
        trainjobc.render("absent.yaml")


def test_ssh_keys(tmp_path):
    seed = tmp_path / "seed"
    seed.write_text("long and secret, and in no repository\n")
    mpi = {**JOB, "spec": {"runtimeRef": {"name": "deepspeed-distributed"}, "trainer": {"numNodes": 2}}}
    kinds = [one.kind for one in trainjobc.render(mpi).manifests]
    assert kinds == ["ConfigMap", "Secret", "JobSet"]
    assert [one.kind for one in trainjobc.render(mpi, ssh_key="omit").manifests] == ["ConfigMap", "JobSet"]
    made = trainjobc.render(mpi, ssh_key={"seed": seed})
    assert made == trainjobc.render(mpi, ssh_key={"seed": seed})
    assert made != trainjobc.render(mpi)


def test_results_do_not_change(job):
    made = trainjobc.render(job)
    with pytest.raises(AttributeError, match="does not change"):
        made.trainer_version = "2.0"
    with pytest.raises(AttributeError, match="does not change"):
        del made.trainer_version
    with pytest.raises(TypeError, match="Fix takes place, text, not 1 values and txt"):
        trainjobc.Fix(made, txt="")
    assert repr(made.manifests[0]) == (
        "Manifest(api_version='jobset.x-k8s.io/v1alpha2', kind='JobSet', namespace='team-a', name='bert', "
        "train_job='TrainJob/team-a/bert')"
    )
    made.objects[0]["kind"] = "Other"
    assert made.objects[0]["kind"] == "JobSet"
    assert hash(made.manifests[0]) == hash(trainjobc.render(job).manifests[0])


def test_hostile_input_is_a_finding_or_an_exception():
    assert [one.stage for one in trainjobc.lint("a: [\n").findings] == ["yaml"]
    assert [one.stage for one in trainjobc.lint("[" * 100_000 + "\n").findings] == ["yaml"]
    with pytest.raises(UnicodeEncodeError):
        trainjobc.lint({"kind": "\udc00"})
    with pytest.raises(UnicodeDecodeError):
        trainjobc.lint(b"\xff\n")
    deep = {}
    for _ in range(100_000):
        deep = {"a": deep}
    with pytest.raises(ValueError, match="too many lists and dicts in each other"):
        trainjobc.lint(deep)


def test_other_threads_run_meanwhile(tmp_path):
    file = tmp_path / "many.yaml"
    file.write_text("---\n".join(TEXT.replace("name: bert", f"name: job-{number}") for number in range(2000)))
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begun = time.perf_counter()
    trainjobc.lint(file)
    ended = time.perf_counter()
    done.set()
    thread.join()
    assert sum(begun < one < ended for one in ticks) > 10


def test_the_catalogue(command):
    newest = trainjobc.catalogue("2.3")
    assert {"torch-distributed", "deepspeed-distributed", "torchtune-llama3.2-1b"} < {one.name for one in newest}
    assert {one.trainer_version for one in trainjobc.catalogue()} == set(trainjobc.trainer_versions())
    for runtime in newest:
        shown = command("runtimes", "--show", runtime.name, "--trainer-version", "2.3")[1]
        assert shown.endswith(runtime.yaml)


@pytest.mark.parametrize("name", ["render", "lint", "explain", "plan"])
def test_calls_leave_nothing(job, name):
    call = getattr(trainjobc, name)
    blocks = []
    for _ in range(3):
        for _ in range(100):
            call(job)
        gc.collect()
        blocks.append(sys.getallocatedblocks())
    assert blocks[2] - blocks[1] < 20


def test_results_that_live_until_the_end_are_no_leak():
    program = "import sys, trainjobc; sys.kept = trainjobc.render(['a: b'])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("nothing, error", [(None, TypeError), ({}, ValueError)])
def test_nothing_is_not_an_input_without_findings(nothing, error):
    for function in (trainjobc.lint, trainjobc.render, trainjobc.plan):
        with pytest.raises(error):
            function(nothing)


def test_a_folder_without_manifests_is_an_error(tmp_path):
    (tmp_path / "notes.txt").write_text("")
    for objects in (tmp_path, str(tmp_path), [tmp_path]):
        with pytest.raises(FileNotFoundError, match="has no manifests"):
            trainjobc.lint(objects)


def test_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+", trainjobc.__version__)
