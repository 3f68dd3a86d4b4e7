// SPDX-License-Identifier: Apache-2.0

#include "inputs/kustomize/build.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/files/paths.h"
#include "inputs/kustomize/dependencies.h"
#include "inputs/kustomize/mirror.h"
#include "yaml/write/writer.h"

namespace trainjobc::kustomize {
namespace {

std::string refusal_of(const std::string& folder, const Tree& tree) {
  const Obstacle& first = tree.obstacles().front();
  const std::string line = first.location.line > 0 ? fmt::format(":{}", first.location.line) : "";
  return fmt::format("{}: {}{}: {}{}", folder, first.location.file->name(), line, first.message,
                     first.is_fetched ? "; --kustomize-remote allows that" : "");
}

}  // namespace

std::string built_name(const std::string& folder) {
  return base::joined_path(folder, "(built)");
}

namespace {

struct RootToBuild {
  Target target;
  std::shared_ptr<const Tree> tree;
  std::optional<BuildResult> result;
  std::shared_ptr<Mirror> mirror = {};  // of one with a replacement

  const std::string& folder() const { return target.folder; }
};

BuildResult result_of(const RootToBuild& root, std::string_view command,
                      base::IoResult<base::ProcessResult> answer) {
  auto output = builder::output_of(fmt::format("{} {}", command, root.folder()), std::move(answer),
                                   [&] { return root.tree->secrets(); });
  if (auto* failure = std::get_if<BuildFailure>(&output)) {
    if (root.mirror) failure->message = root.mirror->with_own_paths(std::move(failure->message));
    return std::move(*failure);
  }
  Source source{built_name(root.folder()), std::move(std::get<std::string>(output))};
  source.relocator = make_relocator(root.tree);
  return Built{root.folder(), std::move(source), root.tree};
}

// Where kustomize finds the root.
base::IoResult<std::string> place_of(const base::FileSystem& files, RootToBuild& root) {
  std::string place;
  if (auto error = base::take(files.on_disk(root.folder()), place)) return *error;
  if (!root.target.replacement) return place;
  std::string repository;
  if (auto error = base::take(files.on_disk(root.target.repository), repository)) return *error;
  std::string text;
  yaml::write_yaml(*root.target.replacement->root, yaml::KeyOrder::AsIs, text);
  auto mirror = Mirror::make(base::absolute_path(repository), base::absolute_path(place), text);
  if (auto error = base::take(std::move(mirror), root.mirror)) return *error;
  return root.mirror->folder();
}

// Builds what has no result yet; false if the program is not installed.
bool build_with(const base::FileSystem& files, base::ProcessRunner& runner,
                const std::vector<std::string>& command, std::vector<RootToBuild>& roots,
                const BuildOptions& options) {
  const std::string call = fmt::format("{} {}", command[0], command[1]);
  std::vector<base::ProcessRequest> requests;
  std::vector<RootToBuild*> asked;
  for (RootToBuild& root : roots) {
    if (root.result) continue;
    std::string place;
    if (auto error = base::take(place_of(files, root), place)) {
      root.result = result_of(root, call, std::move(*error));
      continue;
    }
    base::ProcessRequest request{.argv = command, .input = "", .timeout = options.timeout};
    // Such a path could be taken for a flag or a repository.
    const bool is_unclear = place.starts_with('-') || is_remote(place);
    request.argv.push_back(is_unclear ? "./" + place : place);
    if (root.target.reads_outside) request.argv.emplace_back("--load-restrictor=LoadRestrictionsNone");
    if (root.target.may_run_helm && !root.tree->helm_charts().empty())
      request.argv.emplace_back("--enable-helm");
    // What kubectl does may depend on its own settings; of a mirror and of charts, not all files are known.
    if (command.front() == "kustomize" && !root.target.replacement && root.tree->helm_charts().empty())
      request.depends_on = dependencies_of(files, *root.tree);
    requests.push_back(std::move(request));
    asked.push_back(&root);
  }
  auto answers = runner.run_all(requests);
  for (size_t i = 0; i < answers.size(); ++i) {
    if (base::is_missing(answers[i])) return false;
    asked[i]->result = result_of(*asked[i], call, std::move(answers[i]));
  }
  return true;
}

}  // namespace

std::vector<BuildResult> build(const base::FileSystem& files, base::ProcessRunner& runner,
                               const std::vector<Target>& targets, const BuildOptions& options) {
  std::vector<RootToBuild> roots;
  for (const Target& target : targets) {
    const std::string& folder = target.folder;
    RootToBuild root{target, read_tree(target.files ? *target.files : files, folder, target.replacement),
                     std::nullopt};
    if (!root.tree->root())
      root.result = BuildFailure{false, fmt::format("{} has no kustomization.yaml that can be read", folder)};
    if (!root.tree->obstacles().empty() && !options.allow_remote)
      root.result = BuildFailure{false, refusal_of(folder, *root.tree)};
    roots.push_back(std::move(root));
  }
  if (!build_with(files, runner, {"kustomize", "build"}, roots, options))
    build_with(files, runner, {"kubectl", "kustomize"}, roots, options);
  std::vector<BuildResult> results;
  for (RootToBuild& root : roots) {
    if (!root.result) root.result = BuildFailure{true, "neither kustomize nor kubectl is on the PATH"};
    results.push_back(std::move(*root.result));
  }
  return results;
}

}  // namespace trainjobc::kustomize
