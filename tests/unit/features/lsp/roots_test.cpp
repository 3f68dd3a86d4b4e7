// SPDX-License-Identifier: Apache-2.0

// Kustomizations in an editor: findings are on what is built of the files that are saved.
#include <doctest/doctest.h>

#include <functional>

#include "base/files/paths.h"
#include "support/lsp_client.h"

namespace trainjobc::lsp_roots_test {
namespace {

using Published = std::map<std::string, std::vector<std::string>>;

constexpr const char* kJob =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: bert\nspec:\n"
    "  runtimeRef:\n    name: torch-distributed\n  trainer:\n    image: ghcr.io/team/bert:1.0\n"
    "    command: [torchrun, train.py]\n    numNodes: 1\n";
constexpr const char* kPatch =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: bert}\nspec:\n"
    "  trainer:\n    numNodes: 4\n";

// kustomize, for bases of one job and overlays that set its nodes.
class Kustomize final : public base::ProcessRunner {
 public:
  explicit Kustomize(const base::MemoryFileSystem& disk) : disk_(disk) {}

  std::vector<std::string> built;  // folders

  base::IoResult<base::ProcessResult> run(const base::ProcessRequest& request) override {
    if (is_missing) return base::io_error("run", request.argv[0], ENOENT);
    const std::string folder = base::absolute_path(request.argv.back());
    built.push_back(folder);
    std::string text = disk_.files.at("/repo/base/job.yaml");
    const auto patch = disk_.files.find(folder + "/nodes.yaml");
    if (patch == disk_.files.end()) return base::ProcessResult{0, text, ""};
    const std::string nodes = patch->second.substr(patch->second.find("    numNodes:"));
    if (nodes.find("refused") != std::string::npos)
      return base::ProcessResult{1, "", "Error: no such field\n"};
    return base::ProcessResult{0, text.substr(0, text.find("    numNodes:")) + nodes, ""};
  }

  bool is_missing = false;

 private:
  const base::MemoryFileSystem& disk_;
};

struct Editor {
  test::LspFiles files;
  Kustomize kustomize{files.disk};
  std::unique_ptr<test::LspClient> client;

  explicit Editor(const char* patch = kPatch) {
    write("base/job.yaml", kJob);
    write("base/kustomization.yaml", "resources: [job.yaml]\n");
    for (const char* name : {"prod", "test"}) {
      const std::string folder = std::string("overlays/") + name;
      write(folder + "/kustomization.yaml", "resources: [../../base]\npatches:\n- path: nodes.yaml\n");
      write(folder + "/nodes.yaml", kPatch);
    }
    write("overlays/prod/nodes.yaml", patch);
    files.programs = &kustomize;
    client = std::make_unique<test::LspClient>(files);
    client->start();
  }

  void write(const std::string& path, const std::string& text) { files.disk.files["/repo/" + path] = text; }
  void save(const std::string& path, const std::string& text) {
    write(path, text);
    client->notify("textDocument/didSave", {{"textDocument", {{"uri", lsp::uri_of("/repo/" + path)}}}});
  }
  std::string shown() const {
    std::string texts;
    for (const lsp::Json& message : client->sent) {
      if (lsp::text_member(message, {"method"}) == "window/showMessage")
        texts += lsp::text_member(message, {"params", "message"});
    }
    return texts;
  }
};

const std::string kWrong = std::string(kPatch) + "    numProcPerNod: 8\n";

TEST_CASE(
    "editor: a finding on what is built is at the line of the patch, which is no TrainJob without a "
    "runtime") {
  Editor editor(kWrong.c_str());
  editor.client->open("/repo/overlays/test/nodes.yaml", kPatch);
  CHECK(editor.client->publish() ==
        Published{{"/repo/overlays/prod/nodes.yaml", {"7:5 input/unknown-field"}}});
  CHECK(editor.kustomize.built == std::vector<std::string>{"/repo/overlays/prod", "/repo/overlays/test"});
}

TEST_CASE("editor: a patch that was saved is built again, and only what reads it") {
  Editor editor(kWrong.c_str());
  editor.client->open("/repo/overlays/prod/nodes.yaml", kWrong);
  editor.client->publish();
  editor.kustomize.built.clear();
  editor.client->replace("/repo/overlays/prod/nodes.yaml", kPatch);
  CHECK(editor.client->publish() == Published{{"/repo/overlays/prod/nodes.yaml", {}}});
  CHECK(editor.kustomize.built.empty());
  editor.save("overlays/prod/nodes.yaml", kPatch);
  CHECK(editor.client->publish().empty());
  CHECK(editor.kustomize.built == std::vector<std::string>{"/repo/overlays/prod"});
  editor.save("base/job.yaml", std::string(kJob) + "    numProcPerNod: 8\n");
  CHECK(editor.kustomize.built.size() == 1);
}

TEST_CASE(
    "editor: of text that is not saved, findings stay at the lines that are as before; the fields of others "
    "are checked") {
  Editor editor(kWrong.c_str());
  editor.client->open("/repo/overlays/prod/nodes.yaml", kWrong);
  editor.client->publish();
  editor.client->replace("/repo/overlays/prod/nodes.yaml", "# Nodes.\n" + kWrong);
  CHECK(editor.client->publish() ==
        Published{{"/repo/overlays/prod/nodes.yaml", {"8:5 input/unknown-field"}}});
  editor.client->replace("/repo/overlays/prod/nodes.yaml", std::string(kPatch) + "    imag: a\n", 3);
  CHECK(editor.client->publish() ==
        Published{{"/repo/overlays/prod/nodes.yaml", {"7:5 input/unknown-field"}}});
  editor.client->replace("/repo/overlays/prod/nodes.yaml", std::string(kPatch) + "    - a\n", 4);
  CHECK(editor.client->publish() == Published{{"/repo/overlays/prod/nodes.yaml", {"7:5 yaml/syntax"}}});
}

TEST_CASE("editor: without kustomize, and if it fails, the editor says so once and checks the files") {
  Editor editor(kWrong.c_str());
  editor.kustomize.is_missing = true;
  CHECK(editor.client->publish() ==
        Published{{"/repo/overlays/prod/nodes.yaml", {"7:5 input/unknown-field"}}});
  CHECK(editor.shown() ==
        "/repo/overlays/prod and other kustomizations are read as files: neither kustomize nor kubectl is on "
        "the PATH");
  CHECK(editor.client->publish().empty());
  CHECK(editor.shown().empty());
  editor.kustomize.is_missing = false;
  editor.save("overlays/prod/nodes.yaml", std::string(kPatch) + "    refused: 8\n");
  editor.client->publish();
  CHECK(editor.shown() ==
        "kustomize build /repo/overlays/prod failed:\n    Error: no such field\n"
        "    its files are checked one by one");
}

}  // namespace
}  // namespace trainjobc::lsp_roots_test
