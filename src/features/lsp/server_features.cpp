// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <array>

#include "features/lsp/code_actions.h"
#include "features/lsp/features/features.h"
#include "features/lsp/rendered_jobs.h"
#include "features/lsp/server.h"
#include "policy/plugin.h"
#include "rules/rules.h"

namespace trainjobc::lsp {

template <class Use>
Server::Reply Server::in_document(const Json& params, Use use) {
  const Json& uri = member(params, {"textDocument", "uri"});
  if (!uri.is_string()) return Failure{ErrorCode::InvalidParams, "the parameters name no document"};
  const auto document = path_of(uri.get<std::string>());
  if (!document) return Json();
  return use(*document);
}

template <class Use>
Server::Reply Server::at_position(const Json& params, Use use) {
  Position at;
  if (!read_position(member(params, {"position"}), at))
    return Failure{ErrorCode::InvalidParams, "the parameters have no position"};
  return in_document(params, [&](const DocumentId& document) -> Reply { return use(document, at); });
}

Server::Reply Server::hover(const Json& params) {
  return at_position(
      params, [&](const DocumentId& document, Position at) { return lsp::hover(workspace_, document, at); });
}

Server::Reply Server::completion(const Json& params) {
  return at_position(params, [&](const DocumentId& document, Position at) {
    Json items = lsp::complete(workspace_, document, at);
    return knows_snippets_ ? items : lsp::without_snippets(std::move(items));
  });
}

Server::Reply Server::definition(const Json& params) {
  return at_position(params, [&](const DocumentId& document, Position at) {
    return lsp::find_definition(workspace_, document, at);
  });
}

Server::Reply Server::references(const Json& params) {
  const Json& declaration = member(params, {"context", "includeDeclaration"});
  const bool includes = declaration.is_boolean() && declaration.get<bool>();
  return at_position(params, [&](const DocumentId& document, Position at) {
    return lsp::find_references(workspace_, document, at, includes);
  });
}

Server::Reply Server::symbols(const Json& params) {
  return in_document(params,
                     [&](const DocumentId& document) { return lsp::document_symbols(workspace_, document); });
}

Server::Reply Server::folding(const Json& params) {
  return in_document(params,
                     [&](const DocumentId& document) { return lsp::folding_ranges(workspace_, document); });
}

Server::Reply Server::actions(const Json& params) {
  ActionRequest request;
  if (!read_range(member(params, {"range"}), request.range))
    return Failure{ErrorCode::InvalidParams, "the parameters have no range"};
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
                            : Failure{ErrorCode::InvalidParams, "the parameters are no action"};
}

Server::Reply Server::lenses(const Json& params) {
  return in_document(params, [&](const DocumentId& document) { return code_lenses(workspace_, document); });
}

Server::Reply Server::render(const std::string& uri, const std::string& ns, const std::string& name) {
  const auto document = path_of(uri);
  if (!document || name.empty())
    return Failure{ErrorCode::InvalidParams, "the parameters name no TrainJob of a document"};
  auto rendered = rendered_job_set(workspace_, *document, ns, name);
  if (const auto* why = std::get_if<WhyNot>(&rendered))
    return Failure{ErrorCode::RequestFailed, why->message};
  return std::move(std::get<Json>(rendered));
}

Server::Reply Server::rendered(const Json& params) {
  return render(text_member(params, {"textDocument", "uri"}), text_member(params, {"namespace"}),
                text_member(params, {"name"}));
}

Server::Reply Server::execute(const Json& params) {
  const std::string command = text_member(params, {"command"});
  if (command != kShowJobSet) return Failure{ErrorCode::InvalidParams, "there is no command " + command};
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
  if (!rule) return Failure{ErrorCode::InvalidParams, fmt::format("there is no rule \"{}\"", id)};
  return Json{
      {"text", fmt::format("# {}\n\n{}\n\n{}\n", rule->id, rule->summary, policy::explanation_of(*rule))}};
}

}  // namespace trainjobc::lsp
