// SPDX-License-Identifier: Apache-2.0

// What the fuzz targets hold to be true, over a few inputs, and over those that once were a finding.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "support/properties/comparing.h"
#include "support/properties/configuring.h"
#include "support/properties/merging.h"
#include "support/properties/planning.h"
#include "support/properties/settling.h"

namespace trainjobc::properties_test {
TEST_CASE("merge: maps, lists and directives") {
  CHECK(test::wrong_with_merge("spec: {containers: [{name: a, image: i}], hostname: x}\n---\n"
                               "spec: {containers: [{name: b}, {name: a, image: j}], hostname: null}\n") ==
        "");
  CHECK(test::wrong_with_merge("metadata: {labels: {a: b}}\n---\nmetadata: {labels: {$patch: delete}}\n") ==
        "");
  CHECK(test::wrong_with_merge("spec: {tolerations: [1]}\n---\nspec: {tolerations: [{key: a}]}\n") == "");
}

TEST_CASE("configuration: good, wrong, and of several documents") {
  CHECK(test::wrong_with_configuration("exclude: ['**/a*', ./b/]\n---\n"
                                       "a: 1 # trainjobc:ignore input/unknown-field -- known\n") == "");
  CHECK(test::wrong_with_configuration("rules: {advice/image-tag: off}\n") == "");
  CHECK(test::wrong_with_configuration("rules: [\n") == "");
  CHECK(test::wrong_with_configuration(std::string("a\0: b\n", 6)) == "");
  CHECK(test::wrong_with_configuration("failOn: never\n--- \nfailOn: never\n") == "");
}

TEST_CASE("comparing: objects of a cluster with secrets") {
  for (const bool is_dry_run : {false, true}) {
    CHECK(test::wrong_with_live(
              "{kind: Secret, apiVersion: v1, metadata: {name: m-mpi-ssh-auth}, data: {a: s3cr3t}}\n",
              is_dry_run) == "");
    CHECK(
        test::wrong_with_live("{kind: SecretList, apiVersion: v1, items: [{metadata: {name: m-mpi-ssh-auth, "
                              "ownerReferences: [{kind: TrainJob, name: m}]}, stringData: {a: s3cr3t}}]}\n",
                              is_dry_run) == "");
    CHECK(test::wrong_with_live(
              "{kind: JobSet, apiVersion: jobset.x-k8s.io/v1alpha2, metadata: {name: a, namespace: team}, "
              "spec: "
              "{replicatedJobs: [{name: node, template: {spec: {template: {spec: {containers: [{name: node, "
              "env: [{name: HF_TOKEN, value: s3cr3t}]}]}}}}}]}}\n",
              is_dry_run) == "");
  }
  CHECK(test::wrong_with_diff_of_itself(test::compared_jobs()) == "");
}

// The seeds of the fuzz targets, and each of their beginnings: what a reader finds half written.
TEST_CASE("planning: quotas, graphs and settings") {
  const auto check_parts = [](const std::string& text, std::string (*wrong)(const std::string&)) {
    for (size_t end = text.size();; end -= std::min<size_t>(end, 97)) {
      CHECK(wrong(text.substr(0, end)) == "");
      if (end == 0) break;
    }
  };
  const auto seed = [](const std::string& path) {
    std::ifstream file(TRAINJOBC_SOURCE_DIR "/tests/fuzz/seeds/" + path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  for (const char* path : {"quota/cohorts.yaml", "quota/selectors.yaml", "quota/no-flavors.yaml"})
    check_parts(seed(path), test::wrong_with_quota);
  check_parts(seed("graph/volumes.yaml"), test::wrong_with_graph);
  check_parts(seed("settings/all.yaml"),
              [](const std::string& text) { return test::wrong_with_settings(text); });
}

}  // namespace trainjobc::properties_test
