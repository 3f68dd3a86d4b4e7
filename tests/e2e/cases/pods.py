# SPDX-License-Identifier: Apache-2.0

"""Random pod templates, as teams write them: mostly right, sometimes in unusual spellings."""

NAMES = ("amber", "birch", "cedar", "delta", "ember", "falcon", "granite", "harbor", "iris", "juniper")
CPUS = (1, "2", "500m", "1500m", "0.25", "2.5")
MEMORY = ("64Mi", "512Mi", "1Gi", "1.5Gi", "2G", "1024M", "1e9", 1073741824, "0.5Gi")
COMMANDS = (
    ["python", "train.py"],
    ["torchrun", "--nnodes=$(PET_NNODES)", "/workspace/train.py"],
    ["bash", "-c", 'set -e\npython train.py \\\n  --lr 1e-3\n'],
    ["sleep", "3600"],
)
ENV_NAMES = ("OMP_NUM_THREADS", "POD_IP", "HF_HOME", "TOKEN", "WANDB_PROJECT")
ENV_VALUES = ("1", "", "a: b", "#x", "true", "0x1f", "$(HOME)/x", "é", " spaced ")
SOURCES = (
    lambda name: {"fieldRef": {"fieldPath": "status.podIP"}},
    lambda name: {"fieldRef": {"fieldPath": "metadata.labels['team']", "apiVersion": "v1"}},
    lambda name: {"secretKeyRef": {"name": name, "key": "token"}},
    lambda name: {"secretKeyRef": {"name": name, "key": "token", "optional": True}},
    lambda name: {"configMapKeyRef": {"name": name, "key": "k"}},
    lambda name: {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}},
    lambda name: {"resourceFieldRef": {"resource": "requests.cpu"}},
)
PROBES = (
    {"tcpSocket": {"port": 8080}, "initialDelaySeconds": 5},
    {"httpGet": {"path": "/", "port": 8080}},
    {"exec": {"command": ["true"]}, "periodSeconds": 3},
    {"grpc": {"port": 9000}},
)
VOLUMES = (
    lambda name: {"emptyDir": {}},
    lambda name: {"emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
    lambda name: {"configMap": {"name": name, "items": [{"key": "a", "path": "b/a"}], "defaultMode": 420}},
    lambda name: {"configMap": {"name": name}},
    lambda name: {"secret": {"secretName": name}},
    lambda name: {"persistentVolumeClaim": {"claimName": name, "readOnly": True}},
    lambda name: {"hostPath": {"path": "/data"}},
    lambda name: {"nfs": {"server": "nfs.example.com", "path": "/export"}},
    lambda name: {"projected": {"sources": [{"serviceAccountToken": {"path": "t"}}, {"configMap": {"name": name}}]}},
    lambda name: {"downwardAPI": {"items": [{"path": "l", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
    lambda name: {"csi": {"driver": "csi.example.com"}},
    lambda name: {
        "ephemeral": {
            "volumeClaimTemplate": {
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
            }
        }
    },
)
AFFINITIES = (
    {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {"matchExpressions": [{"key": "type", "operator": "In", "values": ["kwok", "other"]}]}
                ]
            }
        }
    },
    {
        "podAntiAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 5, "podAffinityTerm": {"topologyKey": "kubernetes.io/hostname"}}
            ]
        }
    },
)
SECURITY = (
    {"runAsUser": 1000, "runAsNonRoot": True},
    {"capabilities": {"add": ["IPC_LOCK"]}},
    {"privileged": True},
    {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True},
    {"seccompProfile": {"type": "RuntimeDefault"}},
)
POD_FIELDS = {
    "restartPolicy": ("Never", "OnFailure"),
    "nodeSelector": ({"type": "kwok"}, {"kubernetes.io/os": "linux"}),
    "tolerations": ([{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}], [{"operator": "Exists"}]),
    "affinity": AFFINITIES,
    "securityContext": ({"fsGroup": 2000}, {"runAsUser": 1000, "supplementalGroups": [1]}, {}),
    "imagePullSecrets": ([{"name": "registry"}], []),
    "terminationGracePeriodSeconds": (0, 30),
    "hostNetwork": (True, False),
    "hostIPC": (True,),
    "dnsPolicy": ("ClusterFirst", "Default", "ClusterFirstWithHostNet"),
    "enableServiceLinks": (True, False),
    "automountServiceAccountToken": (False,),
    "shareProcessNamespace": (True, False),
    "schedulerName": ("default-scheduler",),
    "topologySpreadConstraints": (
        [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}],
        [
            {
                "maxSkew": 2,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"team": "blue"}},
            }
        ],
    ),
    "hostAliases": ([{"ip": "127.0.0.1", "hostnames": ["a.example.com"]}],),
    "preemptionPolicy": ("PreemptLowerPriority",),
    "activeDeadlineSeconds": (7200,),
    "dnsConfig": ({"nameservers": ["10.0.0.10"], "options": [{"name": "ndots", "value": "2"}]},),
    "readinessGates": ([{"conditionType": "example.com/ready"}],),
    "serviceAccountName": ("trainer", "default"),
    "runtimeClassName": (None,),
    "os": ({"name": "linux"},),
}


