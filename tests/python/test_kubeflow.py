# SPDX-License-Identifier: Apache-2.0
"""preview and guard, with the released SDK and an API server that keeps what it is sent."""

import http.server
import inspect
import json
import re
import threading

import pytest

import trainjobc

pytest.importorskip("kubeflow.trainer", reason="the kubeflow package is not installed")

import yaml  # noqa: E402
from kubeflow.common.types import KubernetesBackendConfig  # noqa: E402
from kubeflow.trainer import (  # noqa: E402
    BuiltinTrainer,
    CustomTrainer,
    CustomTrainerContainer,
    DataCacheInitializer,
    HuggingFaceDatasetInitializer,
    HuggingFaceModelInitializer,
    Initializer,
    LoraConfig,
    S3DatasetInitializer,
    S3ModelInitializer,
    TorchTuneConfig,
    TrainerClient,
    options,
)
from kubeflow.trainer.options import Labels, Name  # noqa: E402
from kubernetes.client import Configuration, CustomObjectsApi  # noqa: E402

from conftest import ROOT  # noqa: E402
from trainjobc import _core  # noqa: E402
from trainjobc.kubeflow import guard, preview  # noqa: E402

NEWEST = _core.newest_trainer_version()
RUNTIMES = {one.name: yaml.safe_load(one.yaml) for one in trainjobc.catalogue(NEWEST)}
BUILTIN = [name for name in RUNTIMES if name.startswith("torchtune")]
HUB = Initializer(
    dataset=HuggingFaceDatasetInitializer(storage_uri="hf://tatsu-lab/alpaca"),
    model=HuggingFaceModelInitializer(storage_uri="hf://meta-llama/Llama-3.2-1B-Instruct"),
)


def train():
    print("training")


TRAINERS = {
    "function": (CustomTrainer(func=train, num_nodes=2, resources_per_node={"cpu": 4, "gpu": 2}), None),
    "container": (CustomTrainerContainer(image="registry.example/train:1", num_nodes=2), None),
    "torchtune": (
        BuiltinTrainer(config=TorchTuneConfig(num_nodes=1, epochs=1, peft_config=LoraConfig(), resources_per_node={"gpu": 1})),
        HUB,
    ),
    "nothing": (None, None),
}
FITTING = [
    (runtime, trainer)
    for runtime in sorted(RUNTIMES)
    for trainer in TRAINERS
    if trainer == "nothing" or (trainer == "torchtune") == (runtime in BUILTIN)
]


