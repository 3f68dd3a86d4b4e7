// SPDX-License-Identifier: Apache-2.0

// What containers run, as far as their command lines tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/advice/checks.h"
#include "k8s/jobset/jobset.h"
#include "policy/plugin.h"
#include "yaml/node.h"

namespace trainjobc::compile::advice {

struct CommandLine {
  const yaml::Node* command = nullptr;  // a list; nullptr: that of the image
  const yaml::Node* args = nullptr;     // a list, or nullptr
};

// The texts of both lists.
std::vector<std::string_view> words_of(const CommandLine& line);

// Where a word is, by its index among the words of both lists.
struct WordPlace {
  bool in_args = false;
  size_t item = 0;
  const yaml::Node* word = nullptr;
};
WordPlace place_of_word(const CommandLine& line, size_t index);

// The index of the script given to a shell or Python with -c; the number of words if there is none.
size_t script_index(const std::vector<std::string_view>& words);

// Whether a job's command is exactly [tune, run], which Trainer completes.
bool is_tune_run(const yaml::Node* command);

// "python3" of "/usr/bin/python3".
std::string_view base_name(std::string_view path);

// The programs that the words start, each with its arguments; shell scripts are parsed, their redirections
// dropped. Empty if that is unknown.
std::vector<std::vector<std::string>> programs_of(const std::vector<std::string_view>& words);

// The command line of a container whose words a job may set, and where each word is written: in the job, or
// in the runtime that it refers to. Indices count the words of both lists.
class JobCommand {
 public:
  // `container`: as the JobSet runs it.
  JobCommand(const AdviceContext& context, const yaml::Node& container);

  const CommandLine& line() const { return line_; }
  const std::vector<std::string_view>& words() const { return words_; }

  // A warning at a word; at a shell's script, at the part of it that `part` is, if that is there once.
  base::Diagnostic& report(std::string_view rule, size_t index, std::string message, std::string hint,
                           Advisor& advisor, std::string_view part = "") const;

  // The word as the job sets it; nullptr if it is the runtime's.
  const yaml::Node* own_word(size_t index) const;
  // The edits that remove words of the job's own: `count` from `index` on, or in a shell's script `part`.
  std::vector<base::Edit> without(size_t index, size_t count, std::string_view part = "") const;
  // The edits that replace a part of the job's own script. Empty if it is not there once.
  std::vector<base::Edit> with(size_t index, std::string_view part, std::string_view by) const;

 private:
  // The job's list in which the word is; nullptr if it is the runtime's.
  const yaml::Node* own_list(const WordPlace& place) const;

  const AdviceContext& context_;
  CommandLine line_;
  std::vector<std::string_view> words_;
  size_t script_;  // the index of a shell's script; the number of words if there is none
};

// What starts the processes that train in a container.
struct Launch {
  enum class Kind {
    Image,       // the image's own command
    Launcher,    // a program of the framework's list
    OneProcess,  // a program that is one process, unless it starts others itself
    Unknown,
  };
  Kind kind = Kind::Unknown;
  const policy::Launcher* launcher = nullptr;
  std::vector<std::string> program;  // its words, up to the script that it runs; empty for Image and Unknown
  std::string script;                // what it runs: a file, or a module; "" if that is not known
  size_t word = 0;                   // the word of the command line that names it, or the shell's script
  bool in_script = false;            // of a shell
  std::string needs_ranks;           // a call in code after -c that fails without RANK; "" if there is none

  bool is_python() const;

  struct Flag {
    std::string name;   // as it is written: "--nproc_per_node", "--nnodes=2"
    std::string value;  // "" without
    size_t word = 0;    // of the command line
    size_t words = 1;   // 2: the value is a word of its own
  };
  // The program's own flag; nullopt if it is not given. `name` is written with dashes: "--nproc-per-node" is
  // also --nproc_per_node.
  std::optional<Flag> flag(std::string_view name) const;
};

// Whether a framework's launcher has this name.
bool is_launcher(std::string_view program);

Launch launch_of(const std::vector<std::string_view>& words, const policy::Framework& framework);

// "PET_NPROC_PER_NODE" of PET_*: "--nproc-per-node". "" if the framework has no flags.
std::string flag_for(const policy::Framework& framework, std::string_view variable);

// What mpirun is told.
struct Mpirun {
  std::optional<int64_t> processes;  // nullopt: one for each slot
  bool is_in_order = true;           // fills the hosts one after the other
  bool may_exceed_slots = false;
  size_t processes_word = 0;       // the word of the command line with the number
  std::vector<std::string> hosts;  // of -H and --host; empty: those of the hostfile
  std::string hosts_flag;          // as it is written
  size_t hosts_word = 0;           // that flag's, which the hosts follow; or the script's
};

// nullopt if the words don't start mpirun or mpiexec.
std::optional<Mpirun> mpirun_of(const std::vector<std::string_view>& words);

// Whether the host is a pod of this JobSet.
bool is_own_pod(const k8s::jobset::JobSetView& job_set, std::string_view host);
// Whether it is a pod of another one. A name with $(JOBSET_NAME) follows the job.
bool is_foreign_pod(const k8s::jobset::JobSetView& job_set, std::string_view host);

}  // namespace trainjobc::compile::advice
