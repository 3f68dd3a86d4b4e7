// SPDX-License-Identifier: Apache-2.0

#include "features/kustomize/build.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "base/text/text.h"
#include "features/kustomize/origins.h"

namespace trainjobc::kustomize {
namespace {

// kustomize's standard error, indented below a sentence of ours.
std::string indented(std::string_view said) {
  std::string text;
  while (!said.empty()) {
    const size_t end = std::min(said.find('\n'), said.size());
    const std::string_view line = base::trimmed(said.substr(0, end));
    if (!line.empty()) text += fmt::format("\n    {}", line);
    said.remove_prefix(std::min(end + 1, said.size()));
  }
  return text;
}

bool is_missing(const base::IoError& error) {
  return error.message.ends_with(std::generic_category().message(ENOENT));
}

std::string refusal_of(const std::string& folder, const Tree& tree) {
  const Reference& first = tree.remote().front();
  const base::Location at = yaml::locate(*first.node);
  return fmt::format(
      "{}: {}:{}: {} is not here: kustomize would fetch it; --kustomize-remote allows that", folder,
      at.file ? at.file->name() : "", at.line, first.path);
}

}  // namespace

std::string built_name(const std::string& folder) {
  return folder == "." ? "(built)" : folder + "/(built)";
}

std::variant<Built, BuildFailure> build(const base::FileSystem& files, base::ProcessRunner& runner,
                                        const std::string& folder, const BuildOptions& options) {
  auto tree = read_tree(files, folder);
  if (!tree->root())
    return BuildFailure{false, fmt::format("{} has no kustomization.yaml that can be read", folder)};
  if (!tree->remote().empty() && !options.allow_remote) return BuildFailure{false, refusal_of(folder, *tree)};
  // A name that begins with a dash is not a flag.
  const std::string argument = folder.starts_with('-') ? "./" + folder : folder;
  for (const std::vector<std::string>& argv : {std::vector<std::string>{"kustomize", "build", argument},
                                               std::vector<std::string>{"kubectl", "kustomize", argument}}) {
    auto answer = runner.run({.argv = argv, .input = "", .timeout = options.timeout});
    if (const auto* error = std::get_if<base::IoError>(&answer)) {
      if (is_missing(*error)) continue;
      return BuildFailure{false, fmt::format("{} {} {}: {}", argv[0], argv[1], folder, error->message)};
    }
    auto& result = std::get<base::ProcessResult>(answer);
    if (result.status != 0) {
      return BuildFailure{false, fmt::format("{} {} {} failed:{}", argv[0], argv[1], folder, indented(result.err))};
    }
    Source source{built_name(folder), std::move(result.out)};
    source.relocator = make_relocator(tree);
    return Built{folder, std::move(source), std::move(tree)};
  }
  return BuildFailure{true, "neither kustomize nor kubectl is on the PATH"};
}

}  // namespace trainjobc::kustomize
