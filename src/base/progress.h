// SPDX-License-Identifier: Apache-2.0

// Progress of long work, for the person who waits for it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace trainjobc::base {

class Progress {
 public:
  virtual ~Progress() = default;

  // False for work within other work, about which nothing is said. `what`: "running kustomize", "" if nothing
  // is to be said; `total`: the number of its steps, 0 if it has none.
  virtual bool begin(std::string what, size_t total) = 0;
  // There are more steps than was known. Called by one thread.
  virtual void expect(size_t more) = 0;
  // Several threads may call it.
  virtual void step() = 0;
  virtual void end() = 0;
};

// Work that is done while this exists; nobody is told if `to` is nullptr.
class Work {
 public:
  Work(Progress* to, std::string what, size_t total) : to_(to) {
    counts_ = to_ && to_->begin(std::move(what), total);
  }
  ~Work() {
    if (to_) to_->end();
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  void expect(size_t more) const {
    if (counts_) to_->expect(more);
  }
  void step() const {
    if (counts_) to_->step();
  }

 private:
  Progress* to_;
  bool counts_ = false;
};

}  // namespace trainjobc::base
