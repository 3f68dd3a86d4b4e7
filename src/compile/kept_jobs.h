// SPDX-License-Identifier: Apache-2.0

// What a command keeps of each TrainJob, instead of its objects.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/text/digest.h"
#include "compile/compile.h"

namespace trainjobc {

// Has one sink per group of inputs (see inputs::compile_groups_into_sinks).
template <typename Kept>
class KeptJobs {
 public:
  using Keep = std::function<Kept(std::span<const Object>)>;

  // `keep` is called with the objects of one TrainJob at a time, by several threads.
  explicit KeptJobs(Keep keep) : keep_(std::move(keep)) {}

  // Returns the sink of a group.
  auto sinks() {
    return [this](size_t group) -> ObjectSink& {
      while (sinks_.size() <= group) sinks_.push_back(std::make_unique<Sink>(keep_));
      return *sinks_[group];
    };
  }

  // The results in the order of the compilation; can be taken only once.
  std::vector<Kept> take(const Compilation& compiled) {
    std::vector<Kept> jobs;
    jobs.reserve(compiled.collected.size());
    for (const CollectedJob& collected : compiled.collected) {
      Kept& job = jobs.emplace_back(std::move(*sinks_[collected.group]->jobs[collected.job]));
      if constexpr (requires { job.scope; }) job.scope = collected.scope;
    }
    sinks_.clear();
    return jobs;
  }

 private:
  struct Sink final : ObjectSink {
    explicit Sink(const Keep& how) : keep(how) {}

    void begin(size_t count) override {
      jobs.clear();
      jobs.resize(count);
    }
    void take(size_t job, std::span<const Object> objects) override {
      jobs[job] = std::make_unique<Kept>(keep(objects));
    }

    const Keep& keep;
    std::vector<std::unique_ptr<Kept>> jobs;
  };

  Keep keep_;
  std::vector<std::unique_ptr<Sink>> sinks_;  // indexed by group
};

// Calls `use` with the objects that the compilation keeps, then with those of each TrainJob that a sink took,
// which are made again, a few jobs at a time; `threads` make them (0: one per processor).
void for_each_object(const Compilation& compiled, unsigned threads,
                     const std::function<void(std::span<const Object>)>& use);

// Keeps digests of each TrainJob with its objects, which say whether two compilations read and make the same.
class JobContents {
 public:
  // Digests can be compared if they are the same digester's, which must outlive this.
  explicit JobContents(const base::Digester& digester);

  // Returns the sink of a group.
  auto sinks() { return digests_.sinks(); }

  // Sets CollectedJob::content.
  void add_to(Compilation& compiled);

 private:
  KeptJobs<base::Digest> digests_;
};

}  // namespace trainjobc
