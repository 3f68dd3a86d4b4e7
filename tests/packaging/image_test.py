#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The container image, built by buildah as a release does: what is in it, its labels, the same bytes each time. It runs
trainjobc in its own root, and Argo CD's plugin finds trainjobc where the sidecar mounts the image. The krew manifest
names the tarball's files.

usage: image_test.py BUILD. Without buildah, root or static libraries: exit status 77.
"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
PLATFORM = (BUILD / "platform").read_text().strip()  # linux-x86_64
JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: bert
spec:
  runtimeRef:
    name: torch-distributed
  trainer: {command: [torchrun, train.py]}
"""
problems = []


def check(condition, message):
    if not condition:
        problems.append(message)


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def package(what):
    run(ROOT / "tools/package.sh", what, BUILD, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})


def make_image():
    """The OCI archive; built twice, it must have the same image."""
    digests = set()
    for _ in range(2):
        package("image")
        (archive,) = (BUILD / "dist").glob(f"*-{PLATFORM}.oci.tar")  # a release has those of other platforms beside it
        with tarfile.open(archive) as tar:
            digests.add(json.load(tar.extractfile("index.json"))["manifests"][0]["digest"])
    check(len(digests) == 1, f"built twice, the image is {digests}")
    return archive


def blob(tar, digest):
    return tar.extractfile(f"blobs/{digest.replace(':', '/')}")


def unpack(archive, folder):
    """The image's configuration; its files are in the folder."""
    with tarfile.open(archive) as tar:
        index = json.load(tar.extractfile("index.json"))
        manifest = json.load(blob(tar, index["manifests"][0]["digest"]))
        for layer in manifest["layers"]:
            data = blob(tar, layer["digest"])
            with tarfile.open(fileobj=data) as files:
                files.extractall(folder)
        return json.load(blob(tar, manifest["config"]["digest"]))


def project():
    text = (ROOT / "CMakeLists.txt").read_text()
    words = text.split('project(', 1)[1].split(")", 1)[0]
    return words.split()[2], words.split('DESCRIPTION "', 1)[1].split('"')[0], words.split('HOMEPAGE_URL "', 1)[1].split('"')[0]


def check_configuration(config):
    version, description, home = project()
    labels = {key.removeprefix("org.opencontainers.image."): value for key, value in config["config"]["Labels"].items()}
    wanted = {"title": "trainjobc", "version": version, "description": description, "url": home, "source": home,
              "licenses": "Apache-2.0"}
    check(wanted.items() <= labels.items(), f"labels: {labels}")
    inside = config["config"]
    check(inside["Entrypoint"] == ["/usr/bin/trainjobc"] and inside["User"] == "65532:65532" and inside["WorkingDir"] == "/work",
          f"the image runs as {inside}")


def check_files(root):
    top = sorted(path.name for path in root.iterdir())
    check(top == ["usr", "work"], f"the image's root holds {top}")
    binaries = [path.name for path in (root / "usr/bin").iterdir()]
    check(binaries == ["trainjobc"], f"the image's programs are {binaries}")
    for name in ("LICENSE", "NOTICE", "trainjobc.cdx.json"):
        check((root / "usr/share/doc/trainjobc" / name).exists(), f"the image lacks {name}")


def check_runs(root):
    (root / "work/job.yaml").write_text(JOB)
    run("chroot", "--userspec=65532:65532", root, "/usr/bin/trainjobc", "lint", "--fail-on", "warning", "/work")
    rendered = run("chroot", "--userspec=65532:65532", root, "/usr/bin/trainjobc", "render", "/work/job.yaml")
    (job_set,) = list(yaml.safe_load_all(rendered))
    check(job_set["kind"] == "JobSet", f"render in the image: {rendered}")


