// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/server.h"

#include <doctest/doctest.h>

#include "features/lsp/answers.h"
#include "support/lsp_client.h"

namespace trainjobc::server_test {
using lsp::Json;

namespace {

const std::string kJob =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: a\nspec:\n  runtimeRef:\n "
    "   name: "
    "torch-distributed\n";

Json at(const std::string& path, uint32_t line, uint32_t begin, uint32_t end) {
  return {{"textDocument", {{"uri", lsp::uri_of(path)}}},
          {"range", lsp::Range{{line, begin}, {line, end}}},
          {"context", {{"diagnostics", Json::array()}}}};
}

std::vector<std::string> titles(const Json& actions) {
  std::vector<std::string> all;
  for (const Json& action : actions) all.push_back(action["title"].get<std::string>());
  return all;
}

using Words = std::vector<std::string>;
using Published = std::map<std::string, Words>;

}  // namespace

TEST_CASE("server: the first request is initialize, the last one shutdown") {
  test::LspFiles files;
  test::LspClient client(files);
  CHECK(client.request("textDocument/hover") ==
        Json({{"code", -32002}, {"message", "the first request must be initialize"}}));
  client.notify("initialized");
  CHECK(!client.server.has_news());
  CHECK(client.request("initialize")["serverInfo"] ==
        Json({{"name", "trainjobc"}, {"version", TRAINJOBC_VERSION}}));
  CHECK(client.request("initialize")["code"] == -32600);
  CHECK(client.request("no/such") == Json({{"code", -32601}, {"message", "there is no method no/such"}}));
  CHECK(client.request("$/unknown")["code"] == -32601);
  CHECK(client.request("shutdown") == Json());
  CHECK(client.request("textDocument/hover") ==
        Json({{"code", -32600}, {"message", "the server was shut down"}}));
  CHECK(!client.server.exit_status());
  client.notify("exit");
  CHECK(client.server.exit_status() == 0);
}

TEST_CASE("server: half a surrogate pair in a text loses no edit") {
  test::LspFiles files;
  test::LspClient client(files);
  client.start();
  client.open("/repo/a.yaml", "# x\n" + kJob + "  trainer: {command: [torchrun, a.py]}\n  suspended: true\n");
  CHECK(client.publish()["/repo/a.yaml"] == Words{"10:3 input/unknown-field"});
  const auto edit = [&](const std::string& text) {
    client.sent.clear();
    client.server.receive(
        R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///repo/a.yaml",)"
        R"("version":2},"contentChanges":[{"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":3}},)"
        R"("text":")" +
        text + "\"}]}}");
    while (client.server.has_messages()) client.server.handle_next();
    CHECK(client.sent.empty());
    return client.publish()["/repo/a.yaml"];
  };
  // Each edit is made: a line more with each.
  CHECK(edit(R"(\n# \ud83d)") == Words{"11:3 input/unknown-field"});
  CHECK(edit("\xED\xA0\xBD\\n#") == Words{"12:3 input/unknown-field"});
}

TEST_CASE("server: messages that are none") {
  test::LspFiles files;
  test::LspClient client(files);
  for (const char* message :
       {"{", "[]", "1", R"({"id": 1})", R"({"id": [], "method": "initialize"})", R"({"method": 1})"}) {
    client.sent.clear();
    client.server.receive(message);
    while (client.server.has_messages()) client.server.handle_next();
    REQUIRE_MESSAGE(client.sent.size() == 1, message);
    CHECK(client.sent.front().contains("error"));
  }
  client.sent.clear();
  client.server.receive(R"({"id": 1, "result": null})");  // an answer to a request of ours
  client.server.handle_next();
  CHECK(client.sent.empty());
}

TEST_CASE("server: a queued request can be cancelled") {
  test::LspFiles files;
  test::LspClient client(files);
  client.server.receive(R"({"id": 1, "method": "initialize"})");
  client.server.receive(R"({"id": "two", "method": "textDocument/hover"})");
  client.server.receive(R"({"method": "$/cancelRequest", "params": {"id": "two"}})");
  client.server.receive(R"({"method": "$/cancelRequest", "params": {"id": 3}})");
  client.server.receive(R"({"method": "$/cancelRequest"})");
  REQUIRE(client.sent.size() == 1);
  CHECK(client.sent.front() ==
        lsp::make_error("two", lsp::ErrorCode::RequestCancelled, "the request was cancelled"));
  client.server.handle_next();
  CHECK(!client.server.has_messages());
}

