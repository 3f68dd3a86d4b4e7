// SPDX-License-Identifier: Apache-2.0

// trainjobc function
#include <memory>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/ssh/ssh_key_flag.h"
#include "features/function/function.h"

namespace trainjobc::cli {
namespace {

int run_function(Console& console, const SshKeyFlag& keys) {
  if (console.stdin_is_terminal())
    return fail(console, "no input: a KRM function reads a ResourceList from standard input");
  auto text = console.read_stdin();
  if (const auto* error = std::get_if<base::IoError>(&text)) return fail(console, error->message);
  const auto read_key = [&](const std::string& choice, policy::SshKeyOptions& key) -> std::string {
    const SshKeyFlag flag{choice, keys.allowed_folder(console)};
    const std::string wrong = flag.check();
    if (!wrong.empty()) return "sshKey " + wrong;
    // The author of functionConfig must not be able to read any file that this process can.
    if (flag.names_file() && flag.folder.empty())
      return "sshKey names a file, but no folder is allowed: --ssh-key-dir or TRAINJOBC_SSH_KEY_DIR sets it";
    return flag.read(console, key) ? "" : "sshKey names a file that can't be read";
  };
  const function::Outcome outcome = function::run(std::move(std::get<std::string>(text)), read_key);
  if (outcome.list.empty()) return fail(console, outcome.errors);
  console.write_stderr(outcome.errors);
  if (!console.write_manifests(outcome.list)) return fail(console, "can't write the output");
  return outcome.rejected ? kRejected : kOk;
}

}  // namespace

std::function<int(Console&)> setup_function(Command& command) {
  auto keys = std::make_shared<SshKeyFlag>();
  keys->add_folder_to(command);
  command.details = {
      "Standard input and output are a ResourceList (config.kubernetes.io/v1 or v1beta1). TrainJobs and "
      "runtimes in it are replaced by what the controller would create; other items stay unchanged, byte for "
      "byte. The data of functionConfig may set trainerVersion, namespace, nameSuffix, catalogue, sshKey "
      "(omit, seed:FILE, file:FILE, generate) and keepInputs, which keeps the inputs as local config. FILE "
      "must be in --ssh-key-dir or $TRAINJOBC_SSH_KEY_DIR. Anyone who can commit a job with some namespace "
      "and name, and read what is rendered, has that job's key: give each team its own seed."};
  command.exit_statuses = {
      {0, "rendered"}, {1, "an input was rejected (results say why)"}, {2, "usage or I/O"}};
  command.examples = {"kpt fn eval jobs/ --exec \"trainjobc function\"",
                      "kpt fn source jobs/ | trainjobc function"};
  return [keys](Console& console) { return run_function(console, *keys); };
}

}  // namespace trainjobc::cli
