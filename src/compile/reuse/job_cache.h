// SPDX-License-Identifier: Apache-2.0

// What the passes found in TrainJobs, for a later run in which nothing they depend on has changed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compile/input/input.h"
#include "compile/runtimes/runtime_store.h"
#include "compile/target.h"

namespace trainjobc::compile {

struct JobResult;
class Moves;

// A TrainJob's question for its runtime.
struct RuntimeQuestion {
  std::string ns;
  std::string name;  // of the TrainJob
  std::string uid;
  std::string runtime_group;
  std::string runtime_kind;
  std::string runtime_name;

  static RuntimeQuestion of(const model::TrainJob& job);
  // As a TrainJob that asks the same; it lives as long as the question.
  model::TrainJob job() const;
};

// The answer, as far as the passes of the job depend on it.
struct RuntimeAnswer {
  bool is_found = false;
  uint64_t document = 0;  // of what was found
  size_t item = 0;        // in the document
  bool accepted = false;
  bool is_input = false;
  // If nothing was found:
  std::optional<std::string> meant;
  std::vector<std::string> elsewhere;
  bool other_kind = false;

  static RuntimeAnswer of(const Resolution& resolution);
  // Whether it is certain that nothing else was found: a runtime that is in no ReadCache may be any.
  bool is_same(const RuntimeAnswer& other) const;

 private:
  bool operator==(const RuntimeAnswer&) const = default;
};

// A TrainJob's result, and what it depends on besides its document and the target.
struct KnownJob {
  Target target;
  std::shared_ptr<const JobResult> result;
  std::optional<RuntimeQuestion> question;  // nullopt: it asked for no runtime
  RuntimeAnswer answer;

  // By which RuntimeIndex finds its runtime.
  void index(const model::ObjectId& runtime);
  model::ObjectId indexed_runtime() const;

 private:
  std::string index_kind_;
  std::string index_ns_;
  std::string index_name_;
  bool index_namespaced_ = false;
};

// With its places where `moves` says. nullptr if one of them is gone, or a text names one.
std::shared_ptr<const KnownJob> moved(std::shared_ptr<const KnownJob> known, const Moves& moves);

// By document and target. Reading it from several threads is fine while nothing is added.
class JobCache {
 public:
  // nullptr if the document is not known. `job` is unread. The places are those of the run before.
  std::shared_ptr<const KnownJob> find(const InputObject& job, const Target& target) const;
  void add(const InputObject& job, std::shared_ptr<const KnownJob> known);
  // Forgets what was not added since the last call.
  void forget_unused();

 private:
  using Key = std::pair<uint64_t, const void*>;  // document, the target's behaviours
  static Key key_of(const InputObject& job, const Target& target);

  std::map<Key, std::shared_ptr<const KnownJob>> jobs_;
  std::map<Key, std::shared_ptr<const KnownJob>> added_;
};

}  // namespace trainjobc::compile