class Pods:
    def __init__(self, rng):
        self.rng = rng

    def chance(self, share):
        return self.rng.random() < share

    def word(self):
        return self.rng.choice(NAMES)

    def env(self):
        return [self._variable(name) for name in self.rng.sample(ENV_NAMES, self.rng.randint(1, 3))]

    def _variable(self, name):
        if self.chance(0.35):
            return {"name": name, "valueFrom": self.rng.choice(SOURCES)(self.word())}
        if self.chance(0.1):
            return {"name": name}
        return {"name": name, "value": self.rng.choice(ENV_VALUES)}

    def resources(self, gpus=0.3):
        requests = {"cpu": self.rng.choice(CPUS), "memory": self.rng.choice(MEMORY)}
        limits = {"memory": "8Gi", "cpu": 16}
        if self.chance(gpus):
            limits["nvidia.com/gpu"] = self.rng.randint(1, 4)
            if self.chance(0.3):
                requests["nvidia.com/gpu"] = limits["nvidia.com/gpu"]
        parts = {"requests": requests, "limits": limits}
        return {name: parts[name] for name in self.rng.choice((["requests"], ["limits"], ["requests", "limits"]))}

    def container(self, name, volumes):
        container = {"name": name, "image": f"registry.example.com/{self.word()}:{self.rng.randint(1, 9)}"}
        options = {
            "command": lambda: self.rng.choice(COMMANDS),
            "args": lambda: self.rng.choice((["--epochs", "3"], [], ["--lr=1e-3"])),
            "env": self.env,
            "envFrom": lambda: [{"configMapRef": {"name": self.word()}, "prefix": "P_"}],
            "resources": self.resources,
            "ports": lambda: [{"containerPort": self.rng.choice((8080, 29500)), "name": "metrics"}],
            "securityContext": lambda: self.rng.choice(SECURITY),
            "readinessProbe": lambda: self.rng.choice(PROBES),
            "livenessProbe": lambda: self.rng.choice(PROBES),
            "workingDir": lambda: "/workspace",
            "imagePullPolicy": lambda: self.rng.choice(("Always", "IfNotPresent")),
            "lifecycle": lambda: {"preStop": {"exec": {"command": ["sync"]}}},
            "terminationMessagePolicy": lambda: "FallbackToLogsOnError",
            "tty": lambda: True,
        }
        container.update((field, make()) for field, make in options.items() if self.chance(0.2))
        mounted = [volume["name"] for volume in volumes if self.chance(0.7)]
        mounts = [{"name": name, "mountPath": f"/mnt/{name}"} for name in mounted]
        for mount in mounts:
            mount.update(self.rng.choice(({}, {"readOnly": True}, {"subPath": "s"})))
        return {**container, **({"volumeMounts": mounts} if mounts else {})}

    def init_container(self, volumes):
        container = {**self.container("prepare", volumes), "name": self.word() + "-init"}
        for field in ("readinessProbe", "livenessProbe", "lifecycle"):
            container.pop(field, None)
        return {**container, **self.rng.choice(({}, {"restartPolicy": "Always"}))}

    def pod_spec(self, main, claims=()):
        volumes = [
            {"name": name, **self.rng.choice(VOLUMES)(self.word())}
            for name in self.rng.sample(("data", "scratch", "creds", "shm"), self.rng.choice((0, 0, 1, 2)))
        ]
        mountable = volumes + [{"name": claim} for claim in claims]
        spec = {"containers": [self.container(main, mountable)]}
        if self.chance(0.25):
            spec["containers"].append(self.container("sidecar", mountable))
        if self.chance(0.2):
            spec["initContainers"] = [self.init_container(mountable)]
        if volumes:
            spec["volumes"] = volumes
        spec.update(
            (field, self.rng.choice(values)) for field, values in sorted(POD_FIELDS.items()) if self.chance(0.08)
        )
        return spec

    def metadata(self, share=0.2):
        metadata = {}
        if self.chance(share):
            metadata["labels"] = {"team": "blue"}
        if self.chance(share / 2):
            metadata["annotations"] = {"note": "x y"}
        return {"metadata": metadata} if metadata or self.chance(share / 4) else {}
