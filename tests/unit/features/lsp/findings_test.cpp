// SPDX-License-Identifier: Apache-2.0

// In a large workspace an edited document is checked at once, the rest when the keyboard rests. Then what is
// published is what `lint` says, whatever was edited before.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <random>
#include <thread>

#include "features/lsp/server.h"
#include "features/lsp/workspace.h"
#include "support/lsp_client.h"

namespace trainjobc::findings_test {
namespace {

using lsp::Json;
using Findings = std::vector<std::string>;

std::string runtime(std::string_view name, std::string_view more = "") {
  return fmt::format(
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata:\n  name: {}\n  "
      "labels: {{trainer.kubeflow.org/framework: torch}}\nspec:\n  mlPolicy: {{numNodes: 2, torch: "
      "{{}}}}\n{}  "
      "template:\n    spec:\n      replicatedJobs:\n        - name: node\n          template:\n            "
      "metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}\n            spec:\n"
      "              template:\n                spec:\n                  containers: [{{name: node, image: "
      "\"a:1\"}}]\n",
      name, more);
}

std::string job(std::string_view name, std::string_view runtime_name, std::string_view more = "") {
  return fmt::format(
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: {}\nspec:\n  "
      "runtimeRef:\n    name: {}\n{}",
      name, runtime_name, more);
}

// What a document may be from one edit to the next; all can be read.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> kTexts{
      job("a", "torch-a"),
      job("a", "torch-b"),
      job("b", "torch-a", "  trainer: {numNodes: 3}\n"),
      job("b", "torch-c", "  trainer: {nodes: 3}\n"),
      job("c", "torch-distributed"),
      job("c", "torch-a", "  trainer: {resourcesPerNode: {requests: {nvidia.com/gpu: 1}}}\n"),
      job("d", "torch-b", "  podTemplateOverrides: [{targetJobs: [{name: node}]}]\n"),
      job("d", "torch-b", "  runtimePatches: []\n"),
      runtime("torch-a"),
      runtime("torch-b"),
      runtime("torch-a", "  nope: 1\n"),
      "# trainjobc:ignore advice/image-tag -- because\n" + runtime("torch-b"),
      job("e", "torch-a") + "---\n" + runtime("torch-e") + "---\n" + job("f", "torch-e"),
      "",
  };
  return kTexts;
}

std::string path_of_file(size_t i) {
  return fmt::format("/repo/{}.yaml", i);
}

std::string joined(const std::vector<std::string>& documents) {
  return fmt::format("{}", fmt::join(documents, "---\n"));
}

// Adds, deletes or changes a document.
template <class Any>
void edit(std::vector<std::string>& documents, const std::vector<std::string>& choice, Any any) {
  const size_t at = any(documents.size() + 1);
  const auto here = documents.begin() + static_cast<std::ptrdiff_t>(at);
  const std::string& text = choice[any(choice.size())];
  if (at == documents.size() || any(3) == 0) {
    documents.insert(here, text);
  } else if (any(4) == 0) {
    documents.erase(here);
  } else if (any(3) == 0) {
    here->insert(0, "# a comment\n");
  } else {
    *here = text;
  }
}

// Takes what was published since the last call: the diagnostics by URI, without those of which nothing is
// said.
void take_published(test::LspClient& client, std::map<std::string, Json>& lists) {
  for (const Json& message : std::exchange(client.sent, {})) {
    if (lsp::text_member(message, {"method"}) != "textDocument/publishDiagnostics") continue;
    const std::string uri = message["params"]["uri"];
    lists[uri] = message["params"]["diagnostics"];
    if (lists[uri].empty()) lists.erase(uri);
  }
}

// What a server publishes that has seen no other texts.
std::map<std::string, Json> fresh(const std::vector<std::string>& files) {
  test::LspFiles disk;
  disk.disk.files = {{"/repo/.git/HEAD", ""}, {"/repo/notes.yaml", test::long_notes()}};
  for (size_t i = 0; i < files.size(); ++i) disk.disk.files[path_of_file(i)] = files[i];
  test::LspClient client(disk);
  client.start();
  client.server.publish();
  std::map<std::string, Json> lists;
  take_published(client, lists);
  return lists;
}

