// SPDX-License-Identifier: Apache-2.0

// .trainjobc.yaml: a repository's settings, and the files to which they apply.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/files/file_system.h"
#include "base/source.h"
#include "base/text/glob.h"
#include "inputs/message.h"
#include "platform/pod_security.h"

namespace trainjobc::platform {
class TeamRules;
struct TeamRule;
}  // namespace trainjobc::platform

namespace trainjobc::inputs {

// The name of a configuration in its folder.
inline constexpr const char* kConfigName = ".trainjobc.yaml";

// Suppresses the findings of a rule in some files, or in some objects of these.
struct PathSuppression {
  std::string rule;
  std::vector<std::string> paths;  // globs relative to the configuration's folder
  std::string reason;
  base::Location location;                    // the place in the configuration
  std::map<std::string, std::string> labels;  // labels that the object must have
};

// What a configuration makes of a rule.
struct RuleSetting {
  std::optional<base::Severity> severity;  // nullopt if the rule is off
  base::Location location;                 // the place in the configuration
};

// Whether kustomizations and charts are built in directory walks.
enum class Building {
  Auto,      // if the program is installed; what can't be built is read file by file
  Never,     // even if the program is installed
  Required,  // anything that can't be built is an error
};

// Whether a glob of a configuration in `config_folder` matches the folder.
bool names_folder(const std::string& glob, const std::string& config_folder, const std::string& folder);

struct KustomizeSettings {
  std::vector<std::string>
      roots;  // globs relative to the configuration's folder; empty for all that are found
  Building build = Building::Auto;

  // Whether the roots of a configuration in `config_folder` name the folder.
  bool names(const std::string& config_folder, const std::string& folder) const;
};

// A chart that is built, with its values.
struct HelmChart {
  std::string chart;                // glob of folders relative to the configuration's folder
  std::vector<std::string> values;  // values files, joined with that folder
  std::string release;
  std::string ns;
  base::Location location;  // the place in the configuration
};

struct HelmSettings {
  std::vector<HelmChart> charts;
  Building build = Building::Required;
};

struct Config {
  std::string folder;  // the file's folder, "" if there is no file. Its paths are relative to this
  std::optional<std::string> trainer_version;
  std::vector<std::string> runtimes;                      // joined with `folder`
  std::optional<std::vector<std::string>> feature_gates;  // of Trainer's controller that are on
  std::optional<std::string> kubernetes_version;
  std::optional<bool> is_openshift;  // platform: openshift
  std::optional<bool> allows_privileged;
  std::optional<bool> catalogue;
  std::optional<std::string> ns;
  std::optional<std::string> fail_on;
  std::optional<bool> deployed;  // roots: what objects of Flux and Argo CD deploy is read
  std::optional<std::chrono::seconds> program_timeout;  // of each program that is run
  std::optional<bool> cache;                            // whether what roots are built to is kept
  std::map<std::string, RuleSetting> rules;
  std::vector<PathSuppression> suppressions;
  platform::SecurityExemptions security_exemptions;  // of Pod Security, after those of `outer`
  std::vector<std::string> policy_paths;  // files and directories of `policies`, joined with `folder`
  // The rules of `policies`, after those of `outer`.
  std::vector<std::shared_ptr<const platform::TeamRules>> team_rules;
  base::GlobSet exclude;  // globs of what is not read, relative to `folder`
  KustomizeSettings kustomize;
  HelmSettings helm;
  bool is_scope = true;                 // false if its files are in the scope of `outer`, to which it adds
  std::shared_ptr<const Config> outer;  // for one that is not a scope, the next one above; else nullptr
  std::shared_ptr<const base::SourceFile> file;  // the file that locations refer to
};

// All rules of the settings, those of `outer` first.
std::vector<const platform::TeamRule*> rules_of(const Config& config);

using ConfigResult = std::variant<Config, Message>;

// A scope is a world of its own: the files below a configuration, except those of scopes below it. Names have
// to differ within a scope only, and its TrainJobs find its runtimes only. Its name is the configuration's
// folder, "." for the working directory and for files without a configuration.
std::string scope_of(const Config& config);

// Reads the file at `path`.
ConfigResult load_config(base::FileSystem& files, const std::string& path);

// What is wrong with a configuration, as diagnostics.
struct ConfigProblem {
  base::Diagnostics diagnostics;
  std::shared_ptr<const base::SourceFile> file;  // the file that locations refer to
};

// Returns the file's text with another trainerVersion; "" if it can't be rewritten.
std::string with_trainer_version(const base::SourceFile& file, std::string_view version);

// nullopt if load_config would read it, and if there is no such file.
std::optional<ConfigProblem> find_config_problem(const base::FileSystem& files, const std::string& path);

// Finds the .trainjobc.yaml of each file: in its folder, or the nearest one above it up to the root of its
// repository, wherever the command runs. Standard input and pipes get that of the working directory. Each
// configuration is read once.
class Configurations {
 public:
  // Uses `file` for all inputs, unless it is "". With `none`, there is no configuration.
  Configurations(base::FileSystem& files, std::string file, bool none);

  // Never null: a file without a configuration has an empty Config, also after an error.
  std::shared_ptr<const Config> of_file(const std::string& name);
  std::shared_ptr<const Config> of_working_directory();

  // The name of the configuration whose `exclude` leaves out the file or folder, or a folder above it; "" if
  // none does.
  std::string excluded_by(const std::string& name);

  // The first error in the configurations that were read; nullopt if there is none.
  const std::optional<Message>& error() const { return error_; }

 private:
  std::shared_ptr<const Config> of_folder(const std::string& absolute);
  std::shared_ptr<const Config> with_outer(std::shared_ptr<const Config> own,
                                           const std::string& folder_above);
  std::shared_ptr<const Config> read(const std::string& path);
  bool excludes(const Config& config, const std::string& name);
  bool excludes_folder(const Config& config, const std::string& path);

  base::FileSystem& files_;
  std::shared_ptr<const Config> only_;  // the configuration that --config names
  std::shared_ptr<const Config> empty_ = std::make_shared<Config>();
  std::map<std::string, std::shared_ptr<const Config>> folders_;
  std::map<std::pair<const Config*, std::string>, bool>
      excluded_;  // whether the folder, or one above it, is excluded
  std::optional<Message> error_;
};

}  // namespace trainjobc::inputs