class Server(http.server.BaseHTTPRequestHandler):
    """Of an API server: runtimes to read, and a place for TrainJobs."""

    def answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        found = RUNTIMES.get(self.path.rpartition("/")[2]) if "/clustertrainingruntimes/" in self.path else None
        self.answer(200 if found else 404, found or {"kind": "Status", "code": 404})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.posted.append((self.path, body))
        self.answer(201, body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as made:
        made.posted = []
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture
def client(server):
    configuration = Configuration(host=f"http://127.0.0.1:{server.server_port}")
    return TrainerClient(KubernetesBackendConfig(namespace="team-a", client_configuration=configuration))


@pytest.mark.parametrize(("runtime", "kind"), FITTING)
def test_preview_is_what_train_posts(client, server, runtime, kind):
    trainer, initializer = TRAINERS[kind]
    arguments = {"runtime": runtime, "trainer": trainer, "initializer": initializer, "options": [Name("bert"), Labels({"team": "nlp"})]}
    shown = preview(**arguments, namespace="team-a")
    client.train(**arguments)
    ((path, posted),) = server.posted
    assert path == "/apis/trainer.kubeflow.org/v1alpha1/namespaces/team-a/trainjobs"
    assert shown.job == {**posted, "metadata": {**posted["metadata"], "namespace": "team-a"}}
    assert shown.job_set == trainjobc.render(shown.job).objects[-1]
    assert [one.severity for one in shown.findings if one.severity == "error"] == []
    assert [job.object for job in shown.plan.jobs] == ["TrainJob/team-a/bert"]
    assert preview(**arguments, client=client).job == shown.job


def post_and_preview(client, server, **arguments):
    """What ``preview`` shows of the TrainJob that ``train()`` posts."""
    arguments.setdefault("options", [Name("bert")])
    shown = preview(**arguments, namespace="team-a")
    client.train(**arguments)
    posted = server.posted[-1][1]
    assert shown.job == {**posted, "metadata": {**posted["metadata"], "namespace": "team-a"}}
    assert [one for one in shown.findings if one.severity == "error"] == []
    return shown


DATASETS = {
    "hub": HuggingFaceDatasetInitializer(storage_uri="hf://tatsu-lab/alpaca", ignore_patterns=["*.txt"], access_token="hf_a"),
    "s3": S3DatasetInitializer(storage_uri="s3://bucket/data", endpoint="https://s3.example", access_key_id="a",
                               secret_access_key="b", region="eu", role_arn="arn:aws:iam::1:role/a"),
    "none": None,
}
MODELS = {
    "hub": HuggingFaceModelInitializer(storage_uri="hf://meta-llama/Llama-3.2-1B-Instruct", access_token="hf_a"),
    "s3": S3ModelInitializer(storage_uri="s3://bucket/model", endpoint="https://s3.example", access_key_id="a", secret_access_key="b"),
    "none": None,
}


@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize("model", MODELS)
def test_initializers(client, server, dataset, model):
    initializer = Initializer(dataset=DATASETS[dataset], model=MODELS[model])
    shown = post_and_preview(
        client, server, runtime="torchtune-llama3.2-1b", trainer=TRAINERS["torchtune"][0], initializer=initializer
    )
    given = {kind for kind, one in (("dataset", dataset), ("model", model)) if one != "none"}
    assert set(shown.job["spec"].get("initializer", {})) == given


def test_the_data_cache(client, server):
    """Trainer refuses it: the runtime that it ships has no volume for a dataset."""
    cache = DataCacheInitializer(storage_uri="cache://schema/table", metadata_loc="s3://bucket/a.json", num_data_nodes=2)
    arguments = {"runtime": "torch-distributed-with-cache", "initializer": Initializer(dataset=cache), "options": [Name("bert")]}
    shown = preview(**arguments, namespace="team-a")
    client.train(**arguments)
    ((_, posted),) = server.posted
    assert shown.job["spec"] == posted["spec"] and posted["spec"]["initializer"]["dataset"]["storageUri"] == "cache://schema/table"
    assert [(one.rule, one.path) for one in shown.findings if one.is_refusal] == [("input/initializer", "spec.initializer.dataset")]


def all_options():
    """One of each kind that ``train()`` takes."""
    container = options.ContainerPatch(
        name="node",
        volume_mounts=[{"name": "data", "mountPath": "/data"}],
        security_context={"runAsUser": 1000},
    )
    pod = options.PodSpecPatch(
        service_account_name="trainer",
        volumes=[{"name": "data", "emptyDir": {}}],
        containers=[container],
        image_pull_secrets=[{"name": "registry"}],
        security_context={"fsGroup": 1000},
        node_selector={"pool": "gpu"},
        affinity={"nodeAffinity": {}},
        tolerations=[{"key": "gpu", "operator": "Exists"}],
        scheduling_gates=[{"name": "example.com/gate"}],
    )
    job = options.JobTemplatePatch(
        metadata={"labels": {"a": "b"}},
        spec=options.JobSpecPatch(template=options.PodTemplatePatch(metadata={"annotations": {"a": "b"}}, spec=pod)),
    )
    job_set = options.JobSetTemplatePatch(
        metadata={"labels": {"a": "b"}},
        spec=options.JobSetSpecPatch(replicated_jobs=[options.ReplicatedJobPatch(name="node", template=job)]),
    )
    made = [
        Name("bert"),
        Labels({"team": "nlp"}),
        options.Annotations({"example.com/owner": "nlp"}),
        options.TrainerCommand(["torchrun"]),
        options.TrainerArgs(["train.py"]),
        options.RuntimePatch(training_runtime_spec=options.TrainingRuntimeSpecPatch(template=job_set)),
    ]
    if hasattr(options, "ActiveDeadlineSeconds"):  # SDK 0.5
        made.append(options.ActiveDeadlineSeconds(3600))
    return made


def test_options(client, server):
    given = all_options()
    # Other patches are parts of this one.
    kinds = {name for name in options.__all__ if not name.endswith("Patch") or name == "RuntimePatch"}
    assert {type(one).__name__ for one in given} == kinds
    shown = post_and_preview(
        client, server, runtime="torch-distributed", trainer=TRAINERS["container"][0], options=given
    )
    (pod,) = [one["template"]["spec"]["template"]["spec"] for one in shown.job_set["spec"]["replicatedJobs"]]
    (container,) = pod["containers"]
    assert (container["command"], container["args"]) == (["torchrun"], ["train.py"])
    assert (pod["serviceAccountName"], pod["nodeSelector"], container["volumeMounts"]) == (
        "trainer", {"pool": "gpu"}, [{"name": "data", "mountPath": "/data"}])
    assert shown.job["spec"].get("activeDeadlineSeconds") == (3600 if "ActiveDeadlineSeconds" in kinds else None)


def test_what_train_takes_is_what_preview_takes():
    own = {"runtimes", "trainer_version", "namespace", "client"}
    assert [name for name in inspect.signature(preview).parameters if name not in own] == [
        name for name in inspect.signature(TrainerClient.train).parameters if name != "self"
    ]


def test_runtimes_of_the_client(client, server):
    """``train()`` also takes what ``get_runtime()`` returns."""
    runtime = client.get_runtime("torch-distributed")
    post_and_preview(client, server, runtime=runtime, trainer=TRAINERS["function"][0])


def test_preview_says_what_the_sdk_refuses():
    with pytest.raises(ValueError, match="BuiltinTrainer can't be used"):
        preview("torch-distributed", trainer=TRAINERS["torchtune"][0])
    with pytest.raises(RuntimeError, match="torch-distribute"):
        preview("torch-distribute")


def test_preview_with_runtimes_of_files(tmp_path):
    runtime = {**RUNTIMES["torch-distributed"], "kind": "TrainingRuntime", "metadata": {
        **RUNTIMES["torch-distributed"]["metadata"], "name": "ours", "namespace": "team-a"}}
    file = tmp_path / "runtime.yaml"
    file.write_text(yaml.safe_dump(runtime))
    shown = preview("ours", trainer=TRAINERS["function"][0], runtimes=file, namespace="team-a")
    if "kind" in shown.job["spec"]["runtimeRef"]:
        assert shown.job["spec"]["runtimeRef"] == {"kind": "TrainingRuntime", "name": "ours"}
        assert shown.job_set["metadata"]["namespace"] == "team-a"
    else:  # SDK 0.4 leaves out the kind, and the cluster looks for a ClusterTrainingRuntime.
        assert [one.rule for one in shown.findings if one.is_refusal] == ["input/missing-runtime"]


def test_a_preview_is_readable():
    made = preview(trainer=CustomTrainerContainer(image="registry.example/train:1", num_nodes=2))
    lines = str(made).split("\n")
    assert re.fullmatch(r"TrainJob/default/\w+", lines[0])
    assert lines[1:3] == ["  runtime: torch-distributed (torch)", "  nodes: 2, processes: ?, pods: 2"]
    assert any(line.startswith("  objects: JobSet ") for line in lines)
    assert str(made).endswith("".join("\n" + one.text for one in made.findings))


def test_preview_of_a_job_that_the_cluster_would_refuse():
    shown = preview(trainer=CustomTrainerContainer(image="a/b:1", num_nodes=0), options=[Name("Bert")])
    assert shown.job_set is None and shown.rendering.manifests == ()
    assert {one.path for one in shown.findings if one.is_refusal} >= {"metadata.name"}


@pytest.mark.parametrize(("runtime", "kind"), FITTING)
def test_guard_lets_pass_what_is_right(client, server, runtime, kind, capsys):
    trainer, initializer = TRAINERS[kind]
    found = []
    with guard(report=found.append):
        client.train(runtime=runtime, trainer=trainer, initializer=initializer)
    assert len(server.posted) == 1
    assert all(one.severity != "error" for one in found)
    assert capsys.readouterr() == ("", "")


REFUSED = {
    "a name": {"options": [Name("Not_A_Name")]},
    "a quantity": {"trainer": CustomTrainer(func=train, resources_per_node={"cpu": "4 cores"})},
    "a variable": {"trainer": CustomTrainer(func=train, env={"PET_NNODES": "2"})},
    "a negative number": {"trainer": CustomTrainer(func=train, num_nodes=-1)},
}


@pytest.mark.parametrize("what", REFUSED)
def test_guard_refuses(client, server, what):
    arguments = REFUSED[what]
    with guard(), pytest.raises(trainjobc.Rejected) as caught:
        client.train(runtime="torch-distributed", **arguments)
    assert server.posted == []
    assert any(one.severity == "error" for one in caught.value.findings)
    client.train(runtime="torch-distributed", **arguments)
    assert len(server.posted) == 1


def test_the_guard_of_the_page(client, server):
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/tasks/python.md").read_text(), flags=re.M | re.S)
    (shown,) = [block for block in blocks if "guard()" in block]
    exec(shown, {"guard": guard, "TrainerClient": lambda: client, "trainer": TRAINERS["container"][0]})
    assert len(server.posted) == 1


def test_guard_prints_warnings(client, server, capsys):
    with guard():
        client.train(runtime="torch-distributed", trainer=CustomTrainerContainer(image="registry.example/train:latest"), options=[Name("bert")])
    assert len(server.posted) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("TrainJob/team-a/bert: spec.trainer.image: warning: ")


def test_guard_takes_runtimes(client, server):
    with guard(runtimes=[]), pytest.raises(trainjobc.Rejected) as caught:
        client.train(runtime="torch-distributed")
    assert [one.rule for one in caught.value.findings if one.severity == "error"] == ["input/missing-runtime"]


def test_guard_leaves_nothing_and_leaves_others_alone(client, server):
    before = CustomObjectsApi.create_namespaced_custom_object, TrainerClient.train
    with guard(), guard():
        client.backend.custom_api.create_namespaced_custom_object("example.com", "v1", "team-a", "others", {"kind": "Other"})
        with pytest.raises(RuntimeError, match="Failed to get Runtime"):
            client.train(runtime="absent")
    assert before == (CustomObjectsApi.create_namespaced_custom_object, TrainerClient.train)
    assert [body for _, body in server.posted] == [{"kind": "Other"}]
