// SPDX-License-Identifier: Apache-2.0

// Stand-in values for the placeholders in v1 jobs that are templates: for envsubst, with `replicas:
// $NUM_NODES` or `name: ${NAME}`, or for Katib and Argo, with `{{inputs.parameters.nodes}}`. Stand-ins are
// numbers and names that occur nowhere else in the file. Callers run once with each of two sets and keep what
// doesn't depend on them.
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

struct WantedPlaceholders;  // of a file, by the kind of value they need

class Placeholders {
 public:
  // Puts stand-ins into the v1 jobs of `inputs`, except in the files `without`. Each `round` has other
  // stand-ins.
  Placeholders(std::vector<Source>& inputs, const std::set<std::string>& without, int round);

  bool empty() const { return files_.empty(); }
  // Whether the file of this name has stand-ins.
  bool knows(const std::string& file) const { return files_.contains(file); }
  // Whether the file can't be read without stand-ins: YAML takes Argo's placeholders for maps.
  bool are_needed(const std::string& file) const { return needing_.contains(file); }

  // The text, or tree, with its placeholders back in place.
  std::string put_back(std::string_view text) const;
  const yaml::Node* put_back(const yaml::Node& node, const yaml::Maker& make) const;
  // The finding, moved to the file that the user wrote.
  base::Diagnostic put_back(base::Diagnostic finding) const;

  // Keeps the files of the findings' locations.
  std::shared_ptr<const void> memory() const { return originals_; }

 private:
  struct Change {
    size_t offset = 0;  // offset in the text with stand-ins
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
