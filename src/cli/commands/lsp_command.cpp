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

// Loads files for the server: from its buffers and the disk, and what is wrong goes to the editor.
class LoadingConsole final : public WrappedConsole {
 public:
  LoadingConsole(Console& outer, base::FileSystem& files) : WrappedConsole(outer), files_(files) {}

  std::string errors;

  base::FileSystem& files() override { return files_; }
  base::IoResult<std::string> read_stdin() override { return std::string(); }
  std::optional<std::string> read_line() override { return std::nullopt; }
  bool stdin_is_terminal() const override { return false; }
  bool stdout_is_terminal() const override { return false; }
  bool stderr_is_terminal() const override { return false; }
  size_t stdout_width() const override { return 0; }
  size_t stderr_width() const override { return 0; }
  bool send_stdout(std::string_view) override { return true; }
  void send_stderr(std::string_view text) override { errors += text; }

 private:
  base::FileSystem& files_;
};

// Where the user's programs keep files that they can make again; "" if that is unknown.
std::string cache_folder(const Console& console) {
  const std::string own = console.environment("XDG_CACHE_HOME");
  if (own.starts_with('/')) return own;
  const std::string home = console.environment("HOME");
  return home.starts_with('/') ? home + "/.cache" : "";
}

// A runtime of the catalogue as a file that can't be edited.
std::string keep_runtime(Console& console, const std::string& name, std::string_view text) {
  const std::string cache = cache_folder(console);
  if (cache.empty()) return "";
  const std::string path = fmt::format("{}/trainjobc/{}/{}", cache, base::kVersion, name);
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
      console.files(), workspace_loader(console), std::move(policy),
      [&](const lsp::Json& message) {
        is_written = is_written && console.write_manifests(lsp::frame(message));
      },
      [&](const std::string& name, std::string_view text) { return keep_runtime(console, name, text); });
  server.build_roots_with(root_builder(console));
  const int status = lsp::serve(server, [&](std::chrono::milliseconds wait) {
    return is_written ? base::read_available(STDIN_FILENO, wait) : std::nullopt;
  });
  return is_written ? status : fail(console, "can't write to the editor");
}

}  // namespace

lsp::InputLoader workspace_loader(Console& console) {
  return
      [&console](base::FileSystem& files,
                 const std::vector<std::string>& paths) -> std::variant<inputs::LoadedInputs, base::IoError> {
        LoadingConsole own(console, files);
        InputFlags flags;
        flags.paths = paths;
        auto loaded = load_inputs(own, flags);
        if (!loaded) return base::IoError{own.errors};
        return std::move(*loaded);
      };
}

lsp::RootBuilder root_builder(Console& console) {
  return [&console](base::FileSystem& files, const std::vector<std::string>& paths,
                    const std::function<bool(const std::string& scope)>& is_left_out) {
    LoadingConsole own(console, files);
    InputFlags flags;
    flags.paths = paths;
    flags.roots.builds_found = true;
    flags.roots.is_left_out = is_left_out;
    auto loaded = load_inputs(own, flags);
    constexpr std::string_view kNote = "note: ";
    std::string_view said = base::trimmed(own.errors);
    if (said.starts_with(kNote)) said.remove_prefix(kNote.size());
    lsp::BuiltRoots built{{}, std::string(said)};
    if (!loaded) return built;
    for (inputs::InputGroup& group : loaded->groups) {
      if (!group.parts.empty() || !group.templates.empty()) built.groups.push_back(std::move(group));
    }
    return built;
  };
}

std::function<int(Console&)> setup_lsp(Command& command) {
  auto uses_stdio = std::make_shared<bool>(false);
  command.add("--stdio", &*uses_stdio, "Use standard input and output (the default; editors pass this flag)");
  command.details = {
      "A Language Server Protocol 3.17 server on standard input and output, for editors. It reports what "
      "`trainjobc lint` reports on the folders that the editor opens, with the text of its buffers instead "
      "of the files. It also completes, explains, navigates and fixes, and shows what a TrainJob is rendered "
      "to. The only files that it writes are runtimes of the catalogue, for editors that can't open them "
      "otherwise, in the user's cache folder."};
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