TEST_CASE("server: only what has changed is published") {
  test::LspFiles files;
  files.disk.files = {{"/repo/.git/HEAD", ""},
                      {"/repo/a.yaml", kJob + "  nope: 1\n"},
                      {"/repo/b.yaml", kJob + "  trainer: {nodes: 1}\n"}};
  files.disk.files["/repo/b.yaml"].replace(files.disk.files["/repo/b.yaml"].find("name: a"), 7, "name: b");
  test::LspClient client(files);
  client.start();
  CHECK(client.publish() == Published{{"/repo/a.yaml", {"8:3 input/unknown-field"}},
                                      {"/repo/b.yaml", {"8:13 input/unknown-field"}}});
  CHECK(client.publish() == Published{});
  client.open("/repo/a.yaml", kJob + "  nope: 1\n");
  CHECK(client.publish() == Published{});
  client.replace("/repo/a.yaml", kJob + "  trainer: {command: [torchrun]}\n", 7);
  CHECK(client.publish() == Published{{"/repo/a.yaml", {}}});
  CHECK(client.sent.front()["params"] ==
        Json({{"uri", "file:///repo/a.yaml"}, {"version", 7}, {"diagnostics", Json::array()}}));
  client.notify("textDocument/didClose", {{"textDocument", {{"uri", "file:///repo/a.yaml"}}}});
  CHECK(client.publish() == Published{{"/repo/a.yaml", {"8:3 input/unknown-field"}}});
}

namespace {

// What is published about the files, without the explanations, which must be there.
Json diagnostics_of(const std::map<std::string, std::string>& texts) {
  test::LspFiles files;
  files.disk.files = {{"/repo/.git/HEAD", ""}};
  for (const auto& [path, text] : texts) files.disk.files[path] = text;
  test::LspClient client(files);
  client.start();
  client.publish();
  Json all = Json::object();
  for (const Json& message : client.sent) {
    Json found = message["params"]["diagnostics"];
    for (Json& one : found) {
      CHECK(!one["data"]["explanation"].get<std::string>().empty());
      one.erase("data");
    }
    all[*lsp::path_of(message["params"]["uri"].get<std::string>())] = std::move(found);
  }
  return all;
}

}  // namespace

TEST_CASE("server: a diagnostic, after characters of two units") {
  CHECK(diagnostics_of({{"/repo/a.yaml", kJob + "  trainer: {args: [𝄞é], nope: 1}\n"}}) ==
        Json::parse(R"({"/repo/a.yaml": [{
          "range": {"start": {"line": 7, "character": 25}, "end": {"line": 7, "character": 29}},
          "severity": 1, "source": "trainjobc", "code": "input/unknown-field",
          "codeDescription": {"href": "https://trainjobc.github.io/trainjobc/reference/rules/input/#unknown-field"},
          "message": "unknown field \"nope\" in spec.trainer; its fields are args, command, env, image, numNodes, numProcPerNode, resourcesPerNode"}]})"));
}

TEST_CASE("server: the notes of a diagnostic are its related information") {
  const std::string job = kJob + "  trainer: {command: [torchrun]}\n";
  CHECK(diagnostics_of({{"/repo/a.yaml", job}, {"/repo/b.yaml", job}}) == Json::parse(R"({"/repo/b.yaml": [{
          "range": {"start": {"line": 3, "character": 8}, "end": {"line": 3, "character": 9}},
          "severity": 1, "source": "trainjobc", "code": "input/duplicate-object",
          "codeDescription": {"href": "https://trainjobc.github.io/trainjobc/reference/rules/input/#duplicate-object"},
          "message": "TrainJob/default/a is defined twice",
          "relatedInformation": [{"message": "the first one", "location": {"uri": "file:///repo/a.yaml",
            "range": {"start": {"line": 3, "character": 8}, "end": {"line": 3, "character": 9}}}}]}]})"));
}

