// SPDX-License-Identifier: Apache-2.0

// What loading has to say: the command line prints it, the language server shows it.
#pragma once

#include <string>

namespace trainjobc::inputs {

enum class MessageKind {
  Note,     // the inputs can be used
  Problem,  // they can't
  Report,   // likewise; the text is that of diagnostics, as base::format_text writes them
};

struct Message {
  MessageKind kind = MessageKind::Note;
  std::string text;  // may have several lines
};

}  // namespace trainjobc::inputs
