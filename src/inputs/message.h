// SPDX-License-Identifier: Apache-2.0

// Messages of the loader: the command line prints them, the language server shows them.
#pragma once

#include <string>

namespace trainjobc::inputs {

enum class MessageKind {
  Note,     // the inputs can be used
  Problem,  // the inputs can't be used
  Report,   // likewise; the text is diagnostics written by base::format_text
};

struct Message {
  MessageKind kind = MessageKind::Note;
  std::string text;  // may have several lines
};

}  // namespace trainjobc::inputs