TEST_CASE("server: what is deprecated is tagged, and what has no effect") {
  const std::string runtime =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata:\n  name: old\n  "
      "labels:\n    trainer.kubeflow.org/framework: torch\n    trainer.kubeflow.org/support: deprecated\n"
      "spec:\n  mlPolicy: {torch: {}}\n  template: {spec: {replicatedJobs: [{name: node, template: "
      "{metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: "
      "{containers: [{name: node, image: \"a:1\"}]}}}}}]}}\n";
  std::string job = kJob + "  trainer: {command: [torchrun]}\n";
  const std::string unused = "# trainjobc:ignore advice/image-tag -- it has none\n" + job;
  job.replace(job.find("torch-distributed"), 17, "old");
  CHECK(diagnostics_of({{"/repo/a.yaml", job}, {"/repo/old.yaml", runtime}}) == Json::parse(R"({
    "/repo/a.yaml": [{
      "range": {"start": {"line": 6, "character": 10}, "end": {"line": 6, "character": 13}},
      "severity": 2, "source": "trainjobc", "code": "advice/deprecated-runtime", "tags": [2],
      "codeDescription": {"href": "https://trainjobc.github.io/trainjobc/reference/rules/advice/#deprecated-runtime"},
      "message": "runtime \"old\" is deprecated and will be removed"}],
    "/repo/old.yaml": [{
      "range": {"start": {"line": 6, "character": 34}, "end": {"line": 6, "character": 44}},
      "severity": 2, "source": "trainjobc", "code": "advice/deprecated-runtime", "tags": [2],
      "codeDescription": {"href": "https://trainjobc.github.io/trainjobc/reference/rules/advice/#deprecated-runtime"},
      "message": "runtime \"old\" is deprecated and will be removed; move its jobs to another runtime"}]})"));
  CHECK(diagnostics_of({{"/repo/a.yaml", unused}}) == Json::parse(R"({"/repo/a.yaml": [{
      "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 50}},
      "severity": 2, "source": "trainjobc", "code": "advice/unused-suppression", "tags": [1],
      "codeDescription": {"href": "https://trainjobc.github.io/trainjobc/reference/rules/advice/#unused-suppression"},
      "message": "this suppresses no finding of advice/image-tag; remove it"}]})"));
}

TEST_CASE("server: actions for a finding") {
  test::LspFiles files;
  files.disk.files = {
      {"/repo/.git/HEAD", ""},
      {"/repo/a.yaml",
       kJob + "  trainer:\n    resourcesPerNode:\n      requests:\n        nvidia.com/gpu: 1\n"}};
  test::LspClient client(files);
  client.start();
  client.publish();
  const Json actions = client.request("textDocument/codeAction", at("/repo/a.yaml", 10, 9, 9));
  REQUIRE(titles(actions) ==
          Words{"Fix: extended resources need an equal limit; add limits: {nvidia.com/gpu: 1}",
                "Ignore job/gpu-limit here, with a reason", "Fix all that trainjobc can (1)"});
  CHECK(actions[0]["edit"] ==
        Json::parse(R"({"changes": {"file:///repo/a.yaml": [{"newText": "limits: {nvidia.com/gpu: 1}\n      ",
          "range": {"start": {"line": 9, "character": 6}, "end": {"line": 9, "character": 6}}}]}})"));
  CHECK(actions[1]["edit"] == Json::parse(R"({"changes": {"file:///repo/a.yaml": [{
          "newText": "        # trainjobc:ignore job/gpu-limit -- TODO: the reason\n",
          "range": {"start": {"line": 10, "character": 0}, "end": {"line": 10, "character": 0}}}]}})"));
  CHECK(actions[2]["edit"] ==
        Json::parse(R"({"changes": {"file:///repo/a.yaml": [{"newText": "      limits: {nvidia.com/gpu: 1}\n",
          "range": {"start": {"line": 9, "character": 0}, "end": {"line": 9, "character": 0}}}]}})"));
  Json only = at("/repo/a.yaml", 0, 0, 0);
  only["context"]["only"] = {"source.fixAll"};
  CHECK(titles(client.request("textDocument/codeAction", only)) == Words{"Fix all that trainjobc can (1)"});
  CHECK(titles(client.request("textDocument/codeAction", at("/repo/a.yaml", 0, 0, 0))) ==
        Words{"Fix all that trainjobc can (1)"});
}

