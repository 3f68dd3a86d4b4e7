// SPDX-License-Identifier: Apache-2.0

// Candidates for code actions: which fixes and which comments leave a document as readable as it is. A file
// is read once for all findings, not for each.
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

// The findings whose fix can be applied on its own.
FindingSet applicable_fixes(std::span<const base::Diagnostic* const> findings);

// The lines, counted from 1, above which a line with a comment is really a comment; inside a script, it would
// not be.
std::set<uint32_t> lines_for_comments(const base::SourceFile& file, const std::set<uint32_t>& lines);

// A line with this comment and its line break, with the indentation of the line below.
std::string comment_above(const base::SourceFile& file, uint32_t line, std::string_view comment);

}  // namespace trainjobc::lsp
