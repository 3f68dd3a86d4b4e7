// SPDX-License-Identifier: Apache-2.0

// Several documents in the place of one.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "yaml/rewrite/rewrite.h"

namespace trainjobc::yaml {

// The replacement that turns `document` into documents with these roots, with a line `---` between them. What
// they share with it keeps its bytes and the comments beside it, under a new key too; other comments are left
// out. Nothing checks here that the text reads back as the roots.
std::variant<Replacement, RewriteProblem> rewrite_as_parts(const base::SourceFile& file,
                                                           const Document& document,
                                                           std::span<const Node* const> roots);

// The same without comments, in this program's own style.
Replacement write_as_parts(const base::SourceFile& file, const Document& document,
                           std::span<const Node* const> roots);

}  // namespace trainjobc::yaml
