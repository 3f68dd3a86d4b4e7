// SPDX-License-Identifier: Apache-2.0

// Exit statuses of the commands.
#pragma once

namespace trainjobc::cli {

inline constexpr int kOk = 0;
inline constexpr int kRejected = 1;  // an input was rejected, or lint has findings
inline constexpr int kFailed = 2;    // usage or I/O

}  // namespace trainjobc::cli
