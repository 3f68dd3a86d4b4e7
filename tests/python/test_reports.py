# SPDX-License-Identifier: Apache-2.0
"""explain, plan, diff, migrate and compose say what the commands say."""

import json

import pytest

import trainjobc
from conftest import ROOT


@pytest.fixture
def file(job, tmp_path):
    path = tmp_path / "job.json"
    path.write_text(json.dumps(job, indent=1))
    return path


def test_explain(file, command):
    made = trainjobc.explain(file)
    said = json.loads(command("explain", file, "-o", "json", "--field", "")[1])["fields"]
    assert {(one["path"], one["rule"] or None, one["line"] or None, one["field"] or None) for one in said} == {
        (one.path, one.rule, one.place.line, one.place.path) for one in made.fields
    }
    (job_set,) = made.objects
    lines = job_set.yaml.splitlines()
    for field in job_set.fields:
        assert lines[field.line - 1].endswith(json.dumps(field.value)) or str(field.value) in lines[field.line - 1], field
        key = field.path.rpartition(".")[2]
        assert f"{key}:" in lines[field.line - 1] or "]" in key, field
    assert len({field.line for field in job_set.fields}) == len(job_set.fields)


def test_explain_selects_and_names_fields_of_dicts(job):
    (field,) = trainjobc.explain(job, '..env[?(@.name=="PET_NNODES")].value').fields
    assert (field.value, field.rule, field.place.path, field.place.file) == ("2", "torch/PET_NNODES", "spec.trainer.numNodes", None)
    with pytest.raises(trainjobc.InvalidRequest, match="not a JSONPath"):
        trainjobc.explain(job, "$[")


def test_plan(file, command):
    made = trainjobc.plan(file)
    assert made.json == command("plan", file, "-o", "json")[1]
    assert made.text == str(made) == command("plan", file)[1]
    assert made.markdown == command("plan", file, "-o", "markdown")[1]
    (job,) = made.jobs
    assert (job.object, job.framework, job.nodes, job.pods) == ("TrainJob/team-a/bert", "torch", 2, 2)
    assert [(one.name, one.pods, one.hosts) for one in job.pod_sets] == [("node", 2, "bert-node-0-{0..1}.bert")]


def test_plan_with_quota(command):
    folder = ROOT / "golden/plan-quota-json"
    made = trainjobc.plan(folder / "input.yaml", quota=folder / "quota.yaml", catalogue=False, keep_going=True)
    flags = ["--no-catalogue", "--quota", folder / "quota.yaml", "-o", "json"]
    assert made.json == command("plan", *flags, folder / "input.yaml")[1]
    assert {job.verdict for job in made.jobs} >= {"admitted"}


def test_diff_of_two_states(job, tmp_path, command):
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    before.write_text(json.dumps(job))
    job["spec"]["trainer"]["numNodes"] = 4
    after.write_text(json.dumps(job))
    made = trainjobc.diff(after, before=before)
    assert made and made.differs
    assert made.text == command("diff", "--from", before, after)[1]
    assert made.json == command("diff", "--from", before, after, "-o", "json")[1]
    assert [(one["kind"], one["live"], one["rendered"]) for one in made.differences[-1:]] == [("changed", 2, 4)]
    assert not trainjobc.diff(after, before=after)


def test_diff_of_versions(job, file, command):
    made = trainjobc.diff(file, from_version="2.0", trainer_version="2.3")
    assert made.text == command("diff", file, "--from-version", "2.0", "--to-version", "2.3")[1]
    with pytest.raises(trainjobc.InvalidRequest):
        trainjobc.diff(file, from_version="auto")
    with pytest.raises(TypeError):
        trainjobc.diff(file)


def test_diff_with_live_objects(job):
    stored = trainjobc.render(job, with_defaults=True).objects
    assert not trainjobc.diff(job, live=stored)
    stored[0]["spec"]["replicatedJobs"][0]["template"]["spec"]["parallelism"] = 7
    (difference,) = trainjobc.diff(job, live=stored).differences
    assert (difference["path"], difference["live"], difference["rendered"]) == (
        "spec.replicatedJobs[0].template.spec.parallelism", 7, 2,
    )


