// SPDX-License-Identifier: Apache-2.0

#include "support/lsp.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/source.h"
#include "features/lsp/answers.h"

namespace trainjobc::test {
namespace {

using nlohmann::json;

constexpr std::string_view kFolder = "/w/";
constexpr std::string_view kCursor = "@@";

std::string visible(std::string text) {
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at))
    text.replace(at, 1, "⏎");
  return text;
}

std::vector<json> sorted_items(json completions) {
  std::vector<json> items = completions["items"].get<std::vector<json>>();
  std::ranges::stable_sort(items, {}, [](const json& item) { return item["sortText"].get<std::string>(); });
  return items;
}

}  // namespace

LspWorkspace& LspWorkspace::file(const std::string& path, std::string text) {
  disk_.files[std::string(kFolder) + path] = std::move(text);
  return *this;
}

LspWorkspace& LspWorkspace::open(const std::string& path, std::string_view text) {
  document_ = std::string(kFolder) + path;
  const size_t at = text.find(kCursor);
  std::string whole(text.substr(0, at));
  if (at != std::string_view::npos) {
    whole += text.substr(at + kCursor.size());
    cursor_ = lsp::position_of(base::SourceFile("", whole), at);
  }
  workspace().set_text(document_, std::move(whole));
  workspace().findings();
  return *this;
}

lsp::Workspace& LspWorkspace::workspace() {
  if (workspace_) return *workspace_;
  disk_.files.try_emplace(std::string(kFolder) + "README.md", "");  // so that the folder is one
  policy::PolicyOptions policy;
  policy.ssh_key.source = policy::SshKeySource::Omit;
  workspace_ = std::make_unique<lsp::Workspace>(
      disk_, lsp::LoadSettings{none_, {.trainer_version = version_}}, policy);
  workspace_->set_folders({"/w"});
  return *workspace_;
}

std::string LspWorkspace::complete() {
  std::string out;
  for (const json& item : sorted_items(lsp::complete(workspace(), document_, cursor_))) {
    const std::string detail = item.value("detail", "");
    out +=
        fmt::format("{}{}: {}\n", item["label"].get<std::string>(), detail.empty() ? "" : " (" + detail + ")",
                    visible(item["textEdit"]["newText"].get<std::string>()));
  }
  return out;
}

std::string LspWorkspace::labels() {
  std::string out;
  for (const json& item : sorted_items(lsp::complete(workspace(), document_, cursor_))) {
    if (!out.empty()) out += ' ';
    out += item["label"].get<std::string>();
  }
  return out;
}

std::string LspWorkspace::accept(std::string_view label) {
  const json completions = lsp::complete(workspace(), document_, cursor_, false);
  for (const json& item : completions["items"]) {
    if (item["label"] != label) continue;
    const base::SourceFile& file = *workspace().current(document_)->file;
    const auto offset = [&](const json& at) {
      return lsp::offset_of(file, {at["line"].get<uint32_t>(), at["character"].get<uint32_t>()});
    };
    const json& edit = item["textEdit"];
    std::string text(file.text());
    const size_t begin = offset(edit["range"]["start"]);
    text.replace(begin, offset(edit["range"]["end"]) - begin, edit["newText"].get<std::string>());
    return text;
  }
  return "";
}

std::string LspWorkspace::hover() {
  const json found = lsp::hover(workspace(), document_, cursor_);
  return found.is_null() ? "" : found["contents"]["value"].get<std::string>();
}

std::string LspWorkspace::place(const json& location) const {
  if (location.is_null()) return "";
  const std::string uri = location["uri"];
  const json& start = location["range"]["start"];
  const json& end = location["range"]["end"];
  const std::string prefix = fmt::format("file://{}", kFolder);
  return fmt::format("{}:{}:{}-{}", uri.starts_with(prefix) ? uri.substr(prefix.size()) : uri,
                     start["line"].get<int>() + 1, start["character"].get<int>() + 1,
                     end["character"].get<int>() + 1);
}

std::string LspWorkspace::definition() {
  return place(lsp::find_definition(workspace(), document_, cursor_));
}

std::string LspWorkspace::references(bool with_declaration) {
  std::string out;
  const json found = lsp::find_references(workspace(), document_, cursor_, with_declaration);
  for (const json& location : found) out += place(location) + "\n";
  return out;
}

}  // namespace trainjobc::test
