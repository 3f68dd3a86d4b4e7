// One call of kubectl, and what came of it.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "tools/kubectl/failure.h"

namespace trainjobc::kubectl {

// What every call has in common; "" is kubectl's own choice.
struct Settings {
  std::string program = "kubectl";
  std::string context;
  std::string kubeconfig;
  std::chrono::seconds timeout{0};  // of one call; 0: none
};

struct Call {
  std::string ns;                  // "": the context's
  std::vector<std::string> words;  // without the flags of Settings
  std::vector<std::string> names;  // come after --
  std::string input;               // standard input
};

// Asks for objects of one kind by name, those that exist. They are named by manifests on standard input:
// kubectl asks for what is named by arguments five times a second, for what is in files as fast as it
// can.
Call get_by_name(std::string ns, std::string_view api_version, std::string_view kind,
                 const std::set<std::string>& names, const std::string& format);

struct Reply {
  Failure failure;    // cause None if all went well
  std::string out;    // of failed calls, too: what kubectl did before it failed
  std::string notes;  // what it said beside that, where it went well

  bool ok() const { return failure.cause == Cause::None; }
};

// Runs kubectl without a shell. Values are joined to their flags and names come after --: none is taken for
// a flag, whatever it begins with.
class Kubectl {
 public:
  Kubectl(base::ProcessRunner& runner, Settings settings) : runner_(runner), settings_(std::move(settings)) {}

  Reply run(const Call& call) const;

  // For calls that are run otherwise: the program with its arguments, and why it failed (cause None: it
  // didn't).
  std::vector<std::string> command(const Call& call) const;
  Failure failure_of(const Call& call, base::ProcessResult result) const;
  Failure failure_of(const Call& call, const base::IoError& error) const;
  base::ProcessRunner& runner() const { return runner_; }

 private:
  std::vector<std::string> words_of(const Call& call) const;

  base::ProcessRunner& runner_;
  Settings settings_;
};

}  // namespace trainjobc::kubectl