def check_buildah_run(archive):
    """By a container runtime, if this machine lets one run."""
    loaded = subprocess.run(["buildah", "from", "--pull=never", f"oci-archive:{archive}"], capture_output=True, text=True, check=False)
    if loaded.returncode != 0:
        print(f"buildah can't load the image here: {loaded.stderr.strip()[-200:]}")
        return
    container = loaded.stdout.strip()
    try:
        said = subprocess.run(["buildah", "run", "--isolation", "chroot", container, "--", "/usr/bin/trainjobc", "version"],
                              capture_output=True, text=True, check=False)
        if said.returncode == 0:
            check(said.stdout.startswith("trainjobc "), f"buildah run: {said.stdout}")
        else:
            print(f"buildah can't run containers here: {said.stderr.strip()[-200:]}")
    finally:
        subprocess.run(["buildah", "rm", container], capture_output=True, check=False)


def check_sidecar(root, folder):
    """The plugin's commands, with the image where the sidecar mounts it."""
    deployment = yaml.safe_load((ROOT / "plugin/argocd/sidecar.yaml").read_text())["spec"]["template"]["spec"]
    (container,) = deployment["containers"]
    volumes = {volume["name"]: volume for volume in deployment["volumes"]}
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    (image,) = [name for name, volume in volumes.items() if "image" in volume]
    missing = {"trainjobc-plugin", "trainjobc-tmp", image} - mounts.keys()
    check(not missing, f"the sidecar mounts no {missing}")
    path = container["env"][0]["value"].replace(mounts[image], str(root))
    check(str(root) in path, f"the sidecar's PATH does not hold what it mounts at {mounts[image]}")
    plugin = yaml.safe_load((ROOT / "plugin/argocd/plugin.yaml").read_text())["spec"]
    (folder / "job.yaml").write_text(JOB)
    environment = {"PATH": path, "ARGOCD_APP_NAMESPACE": "team-a"}
    found = run(*plugin["discover"]["find"]["command"], *plugin["discover"]["find"]["args"], cwd=folder, env=environment)
    check(found == "jobset.jobset.x-k8s.io/bert\n", f"the sidecar discovers {found!r}")
    made = run(*plugin["generate"]["command"], *plugin["generate"]["args"], cwd=folder, env=environment)
    check(yaml.safe_load(made)["metadata"]["namespace"] == "team-a", f"the sidecar generates {made}")


def check_krew(folder):
    package("krew")
    version, _, home = project()
    manifest = yaml.safe_load((BUILD / "dist/trainjobc-krew.yaml").read_text())
    check(manifest["spec"]["version"] == f"v{version}" and manifest["spec"]["homepage"] == home, f"krew: {manifest['spec']}")
    for platform in manifest["spec"]["platforms"]:
        archive = BUILD / "dist" / platform["uri"].rsplit("/", 1)[1]
        check(platform["uri"].startswith(f"{home}/releases/download/v{version}/"), f"krew: {platform['uri']}")
        check(hashlib.sha256(archive.read_bytes()).hexdigest() == platform["sha256"], f"krew: the checksum of {archive.name}")
        unpacked = folder / "krew" / archive.name
        placed = unpacked / "placed"
        placed.mkdir(parents=True)
        with tarfile.open(archive) as tar:
            tar.extractall(unpacked)
        for move in platform["files"]:
            (found,) = unpacked.glob(move["from"].removeprefix("/"))
            shutil.copy(found, placed / move["to"])
        check((placed / platform["bin"]).exists(), f"krew: nothing puts {platform['bin']} into place")


def main():
    if not shutil.which("buildah"):
        skip("buildah is not installed")
    if os.geteuid() != 0:
        skip("not root")
    targets = run("cmake", "--build", BUILD, "--target", "help")
    if "trainjobc-static" not in targets:
        skip("no static archives of the libraries")
    run("cmake", "--build", BUILD, "--target", "trainjobc-static")
    package("tarball")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "root").mkdir()
        folder.chmod(0o755)
        (folder / "app").mkdir()
        archive = make_image()
        check_configuration(unpack(archive, folder / "root"))
        check_files(folder / "root")
        check_runs(folder / "root")
        check_sidecar(folder / "root", folder / "app")
        check_buildah_run(archive)
        check_krew(folder)
    print("\n".join(problems) or "the image is as it should be")
    return 1 if problems else 0


sys.exit(main())
