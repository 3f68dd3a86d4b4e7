# SPDX-License-Identifier: Apache-2.0
"""preview and guard, with the released SDK and an API server that keeps what it is sent."""

import http.server
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
    HuggingFaceDatasetInitializer,
    HuggingFaceModelInitializer,
    Initializer,
    LoraConfig,
    TorchTuneConfig,
    TrainerClient,
)
from kubeflow.trainer.options import Labels, Name  # noqa: E402
from kubernetes.client import Configuration, CustomObjectsApi  # noqa: E402

from conftest import ROOT  # noqa: E402
from trainjobc.kubeflow import guard, preview  # noqa: E402

NEWEST = trainjobc.trainer_versions()[-1]
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
