// SPDX-License-Identifier: Apache-2.0

// Roots: kustomizations and charts that are built instead of being read file by file. Each is a scope of its
// own. A new kind of root is a class in a file of its own, and a line in kinds_of() (inputs/roots.cpp).
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/files/file_system.h"
#include "base/process.h"
#include "inputs/builder.h"
#include "inputs/config.h"
#include "inputs/groups.h"
#include "inputs/load.h"

namespace trainjobc::inputs {

// What loading roots needs, and where it reports what it found.
struct RootLoader {
  base::FileSystem& files;
  base::ProcessRunner& programs;
  const Request& request;
  Configurations& configurations;
  Loaded& loaded;

  // How long kustomize or helm may run.
  std::chrono::seconds build_timeout() const {
    constexpr std::chrono::seconds kUsual{60};
    return configurations.of_working_directory()->program_timeout.value_or(kUsual);
  }
};

// Absolute paths of files in directories that are not read by themselves, with the reason.
using LeftOut = std::map<std::string, std::string>;

using BuiltGroup = std::variant<InputGroup, builder::BuildFailure>;

// How roots of a kind are found and built.
class RootKind {
 public:
  virtual ~RootKind() = default;

  // The flag that names a root of this kind: "-k".
  virtual std::string_view flag() const = 0;
  // The plural that messages use: "kustomizations".
  virtual std::string_view plural() const = 0;
  // The scope of the root's objects.
  virtual std::string scope_of(const Root& root) const = 0;
  // The roots whose files were found in directories, if the settings want them built.
  virtual std::vector<Root> find(const std::vector<Source>& sources) = 0;
  // The absolute paths of the root's files; those of `sources` are among them.
  virtual std::vector<std::string> files_of(const Root& root, const std::vector<Source>& sources) const = 0;
  // Builds roots, several at the same time; the results are in the order of the roots.
  virtual std::vector<BuiltGroup> build(std::span<const Root> roots) = 0;
  // A group without inputs, whose finding says why it has none.
  virtual InputGroup failed(const Root& root, const builder::BuildFailure& failure) = 0;
  // Leaves out files that are not whole objects, and adds them to `kept`; adds groups with the findings in
  // them.
  virtual void take_fragments(LeftOut& /*left_out*/, std::vector<std::string>& /*kept*/,
                              std::vector<InputGroup>& /*groups*/) {}
};

// Builds the roots that flags name and those found among the sources, and removes their files from the
// sources. Failures become messages of `loader.loaded`, or findings of the groups.
std::vector<InputGroup> load_roots(RootLoader& loader, std::vector<Source>& sources);

// Loads the roots that Flux and Argo CD objects among the sources name (inputs/gitops_roots.cpp). The roots
// of a cluster are one scope.
std::vector<InputGroup> load_deployed(RootLoader& loader, const std::vector<Source>& sources);

// What a program said, joined into one line.
std::string in_one_line(std::string_view said);

}  // namespace trainjobc::inputs