// A large repository in which one document is edited after the other.
class Repository {
 public:
  explicit Repository(const std::vector<std::string>& files) : client_(disk_) {
    disk_.disk.files = {{"/repo/.git/HEAD", ""}, {"/repo/notes.yaml", test::long_notes()}};
    for (size_t i = 0; i < files.size(); ++i) disk_.disk.files[path_of_file(i)] = files[i];
    client_.start();
    for (size_t i = 0; i < files.size(); ++i) client_.open(path_of_file(i), files[i]);
    client_.server.publish();
  }

  void replace(size_t file, const std::string& text) {
    client_.replace(path_of_file(file), text, ++version_);
  }
  const std::map<std::string, Json>& publish_early() {
    client_.server.publish_early();
    take_published(client_, lists_);
    return lists_;
  }
  const std::map<std::string, Json>& publish() {
    client_.server.publish();
    take_published(client_, lists_);
    return lists_;
  }

 private:
  test::LspFiles disk_;
  test::LspClient client_;
  std::map<std::string, Json> lists_;
  int64_t version_ = 1;
};

}  // namespace

TEST_CASE("large workspace: what is published in the end is what a fresh server publishes") {
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::mt19937 random(seed);
    const auto any = [&](size_t size) { return static_cast<size_t>(random() % size); };
    std::vector<std::vector<std::string>> documents(4);
    std::vector<std::string> files(documents.size());
    Repository repository(files);
    for (int step = 0; step < 60; ++step) {
      const size_t file = any(files.size());
      edit(documents[file], texts(), any);
      files[file] = joined(documents[file]);
      repository.replace(file, files[file]);
      if (any(3) != 0) repository.publish_early();
      if (any(2) != 0) continue;
      REQUIRE_MESSAGE(repository.publish() == fresh(files), fmt::format("seed {}, step {}", seed, step));
    }
  }
}

TEST_CASE("large workspace: what is published at once is what a fresh server says about the edited jobs") {
  const std::string runtimes = runtime("torch-a") + "---\n" + runtime("torch-b");
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::mt19937 random(seed);
    const auto any = [&](size_t size) { return static_cast<size_t>(random() % size); };
    std::vector<std::vector<std::string>> documents(3);
    std::vector<std::string> files{"", "", "", runtimes};
    Repository repository(files);
    for (int step = 0; step < 60; ++step) {
      const size_t file = any(documents.size());
      const std::string name = fmt::format("job-{}", step);
      const std::vector<std::string> choice{
          job(name, "torch-a"),
          job(name, "torch-c", "  trainer: {nodes: 3}\n"),
          job(name, "torch-b", "  trainer: {resourcesPerNode: {requests: {nvidia.com/gpu: 1}}}\n"),
          "# trainjobc:ignore input/unknown-field -- because\n" + job(name, "torch-a", "  nope: 1\n"),
          job(name, "torch-a", "  nope: 1 # trainjobc:ignore input/unknown-field -- because\n"),
      };
      edit(documents[file], choice, any);
      files[file] = joined(documents[file]);
      repository.replace(file, files[file]);
      auto early = repository.publish_early();
      auto wanted = fresh(files);
      const std::string uri = lsp::uri_of(path_of_file(file));
      REQUIRE_MESSAGE(early[uri] == wanted[uri], fmt::format("seed {}, step {}", seed, step));
      if (any(3) == 0) repository.publish();
    }
  }
}

