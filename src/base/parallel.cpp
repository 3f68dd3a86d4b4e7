// SPDX-License-Identifier: Apache-2.0

#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace trainjobc::base {
namespace {

// The state that the threads of one loop share.
class Loop {
 public:
  Loop(size_t count, size_t chunk, const std::function<LoopBody()>& make_body)
      : count_(count), chunk_(chunk), make_body_(make_body) {}

  size_t chunks() const { return (count_ + chunk_ - 1) / chunk_; }

  // Takes chunks until there are no more, or one has failed.
  void work() noexcept {
    try {
      const LoopBody body = make_body_();
      for (size_t at = next_++; at < chunks(); at = next_++) {
        const size_t end = std::min(count_, (at + 1) * chunk_);
        for (size_t i = at * chunk_; i < end; ++i) body(i);
      }
    } catch (...) {
      next_ = chunks();
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  size_t count_;
  size_t chunk_;
  const std::function<LoopBody()>& make_body_;
  std::atomic<size_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

// At most as many threads as chunks. 0 means one per processor, a number that has to be read from a file.
size_t thread_count(unsigned threads, size_t chunks) {
  if (chunks <= 1) return 1;
  const unsigned wanted = threads == 0 ? std::max(std::thread::hardware_concurrency(), 1U) : threads;
  return std::min<size_t>(wanted, chunks);
}

}  // namespace

void parallel_for(size_t count, size_t chunk, unsigned threads, const LoopBody& body) {
  parallel_for_each_thread(count, chunk, threads, [&] { return [&](size_t index) { body(index); }; });
}

void parallel_for_each_thread(size_t count, size_t chunk, unsigned threads,
                              const std::function<LoopBody()>& make_body) {
  Loop loop(count, chunk, make_body);
  {
    std::vector<std::jthread> others;
    try {
      const size_t most = thread_count(threads, loop.chunks());
      while (others.size() + 1 < most) others.emplace_back([&loop] { loop.work(); });
    } catch (const std::system_error&) {
      // The system has no more threads: those that started, and this one, do the work.
    }
    loop.work();
  }
  loop.rethrow();
}

}  // namespace trainjobc::base
