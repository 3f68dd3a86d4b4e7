#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lint --roots: what Flux Kustomizations and Argo CD Applications name is listed and checked, with Flux's variables.

usage: roots_test.py BINARY. Without kustomize and kubectl, the parts that build are skipped, with a message.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BINARY = pathlib.Path(sys.argv[1]).resolve()
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("TRAINJOBC_")}
problems = []

JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert}
spec:
  runtimeRef: {name: torch-distributed}
  trainer:
    image: r.io/train:1
    command: [torchrun, train.py]
    numNodes: ${NODES}
"""
RUNTIME = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: mine, labels: {trainer.kubeflow.org/framework: torch}}
spec:
  mlPolicy: {torch: {}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec: {template: {spec: {containers: [{name: node, image: "r.io/a:1"}]}}}
"""


def flux(name, path, post="", more=""):
    return f"""apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec:
  path: {path}
{more}{post}"""


def argo(name, source):
    return f"""apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  destination: {{namespace: team-a}}
  source: {{repoURL: "https://git.example.org/a.git", {source}}}
"""


def check(got, wanted, what):
    if got != wanted:
        problems.append(f"{what}:\n--- got\n{got}\n--- wanted\n{wanted}")


def run(files, *words):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / ".git").mkdir()
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([str(BINARY), *words], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr


def lint(files, *words):
    return run(files, "lint", "--roots", *words)


SUBSTITUTE = "  postBuild:\n    substitute: {NODES: \"4\"}\n"


def variables():
    listed = "note: Kustomization flux-system/apps (clusters/prod/apps.yaml:1): apps, 1 file\n"
    files = {"clusters/prod/apps.yaml": flux("apps", "./apps", SUBSTITUTE), "apps/bert.yaml": JOB}
    check(lint(files), (0, "", listed + "1 job: no findings\n"), "a variable")
    files["clusters/prod/apps.yaml"] = flux("apps", "./apps", SUBSTITUTE.replace("4", "four"))
    check(lint(files)[:2], (1, """clusters/prod/apps.yaml:7:25: error: spec.trainer.numNodes must be an integer, not the string "four" [input/type]
    7 |     substitute: {NODES: "four"}
      |                         ^~~~~~
  note: ${NODES} stands for it at apps/bert.yaml:9:15
  note: Kustomization flux-system/apps of clusters/prod replaces it at clusters/prod/apps.yaml:1:1

1 finding (1 error) in 1 of 2 files
"""), "a value of the wrong type")
    files["clusters/prod/apps.yaml"] = flux("apps", "./apps", SUBSTITUTE.replace("NODES", "NODE"))
    check(lint(files), (1, """apps/bert.yaml:9:15: error: nothing sets the variable NODES: Kustomization flux-system/apps of clusters/prod (clusters/prod/apps.yaml:1) replaces it by nothing [advice/flux-variable]
    9 |     numNodes: ${NODES}
      |               ^~~~~~~~ did you mean NODE?

1 finding (1 error) in 1 of 1 file
""", listed), "a variable that nothing sets")
    files["clusters/prod/apps.yaml"] = flux("apps", "./apps", SUBSTITUTE.replace("NODES", "REGION"))
    check(lint(files)[1], """apps/bert.yaml:9:15: error: nothing sets the variable NODES: Kustomization flux-system/apps of clusters/prod (clusters/prod/apps.yaml:1) replaces it by nothing [advice/flux-variable]
    9 |     numNodes: ${NODES}
      |               ^~~~~~~~ set NODES under spec.postBuild.substitute, or write a default: ${NODES:=value}

1 finding (1 error) in 1 of 1 file
""", "no similar one is set")
    files["apps/bert.yaml"] = JOB.replace("${NODES}", "${NODES:=2}")
    check(lint(files)[:2], (0, ""), "a default")
    files["apps/bert.yaml"] = JOB.replace("{name: bert}", "{name: bert, annotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}}")
    check(lint(files)[1].splitlines()[:1],
          ['apps/bert.yaml:9:15: error: spec.trainer.numNodes must be an integer, not the string "${NODES}" [input/type]'],
          "substitution is disabled")
    files["apps/bert.yaml"] = JOB.replace("${NODES}", "${NODES")
    check(lint(files)[1].splitlines()[:1],
          ["apps/bert.yaml:9:15: error: Flux can't replace the variables of this object: missing closing brace [advice/flux-variable]"],
          "a bad substitution")
    files["apps/bert.yaml"] = JOB.replace("${NODES}", "2").replace("{name: bert}", '{name: bert, annotations: {a: "\\x7F"}}')
    check(lint(files)[1], """apps/bert.yaml:3:41: error: kustomize can't write this object: yaml: control characters are not allowed [advice/flux-variable]
    3 | metadata: {name: bert, annotations: {a: "\\x7F"}}
      |                                         ^~~~~~ leave out the control character

1 finding (1 error) in 1 of 1 file
""", "a control character")


def children():
    """A variable that nothing sets in a Kustomization which another one applies."""
    files = {"clusters/prod/sync.yaml": flux("parent", "./ks", SUBSTITUTE), "apps/bert.yaml": JOB.replace("${NODES}", "2"),
             "ks/child.yaml": flux("child", "./apps", more="  targetNamespace: ml-${NODS}\n")}
    check(lint(files)[:2], (1, """ks/child.yaml:6:23: error: nothing sets the variable NODS: Kustomization flux-system/parent of clusters/prod (clusters/prod/sync.yaml:1) replaces it by nothing [advice/flux-variable]
    6 |   targetNamespace: ml-${NODS}
      |                       ^~~~~~~ did you mean NODES?

1 finding (1 error) in 1 of 2 files
"""), "a child's variable")


def sources():
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: vars, namespace: flux-system}\ndata: {NODES: \"%s\"}\n"
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: vars, namespace: flux-system}\nstringData: {NODES: \"s3cr3t\"}\n"
    post = "  postBuild:\n    substituteFrom: [{kind: ConfigMap, name: vars}]\n"
    files = {"apps/bert.yaml": JOB}
    for cluster, nodes in (("prod", "8"), ("staging", "one")):
        files[f"clusters/{cluster}/flux-system/sync.yaml"] = flux("flux-system", f"./clusters/{cluster}")
        files[f"clusters/{cluster}/apps.yaml"] = flux("apps", "./apps", post)
        files[f"clusters/{cluster}/vars.yaml"] = config % nodes
    status, out, err = lint(files)
    check((status, out.splitlines()[0], err.splitlines()),
          (1, 'clusters/staging/vars.yaml:4:15: error: spec.trainer.numNodes must be an integer, not the string "one" [input/type]',
           ["note: Kustomization flux-system/apps (clusters/prod/apps.yaml:1): apps, 1 file",
            "note: Kustomization flux-system/flux-system (clusters/prod/flux-system/sync.yaml:1): clusters/prod, 3 files",
            "note: Kustomization flux-system/apps (clusters/staging/apps.yaml:1): apps, 1 file",
            "note: Kustomization flux-system/flux-system (clusters/staging/flux-system/sync.yaml:1): clusters/staging, 3 files"]),
          "the ConfigMaps of two clusters")
    files = {"apps/bert.yaml": JOB, "c/apps.yaml": flux("apps", "./apps", post.replace("ConfigMap", "Secret")), "c/s.yaml": secret}
    check(lint(files)[:2], (0, ""), "a Secret sets it: its value is not read")
    del files["c/s.yaml"]
    check(lint(files)[2].splitlines()[1],
          "note: Kustomization flux-system/apps (c/apps.yaml:1): no file has Secret flux-system/vars: what only it may set is not "
          "checked", "what is not in the repository")


def artifacts():
    ref = "  sourceRef: {kind: ExternalArtifact, name: ml}\n"
    generator = """apiVersion: source.extensions.fluxcd.io/v1beta1
kind: ArtifactGenerator
metadata: {name: parts, namespace: flux-system}
spec:
  sources: [{alias: all, kind: GitRepository, name: flux-system}]
  artifacts:
  - name: ml
    copy: [%s]
"""
    kustomization = flux("apps", "./prod", more=ref)
    lead = "note: Kustomization flux-system/apps (c/apps.yaml:1): "
    files = {"ml/prod/bert.yaml": JOB.replace("${NODES}", "2"), "c/apps.yaml": kustomization}
    cases = {
        '{from: "@all/ml/**", to: "@artifact/"}': "ml/prod, 1 file",
        '{from: "@all/ml/base/**", to: "@artifact/base/"}, {from: "@all/ml/prod/**", to: "@artifact/prod"}': "ml/prod, 1 file",
        '{from: "@all/ml/prod", to: "@artifact/"}': "ml/prod, 1 file",
        '{from: "@all/ml/prod/", to: "@artifact/", strategy: Overwrite}': "ml/prod, 1 file",
        '{from: "@all/ml", to: "@artifact/"}': "prod is not checked: the repository has no such folder",
        '{from: "@all/ml/prod/*", to: "@artifact/"}': "prod is not checked: the repository has no such folder",
        '{from: "@all/ml/prod", to: "@artifact/prod"}': "prod is not checked: ArtifactGenerator flux-system/parts composes its source",
        '{from: "@all/ml/prod/bert.yaml", to: "@artifact/prod/"}': "prod is not checked: ArtifactGenerator flux-system/parts composes its source",
        '{from: "@all/ml/prod/**", to: "@artifact/staging/"}': "prod is not checked: ArtifactGenerator flux-system/parts composes its source",
        '{from: "@all/ml/prod/*.yaml", to: "@artifact/prod/"}': "prod is not checked: ArtifactGenerator flux-system/parts composes its source",
        '{from: "@all/**", to: "@artifact/"}': "prod is not checked: the repository has no such folder",
    }
    for copies, said in cases.items():
        files["c/parts.yaml"] = generator % copies
        check(lint(files)[2].splitlines()[0], lead + said, f"an ExternalArtifact of {copies}")
    del files["c/parts.yaml"]
    check(lint(files)[2].splitlines()[0],
          lead + "prod is not checked: its source is ExternalArtifact ml, which no ArtifactGenerator here makes",
          "an ExternalArtifact of another controller")


def clusters():
    mine = JOB.replace("torch-distributed", "mine").replace("${NODES}", "2")
    files = {"clusters/prod/all.yaml": flux("apps", "./apps") + "---\n" + flux("infra", "infra"),
             "apps/bert.yaml": mine, "infra/mine.yaml": RUNTIME}
    check(lint(files)[2].splitlines()[-1], "1 job, 1 runtime: no findings", "a runtime of another root of the cluster")
    files["clusters/prod/all.yaml"] = flux("apps", "./apps")
    files["clusters/staging/all.yaml"] = flux("infra", "infra")
    check(lint(files)[1].splitlines()[0],
          'apps/bert.yaml:5:22: error: there is no ClusterTrainingRuntime "mine" [input/missing-runtime]', "two clusters")
    files["clusters/prod/all.yaml"] = flux("apps", "./nope", more="  images: []\n")
    check(lint(files)[2].splitlines()[0],
          "note: Kustomization flux-system/apps (clusters/prod/all.yaml:1): nope is not checked: the repository has no such folder",
          "no folder")
    check(lint({"a.yaml": mine})[::2],
          (2, "trainjobc: --roots: the inputs have no Kustomization, no HelmRelease and no Application\n"), "no root")


def several_clusters():
    """A finding names the clusters that it concerns, unless these are all that deploy the file."""
    files = {"clusters/a/apps.yaml": flux("apps", "./apps"), "clusters/b/apps.yaml": flux("apps", "./apps"),
             "clusters/a/more.yaml": flux("runtimes", "./runtimes"), "runtimes/mine.yaml": RUNTIME,
             "apps/bert.yaml": JOB.replace("${NODES}", "2\n    numNode: 1").replace("torch-distributed", "mine")}
    check(lint(files)[1], """apps/bert.yaml:5:22: error: there is no ClusterTrainingRuntime "mine" [input/missing-runtime]
    5 |   runtimeRef: {name: mine}
      |                      ^~~~ clusters/b does not apply the one at runtimes/mine.yaml:1
  note: Kustomization flux-system/apps of clusters/b applies it at clusters/b/apps.yaml:1:1

apps/bert.yaml:10:5: error: unknown field "numNode" in spec.trainer [input/unknown-field]
   10 |     numNode: 1
      |     ^~~~~~~ did you mean "numNodes"?

2 findings (2 errors) in 1 of 2 files
""", "a runtime that one cluster has")
    files = {f"clusters/{one}/apps.yaml": flux("apps", "./apps", SUBSTITUTE.replace("4", "four" if one != "e" else "2"))
             for one in "abcde"}
    files["apps/bert.yaml"] = JOB.replace("numNodes: ${NODES}", "numNodes: 1\n    env: [{name: N, value: \"${NODES}\"}]")
    check(lint(files)[1], """apps/bert.yaml:10:28: error: spec.trainer.env[0].value must be a string, not the integer 2 [input/type]
   10 |     env: [{name: N, value: "${NODES}"}]
      |                            ^~~~~~~~~~ write ${quote}${NODES}${quote}, with quote: '"' under spec.postBuild.substitute: quotes in the file don't survive Flux
  note: the value of NODES at clusters/e/apps.yaml:7:25
  note: Kustomization flux-system/apps of clusters/e replaces it at clusters/e/apps.yaml:1:1

1 finding (1 error) in 1 of 1 file
""", "a value of one of five clusters")
    for one in "abcd":
        files[f"clusters/{one}/apps.yaml"] = flux("apps", "./apps", SUBSTITUTE)
    check(lint(files)[1], """apps/bert.yaml:10:28: error: spec.trainer.env[0].value must be a string, not the integer 2 [input/type]
   10 |     env: [{name: N, value: "${NODES}"}]
      |                            ^~~~~~~~~~ write ${quote}${NODES}${quote}, with quote: '"' under spec.postBuild.substitute: quotes in the file don't survive Flux
  note: the value of NODES at clusters/e/apps.yaml:7:25
  note: Kustomization flux-system/apps of clusters/e replaces it at clusters/e/apps.yaml:1:1

apps/bert.yaml:10:28: error: spec.trainer.env[0].value must be a string, not the integer 4 [input/type]
   10 |     env: [{name: N, value: "${NODES}"}]
      |                            ^~~~~~~~~~ write ${quote}${NODES}${quote}, with quote: '"' under spec.postBuild.substitute: quotes in the file don't survive Flux
  note: the value of NODES at clusters/a/apps.yaml:7:25
  note: the value of NODES at clusters/b/apps.yaml:7:25
  note: the value of NODES at clusters/c/apps.yaml:7:25
  note: Kustomization flux-system/apps of clusters/a replaces it at clusters/a/apps.yaml:1:1
  note: Kustomization flux-system/apps of clusters/b replaces it at clusters/b/apps.yaml:1:1
  note: so do 2 other roots

2 findings (2 errors) in 1 of 1 file
""", "the same value of four clusters")


def runtimes():
    """--used-by lists what is deployed, not the files of which it is made."""
    files = {f"clusters/{one}/apps.yaml": flux("apps", "./apps", SUBSTITUTE) for one in "ab"} | {"apps/bert.yaml": JOB}
    listed = """SCOPE       RUNTIME            KIND                    JOB           FROM
clusters/a  torch-distributed  ClusterTrainingRuntime  default/bert  apps/bert.yaml:1
clusters/b  torch-distributed  ClusterTrainingRuntime  default/bert  apps/bert.yaml:1
"""
    check(run(files, "runtimes", "--used-by", "--roots"), (0, listed, ""), "runtimes --roots")
    check(run(files, "runtimes", "--used-by", "--roots", "."), (0, listed, ""), "runtimes --roots .")


def choices():
    """A ConfigMap that nothing applies, of which there are several: the cluster is checked with each."""
    vars = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: vars, namespace: flux-system}\ndata: {NODES: \"%s\"}\n"
    post = "  postBuild:\n    substituteFrom: [{kind: ConfigMap, name: vars}]\n"
    files = {"fleet/apps.yaml": flux("apps", "./apps", post), "vars/a.yaml": vars % "4", "vars/b.yaml": vars % "four",
             "apps/bert.yaml": JOB}
    lead = "note: Kustomization flux-system/apps (fleet/apps.yaml:1) of fleet with vars/"
    check(lint(files), (1, """vars/b.yaml:4:15: error: spec.trainer.numNodes must be an integer, not the string "four" [input/type]
    4 | data: {NODES: "four"}
      |               ^~~~~~
  note: ${NODES} stands for it at apps/bert.yaml:9:15
  note: Kustomization flux-system/apps of fleet with vars/b.yaml replaces it at fleet/apps.yaml:1:1

1 finding (1 error) in 1 of 2 files
""", f"""{lead}a.yaml: apps, 1 file
{lead}a.yaml: ConfigMap flux-system/vars may be any of vars/a.yaml:1 and vars/b.yaml:1, and the repository does not say which one the cluster has: each is checked
{lead}b.yaml: apps, 1 file
"""), "two ConfigMaps that nothing applies")
    files["vars/b.yaml"] = vars % "4"
    check(lint(files), (0, "", "note: Kustomization flux-system/apps (fleet/apps.yaml:1): apps, 1 file\n1 job: no findings\n"),
          "two with the same data")
    files["vars/b.yaml"] = vars % "four"
    files["fleet/vars.yaml"] = vars % "2"
    check(lint(files)[:2], (0, ""), "one in the cluster's folder")


def argo_cd():
    two = JOB.replace("${NODES}", "2")
    files = {"apps.yaml": argo("a", "path: jobs, directory: {recurse: true, exclude: '{old/*,*.json}'}"), "jobs/a.yaml": two,
             "jobs/deep/b.yaml": two.replace("bert", "gpt"), "jobs/old/c.yaml": "kind: TrainJob\n", "jobs/d.json": "{}"}
    check(lint(files), (0, "", "note: Application argocd/a (apps.yaml:1): jobs, 2 files\n2 jobs: no findings\n"), "a directory")
    files["apps.yaml"] = argo("a", "path: jobs")
    check(lint(files)[2], "note: Application argocd/a (apps.yaml:1): jobs, 2 files\n1 job: no findings\n", "without recurse")
    files["apps.yaml"] = argo("a", "path: jobs, directory: {include: 'x*'}")
    check(lint(files)[2], "note: Application argocd/a (apps.yaml:1): jobs, 0 files\n", "include")
    files["apps.yaml"] = argo("a", "chart: training, targetRevision: 1.0.0")
    check(lint(files)[2],
          "note: Application argocd/a (apps.yaml:1): training is not checked: a chart of a Helm repository is not read\n", "a chart")
    files["apps.yaml"] = ("apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nspec:\n"
                          "  generators: [{git: {directories: [{path: jobs}]}}]\n  template: {}\n")
    check(lint(files), (2, "", "trainjobc: --roots: the inputs have no Kustomization, no HelmRelease and no Application\n"),
          "an ApplicationSet whose template has no spec")


def application_sets():
    """What the generators of the repository make of a template; the others are one note."""
    def application_set(name, generators, template, more=""):
        return (f"apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: {name}, namespace: argocd}}\nspec:\n"
                f"  goTemplate: {'true' if '{{.' in template else 'false'}\n{more}  generators: {generators}\n  template:\n"
                f"    metadata: {{name: '{template}'}}\n    spec:\n      destination: {{namespace: 'ml-{template}'}}\n")

    source = '      source: {repoURL: "https://git.example.org/a.git", path: PATH}\n'
    git = '{git: {repoURL: "https://git.example.org/a.git", WHAT}}'
    folders = git.replace("WHAT", "pathParamPrefix: job, directories: [{path: apps/*}, {path: apps/old, exclude: true}]")
    envs = git.replace("WHAT", "files: [{path: envs/*.json}]")
    own = JOB.replace("${NODES}", "2")
    files = {f"apps/{name}/job.yaml": own.replace("bert", name) for name in ("bert", "vit", "old")}
    files |= {f"envs/{env}.json": f'{{"env": "{env}", "queue": "{queue}"}}' for env, queue in (("dev", ""), ("prod", "gpus"))}
    files["sets.yaml"] = "---\n".join((
        application_set("all", f"[{{matrix: {{generators: [{folders}, {envs}]}}}}]", "{{.job.path.basename}}-{{.env}}", """  templatePatch: |
    spec:
      source:
        repoURL: https://git.example.org/a.git
        {{- if eq .env "prod" }}
        path: {{ .job.path.path }}
        {{- else }}
        path: apps/bert
        {{- end }}
""") + "      source: {}\n",
        application_set("merged", "[{merge: {mergeKeys: [name], generators: [{list: {elements: [{name: one, in: x}, {name: two, in: x}]}},"
                        " {list: {elements: [{name: two, in: z}]}}]}}]", "{{name}}-{{in}}") + source.replace("PATH", "apps/vit"),
        application_set("everywhere", "[{clusters: {}}]", "c-{{name}}") + source.replace("PATH", "apps/vit"),
        application_set("ranged", "[{list: {elements: [{a: b}]}}]", "{{.a}}{{range .x}}{{end}}") + source.replace("PATH", "apps/vit")))
    check(lint(files), (0, "", """note: Application argocd/bert-dev (sets.yaml:1): apps/bert, 1 file
note: Application argocd/bert-prod (sets.yaml:1): apps/bert, 1 file
note: Application argocd/vit-dev (sets.yaml:1): apps/bert, 1 file
note: Application argocd/vit-prod (sets.yaml:1): apps/vit, 1 file
note: Application argocd/one-x (sets.yaml:22): apps/vit, 1 file
note: Application argocd/two-z (sets.yaml:22): apps/vit, 1 file
note: ApplicationSet argocd/everywhere (sets.yaml:34): what it makes is not checked: its generator clusters asks a cluster or a service
note: ApplicationSet argocd/ranged (sets.yaml:46): what it makes is not checked: its template has {{range .x}}
6 jobs: no findings
"""), "ApplicationSets")


def built():
    files = {"clusters/prod/apps.yaml": flux("apps", "./apps/prod", SUBSTITUTE.replace("4", "four")),
             "apps/prod/kustomization.yaml": "resources: [../base]\nnamespace: team-a\n",
             "apps/base/kustomization.yaml": "resources: [bert.yaml]\n", "apps/base/bert.yaml": JOB}
    status, out, err = lint(files)
    check((out.splitlines()[:2], err.splitlines()[0]),
          (['clusters/prod/apps.yaml:7:25: error: spec.trainer.numNodes must be an integer, not the string "four" [input/type]',
            '    7 |     substitute: {NODES: "four"}'],
           "note: Kustomization flux-system/apps (clusters/prod/apps.yaml:1): apps/prod, a kustomization"), "a kustomization")
    source = ("apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: %s, namespace: flux-system}\n"
              "spec: {url: https://git.example.org/%s}\n---\n")
    child = flux("crds", "./config", more="  sourceRef: {kind: GitRepository, name: crds}\n")
    of_parent = {"c/apps.yaml": source % ("flux-system", "ml") + flux("apps", "./apps"), "apps/kustomization.yaml": "resources: [crds.yaml]\nnamespace: team-a\n",
                 "apps/crds.yaml": source % ("crds", "crds") + child}
    check(lint(of_parent)[2].splitlines()[0],
          "note: Kustomization team-a/crds (apps/crds.yaml:6): config is not checked: its source is "
          "https://git.example.org/crds", "a parent's namespace moves a source, too")
    # Flux builds the kustomizations below a folder that has none itself.
    files["clusters/prod/apps.yaml"] = flux("apps", "./apps/prod/..", SUBSTITUTE)
    files["apps/extra.yaml"] = JOB.replace("bert", "gpt")
    del files["apps/prod/kustomization.yaml"]
    check(lint(files)[2].splitlines()[-1], "2 jobs: no findings", "files and kustomizations")
    files["apps/base/kustomization.yaml"] = "resources: [nope.yaml]\n"
    files["clusters/prod/more.yaml"] = flux("more", "./more") + "---\n" + flux("remote", "./remote")
    files["more/gpt.yaml"] = JOB.replace("bert", "gpt").replace("${NODES}", "few")
    files["remote/kustomization.yaml"] = "resources:\n- https://git.example.org/a.git\n"
    status, out, err = lint(files)
    check((status, out), (1, """apps/base/kustomization.yaml:1:13: error: there is no file or folder nope.yaml [yaml/root]
    1 | resources: [nope.yaml]
      |             ^~~~~~~~~
  note: Kustomization flux-system/apps of clusters/prod applies it at clusters/prod/apps.yaml:1:1

more/gpt.yaml:9:15: error: spec.trainer.numNodes must be an integer, not the string "few" [input/type]
    9 |     numNodes: few
      |               ^~~

remote/kustomization.yaml:2:3: error: https://git.example.org/a.git is not here: kustomize would fetch it [yaml/root]
    2 | - https://git.example.org/a.git
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~ --kustomize-remote allows that
  note: Kustomization flux-system/remote of clusters/prod applies it at clusters/prod/more.yaml:7:1

3 findings (3 errors) in 3 of 3 files
"""), "roots that can't be built, and one that can")


CHART = {
    "charts/training/Chart.yaml": "apiVersion: v2\nname: training\nversion: 0.1.0\n",
    "charts/training/values.yaml": "nodes: 1\n",
    "charts/training/templates/job.yaml": JOB.replace("{name: bert}", "{name: {{ .Release.Name }}}")
                                             .replace("${NODES}", "{{ .Values.nodes }}"),
}
RELEASE = """apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: bert}
spec:
  chart: {spec: {chart: ./charts/training, sourceRef: {kind: GitRepository, name: flux-system}}}
  values: {nodes: %s}
"""


def releases():
    """A HelmRelease is read as each cluster's Kustomization applies it: patched, and with its variables."""
    files = {**CHART, "apps/base/release.yaml": RELEASE % "none",
             "apps/base/kustomization.yaml": "resources: [release.yaml]\n"}
    for cluster, nodes in (("prod", "${NODES}"), ("staging", "few")):
        files[f"apps/{cluster}/kustomization.yaml"] = "resources: [../base]\nnamespace: team-a\npatches: [{path: nodes.yaml}]\n"
        files[f"apps/{cluster}/nodes.yaml"] = RELEASE % f'"{nodes}"'
        files[f"clusters/{cluster}/apps.yaml"] = flux("apps", f"./apps/{cluster}", SUBSTITUTE)
    listed = """note: Kustomization flux-system/apps (clusters/prod/apps.yaml:1): apps/prod, a kustomization
note: Kustomization flux-system/apps (clusters/staging/apps.yaml:1): apps/staging, a kustomization
note: HelmRelease team-a/bert (apps/base/release.yaml:1) of clusters/prod: charts/training, a chart
note: HelmRelease team-a/bert (apps/base/release.yaml:1) of clusters/staging: charts/training, a chart
"""
    check(lint(files), (1, """charts/training/templates/job.yaml:9:15: error: spec.trainer.numNodes must be an integer, not the string "few" [input/type]
    9 |     numNodes: {{ .Values.nodes }}
      |               ^
  note: made with the values of HelmRelease team-a/bert at apps/base/release.yaml:1:1
  note: HelmRelease team-a/bert of clusters/staging applies it at apps/base/release.yaml:1:1

1 finding (1 error) in 1 of 8 files
""", listed), "the values of two clusters")
    files["apps/staging/nodes.yaml"] = RELEASE % "3"
    check(lint(files), (0, "", listed + "2 jobs: no findings\n"), "good values of two clusters")


def changes():
    """--changed-since reports the cluster that a change affects; the roots are listed once."""
    with tempfile.TemporaryDirectory() as folder:
        def git(*words):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], cwd=folder, check=True,
                           capture_output=True)

        for cluster in "ab":
            path = pathlib.Path(folder, f"clusters/{cluster}/apps.yaml")
            path.parent.mkdir(parents=True)
            path.write_text(flux("apps", "./apps", SUBSTITUTE))
        pathlib.Path(folder, "apps").mkdir()
        pathlib.Path(folder, "apps/bert.yaml").write_text(JOB)
        git("init", "-q")
        git("add", ".")
        git("commit", "-qm", "first")
        path.write_text(flux("apps", "./apps", SUBSTITUTE.replace("4", "four")))
        done = subprocess.run([str(BINARY), "lint", "--roots", "--changed-since", "HEAD"], cwd=folder, env=ENVIRONMENT,
                              capture_output=True, text=True, timeout=120)
        check((done.returncode, done.stdout), (1, """clusters/b/apps.yaml:7:25: error: spec.trainer.numNodes must be an integer, not the string "four" [input/type]
    7 |     substitute: {NODES: "four"}
      |                         ^~~~~~
  note: ${NODES} stands for it at apps/bert.yaml:9:15
  note: Kustomization flux-system/apps of clusters/b replaces it at clusters/b/apps.yaml:1:1

1 finding (1 error) in 1 of 2 files
"""), "a change of one cluster")
        check(done.stderr, """note: Kustomization flux-system/apps (clusters/a/apps.yaml:1): apps, 1 file
note: Kustomization flux-system/apps (clusters/b/apps.yaml:1): apps, 1 file
note: what changed since HEAD affects 1 of 2 jobs and runtimes
""", "the roots of one state")


def main():
    for part in (variables, children, sources, artifacts, clusters, several_clusters, runtimes, choices, argo_cd, application_sets):
        part()
    if shutil.which("git"):
        changes()
    else:
        print("git is not installed: no states were compared")
    if shutil.which("kustomize") or shutil.which("kubectl"):
        built()
    else:
        print("neither kustomize nor kubectl is installed: no kustomization was built")
    if shutil.which("helm") and shutil.which("kustomize"):
        releases()
    else:
        print("helm or kustomize is not installed: no release was built")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


sys.exit(main())
