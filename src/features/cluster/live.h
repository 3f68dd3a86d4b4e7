// SPDX-License-Identifier: Apache-2.0

// Objects of a cluster: reading them from files, fetching them with kubectl.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "compile/compile.h"
#include "features/kubectl/kubectl.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"
#include "yaml/shared_values.h"

namespace trainjobc::cluster {

struct LiveObject {
  std::string api_version;
  std::string kind;
  std::string ns;
  std::string name;
  const yaml::Node* root = nullptr;   // nullptr: see read_again
  yaml::FoundDocument document = {};  // which is the object, if it has no root
};

// Everything read from one cluster, or from saved files.
struct LiveSet {
  std::vector<std::unique_ptr<base::SourceFile>> files;
  base::Arena arena;
  yaml::SharedValues values;
  std::vector<LiveObject> objects;
};

// What a text contains.
struct LiveText {
  bool is_blank = false;                // only white space
  size_t documents = 0;                 // not counting null ones
  const yaml::Node* strange = nullptr;  // the first value that is neither an object nor a list of objects
};

// Which nodes a LiveSet keeps. Lists: not those of objects that are a document each.
enum class LiveNodes : uint8_t { All, Lists };

// Reads the objects of a text, YAML or JSON, with Lists expanded; skips anything else. Errors in the text
// become diagnostics.
LiveText read_live(Source source, LiveSet& live, base::Diagnostics& diagnostics,
                   LiveNodes kept = LiveNodes::All);

// The object's root, which is read into `arena` if it is not kept.
const yaml::Node& read_again(const LiveObject& object, base::Arena& arena);

// The result of a call. `warnings` are kubectl's own, and what could not be compared.
struct Answer {
  kubectl::Failure failure;
  std::string warnings;

  bool ok() const { return failure.cause == kubectl::Cause::None; }
  // Adds the result of the next call; returns whether that is ok.
  bool join(Answer next);
};

// Runs a call that returns objects of these kinds, or, without any, of the kinds that trainjobc renders.
// Their namespace is the call's, unless it is for all namespaces. Every answer of kubectl is read here: an
// impossible one, such as none at all, null, {}, or a Status, is a failure.
Answer ask(const kubectl::Kubectl& kubectl, const kubectl::Call& call, LiveSet& live,
           std::span<const std::string_view> kinds = {});

// Like ask, for the kinds that trainjobc renders. Reads the objects while kubectl prints them, and keeps only
// their values, without places.
Answer ask_for_values(const kubectl::Kubectl& kubectl, const kubectl::Call& call, LiveSet& live);

// Runs several calls concurrently, with the kinds of each. The answers are in the order of the calls.
struct Question {
  kubectl::Call call;
  std::vector<std::string_view> kinds;
};
std::vector<Answer> ask_all(const kubectl::Kubectl& kubectl, std::span<const Question> questions,
                            LiveSet& live);

// Fetches the live objects to compare `rendered` with, by name: one call per kind and namespace. With
// `all_job_sets`, also fetches all JobSets and the helper objects that they mount. The objects get the
// namespace that was requested; "" for the context's.
Answer fetch(const kubectl::Kubectl& kubectl, std::span<const Object> rendered, bool all_job_sets,
             LiveSet& live);

// Fetches the live TrainJobs of the rendered JobSets: all, or those whose inputs name a queue or have fields
// that a cluster may refuse to change. The cluster need not have Trainer; a missing permission is a warning.
Answer fetch_train_jobs(const kubectl::Kubectl& kubectl, std::span<const Object> rendered, bool all,
                        LiveSet& live, bool* has_kind = nullptr);

// Asks the API server how it would store the rendered objects without those in `skip`
// ("Kind/namespace/name"): one server-side dry run per namespace.
Answer dry_run(const kubectl::Kubectl& kubectl, std::span<const Object> rendered,
               const std::set<std::string>& skip, const std::string& field_manager, LiveSet& results);

}  // namespace trainjobc::cluster
