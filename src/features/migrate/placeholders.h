// SPDX-License-Identifier: Apache-2.0

// v1 jobs that are templates for envsubst, with `replicas: $NUM_NODES` or `name: ${NAME}`, or for Katib and
// Argo, with `{{inputs.parameters.nodes}}`. They are migrated with stand-ins: numbers and names that stand
// nowhere else in the file. Whoever uses this does it twice, with other stand-ins: what differs once the
// placeholders are back depends on their values.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "compile/compile.h"
#include "yaml/node.h"

namespace trainjobc::migrate {

struct WantedPlaceholders;  // of a file, by what they have to be

class Placeholders {
 public:
  // Puts stand-ins into the v1 jobs of `inputs`, but not into the files `without`. Those of another `round`
  // are others.
  Placeholders(std::vector<Source>& inputs, const std::set<std::string>& without, int round);

  bool empty() const { return files_.empty(); }
  // Whether the file of this name has stand-ins.
  bool knows(const std::string& file) const { return files_.contains(file); }
  // Whether the file has to have them to be read: YAML takes Argo's for maps.
  bool are_needed(const std::string& file) const { return needing_.contains(file); }

  // The text, or tree, with the placeholders.
  std::string put_back(std::string_view text) const;
  const yaml::Node* put_back(const yaml::Node& node, const yaml::Maker& make) const;
  // The finding as one about the file that its user wrote.
  base::Diagnostic put_back(base::Diagnostic finding) const;

  // Keeps the files of the findings' locations.
  std::shared_ptr<const void> memory() const { return originals_; }

 private:
  struct Change {
    size_t offset = 0;  // in the text with stand-ins
    size_t size = 0;
    size_t old_size = 0;
  };
  using Changes = std::vector<Change>;

  void fill(Source& source, const WantedPlaceholders& wanted, const std::set<std::string>& taken);
  std::string add_stand_in(const std::string& placeholder, std::string_view prefix,
                           const std::set<std::string>& taken, int64_t unit);
  base::Location put_back(const base::Location& at) const;

  int64_t next_;
  std::map<std::string, Changes> files_;
  std::set<std::string> needing_;
  std::map<std::string, std::string, std::less<>> placeholders_;  // by stand-in
  std::shared_ptr<std::map<std::string, base::SourceFile>> originals_ =
      std::make_shared<std::map<std::string, base::SourceFile>>();
};

}  // namespace trainjobc::migrate
