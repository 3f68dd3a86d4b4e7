// SPDX-License-Identifier: Apache-2.0

// What the page calls: files in memory, the command line over them, and the language server over them.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/file_system.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/ssh_key.h"
#include "features/lsp/server.h"

namespace trainjobc::playground {
namespace {

// A browser has none.
class NoPrograms final : public base::ProcessRunner {
 public:
  base::IoResult<base::ProcessResult> run(const base::ProcessRequest& request) override {
    return base::io_error("run", request.argv[0], ENOENT);
  }
};

class PageConsole final : public cli::Console {
 public:
  explicit PageConsole(base::FileSystem& files) : files_(files) {}

  std::string out;
  std::string err;
  std::string trainer_version;

  base::FileSystem& files() override { return files_; }
  base::ProcessRunner& processes() override { return programs_; }
  base::IoResult<std::string> read_stdin() override { return std::string(); }
  bool stdin_is_terminal() const override { return false; }
  bool stdout_is_terminal() const override { return false; }
  bool stderr_is_terminal() const override { return false; }
  std::string environment(const char* name) const override {
    return name == std::string_view("TRAINJOBC_TRAINER_VERSION") ? trainer_version : "";
  }
  size_t stdout_width() const override { return 0; }
  size_t stderr_width() const override { return 0; }
  bool send_stdout(std::string_view text) override {
    out += text;
    return true;
  }
  void send_stderr(std::string_view text) override { err += text; }

 private:
  base::FileSystem& files_;
  NoPrograms programs_;
};

// One per worker: everything that outlives a call.
struct State {
  base::MemoryFileSystem files;
  std::string out;
  std::string err;
  PageConsole server_console{files};
  std::unique_ptr<lsp::Server> server;
};

State& state() {
  static State only;
  return only;
}

std::vector<std::string> split_at_nul(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\0'), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

lsp::Server& server() {
  State& own = state();
  if (!own.server) {
    policy::PolicyOptions policy;
    policy.ssh_key = cli::unshown_key();
    own.server = std::make_unique<lsp::Server>(
        own.files, lsp::LoadSettings{own.server_console.processes(), cli::environment_of(own.server_console)},
        std::move(policy), [&own](const std::string& message) { own.out += message + "\n"; });
  }
  return *own.server;
}

}  // namespace
}  // namespace trainjobc::playground

namespace playground = trainjobc::playground;

extern "C" {

void playground_clear() {
  playground::state().files.files.clear();
}

void playground_write(const char* path, const char* text, size_t size) {
  playground::state().files.files[path] = std::string(text, size);
}

// `arguments` end with a NUL each. Returns the exit status; the output is text 0, the messages are text 1.
int playground_run(const char* arguments, size_t size) {
  playground::State& state = playground::state();
  playground::PageConsole console(state.files);
  const int status =
      trainjobc::cli::run(playground::split_at_nul(std::string_view(arguments, size)), console);
  state.out = std::move(console.out);
  state.err = std::move(console.err);
  return status;
}

// Begins a session of the language server.
void playground_start(const char* trainer_version) {
  playground::state().server.reset();
  playground::state().server_console.trainer_version = trainer_version;
}

// A message of the Language Server Protocol. Those of the server are text 0, one per line.
void playground_receive(const char* message, size_t size) {
  playground::state().out.clear();
  trainjobc::lsp::Server& server = playground::server();
  server.receive(std::string(message, size));
  while (server.has_messages()) server.handle_next();
}

// Findings on all documents, once the keyboard rests: text 0, as above.
void playground_rest() {
  playground::state().out.clear();
  if (playground::server().has_news()) playground::server().publish();
}

const char* playground_text(int which) {
  return (which == 0 ? playground::state().out : playground::state().err).data();
}

size_t playground_size(int which) {
  return (which == 0 ? playground::state().out : playground::state().err).size();
}

}  // extern "C"
