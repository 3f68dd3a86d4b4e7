// SPDX-License-Identifier: Apache-2.0

#include "features/graph/graph.h"

#include <doctest/doctest.h>

#include "cli/commands.h"
#include "support/diff.h"

namespace trainjobc::graph_test {
namespace {

const std::vector<graph::JobGraph> kStrange{
    {"a \"b\" <c>",
     {{graph::Shape::Secret, {"x#y & `z`", "back\\slash"}}, {graph::Shape::Pods, {"node %%{init: 1}%%"}}},
     {{1, 0, "env \"e\"", false}, {0, 1, "", true}}}};

}  // namespace

TEST_CASE("Mermaid: labels can't end their quotes or add markup") {
  const std::string text = graph::format_mermaid(kStrange);
  CHECK(text == R"(flowchart LR
  classDef job fill:#dbeafe,stroke:#1d4ed8,color:#111
  classDef pods fill:#ffffff,stroke:#1d4ed8,color:#111
  classDef secret fill:#fee2e2,stroke:#b91c1c,color:#111
  classDef config fill:#fef9c3,stroke:#a16207,color:#111
  classDef volume fill:#ede9fe,stroke:#6d28d9,color:#111
  classDef service fill:#dcfce7,stroke:#15803d,color:#111
  classDef queue fill:#e5e7eb,stroke:#374151,color:#111
  classDef gang fill:#ffedd5,stroke:#c2410c,color:#111
  subgraph j0["a #quot;b#quot; #lt;c#gt;"]
    j0n0{{"x#35;y #amp; #96;z#96;<br/>back#92;slash"}}:::secret
    j0n1["node #37;#37;{init: 1}#37;#37;"]:::pods
    j0n1 -.->|"env #quot;e#quot;"| j0n0
    j0n0 --> j0n1
  end
)");
}

TEST_CASE("Mermaid: words that it looks for in labels are only words") {
  const std::string text = graph::format_mermaid(
      {{"t",
        {{graph::Shape::Pods, {"direction TB", "stylegan:1", "a $$x$$ $", "fab:fa-car", "a\\nb\\c"}}},
        {}}});
  CHECK(text.substr(text.find("    j0n0")) ==
        "    j0n0[\"#100;irection TB<br/>stylegan#58;1<br/>a $#8288;$x$#8288;$ $<br/>fab:#8288;fa-car<br/>"
        "a#92;#8288;nb#92;c\"]:::pods\n  end\n");
}

TEST_CASE("DOT: labels can't end their quotes") {
  const std::string text = graph::format_dot(kStrange);
  CHECK(text == R"(digraph trainjobs {
  rankdir=LR;
  nodesep=0.4;
  ranksep=0.7;
  fontname="sans-serif";
  node [fontname="sans-serif", fontsize=11];
  edge [fontname="sans-serif", fontsize=9];
  subgraph cluster_0 {
    label="a \"b\" <c>";
    color="#9ca3af";
    j0n0 [label="x#y &amp; `z`\nback\\slash", shape=tab, style=filled, fillcolor="#fee2e2", color="#b91c1c"];
    j0n1 [label="node %%{init: 1}%%", shape=box, style=filled, fillcolor="#ffffff", color="#1d4ed8"];
    j0n1 -> j0n0 [label="env \"e\"\n ", style=dashed, color="#6b7280", fontcolor="#374151"];
    j0n0 -> j0n1 [style=solid];
  }
}
)");
}

