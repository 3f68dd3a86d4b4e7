#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs as `make install`, the tarball, the .deb, the wheel and the sdist do, and runs what was installed.

Each package is made twice, under another umask, time zone and time, and must come out with the same bytes.
usage: packages_test.py BUILD [--compile]. The sdist is built with the library of BUILD; with --compile, it is compiled as a
whole. What the machine lacks (dpkg, chroot as root, pip's index) is skipped, with a word.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
INSTALLED = {
    "bin/trainjobc",
    "bin/kubectl-trainjobc",
    "bin/kubectl_complete-trainjobc",
    "share/bash-completion/completions/trainjobc",
    "share/zsh/site-functions/_trainjobc",
    "share/fish/vendor_completions.d/trainjobc.fish",
    "share/man/man1/trainjobc.1",
    "share/man/man1/trainjobc-render.1",
    "share/man/man1/trainjobc-plan.1",
    "share/man/man1/trainjobc-runtimes-pull.1",
    "share/man/man5/trainjobc.yaml.5",
    "share/trainjobc/trainjobc-config.json",
    "share/trainjobc/schemas/v2.3/trainer.kubeflow.org/trainjob_v1alpha1.json",
    "share/trainjobc/schemas/v2.0/jobset.x-k8s.io/jobset_v1alpha2.json",
    "share/doc/trainjobc/README.md",
    "share/doc/trainjobc/CHANGELOG.md",
    "share/doc/trainjobc/LICENSE",
    "share/doc/trainjobc/NOTICE",
    "share/doc/trainjobc/trainjobc.cdx.json",
}
EPOCH = "1700000000"
problems = []


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


def check(condition, message):
    if not condition:
        problems.append(message)


def files_in(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def make_twice(what, pattern):
    """The package, or None where its bytes differ from one making to the next."""
    digests = []
    for umask, zone in ((0o022, "UTC"), (0o077, "Asia/Kolkata")):
        for old in (BUILD / "dist").glob(pattern):
            old.unlink()
        run(ROOT / "tools/package.sh", what, BUILD, env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH, "TZ": zone}, umask=umask)
        (made,) = (BUILD / "dist").glob(pattern)
        digests.append(hashlib.sha256(made.read_bytes()).hexdigest())
    check(len(set(digests)) == 1, f"{made.name}: made twice, it is {digests}")
    return made


def runs(*command, **options):
    out = run(*command, "version", **options)
    check(out.startswith("trainjobc "), f"{command}: version prints {out!r}")


def test_install(folder):
    run("cmake", "--install", BUILD, "--prefix", "/opt/tj", env={**os.environ, "DESTDIR": folder})
    installed = files_in(folder / "opt/tj")
    check(INSTALLED <= installed, f"make install lacks {INSTALLED - installed}")
    runs(folder / "opt/tj/bin/trainjobc")
    runs(folder / "opt/tj/bin/kubectl-trainjobc", env={"PATH": "/usr/bin:/bin"})
    completed = run(folder / "opt/tj/bin/kubectl_complete-trainjobc", "ren", env={"PATH": "/usr/bin:/bin"})
    check(completed.startswith("render\t") and completed.endswith("\n:4\n"), f"kubectl_complete prints {completed!r}")
    if shutil.which("kubectl"):
        path = f"{folder}/opt/tj/bin:{os.environ['PATH']}"
        runs("kubectl", "trainjobc", env={**os.environ, "PATH": path})
        minor = re.search(r'"minor": "(\d+)', run("kubectl", "version", "--client", "-o", "json"))
        if not minor or int(minor.group(1)) < 26:
            print("this kubectl completes no plugins: that was not tried")
            return
        offered = run("kubectl", "__complete", "trainjobc", "ren", env={**os.environ, "PATH": path})
        check(offered.startswith("render\t"), f"kubectl completes `kubectl trainjobc ren` by {offered!r}")
    else:
        print("kubectl is not installed: the plugin was run without it")


# The libraries that the static binary holds.
HELD = ["CLI11", "fmt", "glibc", "libstdc++", "libyaml", "nlohmann_json", "openssl", "re2", "yaml-cpp"]


def test_tarball(folder):
    made = make_twice("tarball", "*-*-*.tar.gz")
    with tarfile.open(made) as archive:
        archive.extractall(folder)
    (top,) = folder.iterdir()
    check(INSTALLED <= files_in(top), f"the tarball lacks {INSTALLED - files_in(top)}")
    check(any(name.startswith("share/doc/trainjobc/licences/") for name in files_in(top)) or not pathlib.Path("/usr/share/doc/libfmt-dev").exists(),
          "the tarball lacks the licences of what the binary holds")
    sbom = json.loads((top / "share/doc/trainjobc/trainjobc.cdx.json").read_text())
    without = [part["name"] for part in sbom["components"] if not re.match(r"\d+\.\d+", part["version"])]
    names = [part["name"] for part in sbom["components"]]
    check(sbom["bomFormat"] == "CycloneDX" and names == HELD, f"SBOM: {names}")
    check(not without, f"the SBOM has no version of {without}")
    itself = sbom["metadata"]["component"]
    check(itself["licenses"] == [{"license": {"id": "Apache-2.0"}}] and itself["externalReferences"], f"SBOM: {itself}")
    if os.geteuid() == 0:
        runs("chroot", top, "/bin/trainjobc")
    else:
        print("not root: the static binary was not run in an empty root")
        runs(top / "bin/trainjobc")
    run(ROOT / "tools/package.sh", "sums", BUILD)
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=BUILD / "dist")


