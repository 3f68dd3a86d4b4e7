// SPDX-License-Identifier: Apache-2.0

#include "compile/mended.h"

#include <doctest/doctest.h>

#include <vector>

#include "yaml/read/reader.h"

namespace trainjobc::compile::mended_test {

TEST_CASE("mended: an object stays what it is") {
  const base::SourceFile file("in.yaml", "{apiVersion: a/v1, kind: TrainJob, spec: {suspend: 1}}\n");
  base::Arena arena;
  base::Diagnostics diagnostics;
  const yaml::Node& root = *yaml::read(file, arena, diagnostics).front().root;
  base::Diagnostic refusal;
  refusal.rule = "input/type";
  refusal.severity = base::Severity::Error;
  refusal.location = yaml::locate(*root.at({"spec", "suspend"}));
  const yaml::Maker make(arena);
  const Mended without = mend(root, {refusal}, Mend::Without, make);
  CHECK(without.changed);
  CHECK(without.root->at({"spec", "suspend"}) == nullptr);
  refusal.location = yaml::locate(*root.get("kind"));
  const Mended same = mend(root, {refusal}, Mend::Without, make);
  CHECK_FALSE(same.changed);
  CHECK(same.root == &root);
}

}  // namespace trainjobc::compile::mended_test
