// SPDX-License-Identifier: Apache-2.0

// What a client says about how the text of an open document changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "features/lsp/protocol/protocol.h"

namespace trainjobc::lsp {

struct TextChange {
  std::optional<Range> range;  // nullopt: the whole text
  std::string text;
};

// Lines end with "\n", "\r\n" or "\r". Positions outside of the text are moved to its nearest place; an end
// before the start is the start.
void apply_change(std::string& text, const TextChange& change);

}  // namespace trainjobc::lsp
