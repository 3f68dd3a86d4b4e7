// SPDX-License-Identifier: Apache-2.0

#include "support/properties/lsp_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "base/text/text.h"
#include "features/lsp/workspace.h"
#include "support/lsp_client.h"

namespace trainjobc::test {
namespace {

using lsp::Json;

constexpr std::array<const char*, 3> kFiles{"/repo/job.yaml", "/repo/runtime.yaml", "/repo/.trainjobc.yaml"};
constexpr std::array<const char*, 3> kTexts{
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec:\n  runtimeRef: "
    "{name: t}\n"
    "  trainer:\n    numNodes: 2 # 𝄞 é\n    env:\n      - {name: HF_TOKEN, value: "
    "hf_0123456789012345678901234567}\n---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: "
    "TrainJob\nmetadata: {name: b}\nspec: {runtimeRef: {name: t}, trainer: {numProcPerNode: 0}}\n",
    "apiVersion: trainer.kubeflow.org/v1alpha1\r\nkind: ClusterTrainingRuntime\r\nmetadata:\r\n  name: t\r\n "
    " labels: "
    "{trainer.kubeflow.org/framework: torch}\r\nspec:\r\n  mlPolicy: {torch: {}}\r\n  template: {spec: "
    "{replicatedJobs: "
    "[{name: node, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, "
    "spec: "
    "{template: {spec: {containers: [{name: node, image: i}]}}}}}]}}\r\n",
    "rules: {advice/image-tag: off}\n"};
constexpr std::array<const char*, 16> kMethods{
    "textDocument/hover",           "textDocument/completion",     "textDocument/definition",
    "textDocument/references",      "textDocument/documentSymbol", "textDocument/foldingRange",
    "textDocument/codeAction",      "textDocument/codeLens",       "trainjobc/renderedJobSet",
    "codeAction/resolve",           "workspace/executeCommand",    "trainjobc/explainRule",
    "textDocument/prepareRename",   "textDocument/rename",         "textDocument/formatting",
    "workspace/textDocumentContent"};

// A text as a list of code units, which knows nothing of bytes.
class Units {
 public:
  explicit Units(std::string_view text) {
    while (!text.empty()) {
      const base::CodePoint point = base::decode_utf8(text);
      text.remove_prefix(std::max<size_t>(point.length, 1));
      if (point.value < 0x10000) {
        units_.push_back(static_cast<char16_t>(point.value));
      } else {
        units_.push_back(static_cast<char16_t>(0xD800 + ((point.value - 0x10000) >> 10U)));
        units_.push_back(static_cast<char16_t>(0xDC00 + ((point.value - 0x10000) & 0x3FFU)));
      }
    }
  }

  void replace(lsp::Range range, std::string_view text) {
    const size_t begin = find(range.start);
    const size_t end = std::max(begin, find(std::max(range.start, range.end)));
    const Units added(text);
    units_.erase(units_.begin() + static_cast<std::ptrdiff_t>(begin),
                 units_.begin() + static_cast<std::ptrdiff_t>(end));
    units_.insert(units_.begin() + static_cast<std::ptrdiff_t>(begin), added.units_.begin(),
                  added.units_.end());
  }

  std::string text() const {
    std::string out;
    for (size_t at = 0; at < units_.size(); ++at) {
      const uint32_t unit = units_[at];
      const bool is_pair = unit >= 0xD800 && unit < 0xDC00 && at + 1 < units_.size();
      base::append_utf8(is_pair ? 0x10000 + ((unit - 0xD800) << 10U) + (units_[++at] - 0xDC00U) : unit, out);
    }
    return out;
  }

 private:
  bool is_break(size_t at) const {
    return at < units_.size() && (units_[at] == u'\n' || units_[at] == u'\r');
  }

  size_t find(lsp::Position position) const {
    size_t at = 0;
    for (uint32_t line = 0; line < position.line; ++line) {
      while (at < units_.size() && !is_break(at)) ++at;
      if (at == units_.size()) return at;
      at += units_[at] == u'\r' && at + 1 < units_.size() && units_[at + 1] == u'\n' ? 2 : 1;
    }
    for (uint32_t left = position.character; left > 0 && at < units_.size() && !is_break(at); --left) ++at;
    const bool is_inside = at < units_.size() && units_[at] >= 0xDC00 && units_[at] < 0xE000;
    return is_inside ? at - 1 : at;
  }

  std::vector<char16_t> units_;
};

class Session {
 public:
  Session(std::string_view bytes, bool is_large) : bytes_(bytes), client_(files_) {
    files_.disk.files["/repo/.git/HEAD"] = "";
    if (is_large) files_.disk.files["/repo/notes.yaml"] = test::long_notes();
    for (size_t i = 0; i < kFiles.size(); ++i) files_.disk.files[kFiles[i]] = kTexts[i];
  }

  std::string run(bool compares) {
    client_.start();
    for (size_t i = 0; i < kFiles.size(); ++i) {
      client_.open(kFiles[i], kTexts[i]);
      texts_.emplace_back(kTexts[i]);
    }
    while (!bytes_.empty() && wrong_.empty()) step();
    if (wrong_.empty()) client_.server.publish();
    check_messages();
    if (compares && wrong_.empty()) check_diagnostics();
    return wrong_;
  }

