// SPDX-License-Identifier: Apache-2.0

// trainjobc lsp
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <utility>

#include "base/files/descriptor.h"
#include "base/files/paths.h"
#include "base/text/text.h"
#include "base/version.h"
#include "cli/commands.h"
#include "features/lsp/server.h"

namespace trainjobc::cli {
namespace {

// A runtime of the catalogue as a file that can't be edited.
std::string keep_runtime(Console& console, const std::string& name, std::string_view text) {
  const std::string cache = cache_folder(console);
  if (cache.empty()) return "";
  const std::string path = fmt::format("{}/{}/{}", cache, base::kVersion, name);
  const bool is_kept =
      console.files().text_of(path) == text || !console.files().write_in_folder(path, text, 0444);
  return is_kept ? path : "";
}

int run_lsp(Console& console) {
  if (console.stdin_is_terminal()) note(console, "waiting for an editor's messages on standard input");
  bool is_written = true;
  policy::PolicyOptions policy;
  policy.ssh_key = unshown_key();
  lsp::Server server(
      console.files(), {console.processes(), environment_of(console), true}, std::move(policy),
      [&](const std::string& message) {
        is_written = is_written && console.write_manifests(lsp::frame(message));
      },
      [&](const std::string& name, std::string_view text) { return keep_runtime(console, name, text); });
  const int status = lsp::serve(server, [&](std::chrono::milliseconds wait) {
    return is_written ? base::read_available(STDIN_FILENO, wait) : std::nullopt;
  });
  return is_written ? status : fail(console, "can't write to the editor");
}

}  // namespace

std::function<int(Console&)> setup_lsp(Command& command) {
  auto uses_stdio = std::make_shared<bool>(false);
  command.add("--stdio", &*uses_stdio, "Use standard input and output (the default; editors pass this flag)");
  command.details = {
      "A Language Server Protocol 3.17 server on standard input and output, for editors. It reports what "
      "`trainjobc lint` reports on the folders that the editor opens, with the text of its buffers instead "
      "of the files. It also completes, explains, navigates and fixes, and shows what a TrainJob is rendered "
      "to. The only files that it writes are in the user's cache folder: what kustomize and helm built, and "
      "runtimes of the catalogue, for editors that can't open them otherwise."};
  command.variables = {{std::string(kConfigVariable), "The configuration file."},
                       {"TRAINJOBC_TRAINER_VERSION", "Kubeflow Trainer version to compile for."},
                       {"TRAINJOBC_RUNTIMES", "A file or directory with more runtimes."},
                       {"XDG_CACHE_HOME", "The folder for caches. The default is ~/.cache."}};
  command.exit_statuses = {{0, "ended by the editor"},
                           {1, "the connection closed before the editor ended the session"},
                           {2, "usage or I/O error"}};
  command.examples = {"trainjobc lsp", "trainjobc lsp --stdio"};
  return [uses_stdio](Console& console) { return run_lsp(console); };
}

}  // namespace trainjobc::cli
