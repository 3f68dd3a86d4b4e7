// SPDX-License-Identifier: Apache-2.0

#include "inputs/roots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "inputs/gitops/roots.h"
#include "inputs/helm/roots.h"
#include "inputs/kustomize/roots.h"

namespace trainjobc::inputs {
namespace {

using builder::BuildFailure;

std::vector<std::unique_ptr<RootKind>> kinds_of(const RootLoader& loader) {
  std::vector<std::unique_ptr<RootKind>> kinds;
  kinds.push_back(std::make_unique<kustomize::Kustomizations>(loader));
  kinds.push_back(std::make_unique<helm::Charts>(loader));
  return kinds;
}

bool is_same(const Root& one, const Root& other) {
  const auto same_path = [](const std::string& a, const std::string& b) {
    return base::absolute_path(a) == base::absolute_path(b);
  };
  return one.flag == other.flag && same_path(one.folder, other.folder) && one.release == other.release &&
         std::ranges::equal(one.values, other.values, same_path);
}

std::vector<std::string> files_of(const InputGroup& group) {
  std::vector<std::string> files = group.templates;
  for (const std::vector<Source>* sources : {&group.inputs, &group.parts}) {
    for (const Source& source : *sources) files.push_back(source.name);
  }
  return files;
}

// Remembers which programs were there when they were to run.
class NotedPrograms final : public base::ProcessRunner {
 public:
  explicit NotedPrograms(base::ProcessRunner& programs) : programs_(programs) {}

  base::IoResult<base::ProcessResult> run(const base::ProcessRequest& request) override {
    auto answer = programs_.run(request);
    note(request, answer);
    return answer;
  }
  std::vector<base::IoResult<base::ProcessResult>> run_all(
      std::span<const base::ProcessRequest> requests) override {
    auto answers = programs_.run_all(requests);
    for (size_t i = 0; i < answers.size(); ++i) note(requests[i], answers[i]);
    return answers;
  }
  void report_to(base::Progress* progress) override { programs_.report_to(progress); }

  // The programs, with their versions.
  std::vector<BuildProgram> versions(std::chrono::seconds timeout) {
    std::vector<BuildProgram> all;
    for (const std::string& name : std::set<std::string>(names_)) {
      base::ProcessRequest request{.argv = version_call(name), .input = "", .timeout = timeout};
      const auto answer = programs_.run(request);
      const auto* result = std::get_if<base::ProcessResult>(&answer);
      all.push_back({name, result && result->status == 0 ? version_in(result->out) : ""});
    }
    return all;
  }

 private:
  void note(const base::ProcessRequest& request, const base::IoResult<base::ProcessResult>& answer) {
    if (!base::is_missing(answer)) names_.insert(request.argv.front());
  }

  static std::vector<std::string> version_call(const std::string& name) {
    if (name == "helm") return {name, "version", "--short"};
    if (name == "kubectl") return {name, "version", "--client"};
    return {name, "version"};
  }

  // "v5.8.1" in "v5.8.1" and in "Client Version: v1.36.0".
  static std::string version_in(std::string_view said) {
    for (size_t at = said.find('v'); at != std::string_view::npos; at = said.find('v', at + 1)) {
      const size_t end = std::min(said.find_first_not_of("0123456789.", at + 1), said.size());
      if (end > at + 1 && base::is_digit(said[at + 1])) return std::string(said.substr(at, end - at));
    }
    return "";
  }

  base::ProcessRunner& programs_;
  std::set<std::string> names_;
};

class Roots {
 public:
  Roots(RootLoader& loader, std::vector<Source>& sources)
      : loader_(loader), request_(loader.request), sources_(sources), kinds_(kinds_of(loader)) {}

  std::vector<InputGroup> load() {
    for (const auto& kind : kinds_) {
      if (!build_each(*kind, named(*kind))) break;
    }
    loader_.loaded.is_deployed = is_deployed();
    if (loader_.loaded.is_deployed) {
      std::ranges::move(load_deployed(loader_, sources_), std::back_inserter(groups_));
      sources_.clear();
    } else {
      loader_.loaded.has_deployers = std::ranges::any_of(sources_, names_roots);
      load_found();
    }
    return std::move(groups_);
  }

 private:
  // By the flag, or by the settings, if the paths are directories that have such objects.
  bool is_deployed() const {
    if (request_.deployed) return true;
    const bool is_asked = request_.may_be_deployed && request_.roots.empty() &&
                          loader_.configurations.of_working_directory()->deployed.value_or(false);
    const auto is_directory = [&](const std::string& path) { return loader_.files.is_directory(path); };
    return is_asked && std::ranges::all_of(request_.paths, is_directory) &&
           std::ranges::any_of(sources_, names_roots);
  }

  // Whether it may have an object of Flux or Argo CD that names one.
  static bool names_roots(const Source& source) {
    constexpr std::array<std::string_view, 3> kGroups{gitops::kKustomizationGroup, gitops::kHelmReleaseGroup,
                                                      "argoproj.io/"};
    return std::ranges::any_of(kGroups, [&](std::string_view group) {
      const size_t at = source.text.find(group);
      return at != std::string::npos &&
             source.text.find("apiVersion: " + std::string(group)) != std::string::npos;
    });
  }

