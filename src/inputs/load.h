// SPDX-License-Identifier: Apache-2.0

// How a path becomes objects: files and directories are read (inputs/discover.h), roots are built
// (inputs/roots.h), and both are put into groups, each with the settings that apply to it (inputs/groups.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/files/file_system.h"
#include "base/process.h"
#include "compile/compile.h"
#include "inputs/config.h"
#include "inputs/discover.h"
#include "inputs/groups.h"
#include "inputs/message.h"

namespace trainjobc::inputs {

// A folder that another program turns into objects: a kustomization or a chart.
struct Root {
  std::string flag;                      // the flag that builds one of its kind: "-k", "--helm"
  std::string folder;                    // as the user spelled it
  std::vector<std::string> values = {};  // values files
  std::string release = {};              // the release's name; "" for the program's default
  std::string ns = {};                   // the release's namespace
  // The settings that name a root found in a directory, or apply to it; nullptr if a flag names the root.
  std::shared_ptr<const Config> config = {};
  bool is_required = false;  // according to these settings
};

// What happens to kustomizations and charts found in directories.
enum class FoundRoots {
  Named,     // their flags are returned, and their files read one by one
  Built,     // an error to build one fails only if the settings require it; else its files are read
  Reported,  // an error to build one, even one named by a flag, is a finding; its files are left out
};

// The settings of the environment: TRAINJOBC_CONFIG, TRAINJOBC_TRAINER_VERSION and TRAINJOBC_RUNTIMES.
struct Environment {
  std::string config;
  std::string trainer_version;
  std::string runtimes;
};

struct Request {
  std::vector<std::string> paths;  // files and directories; "-" is standard input
  ReadText standard_input;         // reads "-"
  bool recurse = true;             // descends into directories
  std::vector<Root> roots;         // named by flags
  FoundRoots found_roots = FoundRoots::Named;
  std::vector<std::string> left_out;  // scopes of found roots that are not built
  bool allow_remote = false;          // kustomize may fetch bases that are not on this machine
  bool no_cache = false;              // roots are built, even if it is known what they are built to
  // Instead of the files, the roots that objects of Flux and Argo CD in them name.
  bool deployed = false;
  bool may_be_deployed = false;  // if the settings say so, and the paths are directories
  bool lists_deployed = true;    // a note for each
  bool names_programs = false;   // asks the programs that build roots for their versions

  // Settings that override the environment's, which override those of configurations. "" if not set.
  std::string trainer_version;
  std::vector<std::string> feature_gates;  // "A=true,B=false", beside those of configurations
  std::string kubernetes_version;
  std::vector<std::string> runtimes;  // files and directories
  bool use_catalogue = true;
  std::string ns;
  std::string config;      // the file to use for all; "" to search for it
  bool no_config = false;  // use no configuration
  Environment environment;
};

// A root that a flag named, and the files that its values may come from.
struct BuiltRoot {
  std::string scope;
  std::vector<std::string> files;
};

// A program that built a root.
struct BuildProgram {
  std::string name;     // "kustomize", "kubectl", "helm"
  std::string version;  // "v5.8.1"; "" if it does not say it
};

struct Loaded {
  std::vector<InputGroup> groups;  // at least one, sorted by the configuration's name
  std::vector<std::string> directories;
  std::vector<std::string> parts;  // the files that roots are made of
  std::vector<BuiltRoot> built;
  std::vector<BuildProgram> programs;  // by name, if the request asks for them
  std::vector<PassedOver> passed_over;
  std::vector<std::string> excluded;
  bool is_deployed = false;     // the groups are what objects of Flux and Argo CD deploy
  bool has_deployers = false;   // there are such objects among the files, which were read one by one
  std::vector<Source> patches;  // of kustomizations that were found in directories: they are in no group
  // Flags that build the kustomizations and charts that were found: "-k overlays/prod".
  std::vector<std::string> roots;
  std::vector<Message> messages;  // in the order in which they arose

  void note(std::string text) { messages.push_back({MessageKind::Note, std::move(text)}); }
  void fail(std::string text) { messages.push_back({MessageKind::Problem, std::move(text)}); }
  // Whether the inputs can't be used. If so, only the messages count.
  bool failed() const;
};

// Reads and builds everything, and completes each group with its settings.
Loaded load(base::FileSystem& files, base::ProcessRunner& programs, const Request& request);
// The same for sources that were read already, instead of the request's paths and roots. Also takes those
// that the settings exclude.
Loaded load(base::FileSystem& files, base::ProcessRunner& programs, const Request& request,
            std::vector<Source> sources);

}  // namespace trainjobc::inputs
