#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace trainjobc::base {

void parallel_for(size_t count, size_t chunk, unsigned threads, const std::function<void(size_t)>& body) {
  if (threads == 0) threads = std::max(std::thread::hardware_concurrency(), 1U);
  const size_t chunks = (count + chunk - 1) / chunk;
  const size_t workers = std::min<size_t>(threads, chunks);
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t at = next++; at < chunks; at = next++) {
      const size_t end = std::min(count, (at + 1) * chunk);
      for (size_t i = at * chunk; i < end; ++i) body(i);
    }
  };
  std::vector<std::jthread> others;
  for (size_t i = 1; i < workers; ++i) others.emplace_back(work);
  work();
}

}  // namespace trainjobc::base
