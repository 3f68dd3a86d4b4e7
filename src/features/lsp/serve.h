// SPDX-License-Identifier: Apache-2.0

// The server on a stream of bytes.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "features/lsp/server.h"

namespace trainjobc::lsp {

// The next bytes of the client; nullopt at their end. "" if there are none yet after `wait`; a negative one
// has no end.
using ReadBytes = std::function<std::optional<std::string>(std::chrono::milliseconds wait)>;

// After this time without an edit, the keyboard rests: the whole workspace is checked.
inline constexpr std::chrono::milliseconds kRest{120};

// Handles messages until the client ends; returns the exit status. Findings are published when no message is
// waiting, so that those of one keystroke don't keep the next ones waiting: first those on the documents that
// were edited, those on the rest when the keyboard rests. Answers in order of the requests.
int serve(Server& server, const ReadBytes& read);

}  // namespace trainjobc::lsp
