// SPDX-License-Identifier: Apache-2.0

// A JobSet from YAML text, and its admission.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "compile/admission.h"
#include "schema/schema.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::test {

// A JobSet of one replicatedJob, "node", whose container is "main". `spec` goes into the JobSet's spec
// (indented by 2), `job` into the Job's (by 8), `pod` into the pod's (by 12).
struct JobSetParts {
  std::string_view spec = {};
  std::string_view job = {};
  std::string_view pod = {};
  std::string_view name = "bert";
};

inline std::string job_set(const JobSetParts& parts) {
  std::string text = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata:\n  name: ";
  text.append(parts.name).append("\nspec:\n").append(parts.spec);
  text.append("  replicatedJobs:\n  - name: node\n    template:\n      spec:\n").append(parts.job);
  text.append("        template:\n          spec:\n").append(parts.pod);
  text.append("            containers:\n            - name: main\n              image: busybox\n");
  return text;
}

// Owns the nodes and the files that they came from.
class JobSetBench {
 public:
  explicit JobSetBench(std::string_view trainer = "2.3")
      : schema_(*schema::find_version(trainer)->kind("JobSet")->schema), make_(arena_) {}

  const yaml::Maker& make() const { return make_; }

  // The only document of a file.
  const yaml::Node* read(std::string_view text, std::string_view file_name = "jobset.yaml") {
    files_.push_back(std::make_unique<base::SourceFile>(std::string(file_name), std::string(text)));
    base::Diagnostics diagnostics;
    const auto documents = yaml::read(*files_.back(), arena_, diagnostics);
    REQUIRE(diagnostics.empty());
    REQUIRE(documents.size() == 1);
    return documents.front().root;
  }

  const yaml::Node* admit(const yaml::Node& job_set) const {
    return compile::admit_job_set(job_set, schema_, make_);
  }

  std::string admitted(std::string_view text) {
    std::string out;
    yaml::write_yaml(*admit(*read(text)), yaml::KeyOrder::Kubernetes, out);
    return out;
  }

  // Every violation as people see it; fields that the webhook names follow in parentheses.
  std::string violations(const yaml::Node& job_set, const k8s::jobset::Behaviour& behaviour = {}) const {
    std::string out;
    for (const base::Diagnostic& violation : compile::validate_job_set(*admit(job_set), schema_, behaviour)) {
      out += base::format_text(violation, {});
      if (!violation.field.empty()) out += "(" + violation.field + ")\n";
    }
    return out;
  }

  std::string violations(std::string_view text, const k8s::jobset::Behaviour& behaviour = {}) {
    return violations(*read(text), behaviour);
  }

 private:
  const schema::Schema& schema_;
  base::Arena arena_;
  yaml::Maker make_;
  std::vector<std::unique_ptr<base::SourceFile>> files_;
};

}  // namespace trainjobc::test
