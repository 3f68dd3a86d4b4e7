# SPDX-License-Identifier: Apache-2.0

"""The containers of a Flux pod, emulated: its two scripts run one after the other in their own root, with a stand-in
for flux that records its arguments."""

import dataclasses
import json
import os
import shutil
import stat
import subprocess
import tempfile
import tomllib

VIEW = "opt/views/._view/x7k2p"
PATH = "/stand-ins:/usr/local/bin:/usr/bin:/bin"
# Of the host, read only.
SYSTEM = ("usr", "bin", "lib", "lib64", "sbin")
KEPT = ("mnt/flux", "opt", "tmp")
MOUNT = """\
root=$0
for folder in $FOLDERS; do
  mount --bind "/$folder" "$root/$folder" && mount -o remount,ro,bind "$root/$folder" || exit 125
done
mount --rbind /dev "$root/dev" || exit 125
exec chroot "$root" /usr/bin/env -i "$@"
"""
# `flux start` fails as often as the file says.
FLUX = """\
#!/bin/bash
{
  printf '%q ' flux "$@"
  echo
  env | grep -vE '^(_|SHLVL|OLDPWD)=' | sort | sed 's/^/  /'
} >> /record/calls
if [ "$1" = R ]; then
  echo "resources of $*"
elif [ "$1" = start ] || [ "$1" = broker ]; then
  left=$(cat /record/failures)
  [ "$left" = 0 ] || { echo $((left - 1)) > /record/failures; exit 3; }
fi
"""
SLEEP = "#!/bin/bash\necho sleep \"$@\" >> /record/calls\n"


@dataclasses.dataclass
class Pod:
    """In which the scripts run."""

    hostname: str
    command: str = ""
    environment: dict = dataclasses.field(default_factory=dict)
    has_python: bool = True
    failures: int = 0


@dataclasses.dataclass
class Outcome:
    files: dict
    calls: str
    view: str  # what flux-view.sh makes of the environment
    fluxion: str  # what load-fluxion.sh calls
    status: int


class Sandbox:
    def __init__(self, pod):
        self.pod = pod
        self.folder = tempfile.TemporaryDirectory(prefix="trainjobc-flux-")
        self.root = self.folder.name
        self.bound = []
        for name in SYSTEM:
            if os.path.islink("/" + name):
                os.symlink(os.readlink("/" + name), self.path(name))
            elif os.path.isdir("/" + name):
                os.mkdir(self.path(name))
                self.bound.append(name)
        for name in ("dev", "tmp", "record", "mnt/flux", "opt/software/tool"):
            os.makedirs(self.path(name))
        self.write("etc/passwd", "root:x:0:0:root:/root:/bin/bash\n")
        self.write("curve/curve.cert", "the certificate\n", 0o440)
        self.write("record/failures", str(pod.failures))
        self.write("stand-ins/sleep", SLEEP, 0o755)
        self.write("stand-ins/hostname", f"#!/bin/bash\necho {pod.hostname}\n", 0o755)
        self.write("opt/software/tool/file", "a tool\n")
        self._write_view()

    def _write_view(self):
        self.write(f"{VIEW}/bin/flux", FLUX, 0o755)
        self.write(f"{VIEW}/etc/flux/rc1.d/rc", "")
        os.symlink("/" + VIEW, self.path("opt/view"))
        if self.pod.has_python:
            self.write(f"{VIEW}/lib/python3.11/site-packages/flux.py", "")
            self.write(f"{VIEW}/bin/python3.11", "", 0o755)
            os.symlink("/elsewhere/python3", self.path(f"{VIEW}/bin/python3"))

    def path(self, name):
        return os.path.join(self.root, name)

    def write(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), mode)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def bash(self, *words, environment=None):
        as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
        variables = [f"{name}={value}" for name, value in {"PATH": PATH, **(environment or {})}.items()]
        return subprocess.run(
            ["unshare", "--mount", *as_root, "sh", "-c", MOUNT, self.root, *variables, "bash", *words],
            env={"PATH": os.environ["PATH"], "FOLDERS": " ".join(self.bound)},
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            umask=0o022,
        )

    def run(self, scripts):
        """Both containers; an Outcome."""
        for name, text in scripts.items():
            self.write(f"etc/flux-config/{name}", text, 0o755)
        self.bash("/etc/flux-config/init.sh")
        # The other container's image has no view, and an empty volume at /opt/software.
        shutil.rmtree(self.path("opt"))
        os.makedirs(self.path("opt/software"))
        done = self.bash("/etc/flux-config/entrypoint.sh", self.pod.command, environment=self.pod.environment)
        calls = self.read("record/calls") if os.path.exists(self.path("record/calls")) else ""
        files = dict(self.files())
        view = self.bash("-c", ". /mnt/flux/flux-view.sh; env", environment=self.pod.environment).stdout
        self.write("record/calls", "")
        self.bash("/mnt/flux/load-fluxion.sh", environment={"PATH": f"{PATH}:/mnt/flux/view/bin"})
        fluxion = "".join(f"{line}\n" for line in self.read("record/calls").splitlines() if line[0] != " ")
        return Outcome(files, calls, "\n".join(sorted(view.splitlines())), fluxion, done.returncode)

    def files(self):
        for top in KEPT:
            for folder, folders, files in os.walk(self.path(top)):
                for name in folders + files:
                    path = os.path.join(folder, name)
                    yield os.path.relpath(path, self.root), self._described(path, name)

    def _described(self, path, name):
        if os.path.islink(path):
            return "link to " + os.readlink(path)
        mode = oct(stat.S_IMODE(os.stat(path).st_mode))
        if os.path.isdir(path):
            return f"folder {mode}"
        text = "" if name in ("flux-view.sh", "load-fluxion.sh") else self.read(os.path.relpath(path, self.root))
        return f"file {mode}\n{settings(text) if name == 'broker.toml' else text}"

    def close(self):
        self.folder.cleanup()


def settings(text):
    """Of a TOML file, without its layout and comments."""
    try:
        return json.dumps(tomllib.loads(text), sort_keys=True, indent=1)
    except tomllib.TOMLDecodeError:
        return "not TOML"


def run(pod, scripts):
    sandbox = Sandbox(pod)
    try:
        return sandbox.run(scripts)
    finally:
        sandbox.close()


def is_possible():
    """Are we allowed to make a root of our own?"""
    sandbox = Sandbox(Pod("host"))
    try:
        return sandbox.bash("-c", "true").returncode == 0
    finally:
        sandbox.close()