def test_migrate(command, tmp_path):
    folder = ROOT / "golden/migrate-diff"
    source = next(folder.glob("*.yaml"))
    made = trainjobc.migrate(source)
    (file,) = made.files
    copied = tmp_path / "copied.yaml"
    copied.write_text(source.read_text())
    command("migrate", "--write", copied)
    assert file.name == str(source)
    assert file.new_text == copied.read_text() != file.old_text
    with pytest.raises(trainjobc.InvalidRequest):
        trainjobc.migrate(source, to="9.9")


def composed(command, *arguments):
    """What the command prints, and its notes."""
    status, printed, said = command("compose", "--no-config", *arguments)
    assert status == 0, said
    return printed, tuple(line.removeprefix("note: ") for line in said.splitlines() if line.startswith("note: ") and "--ssh-key" not in line)


def test_compose(command):
    file = ROOT / "golden/compose/input.yaml"
    made = trainjobc.compose(file, nodes=2, mounts="./src:/workspace")
    assert (made.yaml, made.notes) == composed(command, file, "--nodes", 2, "--mount", "./src:/workspace")
    assert str(made) == made.yaml and len(made.notes) == 8
    assert made.findings == trainjobc.render(file).findings and made.trainer_version == "2.3"
    file = ROOT / "golden/compose-mpi/input.yaml"
    made = trainjobc.compose(file, cpu=True, nodes=3, processes=2, image="mpi:trial", mounts=["a:/a", "b:/b:ro"], ssh_key="omit")
    flags = ["--cpu", "--nodes", 3, "--processes", 2, "--image", "mpi:trial", "--mount", "a:/a", "--mount", "b:/b:ro", "--ssh-key", "omit"]
    assert (made.yaml, made.notes) == composed(command, *flags, file)


def test_compose_of_dicts_shows_no_key(job):
    other = {**job, "metadata": {"name": "other", "namespace": "team-a"}, "spec": {"runtimeRef": {"name": "deepspeed-distributed"}}}
    alone = trainjobc.compose(job)
    assert trainjobc.compose([job, other], job="bert") == trainjobc.compose([job, other], job="team-a/bert") == alone
    made = trainjobc.compose(other)
    assert "PRIVATE KEY" in made.yaml and "PRIVATE KEY" not in repr(made)


INVALID = {
    "the inputs contain 2 TrainJobs: choose one by its name": {},
    'the inputs contain no TrainJob "gpt"': {"job": "gpt"},
    "nodes is a number from 1 to 256, not 257": {"nodes": 257},
    "processes is a number from 1 to 256, not -1": {"processes": -1},
    '"a b" is not the name of an image, which has no blanks': {"image": "a b"},
    '"src" is not a folder and an absolute path, as in .:/workspace': {"mounts": "src"},
    "/a is mounted twice": {"mounts": ["x:/a", "y:/a"]},
    'there is no Trainer version "9.9": write auto or one of 2.0, 2.1, 2.2, 2.3, 2.4-preview': {"trainer_version": "9.9"},
}


@pytest.mark.parametrize("message", INVALID)
def test_compose_refuses_what_it_is_asked(job, message):
    other = {**job, "metadata": {"name": "other", "namespace": "team-a"}}
    with pytest.raises(trainjobc.InvalidRequest) as caught:
        trainjobc.compose([job, other], **INVALID[message])
    assert str(caught.value) == message


def test_compose_needs_a_job_that_fits_on_a_machine(job):
    with pytest.raises(trainjobc.InvalidRequest, match="^the inputs contain no TrainJob$"):
        trainjobc.compose([])
    job["spec"]["trainer"]["numNodes"] = 257
    with pytest.raises(trainjobc.InvalidRequest, match="more than 256 pods"):
        trainjobc.compose(job)
    job["spec"]["trainer"]["numNode"] = 1
    with pytest.raises(trainjobc.Rejected) as caught:
        trainjobc.compose(job)
    assert [one.rule for one in caught.value.findings if one.is_refusal] == ["input/unknown-field"]
