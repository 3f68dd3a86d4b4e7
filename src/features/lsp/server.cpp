// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/server.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "features/lsp/text_change.h"

namespace trainjobc::lsp {

Server::Server(const base::FileSystem& disk, InputLoader load, policy::PolicyOptions policy, Send send)
    : workspace_(disk, std::move(load), std::move(policy)), send_(std::move(send)) {}

const std::map<std::string_view, Server::Request>& Server::requests() {
  static const std::map<std::string_view, Request> kRequests{
      {"initialize", &Server::initialize},
      {"shutdown", &Server::shutdown},
      {"textDocument/hover", &Server::hover},
      {"textDocument/completion", &Server::completion},
      {"textDocument/definition", &Server::definition},
      {"textDocument/references", &Server::references},
      {"textDocument/documentSymbol", &Server::symbols},
      {"textDocument/foldingRange", &Server::folding},
      {"textDocument/codeAction", &Server::actions},
      {"codeAction/resolve", &Server::resolve_action},
      {"textDocument/codeLens", &Server::lenses},
      {"workspace/executeCommand", &Server::execute},
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
      {"textDocument/didClose", &Server::did_close},
      {"textDocument/didSave", &Server::ignore},
      {"workspace/didChangeWatchedFiles", &Server::did_change_files},
      {"workspace/didChangeWorkspaceFolders", &Server::did_change_folders},
  };
  return kNotifications;
}

void Server::receive(const std::string& body) {
  Json message = Json::parse(body, nullptr, false);
  if (message.is_discarded()) {
    send_(make_error(nullptr, ErrorCode::ParseError, "the message is not JSON"));
    return;
  }
  if (text_member(message, {"method"}) != "$/cancelRequest") {
    queue_.push_back(std::move(message));
    return;
  }
  const Json& id = member(message, {"params", "id"});
  const auto queued = std::ranges::find_if(queue_, [&](const Json& waiting) {
    return !id.is_null() && member(waiting, {"id"}) == id && waiting.contains("method");
  });
  if (queued == queue_.end()) return;  // it was answered
  send_(make_error(id, ErrorCode::RequestCancelled, "the request was cancelled"));
  queue_.erase(queued);
}

void Server::refuse(std::string_view why) {
  send_(make_error(nullptr, ErrorCode::InvalidRequest, why));
}

void Server::handle_next() {
  const Json message = std::move(queue_.front());
  queue_.pop_front();
  handle(message);
}

void Server::handle(const Json& message) {
  const Json& id = member(message, {"id"});
  const bool has_id = id.is_string() || id.is_number_integer();
  const Json& method = member(message, {"method"});
  if (!method.is_string()) {
    const bool is_answer = message.is_object() && (message.contains("result") || message.contains("error"));
    if (!is_answer)
      send_(make_error(has_id ? id : Json(), ErrorCode::InvalidRequest, "the message has no method"));
    return;
  }
  const auto name = method.get<std::string>();
  const Json& params = member(message, {"params"});
  if (has_id) {
    handle_request(id, name, params);
  } else if (message.contains("id")) {
    send_(make_error(nullptr, ErrorCode::InvalidRequest, "the id of a request is a string or an integer"));
  } else {
    handle_notification(name, params);
  }
}

void Server::handle_request(const Json& id, std::string_view method, const Json& params) {
  const auto found = requests().find(method);
  Reply reply = Failure{ErrorCode::MethodNotFound, "there is no method " + std::string(method)};
  if (is_shut_down_) {
    reply = Failure{ErrorCode::InvalidRequest, "the server was shut down"};
  } else if (!is_initialized_ && method != "initialize") {
    reply = Failure{ErrorCode::ServerNotInitialized, "the first request must be initialize"};
  } else if (found != requests().end()) {
    reply = answer(found->second, params);
  }
  if (const auto* failure = std::get_if<Failure>(&reply)) {
    send_(make_error(id, failure->code, failure->message));
  } else {
    send_(make_answer(id, std::move(std::get<Json>(reply))));
  }
}

// The parameters of a request must not end the server, whatever they are.
Server::Reply Server::answer(Request request, const Json& params) {
  try {
    if (is_initialized_) workspace_.bring_up_to_date();
    return (this->*request)(params);
  } catch (const std::exception&) {
    return Failure{ErrorCode::InternalError, "the request could not be handled"};
  }
}

// Those that begin with $/ may be left unknown; so are all others.
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
  if (workspace_.is_checked()) has_news_ = false;
  if (findings) publish(std::move(findings));
}

void Server::publish(std::shared_ptr<const WorkspaceFindings> findings) {
  auto now = std::make_unique<const PublishedFindings>(std::move(findings));
  if (workspace_.problem() != std::exchange(problem_, workspace_.problem()) && !problem_.empty())
    send_(make_notification("window/showMessage", {{"type", 1}, {"message", problem_}}));
  std::set<DocumentId> changed;
  // Clients may drop findings on a version that is not the current one.
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
  published_ = std::move(now);
  for (const DocumentId& document : changed) publish(document);
}

void Server::publish(const DocumentId& document) {
  Json list = Json::array();
  for (const base::Diagnostic* found : published_->of(document)) list.push_back(published_->to_json(*found));
  Json params{{"uri", uri_of(document)}, {"diagnostics", std::move(list)}};
  if (const auto version = versions_.find(document); version != versions_.end()) {
    params["version"] = version->second;
    published_versions_[document] = version->second;
  }
  send_(make_notification("textDocument/publishDiagnostics", std::move(params)));
}

// ----- documents -----

void Server::did_open(const Json& params) {
  const auto document = path_of(text_member(params, {"textDocument", "uri"}));
  const Json& text = member(params, {"textDocument", "text"});
  if (!document || !text.is_string()) return;
  const Json& version = member(params, {"textDocument", "version"});
  versions_[*document] = version.is_number_integer() ? version.get<int64_t>() : 0;
  published_versions_[*document] = versions_[*document];
  workspace_.set_text(*document, text.get<std::string>());
  has_news_ = true;
}

void Server::did_change(const Json& params) {
  const auto document = path_of(text_member(params, {"textDocument", "uri"}));
  const std::string* known = document ? workspace_.buffer(*document) : nullptr;
  const Json& changes = member(params, {"contentChanges"});
  if (!known || !changes.is_array()) return;
  std::string text = *known;
  for (const Json& one : changes) {
    TextChange change{std::nullopt, text_member(one, {"text"})};
    Range range;
    if (!one.is_object() || !member(one, {"text"}).is_string()) return;
    if (one.contains("range")) {
      if (!read_range(one["range"], range)) return;
      change.range = range;
    }
    apply_change(text, change);
  }
  const Json& version = member(params, {"textDocument", "version"});
  if (version.is_number_integer()) versions_[*document] = version.get<int64_t>();
  workspace_.set_text(*document, std::move(text));
  has_news_ = true;
  has_edits_ = true;
}

void Server::did_close(const Json& params) {
  const auto document = path_of(text_member(params, {"textDocument", "uri"}));
  if (!document || !workspace_.buffer(*document)) return;
  versions_.erase(*document);
  published_versions_.erase(*document);
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

void Server::ignore(const Json&) {}

}  // namespace trainjobc::lsp