 private:
  void step() {
    const uint8_t what = take();
    if (what < 128) return edit();
    if (what < 200) return request();
    if (what < 220) return client_.server.publish();
    if (what < 240) return client_.server.publish_early();
    const std::string body(take_text(64));
    client_.server.receive(body);
    while (client_.server.has_messages()) client_.server.handle_next();
  }

  void edit() {
    const size_t file = take() % kFiles.size();
    const lsp::Range range{place(), place()};
    const std::string text = base::to_valid_utf8(take_text(take() % 24));
    Json change{{"range", range}, {"text", text}};
    client_.notify("textDocument/didChange",
                   {{"textDocument", {{"uri", lsp::uri_of(kFiles[file])}, {"version", ++version_}}},
                    {"contentChanges", Json::array({std::move(change)})}});
    texts_[file].replace(range, text);
    const std::string* buffer = client_.server.buffer(kFiles[file]);
    if (!buffer || *buffer != texts_[file].text())
      wrong_ = fmt::format("{} is\n{}\nbut should be\n{}", kFiles[file], buffer ? *buffer : "closed",
                           texts_[file].text());
  }

  void request() {
    const size_t file = take() % kFiles.size();
    const lsp::Position at = place();
    Json params{{"textDocument", {{"uri", lsp::uri_of(kFiles[file])}}},
                {"position", at},
                {"range", lsp::Range{at, place()}},
                {"context", Json::object()},
                {"namespace", ""},
                {"name", "a"},
                {"newName", "b"},
                {"uri", "trainjobc-runtime://catalogue/v2.3/torch-distributed.yaml"},
                {"rule", "advice/image-tag"},
                {"data", {{"migrate", lsp::uri_of(kFiles[file])}}},
                {"command", "trainjobc.showJobSet"},
                {"arguments", Json::array({lsp::uri_of(kFiles[file]), "", "b"})}};
    ++requests_;
    client_.request(kMethods[take() % kMethods.size()], std::move(params));
  }

  void check_messages() {
    size_t answers = 0;
    for (const Json& message : client_.sent) {
      const bool is_answer =
          message.contains("id") && message.contains("result") != message.contains("error");
      const bool is_json = Json::accept(lsp::to_text(message));
      if (!is_json || message["jsonrpc"] != "2.0" || (!is_answer && !message.contains("method")))
        wrong_ = "not a message: " + lsp::to_text(message);
      if (is_answer && message["id"].is_number()) ++answers;
    }
    if (wrong_.empty() && answers < requests_ + 1)
      wrong_ = fmt::format("{} answers to {} requests", answers, requests_ + 1);
  }

  // What a server says that gets the texts as they are now; nullopt if one can't be read, for which a server
  // that knew an earlier text keeps what it said.
  std::optional<std::map<std::string, Json>> fresh_diagnostics() const {
    for (size_t i = 0; i < kFiles.size(); ++i) {
      if (!lsp::ParsedText(kFiles[i], texts_[i].text()).is_readable) return std::nullopt;
    }
    LspFiles files;
    files.disk.files = files_.disk.files;
    LspClient client(files);
    client.start();
    for (size_t i = 0; i < kFiles.size(); ++i) client.open(kFiles[i], texts_[i].text());
    client.server.publish();
    auto published = last_published(client);
    if (published.contains(lsp::uri_of(kFiles.back()))) return std::nullopt;  // wrong settings
    return published;
  }

  // By URI, without those of which nothing is said.
  static std::map<std::string, Json> last_published(const LspClient& client) {
    std::map<std::string, Json> lists;
    for (const Json& message : client.sent) {
      if (lsp::text_member(message, {"method"}) == "textDocument/publishDiagnostics")
        lists[message["params"]["uri"].get<std::string>()] = message["params"]["diagnostics"];
    }
    std::erase_if(lists, [](const auto& list) { return list.second.empty(); });
    return lists;
  }

  void check_diagnostics() {
    if (!client_.server.is_open()) return;
    const auto fresh = fresh_diagnostics();
    if (!fresh) return;
    const auto published = last_published(client_);
    if (published != *fresh)
      wrong_ = fmt::format("the diagnostics are\n{}\nbut should be\n{}", lsp::to_text(Json(published)),
                           lsp::to_text(Json(*fresh)));
  }

  uint8_t take() {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }

  std::string_view take_text(size_t size) {
    const std::string_view text = bytes_.substr(0, size);
    bytes_.remove_prefix(text.size());
    return text;
  }

  lsp::Position place() {
    const uint32_t line = take() % 16;
    return {line, take() % 64U};
  }

  std::string_view bytes_;
  LspFiles files_;
  LspClient client_;
  std::vector<Units> texts_;
  int64_t version_ = 1;
  size_t requests_ = 0;
  std::string wrong_;
};

}  // namespace

std::string wrong_with_edits(std::string_view bytes, bool is_large, bool compares) {
  return Session(bytes, is_large).run(compares);
}

}  // namespace trainjobc::test
