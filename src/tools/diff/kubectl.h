// kubectl, as far as diff needs it.
#pragma once

#include <chrono>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "tools/diff/live.h"
#include "trainjobc/trainjobc.h"

namespace trainjobc::diff {

struct KubectlOptions {
  std::string program = "kubectl";
  std::string context;                      // "" is kubectl's own choice
  std::string kubeconfig;                   // the same
  std::string field_manager = "trainjobc";  // of the dry run
  std::chrono::seconds timeout{0};          // of one call; 0: none
};

// What a cluster gave, or why not. `warnings` are kubectl's own, and what was not looked at.
struct Answer {
  std::string error;  // "" where all is well
  std::string warnings;
};

class Kubectl {
 public:
  Kubectl(base::ProcessRunner& runner, KubectlOptions options)
      : runner_(runner), options_(std::move(options)) {}

  // Fetches the live objects that `rendered` is to be compared with: one call a kind and namespace. JobSets
  // are all fetched, the others by name: those rendered, and the helper objects that a live JobSet mounts. An
  // object's namespace is the one that was asked for, "" where that is the context's.
  Answer fetch(std::span<const Object> rendered, LiveSet& live) const;

  // Asks the API server what it would make of the rendered objects, those in `skip` ("Kind/namespace/name")
  // left out: one server-side dry run a namespace.
  Answer dry_run(std::span<const Object> rendered, const std::set<std::string>& skip, LiveSet& results) const;

 private:
  struct Call {
    std::string ns;
    std::vector<std::string> words;  // kubectl's, without the global flags
    std::vector<std::string> names;  // behind --
    std::string input;
  };
  Answer run(const Call& call, LiveSet& live) const;
  Answer fetch_namespace(const std::string& ns, std::span<const Object> rendered, LiveSet& live) const;
  Answer get(const std::string& ns, std::string_view resource, const std::set<std::string>& names,
             LiveSet& live) const;

  base::ProcessRunner& runner_;
  KubectlOptions options_;
};

}  // namespace trainjobc::diff
