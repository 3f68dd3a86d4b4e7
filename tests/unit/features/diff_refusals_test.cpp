// SPDX-License-Identifier: Apache-2.0

// Which updates a cluster refuses, and what is done about Secrets.
#include <doctest/doctest.h>

#include "compile/compile.h"
#include "features/cluster/compare.h"
#include "features/cluster/live_fields.h"
#include "features/diff/format.h"
#include "features/objects/differences.h"
#include "support/diff.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::diff_refusals_test {
namespace {

const yaml::Node* parse(base::Arena& arena, const base::SourceFile& file) {
  base::Diagnostics diagnostics;
  const auto documents = yaml::read(file, arena, diagnostics);
  REQUIRE(diagnostics.empty());
  return documents.front().root;
}

// path: refusal, one per line.
std::string refusals(const std::string& live_text, const std::string& rendered_text,
                     const std::string& kind = "JobSet") {
  base::Arena arena;
  const base::SourceFile live_file("live", live_text);
  const base::SourceFile rendered_file("rendered", rendered_text);
  const yaml::Node* live = parse(arena, live_file);
  const yaml::Node* rendered = parse(arena, rendered_file);
  objects::ObjectDiff object;
  object.kind = kind;
  object.name = "x";
  const schema::Schema* schema = kind == "JobSet" ? schema::find_version("2.3")->kind(kind)->schema : nullptr;
  for (schema::FieldDifference& field : schema::compare(*rendered, *live, schema)) {
    objects::Difference difference;
    difference.name = schema::to_string(field.path);
    difference.path = std::move(field.path);
    difference.live = field.live;
    difference.rendered = field.rendered;
    object.differences.push_back(std::move(difference));
  }
  cluster::mark_refusals(object, *live, *rendered);
  std::string out;
  for (const objects::Difference& difference : object.differences) {
    out += difference.name + ": " + (difference.refusal.empty() ? "-" : difference.refusal) + "\n";
  }
  return out;
}

std::string job_set(const std::string& suspend, const std::string& pod) {
  return "spec: {suspend: " + suspend + ", replicatedJobs: [{name: node, template: {spec: {template: " + pod +
         "}}}]}";
}

}  // namespace

TEST_CASE("fields that Kueue changes are mutable while the JobSet is, or gets, suspended") {
  const std::string before =
      "{metadata: {labels: {a: x}}, spec: {nodeSelector: {z: '1'}, priorityClassName: p}}";
  const std::string after =
      "{metadata: {labels: {a: y}}, spec: {nodeSelector: {z: '2'}, priorityClassName: q}}";
  const std::string to = "spec.replicatedJobs[0].template.spec.template.";
  const std::string open = "this field of spec.replicatedJobs is immutable unless the JobSet is suspended\n";
  CHECK(refusals(job_set("false", before), job_set("false", after)) ==
        to + "metadata.labels.a: " + open + to + "spec.nodeSelector.z: " + open + to +
            "spec.priorityClassName: spec.replicatedJobs is immutable\n");
  const std::string suspended = to + "metadata.labels.a: -\n" + to + "spec.nodeSelector.z: -\n" + to +
                                "spec.priorityClassName: spec.replicatedJobs is immutable\n";
  CHECK(refusals(job_set("true", before), job_set("true", after)) == suspended);
  CHECK(refusals(job_set("false", before), job_set("true", after)) == "spec.suspend: -\n" + suspended);
}

TEST_CASE("policies can't be changed, but can be added") {
  CHECK(refusals("spec: {successPolicy: {operator: All}, failurePolicy: {maxRestarts: 1}, managedBy: a, "
                 "network: {subdomain: a}, startupPolicy: {startupPolicyOrder: AnyOrder}, "
                 "ttlSecondsAfterFinished: 1}",
                 "spec: {successPolicy: {operator: Any}, failurePolicy: {maxRestarts: 2}, managedBy: b, "
                 "network: {subdomain: b}, startupPolicy: {startupPolicyOrder: InOrder}, "
                 "ttlSecondsAfterFinished: 2}") ==
        "spec.successPolicy.operator: spec.successPolicy is immutable\n"
        "spec.failurePolicy.maxRestarts: spec.failurePolicy is immutable\n"
        "spec.managedBy: spec.managedBy is immutable\n"
        "spec.network.subdomain: spec.network is immutable\n"
        "spec.startupPolicy.startupPolicyOrder: spec.startupPolicy is immutable\n"
        "spec.ttlSecondsAfterFinished: -\n");
  CHECK(refusals("spec: {}", "spec: {failurePolicy: {maxRestarts: 2}}") == "spec.failurePolicy: -\n");
}

TEST_CASE("immutable Secrets and ConfigMaps") {
  CHECK(refusals("{immutable: true, data: {a: eA==}, type: Opaque}",
                 "{immutable: true, data: {a: eQ==}, type: T}",
                 "Secret") == "data.a: the Secret is immutable\ntype: the type of a Secret is immutable\n");
  CHECK(refusals("{data: {a: x}}", "{data: {a: y}}", "ConfigMap") == "data.a: -\n");
  CHECK(refusals("{immutable: true, data: {a: x}}", "{data: {a: y}}", "ConfigMap") ==
        "data.a: the ConfigMap is immutable\nimmutable: the ConfigMap is immutable\n");
}

TEST_CASE("Secrets are compared as stored, and shown without values") {
  base::Arena arena;
  const base::SourceFile live_file(
      "live",
      "{kind: Secret, type: Opaque, metadata: {uid: u}, data: {same: eA==, changed: eA==, old: eA==}}");
  const base::SourceFile rendered_file("rendered", "{kind: Secret, stringData: {same: x, changed: y}}");
  const yaml::Maker make(arena);
  const cluster::Sides masked =
      cluster::mask_secrets({cluster::without_server_fields(*parse(arena, live_file), make),
                             cluster::without_server_fields(*parse(arena, rendered_file), make)},
                            make);
  std::string live;
  std::string rendered;
  yaml::write_json(*masked.live, yaml::KeyOrder::AsIs, 0, live);
  yaml::write_json(*masked.rendered, yaml::KeyOrder::AsIs, 0, rendered);
  CHECK(
      live ==
      R"json({"kind":"Secret","metadata":{},"data":{"same":"***","changed":"*** (before)","old":"***"}})json");
  CHECK(rendered == R"json({"kind":"Secret","data":{"same":"***","changed":"*** (after)"}})json");
}

}  // namespace trainjobc::diff_refusals_test
