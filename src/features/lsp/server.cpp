// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "compile/explanations.h"
#include "features/lsp/answers.h"
#include "policy/plugin.h"

namespace trainjobc::lsp {
namespace {

// The paths of a list of {"uri"}.
std::vector<std::string> paths_in(const Json& folders) {
  std::vector<std::string> paths;
  if (!folders.is_array()) return paths;
  for (const Json& folder : folders) {
    if (auto path = path_of(text_member(folder, {"uri"}))) paths.push_back(std::move(*path));
  }
  return paths;
}

// Clients of older versions name one root instead of folders.
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

// Whether the client requests an action's edit when the user chooses it.
bool resolves_edits(const Json& capabilities) {
  const Json& properties =
      member(capabilities, {"textDocument", "codeAction", "resolveSupport", "properties"});
  return properties.is_array() && base::contains(properties, Json("edit"));
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
      {"renameProvider", {{"prepareProvider", true}}},
      {"documentSymbolProvider", true},
      {"foldingRangeProvider", true},
      {"codeActionProvider",
       {{"codeActionKinds",
         Json::array({std::string(kQuickFix), std::string(kFixAll), std::string(kMigrate)})},
        {"resolveProvider", true}}},
      {"codeLensProvider", {{"resolveProvider", false}}},
      {"executeCommandProvider", {{"commands", Json::array({std::string(kShowJobSet)})}}},
      {"workspace",
       {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}},
        {"textDocumentContent", {{"schemes", Json::array({std::string(kRuntimeScheme)})}}}}},
  };
}

Json watchers() {
  Json list = Json::array();
  for (const char* glob : {"**/*.{yaml,yml,json}", "**/.trainjobc.yaml", "**/.gitignore"})
    list.push_back({{"globPattern", glob}});
  return {{"watchers", std::move(list)}};
}

// A key for the id of a request, which can be cancelled by it; "" for other values.
std::string key_of(const Json& id) {
  return id.is_string() || id.is_number_integer() ? to_text(id) : "";
}

std::string request_id(const Json& message) {
  return message.is_object() && message.contains("method") ? key_of(member(message, {"id"})) : "";
}

// Returns false if nothing more can be read.
bool take_messages(MessageReader& reader, Server& server) {
  while (auto message = reader.next()) {
    const auto* body = std::get_if<std::string>(&*message);
    if (!body) {
      const bool is_large = std::holds_alternative<MessageReader::TooLarge>(*message);
      server.refuse(is_large ? "the message is too large" : "the message has no Content-Length");
      return false;
    }
    server.receive(*body);
  }
  return true;
}

// The time until `end`; 0 if it has passed.
std::chrono::milliseconds time_until(std::chrono::steady_clock::time_point end) {
  const auto left = end - std::chrono::steady_clock::now();
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds(0));
}

}  // namespace

struct Server::Waiting {
  Json message;
  size_t size = 0;  // size of its text
};

Server::Server(const base::FileSystem& disk, LoadSettings settings, policy::PolicyOptions policy, Send send,
               KeepFile keep)
    : workspace_(disk, std::move(settings), std::move(policy)),
      send_(std::move(send)),
      keep_(std::move(keep)) {}

Server::~Server() = default;

template <class Use>
Server::Reply Server::in_document(const Json& params, Use use) {
  const Json& uri = member(params, {"textDocument", "uri"});
  if (!uri.is_string()) return WhyNot{"the parameters name no document", ErrorCode::InvalidParams};
  const auto document = path_of(uri.get<std::string>());
  if (!document) return Json();
  return use(*document);
}

template <class Use>
Server::Reply Server::at_position(const Json& params, Use use) {
  Position at;
  if (!read_position(member(params, {"position"}), at))
    return WhyNot{"the parameters have no position", ErrorCode::InvalidParams};
  return in_document(params, [&](const DocumentId& document) -> Reply { return use(document, at); });
}

template <auto function>
Server::Reply Server::answer_at(const Json& params) {
  return at_position(
      params, [&](const DocumentId& document, Position at) { return function(workspace_, document, at); });
}

template <auto function>
Server::Reply Server::answer_in(const Json& params) {
  return in_document(params, [&](const DocumentId& document) { return function(workspace_, document); });
}

