// SPDX-License-Identifier: Apache-2.0

// Builds kustomizations with the kustomize or kubectl on the PATH.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/files/file_system.h"
#include "base/process.h"
#include "compile/compile.h"
#include "inputs/builder.h"
#include "inputs/kustomize/kustomization.h"

namespace trainjobc::kustomize {

// A folder to build.
struct Target {
  std::string folder;
  std::shared_ptr<const Replacement> replacement = {};  // a kustomization to use instead of the folder's
  // Whether files outside of the folder may be read, as Flux and Argo CD allow.
  bool reads_outside = false;
  bool may_run_helm = false;    // for helmCharts
  std::string repository = {};  // the absolute path of the folder's repository; set if there is a replacement
  std::shared_ptr<const base::FileSystem> files = {};  // the files that kustomize sees; nullptr for all
};

struct BuildOptions {
  bool allow_remote = false;  // kustomize may fetch bases that are not on this machine
  std::chrono::seconds timeout{60};
};

// A root that was built. Its source is called ROOT/(built), which no file is.
struct Built {
  std::string folder;
  Source source;
  std::shared_ptr<const Tree> tree;
};

using builder::BuildFailure;

std::string built_name(const std::string& folder);

using BuildResult = std::variant<Built, BuildFailure>;

// Builds the roots, several at the same time; the results are in the order of the roots. kustomize runs no
// other program.
std::vector<BuildResult> build(const base::FileSystem& files, base::ProcessRunner& runner,
                               const std::vector<Target>& targets, const BuildOptions& options);

}  // namespace trainjobc::kustomize