def test_deb(folder):
    made = make_twice("deb", "*.deb")
    (folder / "var/lib/dpkg/updates").mkdir(parents=True)
    (folder / "var/lib/dpkg/info").mkdir()
    for name in ("status", "available", "diversions", "statoverride"):
        (folder / f"var/lib/dpkg/{name}").touch()
    fields = run("dpkg-deb", "--field", made)
    check("Package: trainjobc\n" in fields and "Depends:" not in fields and "Homepage: https:" in fields, f"fields of the .deb:\n{fields}")
    dpkg = ["dpkg", f"--root={folder}", "--force-not-root", "--force-script-chrootless", "--log=/dev/null"]
    run(*dpkg, "--install", made)
    want = {f"usr/{name}" for name in INSTALLED if "zsh" not in name}
    want |= {"usr/share/zsh/vendor-completions/_trainjobc", "usr/share/doc/trainjobc/copyright"}
    check(want <= files_in(folder), f"the .deb lacks {want - files_in(folder)}")
    runs(folder / "usr/bin/trainjobc")
    run(*dpkg, "--purge", "trainjobc")
    left = {name for name in files_in(folder) if not name.startswith("var/lib/dpkg/")}
    check(not left and not (folder / "usr").exists(), f"removing the .deb leaves {left or 'folders'}")


def test_wheel(folder):
    made = make_twice("wheel", "*.whl")
    run(sys.executable, "-m", "venv", folder / "venv")
    run(folder / "venv/bin/pip", "install", "--no-index", made)
    runs(folder / "venv/bin/trainjobc")
    (info,) = (folder / "venv").rglob("trainjobc-*.dist-info")
    metadata = (info / "METADATA").read_text()
    check("License-Expression: Apache-2.0\n" in metadata and "Project-URL: Homepage, https:" in metadata, f"the wheel's metadata:\n{metadata[:800]}")
    check({"LICENSE", "NOTICE"} <= {path.name for path in info.rglob("*")}, "the wheel lacks LICENSE or NOTICE")
    runs(folder / "venv/bin/kubectl-trainjobc", env={"PATH": "/usr/bin:/bin"})
    run(folder / "venv/bin/pip", "uninstall", "--yes", "trainjobc")
    left = [path.name for path in (folder / "venv").rglob("*trainjobc*")]
    check(not left, f"removing the wheel leaves {left}")