const std::map<std::string_view, Server::Request>& Server::requests() {
  static const std::map<std::string_view, Request> kRequests{
      {"initialize", &Server::initialize},
      {"shutdown", &Server::shutdown},
      {"textDocument/hover", &Server::answer_at<&lsp::hover>},
      {"textDocument/completion", &Server::completion},
      {"textDocument/definition", &Server::definition},
      {"textDocument/references", &Server::references},
      {"textDocument/prepareRename", &Server::answer_at<&lsp::prepare_rename>},
      {"textDocument/rename", &Server::rename},
      {"textDocument/formatting", &Server::decline_formatting},
      {"textDocument/rangeFormatting", &Server::decline_formatting},
      {"textDocument/onTypeFormatting", &Server::decline_formatting},
      {"textDocument/documentSymbol", &Server::answer_in<&lsp::document_symbols>},
      {"textDocument/foldingRange", &Server::answer_in<&lsp::folding_ranges>},
      {"textDocument/codeAction", &Server::actions},
      {"codeAction/resolve", &Server::resolve_action},
      {"textDocument/codeLens", &Server::answer_in<&lsp::code_lenses>},
      {"workspace/executeCommand", &Server::execute},
      {"workspace/textDocumentContent", &Server::content},
      {"trainjobc/renderedJobSet", &Server::rendered},
      {"trainjobc/explainRule", &Server::explain},
  };
  return kRequests;
}

const std::map<std::string_view, Server::Notification>& Server::notifications() {
  static const std::map<std::string_view, Notification> kNotifications{
      {"initialized", &Server::initialized},
      {"exit", &Server::exit},
      {"textDocument/didOpen", &Server::did_open},
      {"textDocument/didChange", &Server::did_change},
      {"textDocument/didSave", &Server::did_save},
      {"textDocument/didClose", &Server::did_close},
      {"workspace/didChangeWatchedFiles", &Server::did_change_files},
      {"workspace/didChangeWorkspaceFolders", &Server::did_change_folders},
  };
  return kNotifications;
}

void Server::receive(const std::string& body) {
  if (is_too_deep(body)) {
    const Json id = id_of(body);
    send(make_error(id, ErrorCode::InvalidRequest,
                    fmt::format("the message is nested deeper than {} levels", kDeepestJson)));
    return;
  }
  Json message = Json::parse(body, nullptr, false);
  if (message.is_discarded()) message = Json::parse(with_whole_characters(body), nullptr, false);
  if (message.is_discarded()) {
    send(make_error(nullptr, ErrorCode::ParseError, "the message is not JSON"));
    return;
  }
  if (text_member(message, {"method"}) != "$/cancelRequest") {
    const std::string id = request_id(message);
    queue_.push_back({std::move(message), body.size()});
    waiting_bytes_ += body.size();
    if (!id.empty()) waiting_.emplace(id, std::prev(queue_.end()));
    return;
  }
  const Json& id = member(message, {"params", "id"});
  const auto queued = waiting_.find(key_of(id));
  if (queued == waiting_.end()) return;  // it was answered
  send(make_error(id, ErrorCode::RequestCancelled, "the request was cancelled"));
  take(queued->second);
  waiting_.erase(queued);
}

Json Server::take(Queue::iterator waiting) {
  Json message = std::move(waiting->message);
  waiting_bytes_ -= waiting->size;
  queue_.erase(waiting);
  return message;
}

void Server::refuse(std::string_view why) {
  send(make_error(nullptr, ErrorCode::InvalidRequest, why));
}

void Server::handle_next() {
  const auto first = queue_.begin();
  const auto [begin, end] = waiting_.equal_range(request_id(first->message));
  const auto own = std::find_if(begin, end, [&](const auto& entry) { return entry.second == first; });
  if (own != end) waiting_.erase(own);
  handle(take(first));
}

void Server::handle(const Json& message) {
  const Json& id = member(message, {"id"});
  const bool has_id = id.is_string() || id.is_number_integer();
  const Json& method = member(message, {"method"});
  if (!method.is_string()) {
    const bool is_answer = message.is_object() && (message.contains("result") || message.contains("error"));
    if (!is_answer)
      send(make_error(has_id ? id : Json(), ErrorCode::InvalidRequest, "the message has no method"));
    return;
  }
  const auto name = method.get<std::string>();
  const Json& params = member(message, {"params"});
  if (has_id) {
    handle_request(id, name, params);
  } else if (message.contains("id")) {
    send(make_error(nullptr, ErrorCode::InvalidRequest, "the id of a request is a string or an integer"));
  } else {
    handle_notification(name, params);
  }
}

