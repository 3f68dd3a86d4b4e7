// A loop on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace trainjobc::base {

// Calls `body` once for each index below `count`, on up to `threads` threads (0: one a processor), each with
// at least `chunk` indices. Returns when all calls have. `body` must not throw.
void parallel_for(size_t count, size_t chunk, unsigned threads, const std::function<void(size_t)>& body);

}  // namespace trainjobc::base
