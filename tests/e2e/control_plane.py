# SPDX-License-Identifier: Apache-2.0

"""A Kubernetes control plane of its own on loopback, with the controllers of JobSet and Trainer and kwok's nodes."""

import dataclasses
import json
import os
import pathlib
import shutil
import socket
import time
import urllib.error
import urllib.request

import installation
from certificates import write_certificates
from cluster import Cluster
from processes import Processes, free_ports
from programs import KUBERNETES, KUEUE, Missing, build, build_tool

CONTROLLER_SECONDS = 60
# Of the modules beside this file, newest first.
TRAINER_VERSIONS = sorted((path.name.removeprefix("trainer-") for path in pathlib.Path(__file__).parent.glob("trainer-*")),
                          key=lambda version: [int(part) for part in version.split(".")], reverse=True)
LOG_FLAGS = ["--zap-devel=false", "--zap-encoder=json", "--zap-stacktrace-level=panic"]
CLIENT = {"qps": 1000, "burst": 2000}


# Kueue reads a certificate for its metrics from a fixed path below /etc: it gets an /etc of its own.
OWN_ETC = """\
set -e
mount -t tmpfs tmpfs /etc
mkdir -p /etc/kueue/metrics/certs
cp "$0/tls.crt" "$0/tls.key" /etc/kueue/metrics/certs
exec setpriv --pdeathsig KILL "$@"
"""


@dataclasses.dataclass
class Releases:
    """What the control plane is made of; the JobSet is the one that the Trainer was released with."""

    trainer: str = TRAINER_VERSIONS[0]
    kubernetes: str = next(iter(KUBERNETES))
    kueue: str = ""  # or a folder with a checkout of it; for none

    def modules(self):
        """Of the controllers, by name."""
        modules = {"trainer": f"trainer-{self.trainer}", "jobset": f"jobset-{self.trainer}", "kwok": "kwok"}
        return {**modules, "kueue": KUEUE.get(self.kueue, self.kueue)} if self.kueue else modules


def build_all(folder, releases):
    """The paths of the programs by name."""
    if not shutil.which("openssl"):
        raise Missing("there is no openssl")
    server, kubectl = build(folder, releases.kubernetes)
    programs = {name: build_tool(module, folder) for name, module in releases.modules().items()}
    beside = os.path.dirname(server)
    names = ("kube-controller-manager", "kube-scheduler")
    return {**programs, **{name: os.path.join(beside, name) for name in names}, "cluster": server, "kubectl": kubectl}


def answers(port, path="/readyz"):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as response:
            return response.status == 200
    except (OSError, urllib.error.URLError):
        return False


def listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


