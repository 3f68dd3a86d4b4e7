// SPDX-License-Identifier: Apache-2.0

// A loop that runs on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace trainjobc::base {

// Calls `body` once for each index below `count`, on up to `threads` threads (0: one per processor), fewer
// if the system has no more, each with at least `chunk` indices. Returns when all calls have. What a call
// throws is thrown here, once the other threads have ended; calls that had not begun are left out.
using LoopBody = std::function<void(size_t)>;
void parallel_for(size_t count, size_t chunk, unsigned threads, const LoopBody& body);

// Like parallel_for, but each thread has its own body, which may hold what its calls share.
void parallel_for_each_thread(size_t count, size_t chunk, unsigned threads,
                              const std::function<LoopBody()>& make_body);

}  // namespace trainjobc::base