TEST_CASE("large workspace: the edited document at once, what the edit changes elsewhere afterwards") {
  const std::string a = job("a", "torch-a", "  trainer: {}\n");
  const std::string b = job("b", "torch-b", "  trainer: {}\n");
  test::LspFiles files;
  files.disk.files = {{"/repo/.git/HEAD", ""},
                      {"/repo/notes.yaml", test::long_notes()},
                      {"/repo/a.yaml", a + "---\n" + b},
                      {"/repo/runtime.yaml", runtime("torch-a")}};
  test::LspClient client(files);
  client.start();
  CHECK(client.publish()["/repo/a.yaml"] == Findings{"16:11 input/missing-runtime"});
  client.open("/repo/a.yaml", files.disk.files["/repo/a.yaml"]);
  client.open("/repo/runtime.yaml", runtime("torch-a"));
  CHECK(client.publish().empty());
  // The finding on the other document of the file moves with it.
  client.replace("/repo/a.yaml", a + "  nope: 1\n---\n" + b, 2);
  CHECK(client.publish_early()["/repo/a.yaml"] ==
        Findings{"9:3 input/unknown-field", "17:11 input/missing-runtime"});
  CHECK(client.publish().empty());
  // The runtime's own findings come at once, those of its jobs when the keyboard rests.
  client.replace("/repo/runtime.yaml", runtime("torch-b", "  nope: 1\n"), 2);
  auto published = client.publish_early();
  CHECK(published.size() == 1);
  CHECK(published["/repo/runtime.yaml"] == Findings{"8:3 input/unknown-field"});
  published = client.publish();
  CHECK(published.size() == 1);
  CHECK(published["/repo/a.yaml"] == Findings{"7:11 input/missing-runtime", "9:3 input/unknown-field"});
  // What can't be read keeps its findings, beside the error in its syntax.
  client.replace("/repo/a.yaml", a + "  nope: 1\n  x: [\n---\n" + b, 3);
  CHECK(client.publish_early()["/repo/a.yaml"] ==
        Findings{"7:11 input/missing-runtime", "9:3 input/unknown-field", "10:6 yaml/syntax"});
  CHECK(client.publish().empty());
}

TEST_CASE("large workspace: the server publishes twice after an edit") {
  test::LspFiles files;
  files.disk.files = {{"/repo/.git/HEAD", ""},
                      {"/repo/notes.yaml", test::long_notes()},
                      {"/repo/job.yaml", job("a", "torch-a", "  trainer: {}\n")},
                      {"/repo/runtime.yaml", runtime("torch-a")}};
  test::LspClient client(files);
  client.start();
  client.open("/repo/runtime.yaml", runtime("torch-a"));
  CHECK(client.publish().empty());
  std::vector<std::string> blocks{lsp::frame(lsp::to_text(lsp::make_notification(
      "textDocument/didChange",
      {{"textDocument", {{"uri", "file:///repo/runtime.yaml"}, {"version", 2}}},
       {"contentChanges", Json::array({{{"text", runtime("torch-b", "  nope: 1\n")}}})}})))};
  const auto read = [&](std::chrono::milliseconds wait) -> std::optional<std::string> {
    if (!blocks.empty()) {
      std::string block = blocks.back();
      blocks.pop_back();
      return block;
    }
    if (wait.count() < 0) return std::nullopt;  // nothing is left to do
    CHECK(wait <= lsp::kRest);
    CHECK(client.sent.size() == (wait.count() > 0 ? 1 : 0));
    std::this_thread::sleep_for(wait);
    return "";
  };
  CHECK(lsp::serve(client.server, read) == 1);
  std::vector<std::string> published;
  for (const Json& message : client.sent) published.push_back(message["params"]["uri"]);
  CHECK(published == std::vector<std::string>{"file:///repo/runtime.yaml", "file:///repo/job.yaml"});
}

TEST_CASE("line map: what is before and after the place that differs") {
  const base::SourceFile from("", "a\nb\nc\nd\n");
  const base::SourceFile to("", "a\nB\nBB\nd\n");
  const lsp::LineMap lines(from, to);
  CHECK(lines(1) == 1);
  CHECK(lines(2) == 0);
  CHECK(lines(3) == 0);
  CHECK(lines(4) == 4);
  CHECK(lines(5) == 0);
  CHECK(lsp::LineMap(to, to)(3) == 3);
}

