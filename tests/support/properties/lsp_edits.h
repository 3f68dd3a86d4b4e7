// SPDX-License-Identifier: Apache-2.0

// A language server under random edits and requests.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::test {

// Takes bytes as messages to a server: edits of documents, requests at places in them, and anything else.
// Returns what is wrong, or "": a buffer that is not what the edits make of it in a list of UTF-16 code
// units, a request without exactly one answer, or a message that is not JSON-RPC. A large workspace is one
// that the server doesn't run as a whole after each edit. With `compares`, also diagnostics that are not
// those of a server that begins with the texts as they are at the end.
std::string wrong_with_edits(std::string_view bytes, bool is_large, bool compares = true);

}  // namespace trainjobc::test
