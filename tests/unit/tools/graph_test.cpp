// SPDX-License-Identifier: Apache-2.0

#include "tools/graph/graph.h"

#include <doctest/doctest.h>

#include "cli/commands/graph_command.h"
#include "support/diff.h"

using namespace trainjobc;

namespace {

const std::vector<graph::JobGraph> kStrange{
    {"a \"b\" <c>",
     {{graph::Shape::Secret, {"x#y & `z`", "back\\slash"}}, {graph::Shape::Pods, {"node"}}},
     {{1, 0, "env \"e\"", false}, {0, 1, "", true}}}};

}  // namespace

TEST_CASE("Mermaid: labels can't end their quotes or add markup") {
  const std::string text = graph::format_mermaid(kStrange);
  CHECK(text.find("  subgraph j0[\"a #quot;b#quot; #lt;c#gt;\"]\n"
                  "    j0n0{{\"x#35;y #amp; #96;z#96;<br/>back#92;slash\"}}:::secret\n"
                  "    j0n1[\"node\"]:::pods\n"
                  "    j0n1 -.->|\"env #quot;e#quot;\"| j0n0\n"
                  "    j0n0 --> j0n1\n"
                  "  end\n") != std::string::npos);
}

TEST_CASE("DOT: labels can't end their quotes") {
  const std::string text = graph::format_dot(kStrange);
  CHECK(text.find("label=\"a \\\"b\\\" <c>\";") != std::string::npos);
  CHECK(text.find("j0n0 [label=\"x#y & `z`\\nback\\\\slash\", shape=hexagon") != std::string::npos);
  CHECK(text.find("j0n1 -> j0n0 [label=\"env \\\"e\\\"\", style=dashed];") != std::string::npos);
}

TEST_CASE("SVG is drawn by dot, without a shell") {
  test::DiffRun run;
  cli::GraphFlags flags;
  flags.input = run.flags.input;
  flags.format = "svg";
  run.runner.answer = [](const base::ProcessRequest&) -> base::IoResult<base::ProcessResult> {
    return base::ProcessResult{0, "<svg/>\n", ""};
  };
  CHECK(cli::run_graph(run.console, flags, run.runner) == 0);
  CHECK(run.console.out == "<svg/>\n");
  REQUIRE(run.runner.requests.size() == 1);
  CHECK(run.runner.requests.front().argv == std::vector<std::string>{"dot", "-Tsvg"});
  CHECK(run.runner.requests.front().input.starts_with("digraph trainjobs {\n"));

  run.console.out.clear();
  run.runner.answer = [](const base::ProcessRequest&) -> base::IoResult<base::ProcessResult> {
    return base::IoError{"run dot: No such file or directory"};
  };
  CHECK(cli::run_graph(run.console, flags, run.runner) == 2);
  CHECK(run.console.out.empty());
  CHECK(run.console.err ==
        "trainjobc: SVG needs Graphviz (run dot: No such file or directory): install it, or use -o mermaid "
        "or -o "
        "dot\n");

  run.console.err.clear();
  run.runner.answer = [](const base::ProcessRequest&) -> base::IoResult<base::ProcessResult> {
    return base::ProcessResult{1, "", "syntax error\n"};
  };
  CHECK(cli::run_graph(run.console, flags, run.runner) == 2);
  CHECK(run.console.err == "trainjobc: dot ended with status 1: syntax error\n");
}
