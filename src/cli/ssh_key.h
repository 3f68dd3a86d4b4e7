// SPDX-License-Identifier: Apache-2.0

// The flag --ssh-key: where the SSH key of an MPI job comes from.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "compile/compile.h"
#include "policy/plugin.h"

namespace trainjobc::cli {

struct SshKeyFlag {
  std::string choice = "generate";  // generate, omit, file:PATH or seed:PATH
  std::string folder;               // the only folder that may contain the file; "" for any

  // Adds both flags.
  void add_to(Command& command);
  void add_folder_to(Command& command);
  // The folder that the flag names, otherwise the environment.
  std::string allowed_folder(const Console& console) const;
  bool names_file() const { return choice.starts_with("file:") || choice.starts_with("seed:"); }
  // The path of the file, if the choice names one; a relative path starts at the allowed folder.
  std::string file_in(const std::string& allowed) const;
  // Returns "" if the choice is valid, else an error.
  std::string check() const;
  // False if the file can't be read, which has been reported.
  bool read(Console& console, policy::SshKeyOptions& key) const;
};

// A fixed key, made without random numbers, for commands that show no key.
policy::SshKeyOptions unshown_key();

// Keeps SSH keys and seeds from being read as manifests or settings: messages quote lines of these.

// A file system without the key's file and the folder of keys, even under the names of symbolic and hard
// links.
class GuardedFiles final : public base::FileSystem {
 public:
  GuardedFiles(base::FileSystem& files, const SshKeyFlag& key, const Console& console);

  base::FileKind kind(const std::string& path) const override { return files_.kind(path); }
  base::IoResult<std::string> read(const std::string& path) const override;
  base::IoResult<std::vector<base::DirectoryEntry>> list(const std::string& path) const override {
    return files_.list(path);
  }
  std::optional<base::IoError> write(const std::string& path, std::string_view text, unsigned mode) override {
    return files_.write(path, text, mode);
  }
  std::optional<base::IoError> replace(const std::string& path, std::string_view old_text,
                                       std::string_view text) override {
    return files_.replace(path, old_text, text);
  }
  bool stays_inside(const std::string& directory, const std::string& path) const override {
    return files_.stays_inside(directory, path);
  }
  std::optional<base::IoError> remove(const std::string& path) override { return files_.remove(path); }
  std::optional<base::IoError> make_directory(const std::string& path) override {
    return files_.make_directory(path);
  }

 private:
  bool is_linked_key(const std::string& path) const;

  base::FileSystem& files_;
  std::string key_;     // resolved; "" for none
  std::string folder_;  // as given; "" for none
};

// A console with a GuardedFiles.
class GuardedConsole final : public WrappedConsole {
 public:
  GuardedConsole(Console& console, const SshKeyFlag& key)
      : WrappedConsole(console), files_(console.files(), key, console) {}

  base::FileSystem& files() override { return files_; }

 private:
  GuardedFiles files_;
};

// Notes about the Secrets of MPI jobs.

// Collects the SSH keys of objects.
class SshKeys {
 public:
  void add(const Object& object);
  void append(const SshKeys& others);

  // Notes that Secrets with fresh keys were rendered.
  void note_generated(Console& console, const policy::SshKeyOptions& key) const;
  // Notes which Secrets the JobSets need that were left out, unless the objects include them.
  void note_omitted(Console& console, const policy::SshKeyOptions& key) const;

 private:
  using Name = std::pair<std::string, std::string>;  // namespace and name

  size_t rendered_ = 0;
  std::vector<Name> mounted_;  // mounted by JobSets, in the order of these
  std::vector<Name> secrets_;
};

}  // namespace trainjobc::cli
