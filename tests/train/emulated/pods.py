# SPDX-License-Identifier: Apache-2.0

"""One pod: its network, host name, volumes and containers, and what the kubelet does with them."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import environment
import images
import network
import volumes

HERE = os.path.dirname(os.path.abspath(__file__))
RESTART_SECONDS = 0.2  # the kubelet's first back-off is 10 s


class Container:
    """Started, and started again if its pod's policy says so."""

    def __init__(self, pod, spec):
        self.pod = pod
        self.spec = spec
        self.process = None
        self.restarts = 0
        self.started = 0.0
        self.ended = 0.0
        self.ready = False
        unknown = {"startupProbe", "livenessProbe", "lifecycle"} & set(spec)
        if unknown:
            raise NotImplementedError(f"container with {sorted(unknown)}")

    @property
    def is_sidecar(self):
        return self.spec.get("restartPolicy") == "Always"

    @property
    def log_path(self):
        return os.path.join(self.pod.folder, self.spec["name"] + ".log")

    def start(self):
        self.ready = False
        self.started = time.monotonic()
        path = os.path.join(self.pod.folder, f"{self.spec['name']}-{self.restarts}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self._run_spec(path[: -len(".json")]), file)
        command = [*self.pod.enter, "unshare", "--mount", "--pid", "--fork", "--kill-child"]
        command += [sys.executable, "-S", "-E", os.path.join(HERE, "container.py"), path]
        with open(self.log_path, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def _run_spec(self, folder):
        pod, image = self.pod, self.pod.cluster.image(self.spec["image"])
        own = pod.environment.of(self.spec)
        env = image.env | {"HOSTNAME": pod.host_name} | own
        bound = volumes.mounts(self.spec, pod.volumes, own)
        bound += [{"source": own, "target": path, "readOnly": True} for path, own in image.binds.items()]
        context = pod.spec.get("securityContext", {}) | self.spec.get("securityContext", {})
        user = context.get("runAsUser", image.user)
        group = context.get("runAsGroup", images.group_of(user))
        groups = [context["fsGroup"]] if "fsGroup" in context else []
        words = [self.spec.get("command", image.command), self.spec.get("args", [])]
        return {
            "image": image.layer,
            "root": folder + "/root",
            "upper": folder + "/upper",
            "work": folder + "/work",
            "etc": pod.etc_files(),
            "volumes": bound,
            "folder": self.spec.get("workingDir", image.folder),
            "user": user,
            "group": group,
            "groups": sorted({group, *groups, *context.get("supplementalGroups", [])}),
            "command": [environment.expand(word, own) for part in words for word in part],
            "env": env,
        }

    def poll(self):
        """None while it runs, else its exit status."""
        if self.process is None:
            return None
        status = self.process.poll()
        if status is not None and not self.ended:
            self.ended = time.monotonic()
        return status if status is None or status >= 0 else 128 - status

    def restart(self):
        if time.monotonic() - self.ended >= RESTART_SECONDS:
            self.restarts += 1
            self.ended = 0.0
            self.start()

    def check_readiness(self):
        probe = self.spec.get("readinessProbe")
        if not probe:
            self.ready = True
        elif not self.ready and time.monotonic() - self.started >= probe.get("initialDelaySeconds", 0):
            self.ready = self._answers(probe)

    def _answers(self, probe):
        if "tcpSocket" not in probe:
            raise NotImplementedError(f"probe {sorted(probe)}")
        try:
            socket.create_connection((self.pod.address, probe["tcpSocket"]["port"]), timeout=0.5).close()
            return True
        except OSError:
            return False

    def signal(self, number):
        """To process 1 of the container."""
        if self.process is None or self.process.poll() is not None:
            return
        try:
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
                for child in file.read().split():
                    os.kill(int(child), number)
        except (FileNotFoundError, ProcessLookupError):
            pass

    def kill(self):
        if self.process is not None:
            self.process.kill()  # its children die with it
            self.process.wait()


class Pod:
    """`phase` is Pending, Running, Succeeded or Failed."""

    def __init__(self, cluster, name, host_name, subdomain, template, config, always_published=True):
        self.cluster = cluster
        self.name = name
        self.host_name = host_name
        self.subdomain = subdomain
        self.spec = template["spec"]
        self.metadata = template.get("metadata", {})
        self.config = config
        self.always_published = always_published
        self.phase = "Pending"
        self.exit_code = None
        self.disrupted = False
        self.sandbox = None
        self.init = [Container(self, spec) for spec in self.spec.get("initContainers", [])]
        self.containers = [Container(self, spec) for spec in self.spec["containers"]]

    @property
    def domain_name(self):
        return f"{self.host_name}.{self.subdomain}.{self.cluster.namespace}.{network.DOMAIN}"

    @property
    def watched(self):
        """The containers whose readiness counts: a sidecar's, too."""
        return [container for container in self.init if container.is_sidecar] + self.containers

    @property
    def ready(self):
        return self.phase == "Running" and all(container.ready for container in self.watched)

    @property
    def restarts(self):
        return sum(container.restarts for container in self.init + self.containers)

    def start(self):
        self.number = self.cluster.next_number()
        self.folder = os.path.join(self.cluster.folder, f"{self.number}-{self.name}")
        os.makedirs(self.folder + "/volumes")
        script = 'hostname "$0" && echo up && exec sleep infinity'
        command = ["unshare", "--net", "--uts", "--ipc", "sh", "-c", script, self.host_name]
        self.sandbox = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        if self.sandbox.stdout.readline() != "up\n":
            raise RuntimeError(f"no namespaces for pod {self.name}")
        space = f"/proc/{self.sandbox.pid}/ns"
        self.enter = ["nsenter", f"--net={space}/net", f"--uts={space}/uts", f"--ipc={space}/ipc"]
        self.address = network.connect(self.sandbox.pid, self.number)
        self.environment = environment.Environment(
            self._fields(), self.metadata.get("labels", {}), self.metadata.get("annotations", {}), self.config
        )
        self.volumes = volumes.make(self.spec, self.folder + "/volumes", self.cluster.claims, self.config)
        self.phase = "Running"
        if self.always_published:
            self.cluster.resolver.publish(self.domain_name, self.address)
        self._start_next()

    def _fields(self):
        return {
            "metadata.name": self.name,
            "metadata.namespace": self.cluster.namespace,
            "metadata.uid": f"uid-{self.number}",
            "spec.nodeName": f"machine-{self.number}",
            "spec.serviceAccountName": self.spec.get("serviceAccountName", "default"),
            "status.hostIP": network.GATEWAY,
            "status.podIP": self.address,
            "status.podIPs": self.address,
        }

    def etc_files(self):
        domain = f"{self.cluster.namespace}.{network.DOMAIN}"
        full = self.domain_name
        return {
            "hostname": self.host_name + "\n",
            "hosts": f"127.0.0.1\tlocalhost\n{self.address}\t{full}\t{self.host_name}\n",
            "resolv.conf": f"nameserver {network.GATEWAY}\nsearch {domain} {network.DOMAIN} cluster.local\n"
            "options ndots:5\n",
        }

    def _start_next(self):
        """The next init container, or all containers after the last one. Sidecars don't hold the others up."""
        for container in self.init:
            if container.process is None:
                container.start()
            if not container.is_sidecar and container.poll() != 0:
                return
        for container in self.containers:
            if container.process is None:
                container.start()

    def poll(self):
        if self.phase != "Running":
            return
        if any(self._has_failed(container) for container in self.init + self.containers):
            self._end("Failed")
            return
        self._start_next()
        for container in self.watched:
            if container.poll() is None and container.process is not None:
                container.check_readiness()
        if self.ready:
            self.cluster.resolver.publish(self.domain_name, self.address)
        if all(container.poll() is not None for container in self.containers):
            codes = [container.poll() for container in self.containers]
            failed = [code for code in codes if code != 0]
            if not failed:
                self._end("Succeeded")
            elif self.spec.get("restartPolicy", "OnFailure") == "Never":
                self.exit_code = failed[0]
                self._end("Failed")

    def _has_failed(self, container):
        """Restarts it if the policy says so; True if the pod ends with it."""
        status = container.poll()
        if status is None or (status == 0 and not container.is_sidecar):
            return False
        if container.is_sidecar or self.spec.get("restartPolicy", "OnFailure") != "Never":
            container.restart()
            return False
        self.exit_code = status
        return container in self.init

    def _end(self, phase):
        self.phase = phase
        self._remove()

    def _remove(self):
        for container in self.init + self.containers:
            container.kill()
        if self.sandbox:
            self.cluster.resolver.withdraw(self.domain_name, self.address)
            self.sandbox.kill()
            self.sandbox.wait()
            self.sandbox.stdout.close()
            network.disconnect(self.number)
            self.sandbox = None

    def stop(self, seconds=1.0):
        """As a deleted pod ends: SIGTERM, then SIGKILL."""
        running = [container for container in self.containers if container.process and container.poll() is None]
        for container in running:
            container.signal(signal.SIGTERM)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and any(container.poll() is None for container in running):
            time.sleep(0.02)
        self._remove()

    def evict(self):
        """As when its machine is drained."""
        self.disrupted = True
        self.exit_code = 143
        self.stop()
        self.phase = "Failed"

    def log(self):
        texts = []
        for container in self.init + self.containers:
            if container.process is not None:
                with open(container.log_path, encoding="utf-8", errors="replace") as file:
                    texts.append(file.read())
        return "".join(texts)
