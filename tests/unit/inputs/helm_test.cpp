// SPDX-License-Identifier: Apache-2.0

// What helm itself makes of charts is shown with the real one in tests/integrations/helm_test.py.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "inputs/helm/alignment.h"
#include "inputs/helm/chart.h"
#include "support/test_console.h"

namespace trainjobc::helm_test {
namespace {

using test::Run;
using test::TestConsole;

constexpr const char* kTemplate =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: {{ .Release.Name "
    "}}-bert\nspec:\n"
    "  runtimeRef:\n    name: torch-distributed\n  trainer:\n    image: r.io/bert:{{ .Values.tag }}\n"
    "    command: [torchrun, train.py]\n    numNodes: {{ .Values.nodes }}\n";

std::string built(const std::string& release, const std::string& nodes) {
  return fmt::format(
      "---\n# Source: training/templates/job.yaml\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: "
      "TrainJob\n"
      "metadata:\n  name: {}-bert\nspec:\n  runtimeRef:\n    name: torch-distributed\n  trainer:\n"
      "    image: r.io/bert:1.0\n    command: [torchrun, train.py]\n    numNodes: {}\n",
      release, nodes);
}

// helm, which has built these charts.
class Helm final : public base::ProcessRunner {
 public:
  bool is_there = true;
  std::map<std::string, std::string> built;  // by the chart
  std::vector<base::ProcessRequest> calls;

  base::IoResult<base::ProcessResult> run(const base::ProcessRequest& request) override {
    if (!is_there || request.argv[0] != "helm") return base::io_error("run", request.argv[0], ENOENT);
    calls.push_back(request);
    if (request.argv[1] == "version") return base::ProcessResult{0, "v4.3.1+g1a2b3c4\n", ""};
    const auto found = built.find(request.argv.back());
    if (found == built.end()) return base::ProcessResult{1, "", "Error: parse error\n"};
    return base::ProcessResult{0, found->second, ""};
  }
};

struct Folder {
  base::MemoryFileSystem files;
  Helm helm;

  Folder() {
    files.files["charts/training/Chart.yaml"] = "apiVersion: v2\nname: training\nversion: 0.1.0\n";
    files.files["charts/training/values.yaml"] = "tag: '1.0'\nnodes: 2\n";
    files.files["charts/training/templates/job.yaml"] = kTemplate;
    files.files["envs/prod.yaml"] = "nodes: four\n";
    helm.built["./charts/training"] = ::trainjobc::helm_test::built("prod", "four");
  }

  Run run(const std::vector<std::string>& arguments) {
    TestConsole console(files);
    console.programs = &helm;
    const int status = cli::run(arguments, console);
    return {status, console.out, console.err};
  }
};

constexpr const char* kNodes =
    "charts/training/templates/job.yaml:11:15: error: spec.trainer.numNodes must be an integer, not the "
    "string "
    "\"four\" [input/type]\n   11 |     numNodes: {{ .Values.nodes }}\n      |               ^\n"
    "  note: the value of .Values.nodes at ";

}  // namespace

TEST_CASE("helm: --helm builds a chart; findings are at the template and name the value") {
  Folder folder;
  Run run = folder.run({"lint", "-n", "team-a", "--helm", "charts/training/", "--values", "envs/prod.yaml",
                        "--release", "prod"});
  CHECK(run.out == kNodes + std::string("envs/prod.yaml:1:8\n\n1 finding (1 error) in 1 of 3 files\n"));
  CHECK(run.status == 1);
  CHECK(folder.helm.calls.front().argv ==
        std::vector<std::string>{"helm", "template", "--namespace=team-a", "--kube-version=v1.36.0",
                                 "--api-versions=trainer.kubeflow.org/v1alpha1",
                                 "--api-versions=jobset.x-k8s.io/v1alpha2",
                                 "--api-versions=trainer.kubeflow.org/v1alpha1/TrainJob",
                                 "--api-versions=trainer.kubeflow.org/v1alpha1/TrainingRuntime",
                                 "--api-versions=trainer.kubeflow.org/v1alpha1/ClusterTrainingRuntime",
                                 "--values=./envs/prod.yaml", "prod", "./charts/training"});
  run = folder.run({"lint", "--helm", "charts/training"});
  CHECK(run.out ==
        kNodes + std::string("charts/training/values.yaml:2:8\n\n1 finding (1 error) in 1 of 2 files\n"));
  CHECK(folder.helm.calls.back().argv[2] == "--namespace=default");
  CHECK(folder.helm.calls.back().argv[9] == "release-name");
  // Nothing that is not YAML is changed.
  run = folder.run({"lint", "--fix=all", "--helm", "charts/training"});
  CHECK(folder.files.files["charts/training/templates/job.yaml"] == kTemplate);
}

TEST_CASE("helm: what can't be built is an error") {
  Folder folder;
  const auto error = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"lint"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Run run = folder.run(arguments);
    CHECK(run.status == 2);
    return run.err;
  };
  CHECK(error({"--values", "envs/prod.yaml", "--helm", "charts/training"}) ==
        "trainjobc: --values is for the --helm before it\n");
  CHECK(error({"--helm", "charts"}) == "trainjobc: open charts/Chart.yaml: No such file or directory\n");
  CHECK(error({"--helm", "charts/training", "--values", "envs/nope.yaml"}) ==
        "trainjobc: open envs/nope.yaml: No such file or directory\n");
  CHECK(error({"--helm", "charts/training", "--release=--post-renderer=x"}) ==
        "trainjobc: charts/training: \"--post-renderer=x\" is not the name of a release\n");
  CHECK(error({"--helm", "charts/training", "--values", "../../outside.yaml"}) ==
        "trainjobc: charts/training: the values file ../../outside.yaml is outside of the repository\n");
  CHECK(error({"--helm", "charts/training", "--values", "a,b.yaml"}) ==
        "trainjobc: charts/training: helm can't read the values file a,b.yaml: it has a comma or a quote in "
        "its name\n");
  folder.helm.built.clear();
  CHECK(error({"--helm", "charts/training"}) ==
        "trainjobc: helm template charts/training failed:\n    Error: parse error\n");
  folder.helm.is_there = false;
  CHECK(error({"--helm", "charts/training"}) == "trainjobc: --helm: helm is not on the PATH\n");
}

TEST_CASE("helm: settings name the charts that a walk builds, and what if they can't be") {
  Folder folder;
  folder.files.files[".trainjobc.yaml"] =
      "helm:\n- {chart: charts/*, values: [envs/prod.yaml], release: prod}\n";
  Run run = folder.run({"lint", "-v", "."});
  CHECK(run.out == kNodes + std::string("envs/prod.yaml:1:8\n\n1 finding (1 error) in 1 of 3 files\n"));
  CHECK(run.err ==
        "note: built with helm v4.3.1\n"
        "note: charts/training/Chart.yaml is part of charts/training, which was built: skipped\n"
        "note: charts/training/templates/job.yaml is part of charts/training, which was built: skipped\n"
        "note: charts/training/values.yaml is part of charts/training, which was built: skipped\n"
        "note: envs/prod.yaml is part of charts/training, which was built: skipped\n");
  folder.helm.is_there = false;
  run = folder.run({"lint", "."});
  CHECK(run.err == "trainjobc: .trainjobc.yaml: helm is not on the PATH\n");
  CHECK(run.status == 2);
  folder.files.files[".trainjobc.yaml"] = "helm: {charts: [charts/training], build: auto}\n";
  run = folder.run({"lint", "."});
  CHECK(run.err == "note: charts/training and other charts are read as files: helm is not on the PATH\n");
  CHECK(run.out.find("this is an unrendered template [yaml/template]") != std::string::npos);
  folder.helm.is_there = true;
  folder.helm.calls.clear();
  folder.files.files[".trainjobc.yaml"] = "helm: {charts: [charts/training], build: never}\n";
  CHECK(folder.run({"lint", "."}).err.empty());
  CHECK(folder.helm.calls.empty());
  folder.files.files[".trainjobc.yaml"] = "helm: [{values: []}]\n";
  CHECK(folder.run({"lint", "."}).err ==
        ".trainjobc.yaml:1:8: error: a chart is a folder, or a map of chart, values, release and namespace "
        "[config/invalid]\n    1 | helm: [{values: []}]\n      |        ^\n");
}

TEST_CASE("helm: each release is a scope, and a line that two of them have wrong is reported once") {
  Folder folder;
  const std::vector<std::string> two{"--helm",   "charts/training", "--release", "a",
                                     "--helm",   "charts/training", "--release", "b",
                                     "--values", "envs/prod.yaml"};
  std::vector<std::string> arguments{"lint"};
  arguments.insert(arguments.end(), two.begin(), two.end());
  CHECK(folder.run(arguments).out ==
        kNodes + std::string("charts/training/values.yaml:2:8\n  note: the value of .Values.nodes at "
                             "envs/prod.yaml:1:8\n\n1 finding (1 error) in 1 of 3 files\n"));
  folder.helm.built["./charts/training"] = built("prod", "4");
  arguments[0] = "plan";
  CHECK(folder.run(arguments).out.starts_with(
      "SCOPE                             JOB                NODES  PODS  PROCESSES  GANG  QUEUE  HOSTS\n"
      "charts/training@a                 default/prod-bert  4      4     4          -     -      "
      "prod-bert-node-0-{0..3}.prod-bert\n"
      "charts/training@b+envs/prod.yaml  default/prod-bert  4      4     4          -     -      "
      "prod-bert-node-0-{0..3}.prod-bert\n"));
}

TEST_CASE("helm: charts of Argo CD Applications") {
  Folder folder;
  folder.files.files[".git/HEAD"] = "";
  folder.files.files["apps.yaml"] =
      "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: bert, namespace: "
      "argocd}\nspec:\n"
      "  destination: {namespace: team-a}\n  sources:\n  - {repoURL: a, ref: here}\n  - repoURL: a\n"
      "    path: charts/training\n    helm:\n      releaseName: prod\n      valueFiles: [values.yaml, "
      "$here/envs/prod.yaml]\n"
      "      valuesObject: {tag: '2.0'}\n      parameters:\n      - {name: labels, value: 'a,b'}\n"
      "      - {name: id, value: '7', forceString: true}\n      fileParameters: []\n";
  Run run = folder.run({"lint", "--roots", "apps.yaml"});
  CHECK(run.out == kNodes + std::string("envs/prod.yaml:1:8\n\n1 finding (1 error) in 1 of 3 files\n"));
  CHECK(run.err ==
        "note: Application argocd/bert (apps.yaml:1): charts/training, a chart\n"
        "note: Application argocd/bert (apps.yaml:1): helm.fileParameters is not applied\n");
  const auto& argv = folder.helm.calls.back().argv;
  CHECK(std::vector<std::string>(argv.begin() + 9, argv.end()) ==
        std::vector<std::string>{"--values=./charts/training/values.yaml", "--values=./envs/prod.yaml",
                                 "--values=-", "--set=labels=a\\,b", "--set-string=id=7", "prod",
                                 "./charts/training"});
  CHECK(folder.helm.calls.back().input == "tag: \"2.0\"\n");
  std::string& app = folder.files.files["apps.yaml"];
  app.replace(app.find("tag: '2.0'"), 10, "nodes: four");
  run = folder.run({"lint", "--roots", "apps.yaml"});
  CHECK(run.out.find("\n  note: made with the values of Application argocd/bert at apps.yaml:1:1\n") !=
        std::string::npos);
  app.replace(app.find("prod.yaml"), 9, "none.yaml");
  CHECK(folder.run({"lint", "--roots", "apps.yaml"}).err ==
        "note: Application argocd/bert (apps.yaml:1): charts/training is not checked: the repository has no "
        "values file "
        "$here/envs/none.yaml\n");
}

namespace {

// The place of each line of helm's output, at its first letter and its last: "job.yaml:4:3 job.yaml:4:11".
std::string places(base::MemoryFileSystem& files, const std::string& output) {
  const auto read = helm::read_chart(files, "c", {});
  const auto& chart = std::get<std::shared_ptr<const helm::Chart>>(read);
  const base::SourceFile* source = chart->find_template("c/templates/job.yaml");
  REQUIRE(source);
  const helm::Alignment alignment(*chart, *source, output);
  const base::SourceFile file("built", output);
  std::string all;
  for (uint32_t line = 1; line <= file.line_count(); ++line) {
    const std::string_view text = file.line(line);
    const auto first = static_cast<uint32_t>(text.find_first_not_of(' ') + 1);
    for (const uint32_t column : {first, static_cast<uint32_t>(text.size())}) {
      const helm::Place place = alignment.at(line, column);
      const std::string& name = place.file->name();
      all += fmt::format("{}:{}:{}{}", name.substr(name.rfind('/') + 1), place.line, place.column,
                         column == first ? " " : "\n");
    }
  }
  return all;
}

base::MemoryFileSystem chart_of(const std::string& job, const std::string& helpers) {
  base::MemoryFileSystem files;
  files.files["c/Chart.yaml"] = "name: c\n";
  files.files["c/templates/job.yaml"] = job;
  files.files["c/templates/_helpers.tpl"] = helpers;
  return files;
}

}  // namespace

TEST_CASE("gitops: what HelmReleases of Flux install, with their values") {
  Folder folder;
  folder.files.files[".git/HEAD"] = "";
  folder.files.files["clusters/prod/release.yaml"] =
      "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: bert, namespace: "
      "team-a}\nspec:\n"
      "  targetNamespace: jobs\n  chart:\n    spec:\n      chart: ./charts/training\n"
      "      valuesFiles: [./charts/training/values.yaml, ./envs/prod.yaml]\n      sourceRef: {kind: "
      "GitRepository, name: here}\n"
      "  valuesFrom:\n  - {kind: ConfigMap, name: sizes}\n  - {kind: ConfigMap, name: sizes, valuesKey: tag, "
      "targetPath: image.tag}\n"
      "  - {kind: Secret, name: keys}\n  values: {nodes: four, labels: {a: b}}\n---\n"
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: sizes, namespace: team-a}\ndata:\n"
      "  values.yaml: '{nodes: 1, image: {name: x}, labels: {c: d}}'\n  tag: '12'\n";
  const Run run = folder.run({"lint", "--roots", "clusters"});
  CHECK(run.err ==
        "note: HelmRelease team-a/bert (clusters/prod/release.yaml:1): charts/training, a chart\n"
        "note: HelmRelease team-a/bert (clusters/prod/release.yaml:1): the values of Secret team-a/keys are "
        "not known: it is "
        "checked without them\n");
  CHECK(run.out ==
        "charts/training/templates/job.yaml:11:15: error: spec.trainer.numNodes must be an integer, not the "
        "string "
        "\"four\" [input/type]\n   11 |     numNodes: {{ .Values.nodes }}\n      |               ^\n"
        "  note: made with the values of HelmRelease team-a/bert at clusters/prod/release.yaml:1:1\n\n"
        "1 finding (1 error) in 1 of 3 files\n");
  REQUIRE(folder.helm.calls.size() == 1);
  const base::ProcessRequest& call = folder.helm.calls.front();
  CHECK(call.argv[2] == "--namespace=jobs");
  CHECK(
      std::vector(call.argv.end() - 4, call.argv.end()) ==
      std::vector<std::string>{"--values=./envs/prod.yaml", "--values=-", "jobs-bert", "./charts/training"});
  CHECK(call.input == "nodes: four\nimage:\n  name: x\n  tag: 12\nlabels:\n  c: d\n  a: b\n");
}

TEST_CASE("gitops: what is found in values that only a Secret of the cluster has is not reported") {
  const auto lint = [](const std::string& values_from, const std::string& values, const std::string& job) {
    Folder folder;
    folder.files.files[".git/HEAD"] = "";
    folder.files.files["charts/training/values.yaml"] = values;
    folder.files.files["charts/training/templates/job.yaml"] = job;
    folder.files.files["release.yaml"] =
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: bert, namespace: "
        "team-a}\nspec:\n"
        "  chart: {spec: {chart: ./charts/training, sourceRef: {kind: GitRepository, name: here}}}\n"
        "  valuesFrom: [{kind: Secret, name: keys" +
        values_from + "}]\n";
    return folder.run({"lint", "--roots"});
  };
  const std::string known =
      "note: HelmRelease team-a/bert (release.yaml:1): charts/training, a chart\n"
      "note: HelmRelease team-a/bert (release.yaml:1): the values of Secret team-a/keys are not known: it is "
      "checked "
      "without them\n";
  // helm's output has nodes: "four" each time; what matters is who sets it.
  const Run empty = lint("", "tag: '1.0'\nnodes: ''\n", kTemplate);
  CHECK(empty.out == "");
  CHECK(empty.err == known + "1 job: no findings\n");
  const Run missing = lint("", "tag: '1.0'\n", kTemplate);
  CHECK(missing.out == "");
  const Run targeted = lint(", targetPath: nodes", "tag: '1.0'\nnodes: 2\n", kTemplate);
  CHECK(targeted.out == "");
  const std::string line =
      "charts/training/templates/job.yaml:11:15: error: spec.trainer.numNodes must be an integer";
  CHECK(lint("", "tag: '1.0'\nnodes: 2\n", kTemplate).out.starts_with(line));
  CHECK(lint(", targetPath: tag", "tag: ''\nnodes: 2\n", kTemplate).out.starts_with(line));
  const std::string asked = kTemplate + std::string("{{ if .Values.gpus }}{{ end }}\n");
  CHECK(lint("", "tag: '1.0'\nnodes: 2\n", asked).out == "");
  CHECK(lint(", targetPath: tag", "nodes: 2\n", asked).out.starts_with(line));
}

TEST_CASE("gitops: a chart that can't be built is a finding, and the others are checked") {
  Folder folder;
  folder.files.files[".git/HEAD"] = "";
  const auto release = [](const std::string& name, const std::string& chart, const std::string& kind) {
    return fmt::format(
        "---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {}, namespace: "
        "team-a}}\n"
        "spec: {{chart: {{spec: {{chart: {}, sourceRef: {{kind: {}, name: here}}}}}}}}\n",
        name, chart, kind);
  };
  folder.files.files["charts/other/Chart.yaml"] = "apiVersion: v2\nname: other\nversion: 0.1.0\n";
  folder.files.files["all.yaml"] =
      release("a", "charts/training", "GitRepository") + release("b", "charts/other", "GitRepository") +
      release("c", "charts/none", "GitRepository") + release("d", "trainer", "HelmRepository");
  folder.helm.built["./charts/training"] = built("a", "2");
  const Run run = folder.run({"lint", "--roots"});
  CHECK(run.err ==
        "note: HelmRelease team-a/a (all.yaml:2): charts/training, a chart\n"
        "note: HelmRelease team-a/c (all.yaml:12): charts/none is not checked: the repository has no such "
        "folder\n"
        "note: HelmRelease team-a/d (all.yaml:17): trainer is not checked: a chart of a Helm repository is "
        "not read\n");
  CHECK(run.out ==
        "all.yaml:7:1: error: helm template charts/other@b failed: Error: parse error [yaml/root]\n"
        "    7 | apiVersion: helm.toolkit.fluxcd.io/v2\n      | ^\n\n1 finding (1 error) in 1 of 3 files\n");
  CHECK(run.status == 1);
}

TEST_CASE("helm: what is wrong with objects of others in a chart's output is not reported") {
  Folder folder;
  folder.helm.built["./charts/training"] =
      built("prod", "2") +
      "---\n# Source: training/templates/web.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n"
      "  name: web\n  name: web\n";
  CHECK(folder.run({"lint", "--helm", "charts/training"}).err == "1 job: no findings\n");
  CHECK(folder.run({"render", "--passthrough", "--helm", "charts/training"}).status == 1);
}

TEST_CASE("helm: lines of templates, through conditions, loops and includes") {
  base::MemoryFileSystem files = chart_of(
      "{{- /* A job. */ -}}\n{{- range .Values.jobs }}\n---\nname: {{ .name }}-x\n{{- if .gpu }}\ngpu: true\n"
      "{{- else }}\ngpu: false\n{{- end }}\n{{- end }}\nspec:\n  {{- include \"c.spec\" . | nindent 2 }}\n"
      "  env: {{ toYaml .Values.env | nindent 4 }}\nlast: {{ .a }}/{{ .b }}:1\n",
      "{{- define \"c.other\" }}\nimage: wrong\n{{- end }}\n{{- define \"c.spec\" }}\nimage: {{ "
      ".Values.image }}\n"
      "nodes: 3\n{{- end }}\n");
  CHECK(places(files,
               "---\nname: a-x\ngpu: true\n---\nname: bb-x\ngpu: false\nspec:\n  image: r.io/x\n  nodes: 3\n "
               " env: \n"
               "    - name: A\nlast: l/m:1\n") ==
        "job.yaml:3:1 job.yaml:3:3\njob.yaml:4:1 job.yaml:4:19\njob.yaml:6:1 job.yaml:6:9\njob.yaml:3:1 "
        "job.yaml:3:3\n"
        "job.yaml:4:1 job.yaml:4:19\njob.yaml:8:1 job.yaml:8:10\njob.yaml:11:1 job.yaml:11:5\n"
        "_helpers.tpl:5:1 _helpers.tpl:5:8\n_helpers.tpl:6:1 _helpers.tpl:6:8\njob.yaml:13:3 job.yaml:13:8\n"
        "job.yaml:13:8 job.yaml:13:8\njob.yaml:14:1 job.yaml:14:25\n");
}

TEST_CASE("helm: a line of a loop that looks like the output of another action") {
  base::MemoryFileSystem files = chart_of(
      "{{- range .Values.jobs }}\n---\nkind: TrainJob\nname: {{ .name }}-job\nlabels:\n"
      "{{- range $k, $v := .labels }}\n  {{ $k }}: {{ $v }}\n{{- end }}\nlimits:\n"
      "  {{- toYaml .limits | nindent 2 }}\nnodes: {{ .nodes }}\n{{- else }}\nnone: true\n{{- end }}\n",
      "");
  // Lines 7 and 10 can both produce "cpu: 1": after limits, only line 10.
  CHECK(places(files,
               "kind: TrainJob\nname: bert-large-job\nlabels:\n  a-b: c-d\n  e: f\nlimits:\n  cpu: 1\n  "
               "memory: 2Gi\n"
               "  nvidia.com/gpu: 8\nnodes: 2\n") ==
        "job.yaml:3:1 job.yaml:3:14\njob.yaml:4:1 job.yaml:4:21\njob.yaml:5:1 job.yaml:5:7\n"
        "job.yaml:7:3 job.yaml:7:13\njob.yaml:7:3 job.yaml:7:13\njob.yaml:9:1 job.yaml:9:7\n"
        "job.yaml:10:3 job.yaml:10:3\njob.yaml:10:3 job.yaml:10:3\njob.yaml:10:3 job.yaml:10:3\n"
        "job.yaml:11:1 job.yaml:11:8\n");
}

TEST_CASE("helm: templates that don't end, include themselves, or have nothing to do with the output") {
  base::MemoryFileSystem files =
      chart_of("{{ if .a }}\na: {{ include \"c.self\" . }}\nb: {{ .b\n",
               "{{ define \"c.self\" }}{{ include \"c.self\" . }}\nx: {{ range }}\n");
  CHECK(places(files, "q: 1\n") == "job.yaml:2:4 job.yaml:2:4\n");
  files = chart_of("", "");
  CHECK(places(files, "q: 1\n") == "job.yaml:1:1 job.yaml:1:1\n");
}

}  // namespace trainjobc::helm_test
