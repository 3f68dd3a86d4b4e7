// SPDX-License-Identifier: Apache-2.0

// Builds charts with the helm on the PATH, as `helm template` does.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "base/files/file_system.h"
#include "base/process.h"
#include "compile/compile.h"
#include "inputs/builder.h"
#include "inputs/helm/chart.h"

namespace trainjobc::helm {

using builder::BuildFailure;

// A parameter of --set.
struct Parameter {
  std::string name;
  std::string value;
  bool is_text = false;  // a string, even if it looks like a number
};

// A release: a chart with its values.
struct Release {
  std::string chart;                       // its folder
  std::vector<std::string> values;         // values files; the last one that sets a value wins
  std::string name;                        // "" for helm's own default, release-name
  std::string ns;                          // "" for `default`
  std::string inline_values;               // YAML; wins over the files
  std::vector<Parameter> parameters = {};  // win over all others
  std::string kube_version = {};           // "" for the version whose rules are checked

  // "charts/training@prod+values-prod.yaml": the folder, the release's name if it has one, and the values
  // files, which are below the folder or as they were named.
  std::string scope() const;
};

// A release that was built. Its source is called CHART/(built), which no file is.
struct Built {
  Release release;
  Source source;
  std::shared_ptr<const Chart> chart;
};

using BuildResult = std::variant<Built, BuildFailure>;

struct BuildOptions {
  std::chrono::seconds timeout{60};
};

// Builds the releases, several at the same time; the results are in their order. helm fetches nothing, and
// reads nothing outside of the repository: neither values files nor what links in the chart lead to.
std::vector<BuildResult> build(const base::FileSystem& files, base::ProcessRunner& runner,
                               std::span<const Release> releases, const BuildOptions& options);

// Values that nobody here knows, such as those in a Secret of the cluster.
struct UnknownValues {
  std::vector<std::string> paths;  // "image.tag"
  bool any = false;                // also any that the release and the values files leave empty

  bool empty() const { return paths.empty() && !any; }
};

// The lines of templates (by file) whose output depends on such values: those that output one, and all of a
// template that tests one.
std::vector<std::pair<std::string, uint32_t>> undecided_lines(const Release& release, const Chart& chart,
                                                              const UnknownValues& unknown);

// For a finding at the output of a template's action, a note that says where its value is set.
std::optional<base::Note> note_on_value(const Release& release, const Chart& chart, const base::Location& at);

}  // namespace trainjobc::helm
