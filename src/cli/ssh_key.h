// SPDX-License-Identifier: Apache-2.0

// --ssh-key: where the SSH key of an MPI job comes from.
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
  std::string folder;               // the only folder that may contain the file; "": any

  // Adds both flags.
  void add_to(Command& command);
  void add_folder_to(Command& command);
  // The folder from the flag, otherwise from the environment.
  std::string allowed_folder(const Console& console) const;
  bool names_file() const { return choice.starts_with("file:") || choice.starts_with("seed:"); }
  // The named file, if any; a relative path starts at the allowed folder.
  std::string file_in(const std::string& allowed) const;
  // "" if the choice is valid.
  std::string check() const;
  // False if the file can't be read, which has been reported.
  bool read(Console& console, policy::SshKeyOptions& key) const;
};

// For commands that show no key: a fixed key, made without random numbers.
policy::SshKeyOptions unshown_key();

// Prevents SSH keys and seeds from being read as manifests or settings, whose lines messages quote.

// A file system without the key's file and the folder of keys, even through symbolic and hard links.
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
  std::string key_;     // resolved; "": none
  std::string folder_;  // as given; "": none
};

// A console with such a file system.
class GuardedConsole final : public WrappedConsole {
 public:
  GuardedConsole(Console& console, const SshKeyFlag& key)
      : WrappedConsole(console), files_(console.files(), key, console) {}

  base::FileSystem& files() override { return files_; }

 private:
  GuardedFiles files_;
};

// Notes for users on the Secrets of MPI jobs.

// The SSH keys of objects.
class SshKeys {
 public:
  void add(const Object& object);
  void append(const SshKeys& others);

  // That Secrets with fresh keys were rendered.
  void note_generated(Console& console, const policy::SshKeyOptions& key) const;
  // Which Secrets the JobSets need that were left out, unless the objects hold them.
  void note_omitted(Console& console, const policy::SshKeyOptions& key) const;

 private:
  using Name = std::pair<std::string, std::string>;  // namespace and name

  size_t rendered_ = 0;
  std::vector<Name> mounted_;  // by JobSets, in their order
  std::vector<Name> secrets_;
};

}  // namespace trainjobc::cli