void Server::handle_request(const Json& id, std::string_view method, const Json& params) {
  const auto found = requests().find(method);
  Reply reply = WhyNot{"there is no method " + std::string(method), ErrorCode::MethodNotFound};
  if (is_shut_down_) {
    reply = WhyNot{"the server was shut down", ErrorCode::InvalidRequest};
  } else if (!is_initialized_ && method != "initialize") {
    reply = WhyNot{"the first request must be initialize", ErrorCode::ServerNotInitialized};
  } else if (found != requests().end()) {
    reply = answer(found->second, params);
  }
  if (const auto* failure = std::get_if<WhyNot>(&reply)) {
    send(make_error(id, failure->code, failure->message));
  } else {
    send(make_answer(id, std::move(std::get<Json>(reply))));
  }
}

// Wrong parameters must not end the server.
Server::Reply Server::answer(Request request, const Json& params) {
  try {
    if (is_initialized_) workspace_.bring_up_to_date();
    return (this->*request)(params);
  } catch (const std::exception&) {
    return WhyNot{"the request could not be handled", ErrorCode::InternalError};
  }
}

// Unknown notifications are ignored.
void Server::handle_notification(std::string_view method, const Json& params) {
  const auto found = notifications().find(method);
  if (found == notifications().end()) return;
  const bool is_exit = method == "exit";
  if (!is_exit && (!is_initialized_ || is_shut_down_)) return;
  (this->*found->second)(params);
}

void Server::publish() {
  has_news_ = false;
  has_edits_ = false;
  publish(workspace_.findings());
}

void Server::publish_early() {
  has_edits_ = false;
  auto findings = workspace_.early_findings();
  if (workspace_.is_up_to_date()) has_news_ = false;
  if (findings) publish(std::move(findings));
}

void Server::send(const Json& message) {
  send_(to_text(message));
}

void Server::publish(std::shared_ptr<const WorkspaceFindings> findings) {
  auto now = std::make_unique<const PublishedFindings>(std::move(findings));
  const auto show_once = [&](const std::string& problem, std::string& shown, int type) {
    if (problem != std::exchange(shown, problem) && !problem.empty())
      send(make_notification("window/showMessage", {{"type", type}, {"message", problem}}));
  };
  show_once(workspace_.problem(), problem_, 1);
  show_once(workspace_.root_problem(), root_problem_, 2);
  std::set<DocumentId> changed;
  // Clients may drop findings on a version of a document that is not the current one.
  const auto is_current = [&](const DocumentId& document) {
    const auto version = versions_.find(document);
    return version == versions_.end() || now->of(document).empty() ||
           published_versions_[document] == version->second;
  };
  const auto collect = [&](const std::vector<DocumentId>& documents) {
    for (const DocumentId& document : documents) {
      if (!published_ || !now->is_same(*published_, document) || !is_current(document))
        changed.insert(document);
    }
  };
  collect(now->documents());
  if (published_) collect(published_->documents());
  const auto before = std::exchange(published_, std::move(now));
  for (const DocumentId& document : changed) publish(document, before.get());
}

void Server::publish(const DocumentId& document, const PublishedFindings* before) {
  std::vector<std::string> texts =
      published_->texts_of(document, before, std::exchange(texts_[document], {}));
  Json params{{"uri", uri_of(document)}, {"diagnostics", Json::array()}};
  const auto version = versions_.find(document);
  const bool is_open = version != versions_.end();
  if (is_open) {
    params["version"] = version->second;
    published_versions_[document] = version->second;
  }
  std::string message = to_text(make_notification("textDocument/publishDiagnostics", std::move(params)));
  constexpr std::string_view kList = "\"diagnostics\":[";
  message.insert(message.find(kList) + kList.size(), fmt::format("{}", fmt::join(texts, ",")));
  send_(message);
  // Texts are kept only for open documents, since few of the others are ever edited.
  if (is_open)
    texts_[document] = std::move(texts);
  else
    texts_.erase(document);
}

