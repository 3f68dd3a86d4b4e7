// SPDX-License-Identifier: Apache-2.0

// Rewrites a document in its file: what the new tree shares with the old one keeps its bytes, including
// comments; new values are written in the style of their surroundings.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/source.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"

namespace trainjobc::yaml {

// The text to put in the place of a range of the file's bytes.
struct Replacement {
  size_t begin = 0;
  size_t end = 0;
  std::string text;
  std::vector<base::Location> left_out;  // comments that have no place in the result
};

// Why a document can't be rewritten without losing something: a merge key, a comment without a new place.
struct RewriteProblem {
  std::string message;
  base::Location location;
};

// The replacement that turns `document` into `new_root`. Parts of the old tree may be anywhere in the new
// one, even more than once, and are recognised by their address; a new map or list with the origin of an old
// one replaces it and keeps its comments. Every comment of the document is in the result.
//
// Does not check that the text reads back as `new_root`: see reads_back_as.
std::variant<Replacement, RewriteProblem> rewrite(const base::SourceFile& file, const Document& document,
                                                  const Node& new_root);

// Several documents in the place of one.

// The replacement that turns `document` into documents with these roots, separated by `---`. What they share
// with it keeps its bytes and the comments on its lines, even under a new key; a comment on something removed
// moves to the first part of it that is kept, or is left out. Does not check that the text reads back as the
// roots.
std::variant<Replacement, RewriteProblem> rewrite_as_parts(const base::SourceFile& file,
                                                           const Document& document,
                                                           std::span<const Node* const> roots);

// Like rewrite_as_parts, but without comments and in this program's own style.
Replacement write_as_parts(const base::SourceFile& file, const Document& document,
                           std::span<const Node* const> roots);

// Whether two parsers find documents with these roots, and no others, in the text.
bool reads_back_as(std::string text, std::span<const Node* const> roots);

}  // namespace trainjobc::yaml
