// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "base/files/paths.h"
#include "features/lsp/code_actions.h"
#include "features/lsp/rendered_jobs.h"
#include "features/lsp/server.h"
#include "base/version.h"

namespace trainjobc::lsp {
namespace {

// The paths of {"uri"}s in a list.
std::vector<std::string> paths_in(const Json& folders) {
  std::vector<std::string> paths;
  if (!folders.is_array()) return paths;
  for (const Json& folder : folders) {
    if (auto path = path_of(text_member(folder, {"uri"}))) paths.push_back(std::move(*path));
  }
  return paths;
}

// Clients before folders name one root.
std::vector<std::string> folders_of(const Json& params) {
  if (member(params, {"workspaceFolders"}).is_array()) return paths_in(params["workspaceFolders"]);
  if (auto root = path_of(text_member(params, {"rootUri"}))) return {std::move(*root)};
  const std::string root = text_member(params, {"rootPath"});
  return root.starts_with('/') ? std::vector<std::string>{base::absolute_path(root)}
                               : std::vector<std::string>();
}

bool is_true(const Json& value) {
  return value.is_boolean() && value.get<bool>();
}

// Whether the client asks for the edit of an action when it is chosen.
bool resolves_edits(const Json& capabilities) {
  const Json& properties =
      member(capabilities, {"textDocument", "codeAction", "resolveSupport", "properties"});
  return properties.is_array() && std::ranges::find(properties, Json("edit")) != properties.end();
}

Json capabilities() {
  return {
      {"positionEncoding", "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", {{"includeText", false}}}}},
      {"hoverProvider", true},
      {"completionProvider",
       {{"triggerCharacters", Json::array({" ", ":", "-"})}, {"resolveProvider", false}}},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentSymbolProvider", true},
      {"foldingRangeProvider", true},
      {"codeActionProvider",
       {{"codeActionKinds",
         Json::array({std::string(kQuickFix), std::string(kFixAll), std::string(kMigrate)})},
        {"resolveProvider", true}}},
      {"codeLensProvider", {{"resolveProvider", false}}},
      {"executeCommandProvider", {{"commands", Json::array({std::string(kShowJobSet)})}}},
      {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}},
  };
}

Json watchers() {
  Json list = Json::array();
  for (const char* glob : {"**/*.{yaml,yml,json}", "**/.trainjobc.yaml", "**/.gitignore"})
    list.push_back({{"globPattern", glob}});
  return {{"watchers", std::move(list)}};
}

}  // namespace

Server::Reply Server::initialize(const Json& params) {
  if (is_initialized_) return Failure{ErrorCode::InvalidRequest, "the server was initialized before"};
  is_initialized_ = true;
  const Json& client = member(params, {"capabilities"});
  watches_files_ = is_true(member(client, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"}));
  knows_snippets_ =
      is_true(member(client, {"textDocument", "completion", "completionItem", "snippetSupport"}));
  resolves_actions_ = resolves_edits(client);
  workspace_.set_folders(folders_of(params));
  return Json{{"capabilities", capabilities()},
              {"serverInfo", {{"name", "trainjobc"}, {"version", TRAINJOBC_VERSION}}}};
}

void Server::initialized(const Json&) {
  is_open_ = true;
  has_news_ = true;
  if (!watches_files_) return;
  Json registration{
      {"id", "files"}, {"method", "workspace/didChangeWatchedFiles"}, {"registerOptions", watchers()}};
  send_(make_request(++last_request_, "client/registerCapability",
                     {{"registrations", Json::array({std::move(registration)})}}));
}

Server::Reply Server::shutdown(const Json&) {
  is_shut_down_ = true;
  is_open_ = false;
  return Json();
}

void Server::exit(const Json&) {
  exit_status_ = is_shut_down_ ? 0 : 1;
}

void Server::did_change_folders(const Json& params) {
  std::vector<std::string> folders = workspace_.folders();
  for (const std::string& removed : paths_in(member(params, {"event", "removed"})))
    std::erase(folders, removed);
  for (std::string& added : paths_in(member(params, {"event", "added"}))) {
    if (std::ranges::find(folders, added) == folders.end()) folders.push_back(std::move(added));
  }
  workspace_.set_folders(std::move(folders));
  has_news_ = true;
}

}  // namespace trainjobc::lsp