TEST_CASE("server: what was most likely meant is an action, and no refusal can be ignored") {
  test::LspFiles files;
  files.disk.files = {{"/repo/.git/HEAD", ""},
                      {"/repo/a.yaml", kJob + "  trainer:\n    numNode: 2\n    command: python x.py\n"}};
  test::LspClient client(files);
  client.start();
  client.publish();
  const Json actions = client.request("textDocument/codeAction", at("/repo/a.yaml", 8, 4, 4));
  REQUIRE(titles(actions) == Words{"Change to numNodes"});
  CHECK(actions[0]["edit"] == Json::parse(R"({"changes": {"file:///repo/a.yaml": [{"newText": "numNodes",
          "range": {"start": {"line": 8, "character": 4}, "end": {"line": 8, "character": 11}}}]}})"));
  CHECK(titles(client.request("textDocument/codeAction", at("/repo/a.yaml", 9, 14, 14))) ==
        Words{R"(Fix: write a list: ["python", "x.py"])"});
}

TEST_CASE("server: what was most likely meant in the settings is an action") {
  const auto actions_on = [](std::string_view settings, int line, int character) {
    test::LspFiles files;
    files.disk.files = {
        {"/repo/.git/HEAD", ""}, {"/repo/a.yaml", kJob}, {"/repo/.trainjobc.yaml", std::string(settings)}};
    test::LspClient client(files);
    client.start();
    client.open("/repo/.trainjobc.yaml", std::string(settings));
    client.publish();
    return client.request("textDocument/codeAction", at("/repo/.trainjobc.yaml", line, character, character));
  };
  const Json key = actions_on("runtims: [runtimes]\n", 0, 2);
  REQUIRE(titles(key) == Words{"Change to runtimes"});
  CHECK(key[0]["edit"] == Json::parse(R"({"changes": {"file:///repo/.trainjobc.yaml": [{"newText": "runtimes",
          "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 7}}}]}})"));
  CHECK(titles(actions_on("rules: {advice/no-launchr: off}\n", 0, 9)) ==
        Words{"Change to advice/no-launcher"});
  CHECK(titles(actions_on("suppress:\n- {rule: advice/no-launchr, paths: [a], reason: b}\n", 1, 9)) ==
        Words{"Change to advice/no-launcher"});
  CHECK(titles(actions_on("zzz: 1\n", 0, 1)).empty());
}

TEST_CASE("server: the migration of a document for an older Trainer") {
  test::LspFiles files;
  files.disk.files = {
      {"/repo/.git/HEAD", ""},
      {"/repo/a.yaml", kJob + "  podTemplateOverrides:\n    - targetJobs: [{name: node}]\n      spec: "
                              "{nodeSelector: {a: b}}\n"}};
  test::LspClient client(files);
  client.start();
  client.publish();
  Json params = at("/repo/a.yaml", 0, 0, 0);
  params["context"]["only"] = {"refactor"};
  const Json actions = client.request("textDocument/codeAction", params);
  REQUIRE(actions.size() == 1);
  CHECK(titles(actions).front() == "Migrate this file to Trainer 2.3");
  const Json& edits = actions[0]["edit"]["changes"]["file:///repo/a.yaml"];
  REQUIRE(edits.size() == 1);
  CHECK(edits[0]["newText"].get<std::string>() == R"(  runtimePatches:
    - manager: trainer.kubeflow.org/user
      trainingRuntimeSpec:
        template:
          spec:
            replicatedJobs:
              - name: node
                template:
                  spec:
                    template:
                )");
  CHECK(edits[0]["range"]["start"] == Json({{"line", 7}, {"character", 0}}));
}

TEST_CASE("server: formatting is declined") {
  test::LspFiles files;
  test::LspClient client(files);
  client.start();
  for (const char* method :
       {"textDocument/formatting", "textDocument/rangeFormatting", "textDocument/onTypeFormatting"}) {
    CHECK(client.request(method) ==
          Json({{"code", -32803},
                {"message", "trainjobc does not format YAML; use a formatter such as prettier or yamlfmt"}}));
  }
}