Server::Reply Server::initialize(const Json& params) {
  if (is_initialized_) return WhyNot{"the server was initialized before", ErrorCode::InvalidRequest};
  is_initialized_ = true;
  const Json& client = member(params, {"capabilities"});
  watches_files_ = is_true(member(client, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"}));
  knows_snippets_ =
      is_true(member(client, {"textDocument", "completion", "completionItem", "snippetSupport"}));
  resolves_actions_ = resolves_edits(client);
  opens_virtual_ = member(client, {"workspace", "textDocumentContent"}).is_object();
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
  send(make_request(++last_request_, "client/registerCapability",
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

void Server::did_open(const Json& params) {
  const auto document = path_of(text_member(params, {"textDocument", "uri"}));
  const Json& text = member(params, {"textDocument", "text"});
  if (!document || !text.is_string()) return;
  const Json& version = member(params, {"textDocument", "version"});
  versions_[*document] = version.is_number_integer() ? version.get<int64_t>() : 0;
  published_versions_[*document] = versions_[*document];
  edited_.reset();
  workspace_.set_text(*document, text.get<std::string>());
  has_news_ = true;
}

void Server::did_change(const Json& params) {
  const auto document = path_of(text_member(params, {"textDocument", "uri"}));
  const std::string* known = document ? workspace_.buffer(*document) : nullptr;
  const Json& changes = member(params, {"contentChanges"});
  if (!known || !changes.is_array()) return;
  // Left out if a change is wrong, or of another document: the next one begins with what is known.
  auto edited = std::exchange(edited_, std::nullopt);
  if (!edited || edited->first != *document) edited.emplace(*document, EditedText(*known));
  EditedText& text = edited->second;
  for (const Json& one : changes) {
    TextChange change{std::nullopt, text_member(one, {"text"})};
    Range range;
    if (!one.is_object() || !member(one, {"text"}).is_string()) return;
    if (one.contains("range")) {
      if (!read_range(one["range"], range)) return;
      change.range = range;
    }
    text.apply(change);
  }
  const Json& version = member(params, {"textDocument", "version"});
  if (version.is_number_integer()) versions_[*document] = version.get<int64_t>();
  workspace_.set_text(*document, text.text());
  edited_ = std::move(edited);
  has_news_ = true;
  has_edits_ = true;
}

void Server::did_save(const Json& params) {
  const auto document = path_of(text_member(params, {"textDocument", "uri"}));
  if (document && workspace_.note_saved(*document)) has_news_ = true;
}

void Server::did_close(const Json& params) {
  const auto document = path_of(text_member(params, {"textDocument", "uri"}));
  if (!document || !workspace_.buffer(*document)) return;
  versions_.erase(*document);
  published_versions_.erase(*document);
  texts_.erase(*document);
  edited_.reset();
  workspace_.close(*document);
  has_news_ = true;
}

void Server::did_change_files(const Json& params) {
  const Json& changes = member(params, {"changes"});
  if (!changes.is_array()) return;
  for (const Json& change : changes) {
    if (const auto path = path_of(text_member(change, {"uri"}))) workspace_.note_change_on_disk(*path);
  }
  has_news_ = true;
}

void Server::did_change_folders(const Json& params) {
  std::vector<std::string> folders = workspace_.folders();
  const std::vector<std::string> removed = paths_in(member(params, {"event", "removed"}));
  std::erase_if(folders, [gone = std::set<std::string>(removed.begin(), removed.end())](
                             const std::string& folder) { return gone.contains(folder); });
  std::set<std::string> known(folders.begin(), folders.end());
  for (std::string& added : paths_in(member(params, {"event", "added"}))) {
    if (known.insert(added).second) folders.push_back(std::move(added));
  }
  workspace_.set_folders(std::move(folders));
  has_news_ = true;
}

Server::Reply Server::completion(const Json& params) {
  return at_position(params, [&](const DocumentId& document, Position at) {
    return lsp::complete(workspace_, document, at, knows_snippets_);
  });
}

Server::Reply Server::definition(const Json& params) {
  return at_position(params, [&](const DocumentId& document, Position at) {
    Json location = lsp::find_definition(workspace_, document, at, opens_virtual_ || keep_);
    return opens_virtual_ ? location : as_file(std::move(location));
  });
}

Json Server::as_file(Json location) const {
  const std::string uri = text_member(location, {"uri"});
  const std::string scheme = fmt::format("{}://", kRuntimeScheme);
  if (!uri.starts_with(scheme)) return location;
  const auto document = virtual_document(uri);
  const auto* shown = std::get_if<Json>(&document);
  const std::string path =
      shown && keep_ ? keep_(uri.substr(scheme.size()), text_member(*shown, {"text"})) : "";
  if (path.empty()) return nullptr;
  location["uri"] = uri_of(path);
  return location;
}

Server::Reply Server::references(const Json& params) {
  const bool includes = is_true(member(params, {"context", "includeDeclaration"}));
  return at_position(params, [&](const DocumentId& document, Position at) {
    return lsp::find_references(workspace_, document, at, includes, opens_virtual_);
  });
}

Server::Reply Server::rename(const Json& params) {
  const Json& name = member(params, {"newName"});
  if (!name.is_string()) return WhyNot{"the parameters have no newName", ErrorCode::InvalidParams};
  return at_position(params, [&](const DocumentId& document, Position at) {
    return lsp::rename(workspace_, document, at, name.get<std::string>());
  });
}

Server::Reply Server::content(const Json& params) {
  return virtual_document(text_member(params, {"uri"}));
}

// No capability announces formatting, but clients with several servers may ask all of them.
Server::Reply Server::decline_formatting(const Json&) {
  return WhyNot{"trainjobc does not format YAML; use a formatter such as prettier or yamlfmt"};
}

Server::Reply Server::actions(const Json& params) {
  ActionRequest request;
  if (!read_range(member(params, {"range"}), request.range))
    return WhyNot{"the parameters have no range", ErrorCode::InvalidParams};
  const Json& only = member(params, {"context", "only"});
  for (const Json& kind : only.is_array() ? only : Json::array()) {
    if (kind.is_string()) request.only.push_back(kind.get<std::string>());
  }
  request.resolves = resolves_actions_;
  return in_document(params, [&](const DocumentId& document) {
    request.document = document;
    return code_actions(workspace_, PublishedFindings(workspace_.findings()), request);
  });
}

Server::Reply Server::resolve_action(const Json& params) {
  return params.is_object() ? Reply(resolve_code_action(workspace_, params))
                            : WhyNot{"the parameters are not an action", ErrorCode::InvalidParams};
}

Server::Reply Server::render(const std::string& uri, const std::string& ns, const std::string& name) {
  const auto document = path_of(uri);
  if (!document || name.empty())
    return WhyNot{"the parameters name no TrainJob of a document", ErrorCode::InvalidParams};
  return rendered_job_set(workspace_, *document, ns, name);
}

Server::Reply Server::rendered(const Json& params) {
  return render(text_member(params, {"textDocument", "uri"}), text_member(params, {"namespace"}),
                text_member(params, {"name"}));
}

Server::Reply Server::execute(const Json& params) {
  const std::string command = text_member(params, {"command"});
  if (command != kShowJobSet) return WhyNot{"there is no command " + command, ErrorCode::InvalidParams};
  std::array<std::string, 3> words;
  const Json& arguments = member(params, {"arguments"});
  for (size_t i = 0; i < words.size() && arguments.is_array() && i < arguments.size(); ++i) {
    if (arguments[i].is_string()) words[i] = arguments[i].get<std::string>();
  }
  return render(words[0], words[1], words[2]);
}

Server::Reply Server::explain(const Json& params) {
  const std::string id = text_member(params, {"rule"});
  const rules::Rule* rule = rules::find_rule(id);
  if (!rule) return WhyNot{fmt::format("there is no rule \"{}\"", id), ErrorCode::InvalidParams};
  return Json{
      {"text", fmt::format("# {}\n\n{}\n\n{}\n", rule->id, rule->summary, compile::explanation_of(*rule))}};
}

int serve(Server& server, const ReadBytes& read) {
  MessageReader reader;
  std::chrono::steady_clock::time_point rest_end;
  bool is_open = true;
  while (!server.exit_status()) {
    if (is_open && !server.is_full()) {
      auto wait = server.has_news() ? time_until(rest_end) : std::chrono::milliseconds(-1);
      if (server.has_messages() || server.has_edits()) wait = std::chrono::milliseconds(0);
      const std::optional<std::string> bytes = read(wait);
      if (bytes) reader.feed(*bytes);
      is_open = bytes.has_value() && take_messages(reader, server);
    }
    if (server.has_messages()) {
      server.handle_next();
    } else if (!is_open) {
      return 1;  // the stream ended without `exit`
    } else if (server.has_edits()) {
      server.publish_early();
      rest_end = std::chrono::steady_clock::now() + kRest;
    } else if (server.has_news() && time_until(rest_end).count() == 0) {
      server.publish();
    }
  }
  return *server.exit_status();
}

}  // namespace trainjobc::lsp
