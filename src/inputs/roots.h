// SPDX-License-Identifier: Apache-2.0

// Roots: kustomizations and charts that are built instead of read file by file. Each is a scope of its own. A
// new kind of root is a class in a file of its own, and a line in kinds_of() (inputs/roots.cpp).
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

// What loading roots needs, and where it says what it found.
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

// Files of directories that are not read by themselves: their absolute paths, with the reason.
using LeftOut = std::map<std::string, std::string>;

using BuiltGroup = std::variant<InputGroup, builder::BuildFailure>;

// How roots of a kind are found and built.
class RootKind {
 public:
  virtual ~RootKind() = default;

  // The flag that names one: "-k".
  virtual std::string_view flag() const = 0;
  // What they are called: "kustomizations".
  virtual std::string_view plural() const = 0;
  // The scope of its objects.
  virtual std::string scope_of(const Root& root) const = 0;
  // The roots whose files are among those that were found in directories, if the settings want them built.
  virtual std::vector<Root> find(const std::vector<Source>& sources) = 0;
  // The absolute paths of its files; those of `sources` are among them.
  virtual std::vector<std::string> files_of(const Root& root, const std::vector<Source>& sources) const = 0;
  // Builds roots, several at the same time; the results are in their order.
  virtual std::vector<BuiltGroup> build(std::span<const Root> roots) = 0;
  // A group of no inputs, which says why there are none.
  virtual InputGroup failed(const Root& root, const builder::BuildFailure& failure) = 0;
  // Leaves out files that are not whole objects, which `kept` then has, and adds groups with what is wrong in
  // them.
  virtual void take_fragments(LeftOut& /*left_out*/, std::vector<std::string>& /*kept*/,
                              std::vector<InputGroup>& /*groups*/) {}
};

// Builds the roots that flags name, and those that are found among the sources; takes what roots are made of
// out of the sources. Failures are messages of `loader.loaded`, or findings of the groups.
std::vector<InputGroup> load_roots(RootLoader& loader, std::vector<Source>& sources);

// The roots that objects of Flux and Argo CD among the sources name (inputs/gitops_roots.cpp). The roots of
// one cluster are a scope.
std::vector<InputGroup> load_deployed(RootLoader& loader, const std::vector<Source>& sources);

// What a program said, without its line breaks.
std::string in_one_line(std::string_view said);

}  // namespace trainjobc::inputs