TEST_CASE("server: a rename, and why there is none") {
  test::LspFiles files;
  files.disk.files = {{"/repo/.git/HEAD", ""}, {"/repo/a.yaml", kJob}};
  test::LspClient client(files);
  client.start();
  Json params{{"textDocument", {{"uri", "file:///repo/a.yaml"}}},
              {"position", {{"line", 6}, {"character", 12}}}};
  const Json built_in{
      {"code", -32803},
      {"message", "runtime \"torch-distributed\" is built in, so nothing of it can be renamed"}};
  CHECK(client.request("textDocument/prepareRename", params) == built_in);
  CHECK(client.request("textDocument/rename", params) ==
        Json({{"code", -32602}, {"message", "the parameters have no newName"}}));
  params["newName"] = "mine";
  CHECK(client.request("textDocument/rename", params) == built_in);
  params["position"]["line"] = 1;
  CHECK(client.request("textDocument/rename", params) ==
        Json({{"code", -32803},
              {"message",
               "only the names of runtimes, and of replicatedJobs and containers in them, can be renamed"}}));
  CHECK(client.request("textDocument/prepareRename", params) == Json());
}

TEST_CASE("server: definitions lead to virtual documents if the client can open them") {
  const auto definition = [](const Json& capabilities) {
    test::LspFiles files;
    files.disk.files = {{"/repo/.git/HEAD", ""}, {"/repo/a.yaml", kJob}};
    test::LspClient client(files);
    client.request("initialize", {{"rootUri", "file:///repo"}, {"capabilities", capabilities}});
    client.notify("initialized");
    const Json found = client.request(
        "textDocument/definition",
        {{"textDocument", {{"uri", "file:///repo/a.yaml"}}}, {"position", {{"line", 6}, {"character", 12}}}});
    if (found.is_null()) return std::string();
    const Json content = client.request("workspace/textDocumentContent", {{"uri", found["uri"]}});
    CHECK(content["text"].get<std::string>().find("kind: ClusterTrainingRuntime\n") != std::string::npos);
    return found["uri"].get<std::string>();
  };
  CHECK(definition(Json::object()) == "");
  CHECK(definition({{"workspace", {{"textDocumentContent", Json::object()}}}}) ==
        "trainjobc-runtime://catalogue/v2.3/torch-distributed.yaml");
}

