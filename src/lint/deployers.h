// SPDX-License-Identifier: Apache-2.0

// Which roots of which clusters a finding concerns, if Flux or Argo CD deploy its file to several.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/diagnostic.h"
#include "inputs/groups.h"

namespace trainjobc::lint {

class Deployers {
 public:
  explicit Deployers(const std::vector<inputs::InputGroup>& groups);

  // Remembers the roots that the findings name, before repeated findings are dropped.
  void collect(const base::Diagnostics& findings);
  // Lets each finding name them all, up to a few; or none if it concerns all that deploy its file.
  void name(base::Diagnostics& findings) const;

 private:
  // Rule, message, file, line and column.
  using Key = std::tuple<std::string, std::string, std::string, uint32_t, uint32_t>;

  static Key key_of(const base::Diagnostic& found);
  // The root that the note names: "Kustomization flux-system/apps of clusters/prod"; "" if it names none.
  std::string root_of(const base::Note& note) const;
  void name(base::Diagnostic& found) const;

  std::set<std::string> roots_;
  std::map<std::string, std::set<std::string>> of_file_;  // the roots that deploy a file
  bool has_several_scopes_ = false;
  std::map<Key, std::vector<base::Note>> notes_;
};

}  // namespace trainjobc::lint