TEST_CASE("SVG is drawn by dot, without a shell") {
  test::DiffRun run;
  const std::vector<std::string> line{
      "graph", "-o", "svg", "--no-catalogue", "--trainer-version", "2.3", "runtime.yaml", "job.yaml"};
  run.runner.answer = [](const base::ProcessRequest&) -> base::IoResult<base::ProcessResult> {
    return base::ProcessResult{0, "<svg/>\n", ""};
  };
  CHECK(cli::run(line, run.console) == 0);
  CHECK(run.console.out == "<svg/>\n");
  REQUIRE(run.runner.requests.size() == 1);
  CHECK(run.runner.requests.front().argv == std::vector<std::string>{"dot", "-Tsvg"});
  CHECK(run.runner.requests.front().input == R"(digraph trainjobs {
  rankdir=LR;
  nodesep=0.4;
  ranksep=0.7;
  fontname="sans-serif";
  node [fontname="sans-serif", fontsize=11];
  edge [fontname="sans-serif", fontsize=9];
  subgraph cluster_0 {
    label="TrainJob team-a/demo";
    color="#9ca3af";
    j0n0 [label="TrainJob demo\nClusterTrainingRuntime plain", shape=box, style="rounded,filled", fillcolor="#dbeafe", color="#1d4ed8"];
    j0n1 [label="node: 2 pods\nregistry.example/train:1", shape=box, style=filled, fillcolor="#ffffff", color="#1d4ed8"];
    j0n2 [label="headless Service\ndemo", shape=box, style="rounded,filled", fillcolor="#dcfce7", color="#15803d"];
    j0n0 -> j0n1 [style=solid];
    j0n1 -> j0n2 [style=dashed, color="#6b7280", fontcolor="#374151"];
  }
}
)");

  run.console.out.clear();
  run.runner.answer = [](const base::ProcessRequest&) -> base::IoResult<base::ProcessResult> {
    return base::IoError{"run dot: No such file or directory"};
  };
  CHECK(cli::run(line, run.console) == 2);
  CHECK(run.console.out.empty());
  CHECK(run.console.err ==
        "trainjobc: SVG needs Graphviz (run dot: No such file or directory): install it, or use -o mermaid "
        "or -o "
        "dot\n");

  run.console.err.clear();
  run.runner.answer = [](const base::ProcessRequest&) -> base::IoResult<base::ProcessResult> {
    return base::ProcessResult{1, "", "syntax error\n"};
  };
  CHECK(cli::run(line, run.console) == 2);
  CHECK(run.console.err == "trainjobc: dot ended with status 1: syntax error\n");
}

TEST_CASE("graph: volumes of one name or path are one box only if they are the same thing") {
  base::MemoryFileSystem files;
  files.files["in.yaml"] =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\n"
      "spec: {runtimeRef: {name: rt}}\n---\n"
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: rt}\nspec:\n"
      "  mlPolicy: {numNodes: 1}\n  template: {spec: {replicatedJobs: [{name: node, template: {metadata: "
      "{labels: "
      "{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: {containers: "
      "[{name: node, image: 'a/b:1'}], volumes: [\n"
      "    {name: v0, nfs: {server: one, path: /data}},\n    {name: v1, nfs: {server: two, path: /data}},\n"
      "    {name: v2, nfs: {server: two, path: /data}},\n    {name: v3, hostPath: {path: /data}},\n"
      "    {name: v4, persistentVolumeClaim: {claimName: data}},\n    {name: v5, secret: {secretName: "
      "data}},\n"
      "    {name: v6, configMap: {name: data}},\n    {name: v7, csi: {driver: d, volumeAttributes: {share: "
      "a}}},\n"
      "    {name: v8, csi: {driver: d, volumeAttributes: {share: b}}},\n"
      "    {name: v9, csi: {driver: d, volumeAttributes: {share: a}}}]}}}}}]}}\n";
  test::TestConsole console(files);
  cli::run({"graph", "--no-config", "in.yaml"}, console);
  const size_t boxes = console.out.find("    j0n0");
  REQUIRE(boxes != std::string::npos);
  CHECK(console.out.substr(boxes) == R"(    j0n0(["TrainJob a<br/>ClusterTrainingRuntime rt"]):::job
    j0n1["node: 1 pod<br/>a/b:1"]:::pods
    j0n2[("NFS<br/>one:/data")]:::volume
    j0n3[("NFS<br/>two:/data")]:::volume
    j0n4[("host path<br/>/data")]:::volume
    j0n5[("PersistentVolumeClaim<br/>data")]:::volume
    j0n6{{"Secret<br/>data"}}:::secret
    j0n7[/"ConfigMap<br/>data"/]:::config
    j0n8[("CSI volume<br/>d")]:::volume
    j0n9[("CSI volume<br/>d")]:::volume
    j0n0 --> j0n1
    j0n1 -.-> j0n2
    j0n1 -.-> j0n3
    j0n1 -.-> j0n4
    j0n1 -.-> j0n5
    j0n1 -.->|"mounts"| j0n6
    j0n1 -.->|"mounts"| j0n7
    j0n1 -.-> j0n8
    j0n1 -.-> j0n9
  end
)");
}

}  // namespace trainjobc::graph_test
