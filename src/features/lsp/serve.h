// SPDX-License-Identifier: Apache-2.0

// The server on a stream of bytes.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "features/lsp/server.h"

namespace trainjobc::lsp {

// The next bytes of the client; nullopt at their end. Without `waits`, "" if there are none yet.
using ReadBytes = std::function<std::optional<std::string>(bool waits)>;

// Handles messages until the client ends; returns the exit status. Findings are published when no message is
// waiting, so that those of one keystroke don't keep the next ones waiting. Answers in order of the requests.
int serve(Server& server, const ReadBytes& read);

}  // namespace trainjobc::lsp
