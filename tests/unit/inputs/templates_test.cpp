// SPDX-License-Identifier: Apache-2.0

#include "inputs/gitops/templates.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/schema.h"

namespace trainjobc::templates_test {
namespace {

// What becomes of the text; "? " and the action that is not supported, if there is one.
std::string expanded(std::string_view text) {
  const test::Parsed parameters(R"(
env: prod
nodes: 4
big: true
none: ""
zero: 0
path: {basename: bert, segments: [apps, bert]}
)");
  std::string unknown;
  const auto result = gitops::expand_go(text, &*parameters, unknown);
  return result ? *result : "? " + unknown;
}

}  // namespace

TEST_CASE("Go templates: parameters and functions") {
  CHECK(expanded("ml-{{.env}}-{{ .path.basename | upper }}") == "ml-prod-BERT");
  CHECK(expanded("{{index .path.segments 0}}/{{index .path \"basename\"}}") == "apps/bert");
  CHECK(expanded("{{.none | default \"x\"}}{{default 1 .zero}}") == "x1");
  CHECK(expanded("{{toJson .path.segments}} {{.nodes | toJson}} {{toJson .env}}") ==
        R"(["apps","bert"] 4 "prod")");
  CHECK(expanded("{{hasPrefix \"pr\" .env}} {{hasSuffix \"x\" .env}} {{contains \"ro\" .env}}") ==
        "true false true");
  CHECK(expanded("a  {{- .env -}}  b{{/* no {value} */}}") == "aprodb");
  CHECK(expanded("{{.nodes | quote}} {{quote (quote .env)}} {{squote .env}}") == R"("4" "\"prod\"" 'prod')");
  CHECK(expanded("{{range .path.segments}}") == "? range .path.segments");
  CHECK(expanded("{{.env") == "? .env");
}

TEST_CASE("Go templates: conditions") {
  CHECK(expanded("{{if eq .env \"prod\"}}a{{else}}b{{end}}") == "a");
  CHECK(expanded("{{if eq .env \"dev\" \"prod\"}}a{{end}}!") == "a!");
  CHECK(expanded("{{if ne .env \"prod\"}}a{{else if .big}}b{{else}}c{{end}}") == "b");
  CHECK(expanded("{{if .none}}a{{else if .zero}}b{{else if .missing}}c{{end}}") == "");
  CHECK(expanded("{{if and .big (not .none) (or .zero .env)}}a{{if .none}}b{{else}}c{{end}}d{{end}}") ==
        "acd");
  CHECK(expanded("{{if .none}}{{range .x}}{{if .big}}a{{else}}b{{end}}{{end}}{{end}}c") == "c");
  CHECK(expanded("x: 1\n{{- if empty .none }}\ny: {{.nodes}}\n{{- end }}\n") == "x: 1\ny: 4\n");
  // Go compares only values of one kind.
  CHECK(expanded("{{if eq .nodes \"4\"}}a{{end}}") == "? if eq .nodes \"4\"");
  CHECK(expanded("{{if eq .missing \"4\"}}a{{end}}") == "? if eq .missing \"4\"");
  // The markers take spaces of the text beside them, not of values, nor across branches.
  CHECK(expanded(" a {{if .none}}b {{- .env}} {{- end}}c") == " a c");
  CHECK(expanded("{{print \"x \"}}") == "? print \"x \"");
  CHECK(expanded("{{\"x \"}}{{- .env}}") == "x prod");
  CHECK(expanded("{{if .env}}a") == "? if");
  CHECK(expanded("a{{end}}") == "? end");
  CHECK(expanded("a{{else}}b") == "? else");
}

}  // namespace trainjobc::templates_test
