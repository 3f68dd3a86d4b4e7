// SPDX-License-Identifier: Apache-2.0

// What may become a code action: which fixes and which comments leave a document as readable as it is. A file
// is read for all findings at once, not for each.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/source.h"

namespace trainjobc::lsp {

using FindingSet = std::set<const base::Diagnostic*>;

// Those of the findings whose fix can be applied, each alone.
FindingSet applicable_fixes(std::span<const base::Diagnostic* const> findings);

// Those of the lines, counted from 1, above which a comment on a line of its own is one; inside a script, it
// would not be.
std::set<uint32_t> lines_for_comments(const base::SourceFile& file, const std::set<uint32_t>& lines);

// A line with this comment, as deep as the line that it stands above, and with its line break.
std::string comment_above(const base::SourceFile& file, uint32_t line, std::string_view comment);

}  // namespace trainjobc::lsp