# Of the repository, what is in the sdist as a whole.
SOURCES = ["CMakeLists.txt", "LICENSE", "NOTICE", "README.md", "cmake", "completions", "include", "plugin", "pyproject.toml", "python", "rules", "schema", "src", "templates", "tools"]
RENDERS = """
import trainjobc
job = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "a"},
       "spec": {"runtimeRef": {"name": "torch-distributed"}}}
assert [one.kind for one in trainjobc.render(job).manifests] == ["JobSet"]
"""


def expected_sources():
    """The files below SOURCES that Git knows; without Git, those that are there."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        return set(run("git", "-C", ROOT, "ls-files", "-z", *SOURCES).rstrip("\0").split("\0"))
    paths = [path for name in SOURCES for path in [ROOT / name, *(ROOT / name).rglob("*")]]
    return {path.relative_to(ROOT).as_posix() for path in paths if path.is_file() and path.suffix != ".pyc"}


def test_sdist(folder):
    version = re.search(r"project\(trainjobc VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    made = make_twice("sdist", f"trainjobc-{version}.tar.gz")
    with tarfile.open(made) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    check(expected_sources() <= held, f"the sdist lacks {sorted(expected_sources() - held)}")
    unwanted = sorted(name for name in held if re.match(r"(build|tests|golden|docs|\.git)\b", name) or "__pycache__" in name)
    check("PKG-INFO" in held and not unwanted, f"the sdist has {unwanted[:5]}, or no PKG-INFO")
    run(sys.executable, "-m", "venv", folder / "venv")
    has_headers = pathlib.Path(sysconfig.get_path("include"), "Python.h").exists()
    flags = []
    if "--compile" not in sys.argv:
        flags = [f"-DTRAINJOBC_PREBUILT={BUILD}/static/trainjobc"]
        flags += [f"-DTRAINJOBC_PREBUILT_LIBRARY={BUILD}/libtrainjobc.a"] if has_headers else ["-DTRAINJOBC_PYTHON=OFF"]
    environment = {**os.environ, "CMAKE_ARGS": " ".join(flags), "CMAKE_BUILD_PARALLEL_LEVEL": "2"}
    run(folder / "venv/bin/pip", "wheel", "--no-deps", "--wheel-dir", folder, made, env=environment)
    (wheel,) = folder.glob("*.whl")
    run(folder / "venv/bin/pip", "install", "--no-index", wheel)
    runs(folder / "venv/bin/trainjobc")
    if has_headers:
        run(folder / "venv/bin/python", "-c", RENDERS)
    else:
        print("no headers of Python: the module of the sdist was not built")


def has_index():
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, "scikit-build-core>=0.11"]
        return subprocess.run(command, capture_output=True).returncode == 0


def main():
    targets = run("cmake", "--build", BUILD, "--target", "help")
    tests = {test_install: True}
    if "trainjobc-static" in targets:
        run("cmake", "--build", BUILD, "--target", "trainjobc-static")
        if "TRAINJOBC_SANITIZE:BOOL=ON" not in (BUILD / "CMakeCache.txt").read_text():
            run("cmake", "--build", BUILD, "--target", "trainjobc_library")
            tests[test_sdist] = has_index()
        tests |= {test_tarball: True, test_deb: shutil.which("dpkg") and shutil.which("cpack"), test_wheel: has_index()}
    else:
        print("no static archives of the libraries: packages were not tried")
    passed = 0
    for test, possible in tests.items():
        if not possible:
            print(f"{test.__name__}: skipped, its tools are not here")
            continue
        before = len(problems)
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(pathlib.Path(folder))
            except (RuntimeError, OSError, ValueError) as error:
                problems.append(f"{test.__name__}: {error}")
        passed += len(problems) == before
    print("\n".join(problems))
    print(f"{passed} passed, {len(problems)} failed")
    return 1 if problems else 0


sys.exit(main())