class ControlPlane(Cluster):
    def __init__(self, programs, releases):
        self.version = releases.trainer
        self.kueue_module = releases.modules().get("kueue")
        self.processes = None
        self.read_so_far = {}
        super().__init__(programs["cluster"], programs["kubectl"])
        try:
            self._start(programs)
        except BaseException:
            self.stop()
            raise

    def _flags(self):
        own = [flag for flag in super()._flags() if not flag.startswith("--disable-admission-plugins")]
        return [*own, "--enable-priority-and-fairness=false", "--event-ttl=2h"]

    def _start(self, programs):
        self.processes = Processes(self.path("logs"))
        ports = free_ports(4)
        jobset_health, jobset_webhook, trainer_health, trainer_webhook = ports
        write_certificates(self.path("webhooks"))
        authority = self.path("webhooks/ca.crt")
        self._create(installation.objects(self.version, trainer_webhook, jobset_webhook, authority))
        self._start_kubernetes(programs)
        self.kubectl("wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
        self._start_jobset(programs["jobset"], jobset_webhook, jobset_health)
        self._start_trainer(programs["trainer"], trainer_webhook, trainer_health)
        self._start_kwok(programs["kwok"])
        self._create(installation.fake_nodes(4))
        for name, health, webhook in (("jobset", *ports[:2]), ("trainer", *ports[2:])):
            self.processes.wait_until(name, lambda: answers(health) and listens(webhook), CONTROLLER_SECONDS)
        if self.kueue_module:
            self._start_kueue(programs["kueue"])

    def _create(self, objects):
        as_list = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self.kubectl("create", "-f", "-", stdin=json.dumps(as_list))

    def _start_kubernetes(self, programs):
        common = [f"--kubeconfig={self.kubeconfig}", "--leader-elect=false", "--secure-port=0"]
        common += ["--kube-api-qps=1000", "--kube-api-burst=2000"]
        key = f"--service-account-private-key-file={self.path('accounts.key')}"
        managers = [*common, key, "--concurrent-job-syncs=10", "--concurrent-gc-syncs=20"]
        for name, flags in (("kube-controller-manager", managers), ("kube-scheduler", common)):
            self.processes.start(name, [programs[name], *flags], self.environment())

    def _controller_config(self, name, webhook_port, health_port, more):
        """The path of a file with what the controllers have in common, and more."""
        config = {
            "kind": "Configuration",
            "leaderElection": {"leaderElect": False},
            "metrics": {"bindAddress": "0"},
            "health": {"healthProbeBindAddress": f"127.0.0.1:{health_port}"},
            "webhook": {"host": "127.0.0.1", "port": webhook_port, "certDir": self.path("webhooks")},
            "clientConnection": CLIENT,
            **more,
        }
        path = self.path(name + ".yaml")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(config, file)
        return path

    def _start_jobset(self, program, webhook_port, health_port):
        more = {"apiVersion": "config.jobset.x-k8s.io/v1alpha1", "internalCertManagement": {"enable": False}}
        path = self._controller_config("jobset", webhook_port, health_port, more)
        self.processes.start("jobset", [program, *LOG_FLAGS, f"--config={path}"], self.environment())

    def _start_trainer(self, program, webhook_port, health_port):
        more = {"apiVersion": "config.trainer.kubeflow.org/v1alpha1", "certManagement": {"enable": False}}
        more["webhook"] = {"host": "127.0.0.1", "port": webhook_port}
        path = self._controller_config("trainer", webhook_port, health_port, more)
        # Trainer has no setting for the folder of its certificates; this is controller-runtime's.
        temporary = self.path("trainer")
        shutil.copytree(self.path("webhooks"), os.path.join(temporary, "k8s-webhook-server", "serving-certs"))
        environment = {**self.environment(), "TMPDIR": temporary}
        self.processes.start("trainer", [program, *LOG_FLAGS, f"--config={path}"], environment)

    def _start_kueue(self, program):
        """After the others: its webhooks see what is made from now on."""
        health_port, webhook_port = free_ports(2)
        more = {
            "apiVersion": "config.kueue.x-k8s.io/v1beta2",
            "internalCertManagement": {"enable": False},
            "featureGates": {"VisibilityOnDemand": False},
            "integrations": {"frameworks": list(installation.QUEUED)},
        }
        path = self._controller_config("kueue", webhook_port, health_port, more)
        authority = self.path("webhooks/ca.crt")
        self._create(installation.kueue_definitions(self.kueue_module, webhook_port, authority))
        self.kubectl("wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
        as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
        command = ["unshare", "--mount", *as_root, "sh", "-c", OWN_ETC, self.path("webhooks"), program]
        self.processes.start("kueue", [*command, *LOG_FLAGS, f"--config={path}"], self.environment())
        self.processes.wait_until("kueue", lambda: answers(health_port) and listens(webhook_port), CONTROLLER_SECONDS)
        self._create(installation.kueue_webhooks(self.kueue_module, webhook_port, authority))

    def _start_kwok(self, program):
        config = self.path("stages.yaml")
        installation.write_stages(config)
        flags = ["--manage-all-nodes=true", "--cidr=10.200.0.1/16", "--node-ip=127.0.0.1", f"--config={config}"]
        self.processes.start("kwok", [program, f"--kubeconfig={self.kubeconfig}", *flags], self.environment())

    def new_log(self, name):
        """The whole lines that the program has logged since the last call."""
        with open(self.processes.log_path(name), "rb") as file:
            file.seek(self.read_so_far.get(name, 0))
            text = file.read()
        text = text[: text.rfind(b"\n") + 1]
        self.read_so_far[name] = self.read_so_far.get(name, 0) + len(text)
        return text.decode(errors="replace")

    def keep_logs(self, folder):
        """The programs' logs, for a person who looks into a failure."""
        shutil.copytree(self.path("logs"), folder, dirs_exist_ok=True)

    def stop(self):
        if self.processes:
            self.processes.stop()
        super().stop()


def start(programs, releases):
    began = time.monotonic()
    plane = ControlPlane(programs, releases)
    print(f"control plane started in {time.monotonic() - began:.0f} s", flush=True)
    return plane
