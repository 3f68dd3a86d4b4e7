// SPDX-License-Identifier: Apache-2.0

// Suppressions: findings that someone has reviewed and accepted.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "lint/config.h"

namespace trainjobc::lint {

// Applies the configuration's severities, then removes what is suppressed: by `# trainjobc:ignore RULE --
// reason` at the end of the finding's line or on its own line above it, or by path and rule in the
// configuration. Adds a warning for a comment without a rule or a reason, and for each suppression that
// suppressed nothing. `files` are all files that were linted. Without advice among the diagnostics
// (`has_advice`), suppressions are not reported: those of advice would all seem unused. The same applies to
// those in `documents` that are not complete; lines of no document are.
base::Diagnostics apply_config(base::Diagnostics diagnostics, const Config& config,
                               std::span<const base::SourceFile* const> files, bool has_advice = true,
                               std::span<const CheckedDocument> documents = {});

// Many globs; finds those that a path matches.
// Tries only the globs whose text before the first wildcard is in the path at the right position: at its
// beginning, or, after `**/`, at the beginning of a name.
class GlobSet {
 public:
  // Returns the glob's number, counted from 0; a glob that was added before keeps its number.
  size_t add(const std::string& glob);
  size_t size() const { return globs_.size(); }

  // Numbers, in order.
  std::vector<size_t> matches(std::string_view path) const;

 private:
  // By the text before the first wildcard.
  struct Index {
    std::map<std::string, std::vector<size_t>, std::less<>> globs;
    std::set<size_t> lengths;  // of those texts

    void add(std::string_view glob, size_t number);
    void find(std::string_view path, std::set<size_t>& numbers) const;
  };

  std::map<std::string, size_t> numbers_;
  std::vector<std::string> globs_;
  Index from_root_;
  Index from_any_name_;
};

}  // namespace trainjobc::lint