TEST_CASE("server: a client that opens only files gets a runtime of the catalogue as one") {
  test::LspFiles files;
  files.disk.files = {{"/repo/.git/HEAD", ""}, {"/repo/a.yaml", kJob}};
  std::map<std::string, std::string> kept;
  test::LspClient client(files, [&](const std::string& name, std::string_view text) {
    kept[name] = text;
    return "/cache/trainjobc/" + name;
  });
  client.start();
  const auto definition = [&](const std::string& path, int line, int character) {
    return client
        .request("textDocument/definition", {{"textDocument", {{"uri", lsp::uri_of(path)}}},
                                             {"position", {{"line", line}, {"character", character}}}})
        .dump();
  };
  CHECK(
      definition("/repo/a.yaml", 6, 12) ==
      R"({"range":{"end":{"character":25,"line":4},"start":{"character":8,"line":4}},"uri":"file:///cache/trainjobc/catalogue/v2.3/torch-distributed.yaml"})");
  const std::string runtime = kept.empty() ? "" : kept.begin()->second;
  CHECK(runtime.find("kind: ClusterTrainingRuntime\n") != std::string::npos);
  // Opened, it is nothing of the workspace.
  files.disk.files["/cache/trainjobc/catalogue/v2.3/torch-distributed.yaml"] = runtime;
  client.server.publish();
  client.sent.clear();
  client.open("/cache/trainjobc/catalogue/v2.3/torch-distributed.yaml", runtime);
  client.server.publish();
  std::string published;
  for (const Json& message : client.sent) published += message.dump() + "\n";
  CHECK(published == R"()");
  CHECK(
      definition("/repo/a.yaml", 6, 12) ==
      R"({"range":{"end":{"character":25,"line":4},"start":{"character":8,"line":4}},"uri":"file:///cache/trainjobc/catalogue/v2.3/torch-distributed.yaml"})");
}

TEST_CASE("server: placeholders are for clients that fill them in") {
  const auto name_line = [](const Json& capabilities) {
    test::LspFiles files;
    files.disk.files = {{"/repo/.git/HEAD", ""}};
    test::LspClient client(files);
    client.request("initialize", {{"rootUri", "file:///repo"}, {"capabilities", capabilities}});
    client.notify("initialized");
    client.open("/repo/new.yaml", "");
    const Json completions =
        client.request("textDocument/completion", {{"textDocument", {{"uri", "file:///repo/new.yaml"}}},
                                                   {"position", {{"line", 0}, {"character", 0}}}});
    for (const Json& item : completions["items"]) {
      if (item["label"] != "TrainJob") continue;
      const std::string text = item["textEdit"]["newText"];
      const size_t name = text.find("  name: ");
      return item["insertTextFormat"].dump() + text.substr(name, text.find('\n', name) - name);
    }
    return std::string();
  };
  CHECK(name_line({{"textDocument", {{"completion", {{"completionItem", {{"snippetSupport", true}}}}}}}}) ==
        "2  name: ${1:my-job}");
  CHECK(name_line(Json::object()) == "1  name: my-job");
}

TEST_CASE("server: lists and objects in each other have an end, for all methods") {
  const test::LspFiles files;
  test::LspClient client(files);
  client.start();
  client.sent.clear();
  const std::string deep = std::string(60'000, '[') + std::string(60'000, ']');
  for (const char* method :
       {"codeAction/resolve", "textDocument/hover", "workspace/executeCommand", "nothing"}) {
    client.server.receive(R"({"jsonrpc":"2.0","id":7,"method":")" + std::string(method) +
                          R"(","params":{"data":)" + deep + "}}");
  }
  client.server.receive(R"({"jsonrpc":"2.0","method":"initialized","params":)" + deep + "}");
  CHECK(!client.server.has_messages());
  std::string told;
  for (const lsp::Json& message : client.sent)
    told += message["id"].dump() + " " + message["error"]["code"].dump() + " " +
            message["error"]["message"].get<std::string>() + "\n";
  const std::string one = " -32600 the message is nested deeper than 200 levels\n";
  CHECK(told == "7" + one + "7" + one + "7" + one + "7" + one + "null" + one);
}

TEST_CASE("server: a cancelled request is the one with the id") {
  const test::LspFiles files;
  test::LspClient client(files);
  client.start();
  client.sent.clear();
  const auto send = [&](const char* id) {
    client.server.receive(std::string(R"({"jsonrpc":"2.0","method":"shutdown","id":)") + id + "}");
  };
  const auto cancel = [&](const char* id) {
    client.server.receive(std::string(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":)") + id +
                          "}}");
  };
  for (const char* id : {"1", "\"1\"", "2", "2", "3"}) send(id);
  for (const char* id : {"\"1\"", "2", "4", "null", "[1]"}) cancel(id);
  while (client.server.has_messages()) client.server.handle_next();
  cancel("1");
  std::string answers;
  for (const lsp::Json& message : client.sent)
    answers +=
        message["id"].dump() + (message.contains("error") ? message["error"]["code"].dump() : "") + " ";
  CHECK(answers == "\"1\"-32800 2-32800 1 2-32600 3-32600 ");
}

TEST_CASE("server: a comment that suppresses is one") {
  const auto comment = [](const std::string& text, uint32_t line) {
    const auto made = lsp::suppression_of(base::SourceFile("/a.yaml", text), line, "a/b");
    return made ? std::to_string(made->at.line) + ":" + made->text : "";
  };
  CHECK(comment("a:\n  b: 1\n", 2) == "1:  # trainjobc:ignore a/b -- TODO: the reason\n");
  CHECK(comment("a:\r\n  b: 1\r\n", 2) == "1:  # trainjobc:ignore a/b -- TODO: the reason\r\n");
  CHECK(comment("a: |\n  b\n  c\n", 3) == "");
  CHECK(comment("a: \"b\n  c\"\n", 2) == "");
  CHECK(lsp::suppression_of(base::SourceFile("/a.json", "{\"a\": 1}\n"), 1, "a/b") == std::nullopt);
}

TEST_CASE("server: the lens over a job, and what it shows") {
  test::LspFiles files;
  files.disk.files = {
      {"/repo/.git/HEAD", ""},
      {"/repo/a.yaml",
       "# four nodes\n" + kJob +
           "  trainer:\n    numNodes: 4\n    resourcesPerNode: {limits: {nvidia.com/gpu: 8}}\n    env: "
           "[{name: HF_TOKEN, value: hf_abcdefghijklmnopqrstuvwxyzabcdefgh}]\n"}};
  test::LspClient client(files);
  client.start();
  const Json document{{"textDocument", {{"uri", "file:///repo/a.yaml"}}}};
  CHECK(client.request("textDocument/codeLens", document) ==
        Json::parse(R"([{"range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}},
          "command": {"title": "4 nodes × 8 GPUs = 32 GPUs, ? processes · show JobSet", "command": "trainjobc.showJobSet",
                      "arguments": ["file:///repo/a.yaml", "default", "a"]}}])"));
  Json params = document;
  params["namespace"] = "default";
  params["name"] = "a";
  const Json rendered = client.request("trainjobc/renderedJobSet", params);
  CHECK(rendered["uri"] == "trainjobc-jobset:/default/a.yaml");
  CHECK(rendered["languageId"] == "yaml");
  const auto text = rendered["text"].get<std::string>();
  CHECK(text.starts_with("apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata:\n  name: a\n"));
  CHECK(text.find("hf_abc") == std::string::npos);
  CHECK(text.find("value: \"***\"") != std::string::npos);
  CHECK(client.request("workspace/executeCommand",
                       {{"command", "trainjobc.showJobSet"},
                        {"arguments", {"file:///repo/a.yaml", "default", "a"}}}) == rendered);
  CHECK(client.request("workspace/executeCommand", {{"command", "no"}}) ==
        Json({{"code", -32602}, {"message", "there is no command no"}}));
  params["name"] = "b";
  CHECK(client.request("trainjobc/renderedJobSet", params) ==
        Json({{"code", -32803}, {"message", "the document contains no TrainJob/default/b"}}));
}

