// SPDX-License-Identifier: Apache-2.0

// A language server on files in memory.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "features/lsp/server.h"
#include "features/lsp/workspace.h"
#include "support/test_console.h"

namespace trainjobc::test {

// The files of /repo.
struct LspFiles {
  base::MemoryFileSystem disk;
  mutable NoPrograms none;
  base::ProcessRunner* programs = nullptr;  // that build roots; nullptr: they are not built

  lsp::LoadSettings settings() const { return {programs ? *programs : none, {}, programs != nullptr}; }
  std::unique_ptr<lsp::Workspace> workspace() const {
    policy::PolicyOptions policy;
    policy.ssh_key = {.source = policy::SshKeySource::Seed, .material = "any sixteen bytes"};
    auto made = std::make_unique<lsp::Workspace>(disk, settings(), std::move(policy));
    made->set_folders({"/repo"});
    return made;
  }
};

// A file that makes a workspace a large one, in which an edited document is checked before the others. It is
// cheap to read.
inline std::string long_notes() {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes}\ndata:\n  text: " +
         std::string(150'000, '-') + "x\n";
}

// An editor that talks to a server.
class LspClient {
 public:
  explicit LspClient(const LspFiles& files, lsp::Server::KeepFile keep = {})
      : server(
            files.disk, files.settings(), {},
            [this](const std::string& message) { sent.push_back(lsp::Json::parse(message)); },
            std::move(keep)) {}

  lsp::Server server;
  std::vector<lsp::Json> sent;

  // The answer to a request: its result or its error.
  lsp::Json request(std::string_view method, lsp::Json params = lsp::Json::object()) {
    server.receive(lsp::to_text(lsp::make_request(++last_, method, std::move(params))));
    handle_all();
    for (const lsp::Json& message : sent) {
      if (lsp::member(message, {"id"}) == lsp::Json(last_) && !message.contains("method"))
        return message.contains("error") ? message["error"] : message["result"];
    }
    return "no answer";
  }
  void notify(std::string_view method, lsp::Json params = lsp::Json::object()) {
    server.receive(lsp::to_text(lsp::make_notification(method, std::move(params))));
    handle_all();
  }
  void start() {
    request("initialize", {{"rootUri", "file:///repo"}, {"capabilities", lsp::Json::object()}});
    notify("initialized");
  }
  void open(const std::string& path, const std::string& text) {
    notify("textDocument/didOpen",
           {{"textDocument",
             {{"uri", lsp::uri_of(path)}, {"languageId", "yaml"}, {"version", 1}, {"text", text}}}});
  }
  void replace(const std::string& path, const std::string& text, int64_t version = 2) {
    notify("textDocument/didChange", {{"textDocument", {{"uri", lsp::uri_of(path)}, {"version", version}}},
                                      {"contentChanges", lsp::Json::array({{{"text", text}}})}});
  }

  // Publishes, and returns what was published: the diagnostics by path, each as "LINE:COLUMN RULE".
  std::map<std::string, std::vector<std::string>> publish() {
    sent.clear();
    server.publish();
    return published();
  }
  // The same of what is known at once.
  std::map<std::string, std::vector<std::string>> publish_early() {
    sent.clear();
    server.publish_early();
    return published();
  }

 private:
  std::map<std::string, std::vector<std::string>> published() const {
    std::map<std::string, std::vector<std::string>> published;
    for (const lsp::Json& message : sent) {
      if (lsp::text_member(message, {"method"}) != "textDocument/publishDiagnostics") continue;
      auto& list = published[*lsp::path_of(lsp::text_member(message, {"params", "uri"}))];
      for (const lsp::Json& found : message["params"]["diagnostics"]) {
        const lsp::Json& start = found["range"]["start"];
        list.push_back(std::to_string(start["line"].get<int>() + 1) + ":" +
                       std::to_string(start["character"].get<int>() + 1) + " " +
                       found["code"].get<std::string>());
      }
    }
    return published;
  }

  void handle_all() {
    while (server.has_messages()) server.handle_next();
  }

  int64_t last_ = 0;
};

}  // namespace trainjobc::test
