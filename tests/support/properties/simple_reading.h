// SPDX-License-Identifier: Apache-2.0

// The property of read_simple, which unit tests and the fuzz target hold to be true.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::test {

// The events of both readers where they differ; "" if they are the same, or the document is not simple.
std::string different_events(std::string_view document);

}  // namespace trainjobc::test