  // Each once.
  std::vector<Root> named(const RootKind& kind) const {
    std::vector<Root> roots;
    for (const Root& root : request_.roots) {
      const auto is_it = [&](const Root& other) { return is_same(root, other); };
      if (root.flag == kind.flag() && std::ranges::none_of(roots, is_it)) roots.push_back(root);
    }
    return roots;
  }

  void load_found() {
    std::vector<std::vector<Root>> found;
    for (const auto& kind : kinds_) found.push_back(find(*kind));
    if (request_.found_roots == FoundRoots::Named) {
      for (const std::vector<Root>& roots : found) {
        for (const Root& root : roots)
          loader_.loaded.roots.push_back(fmt::format("{} {}", root.flag, root.folder));
      }
    } else {
      for (size_t i = 0; i < kinds_.size(); ++i) {
        if (!build_each(*kinds_[i], found[i])) return;
      }
    }
    std::vector<std::string> kept;
    for (const auto& kind : kinds_) kind->take_fragments(left_out_, kept, groups_);
    leave_out({kept.begin(), kept.end()});
  }

  // The roots to build: those that flags name have been built already.
  std::vector<Root> find(RootKind& kind) {
    std::vector<Root> roots = kind.find(sources_);
    std::erase_if(roots, [&](const Root& root) {
      if (base::contains(request_.left_out, kind.scope_of(root))) return true;
      const auto is_it = [&](const Root& other) { return is_same(root, other); };
      if (std::ranges::none_of(request_.roots, is_it)) return false;
      if (request_.found_roots != FoundRoots::Named) leave_out_files(kind, root, "was built");
      return true;
    });
    return roots;
  }

  // Makes a group of each root that was built. For others, flags and settings decide whether that is a
  // problem, a finding, or only a note. False after a problem.
  bool build_each(RootKind& kind, const std::vector<Root>& roots) {
    std::vector<BuiltGroup> results = kind.build(roots);
    for (size_t i = 0; i < roots.size(); ++i) {
      const Root& root = roots[i];
      if (auto* group = std::get_if<InputGroup>(&results[i])) {
        leave_out_files(kind, root, "was built");
        if (!root.config) loader_.loaded.built.push_back({group->scope, files_of(*group)});
        groups_.push_back(std::move(*group));
        continue;
      }
      const auto& failure = std::get<BuildFailure>(results[i]);
      if (request_.found_roots == FoundRoots::Reported && !failure.has_no_program) {
        leave_out_files(kind, root, "can't be built");
        groups_.push_back(kind.failed(root, failure));
      } else if (!root.config || root.is_required) {
        loader_.loaded.fail(lead_of(root, failure) + failure.message);
        return false;
      } else {
        explain(kind, root, failure);
      }
    }
    return true;
  }

  // Begins a message with what asks for the root: the configuration, or the flag if the program is missing.
  static std::string lead_of(const Root& root, const BuildFailure& failure) {
    if (root.config) return root.config->file->name() + ": ";
    return failure.has_no_program ? root.flag + ": " : "";
  }

  void explain(const RootKind& kind, const Root& root, const BuildFailure& failure) {
    if (!failure.has_no_program) {
      loader_.loaded.note(fmt::format("{}\n    its files are checked one by one", failure.message));
    } else if (without_program_.insert(kind.flag()).second) {
      loader_.loaded.note(
          fmt::format("{} and other {} are read as files: {}", root.folder, kind.plural(), failure.message));
    }
  }

  // Leaves out the files of a root found in a directory. Those of a root that only a flag names are read if a
  // directory has them.
  void leave_out_files(const RootKind& kind, const Root& root, std::string_view why) {
    if (!root.config) return;
    for (std::string& file : kind.files_of(root, sources_))
      left_out_.try_emplace(std::move(file), fmt::format("is part of {}, which {}", root.folder, why));
  }

  // Files named as paths are read anyway by commands that don't build what they find.
  void leave_out(const std::set<std::string>& kept) {
    std::erase_if(sources_, [&](const Source& source) {
      const auto found = left_out_.find(base::absolute_path(source.name));
      const bool has_to_be_read = source.named && request_.found_roots == FoundRoots::Named;
      if (has_to_be_read || found == left_out_.end()) return false;
      loader_.loaded.passed_over.push_back({source.name, 0, found->second});
      if (kept.contains(found->first)) loader_.loaded.patches.push_back(source);
      return true;
    });
  }

  RootLoader& loader_;
  const Request& request_;
  std::vector<Source>& sources_;
  std::vector<std::unique_ptr<RootKind>> kinds_;
  std::vector<InputGroup> groups_;
  LeftOut left_out_;
  std::set<std::string_view> without_program_;  // kinds for which a note said that the program is missing
};

}  // namespace

std::string in_one_line(std::string_view said) {
  std::string line;
  for (const std::string_view part : base::Lines(said))
    line.append(line.empty() ? "" : line.ends_with(':') ? " " : "; ").append(base::trimmed(part));
  return line;
}

std::vector<InputGroup> load_roots(RootLoader& loader, std::vector<Source>& sources) {
  NotedPrograms programs(loader.programs);
  RootLoader noting{loader.files, programs, loader.request, loader.configurations, loader.loaded};
  std::vector<InputGroup> groups = Roots(noting, sources).load();
  if (loader.request.names_programs) loader.loaded.programs = programs.versions(loader.build_timeout());
  return groups;
}

}  // namespace trainjobc::inputs