namespace {

// How LineMap is defined: lines are compared without their ends.
std::vector<uint32_t> mapped_lines(const base::SourceFile& from, const base::SourceFile& to) {
  const uint32_t shorter = std::min(from.line_count(), to.line_count());
  uint32_t first = 0;
  while (first < shorter && from.line(first + 1) == to.line(first + 1)) ++first;
  uint32_t last = 0;
  while (last < shorter - first && from.line(from.line_count() - last) == to.line(to.line_count() - last))
    ++last;
  std::vector<uint32_t> all;
  for (uint32_t line = 1; line <= from.line_count(); ++line) {
    const bool is_after = line > from.line_count() - last;
    all.push_back(line <= first ? line : is_after ? line - from.line_count() + to.line_count() : 0);
  }
  return all;
}

}  // namespace

TEST_CASE("line map: any two texts") {
  std::mt19937 random(7);
  static const std::vector<std::string> kPieces{"a", "b", "\n", "\n", "\r\n", "\r"};
  const auto text = [&](size_t pieces) {
    std::string made;
    for (size_t i = 0; i < pieces; ++i) made += kPieces[random() % kPieces.size()];
    return made;
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::string begin = text(random() % 8);
    const std::string end = text(random() % 8);
    const base::SourceFile from("", begin + text(random() % 4) + end);
    const base::SourceFile to("", begin + text(random() % 4) + end);
    const lsp::LineMap lines(from, to);
    std::vector<uint32_t> all;
    for (uint32_t line = 1; line <= from.line_count(); ++line) all.push_back(lines(line));
    CAPTURE(from.text());
    CAPTURE(to.text());
    REQUIRE(all == mapped_lines(from, to));
  }
}

TEST_CASE("findings: what a client is sent after an edit is what it would be sent at first") {
  constexpr const char* kPath = "/repo/job.yaml";
  test::LspFiles files;
  files.disk.files = {{"/repo/.trainjobc.yaml", ""},
                      {"/repo/notes.yaml", test::long_notes()},
                      {kPath, ""},
                      {"/repo/runtime.yaml", runtime("torch-a")}};
  // The diagnostics of the document in the last message about it.
  const auto diagnostics = [&](const test::LspClient& client, Json known) {
    for (const Json& message : client.sent) {
      if (lsp::text_member(message, {"params", "uri"}) == lsp::uri_of(kPath))
        known = message["params"]["diagnostics"];
    }
    return known;
  };
  test::LspClient client(files);
  client.start();
  client.open(kPath, "");
  client.publish();
  Json shown = Json::array();
  std::mt19937 random(7);
  for (int i = 0; i < 60; ++i) {
    std::string text;
    for (size_t part = 0; part < 1 + random() % 3; ++part)
      text += (text.empty() ? "" : "---\n") + texts()[random() % texts().size()];
    client.replace(kPath, text, i + 2);
    client.publish_early();
    shown = diagnostics(client, shown);
    client.publish();
    shown = diagnostics(client, shown);
    test::LspClient fresh(files);
    fresh.start();
    fresh.open(kPath, text);
    fresh.publish();
    CAPTURE(text);
    REQUIRE(shown == diagnostics(fresh, Json::array()));
  }
}

TEST_CASE("findings: a text without some of its documents has the same lines") {
  const lsp::ParsedText broken("/a.yaml", "a: 1\nd: 4\n---\nb: [2\n---\nc: 4\n");
  std::vector<yaml::FoundDocument> readable;
  for (const lsp::ParsedText::Part& part : broken.parts) {
    if (part.is_readable) readable.push_back(part.document);
  }
  CHECK(yaml::without_documents(broken.file->text(), readable) == "\n\n---\nb: [2\n---\n\n");
  CHECK(readable.size() == 2);
}

}  // namespace trainjobc::findings_test
