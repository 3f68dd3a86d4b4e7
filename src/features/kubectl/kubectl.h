// SPDX-License-Identifier: Apache-2.0

// Calls of kubectl, their results, and why they failed.
#pragma once

#include <chrono>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"

namespace trainjobc::kubectl {

// Why kubectl failed, as a helpful message.

enum class Cause {
  None,
  NoProgram,     // no kubectl in PATH
  NoAnswer,      // it timed out, could not be run, or its exit status is unknown
  Interrupted,   // a signal asks this process to end
  Settings,      // its kubeconfig or context can't be used
  Unreachable,   // the API server does not respond
  Unauthorized,  // the API server does not accept the credentials
  Forbidden,     // a permission is missing
  NoKind,        // the cluster has no JobSets, PodGroups…
  NoNamespace,
  Conflict,  // another manager owns a field
  Exists,    // the object to be created already exists
  Webhook,   // a required webhook did not respond
  Claim,     // JobSet's webhook found an existing claim of the JobSet
  Refused,   // the API server or a webhook refused an object
  Other,
};

struct Failure {
  Cause cause = Cause::None;
  std::string call;  // the command line, without names
  int status = 0;    // kubectl's exit status
  std::string said;  // its standard error
};

// Derived from kubectl's standard error.
Cause cause_of(std::string_view said);

// The cause in one sentence, then the call and, indented, kubectl's own words. No final line break.
std::string describe(const Failure& failure);

// Settings for all calls; "" means kubectl's default.
struct Settings {
  std::string program = "kubectl";
  std::string context;
  std::string kubeconfig;
  std::chrono::seconds timeout{0};  // per call; 0: none
};

struct Call {
  std::string ns;                        // "" for the context's
  std::vector<std::string> words;        // the arguments, without the flags of Settings
  std::vector<std::string> names = {};   // written after --
  std::string input = {};                // standard input
  std::chrono::milliseconds timeout{0};  // counts if it is shorter than that of Settings; 0: none
};

// Gets those of several named objects of one kind that exist. Names them with manifests on standard input:
// kubectl gets objects named by arguments at a rate of five per second, but those in files without a limit.
Call get_by_name(std::string ns, std::string_view api_version, std::string_view kind,
                 const std::set<std::string>& names, const std::string& format);

struct Reply {
  Failure failure;    // cause None if the call succeeded
  std::string out;    // even of failed and interrupted calls: it says what kubectl did before
  std::string notes;  // its standard error, if the call succeeded

  bool ok() const { return failure.cause == Cause::None; }
};

// Runs kubectl without a shell. Values are joined to their flags and names come after --, so that none of
// them is taken for a flag.
class Kubectl {
 public:
  Kubectl(base::ProcessRunner& runner, Settings settings) : runner_(runner), settings_(std::move(settings)) {}

  // `take_output` gets the standard output while it comes; what it did not get is in the reply.
  Reply run(const Call& call, const base::TakeOutput& take_output = {}) const;
  // Runs several calls concurrently; the replies are in the order of the calls.
  std::vector<Reply> run_all(std::span<const Call> calls) const;

 private:
  std::vector<std::string> words_of(const Call& call) const;
  base::ProcessRequest request_of(const Call& call) const;

  base::ProcessRunner& runner_;
  Settings settings_;
};

// The resource name of a kind: "jobsets.jobset.x-k8s.io"; "" for kinds that trainjobc doesn't render.
std::string_view resource_of(std::string_view api_version, std::string_view kind);

// An object as `-o name` prints it: "jobset.jobset.x-k8s.io/llama".
std::string name_of(std::string_view api_version, std::string_view kind, std::string_view name);

}  // namespace trainjobc::kubectl
