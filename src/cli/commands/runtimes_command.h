// SPDX-License-Identifier: Apache-2.0

// trainjobc runtimes pull and check, with the programs they run exchangeable for tests.
#pragma once

#include <string>
#include <vector>

#include "base/process.h"
#include "cli/console.h"
#include "cli/options.h"

namespace trainjobc::cli {

// How runtimes pull and check ask a cluster.
struct RuntimeClusterFlags {
  std::string context;
  std::string kubeconfig;
  std::string ns;                   // "": all
  unsigned timeout = kCallTimeout;  // seconds

  void add_to(Command& command);
};

struct RuntimesPullFlags {
  RuntimeClusterFlags cluster;
  std::string directory;
  std::string trainer_version;
};

struct RuntimesCheckFlags {
  RuntimeClusterFlags cluster;
  std::vector<std::string> paths;
  DirectoryFlags directories;
  std::string trainer_version;
  std::string format = "text";
  bool ask_cluster = false;
};

struct RuntimesUsedByFlags {
  std::vector<std::string> paths;
  DirectoryFlags directories;
  std::string name;    // "": all
  std::string format;  // text, json or name
};

// 0: written; 2: usage, I/O or kubectl.
int run_runtimes_pull(Console& console, const RuntimesPullFlags& flags, base::ProcessRunner& runner);

// 0: none differs; 1: one does; 2: usage, I/O or kubectl.
int run_runtimes_check(Console& console, const RuntimesCheckFlags& flags, base::ProcessRunner& runner);

// 0; 2: usage or I/O.
int run_runtimes_used_by(Console& console, const RuntimesUsedByFlags& flags);

}  // namespace trainjobc::cli