TEST_CASE("server: each job has a lens") {
  test::LspFiles files;
  std::string other = kJob + "  trainer: {numNodes: 2, command: [python, train.py]}\n";
  other.replace(other.find("name: a"), 7, "name: b");
  files.disk.files = {{"/repo/.git/HEAD", ""}, {"/repo/a.yaml", kJob + "---\n" + other}};
  test::LspClient client(files);
  client.start();
  std::vector<std::string> shown;
  for (const Json& lens :
       client.request("textDocument/codeLens", {{"textDocument", {{"uri", "file:///repo/a.yaml"}}}}))
    shown.push_back(lens["range"]["start"]["line"].dump() + " " +
                    lens["command"]["title"].get<std::string>());
  CHECK(shown == Words{"0 1 node, 1 process · show JobSet", "8 2 nodes, 2 processes · show JobSet"});
}

TEST_CASE("server: a stream that ends without exit") {
  test::LspFiles files;
  test::LspClient client(files);
  std::vector<std::string> blocks{
      lsp::frame(lsp::to_text(lsp::make_request(1, "initialize", Json::object())))};
  const auto read = [&](std::chrono::milliseconds) -> std::optional<std::string> {
    if (blocks.empty()) return std::nullopt;
    std::string block = blocks.back();
    blocks.pop_back();
    return block;
  };
  CHECK(lsp::serve(client.server, read) == 1);
  CHECK(client.sent.size() == 1);
  blocks = {"no headers\r\n\r\n"};
  CHECK(lsp::serve(client.server, read) == 1);
  CHECK(client.sent.back()["error"]["message"] == "the message has no Content-Length");
  blocks = {"Content-Length: 99999999999\r\n\r\n{"};
  CHECK(lsp::serve(client.server, read) == 1);
  CHECK(client.sent.back()["error"]["message"] == "the message is too large");
}

}  // namespace trainjobc::server_test
