// SPDX-License-Identifier: Apache-2.0

// Renames a runtime, a replicatedJob or a container, and all references to it: runtimeRefs, dependencies,
// policies and patches. Names in scripts, such as host names, are not found.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "features/lsp/answers.h"
#include "features/lsp/references.h"
#include "k8s/name_syntax.h"
#include "model/trainer_names.h"
#include "yaml/node.h"
#include "yaml/scalar.h"

namespace trainjobc::lsp {
namespace {

// What the value at the cursor names, in the runtime at the cursor or in that of the TrainJob there.
NameReference mention_at(const Cursor& cursor) {
  const CursorPath& path = cursor.path;
  if (!model::is_runtime_kind(cursor.kind())) return reference_at(cursor);
  if (matches(path, {"metadata", "name"})) return {NameOf::Runtime};
  constexpr size_t kToJob = 5;
  const bool is_in_job = path.size() > kToJob && path[2].key == "spec" && path[3].key == "replicatedJobs";
  if (is_in_job && matches({path.begin() + kToJob, path.end()}, {"name"})) return {NameOf::ReplicatedJob};
  for (const auto& [list, of] :
       {std::pair("containers", NameOf::Container), std::pair("initContainers", NameOf::InitContainer)}) {
    if (!is_in_job || !matches({path.begin() + kToJob, path.end()},
                               {"template", "spec", "template", "spec", list, "[]", "name"}))
      continue;
    const SyntaxNode* job = cursor.along_path(kToJob);
    return {of, {std::string(job ? job->text_of("name") : "")}};
  }
  return reference_at(cursor);
}

bool has_name(const FoundRuntime& runtime, const NameReference& reference, std::string_view name) {
  return std::ranges::any_of(names_in(*runtime.root, reference),
                             [&](const yaml::Node* one) { return one->text() == name; });
}

// Those of the mention's replicatedJobs that have such a container.
std::vector<std::string> jobs_with(const FoundRuntime& runtime, const NameReference& mention,
                                   std::string_view container) {
  std::vector<std::string> jobs;
  for (const yaml::Node* job : names_in(*runtime.root, {NameOf::ReplicatedJob})) {
    const std::string name(job->text());
    const bool is_covered = mention.jobs.empty() || base::contains(mention.jobs, name);
    if (is_covered && has_name(runtime, {mention.of, {name}}, container)) jobs.push_back(name);
  }
  return jobs;
}

struct RenameTarget {
  NameOf of = NameOf::Nothing;
  RuntimeName runtime;  // which is renamed, or contains what is renamed
  FoundRuntime found;   // from the workspace
  std::string job;      // for a container, its replicatedJob
  std::string name;
};

// Why Trainer requires this name; "" if it doesn't.
std::string why_fixed(const RenameTarget& target) {
  const yaml::Node* policy = target.found.root->at({"spec", "mlPolicy"});
  if (target.of == NameOf::ReplicatedJob) {
    const bool launches = target.name == model::kLauncher && policy && policy->get("mpi");
    if (target.name == model::kNode || launches)
      return fmt::format("Trainer finds the replicatedJob \"{}\" by its name, so it can't be renamed",
                         target.name);
  }
  if (target.of == NameOf::Container &&
      (target.name == model::kNode || target.name == model::kDatasetInitializer ||
       target.name == model::kModelInitializer))
    return fmt::format("Trainer finds the container \"{}\" by its name, so it can't be renamed", target.name);
  return "";
}

using Resolved = std::variant<std::monostate, RenameTarget, WhyNot>;

// Finds what to rename; monostate if there is no name at the cursor.
Resolved target_at(const Workspace& workspace, const DocumentId& document, const Cursor& cursor) {
  if (cursor.spot != Spot::Value && cursor.spot != Spot::KeyOrValue) return std::monostate();
  const NameReference mention = mention_at(cursor);
  const auto runtime = runtime_named(workspace, document, cursor);
  if (mention.of == NameOf::Nothing || !runtime || cursor.word.empty()) return std::monostate();
  auto found = find_runtime(workspace, document, runtime->kind, runtime->name, runtime->ns);
  if (!found)
    return WhyNot{fmt::format("there is no {} \"{}\" in the workspace", runtime->kind, runtime->name)};
  if (!found->catalogue.empty())
    return WhyNot{fmt::format("runtime \"{}\" is built in, so nothing of it can be renamed", runtime->name)};
  RenameTarget target{mention.of, *runtime, std::move(*found), "", cursor.word};
  if (mention.of == NameOf::ReplicatedJob && !has_name(target.found, {mention.of}, target.name))
    return WhyNot{fmt::format("runtime \"{}\" has no replicatedJob \"{}\"", runtime->name, target.name)};
  if (mention.of == NameOf::Container || mention.of == NameOf::InitContainer) {
    const auto jobs = jobs_with(target.found, mention, target.name);
    if (jobs.empty())
      return WhyNot{fmt::format("runtime \"{}\" has no {} \"{}\" there", runtime->name, noun_of(mention.of),
                                target.name)};
    if (jobs.size() > 1)
      return WhyNot{"this names containers of several replicatedJobs; rename the one in the runtime"};
    target.job = jobs.front();
  }
  if (std::string why = why_fixed(target); !why.empty()) return WhyNot{std::move(why)};
  return target;
}

// Why the target can't have the name; "" if it can.
std::string why_not_named(const Workspace& workspace, const DocumentId& document, const RenameTarget& target,
                          const std::string& name) {
  const std::string problem =
      target.of == NameOf::Runtime ? k8s::dns_subdomain_problem(name) : k8s::dns_label_problem(name);
  if (!problem.empty()) return fmt::format("\"{}\" {}", name, problem);
  const RuntimeName& runtime = target.runtime;
  if (target.of == NameOf::Runtime) {
    return find_runtime(workspace, document, runtime.kind, name, runtime.ns)
               ? fmt::format("there is a {} \"{}\" already", runtime.kind, name)
               : "";
  }
  const bool is_taken = target.of == NameOf::ReplicatedJob
                            ? has_name(target.found, {NameOf::ReplicatedJob}, name)
                            : has_name(target.found, {NameOf::Container, {target.job}}, name) ||
                                  has_name(target.found, {NameOf::InitContainer, {target.job}}, name);
  if (!is_taken) return "";
  return target.of == NameOf::ReplicatedJob
             ? fmt::format("runtime \"{}\" has a replicatedJob \"{}\" already", runtime.name, name)
             : fmt::format("replicatedJob \"{}\" has a container \"{}\" already", target.job, name);
}

// Collects the edits of all documents.
class Renaming {
 public:
  Renaming(const Workspace& workspace, const RenameTarget& target, const std::string& name)
      : workspace_(workspace), target_(target), name_(name) {}

  std::string problem;  // the first problem; "" if everything can be renamed
  Json changes = Json::object();

  void edit_all() {
    const DocumentId own = base::absolute_path(target_.found.location.file->name());
    std::set<DocumentId> documents{own};
    for (const WorkspaceObject& job : workspace_.jobs()) {
      if (workspace_.serves(own, job.document) && reference_to(target_.runtime, workspace_, job))
        documents.insert(job.document);
    }
    for (const DocumentId& document : documents) edit(document);
  }

 private:
  void edit(const DocumentId& document) {
    const auto text = workspace_.current(document);
    if (!text) return;
    if (!text->is_readable)
      return refuse(fmt::format("{} can't be read as YAML; correct it first",
                                place_text(workspace_, {.file = text->file.get()})));
    document_ = document;
    file_ = text->file;
    for (const DocumentExtent& extent : document_extents(file_->text())) {
      const SyntaxNode root = parse_syntax(file_->text(), extent);
      const SyntaxNode* items = root.get("items");
      if (!items || !root.text_of("kind").ends_with("List")) {
        edit_object(root);
        continue;
      }
      for (const SyntaxEntry& item : items->entries) edit_object(item.value);
    }
  }

  void edit_object(const SyntaxNode& object) {
    Cursor cursor;
    cursor.spot = Spot::Value;
    cursor.object = &object;
    const auto runtime = runtime_named(workspace_, document_, cursor);
    if (runtime == target_.runtime) visit(object, cursor);
  }

  void visit(const SyntaxNode& value, Cursor& cursor) {
    if (value.is_scalar()) return edit_scalar(value, cursor);
    for (size_t i = 0; i < value.entries.size(); ++i) {
      const SyntaxEntry& entry = value.entries[i];
      cursor.path.push_back(value.is_map() ? CursorStep{entry.key} : CursorStep{"", i});
      visit(entry.value, cursor);
      cursor.path.pop_back();
    }
  }

  void edit_scalar(const SyntaxNode& scalar, const Cursor& cursor) {
    const NameReference mention = mention_at(cursor);
    if (mention.of != target_.of) return;
    const bool is_indirect = scalar.text.find_first_of("&*!") == 0;
    if (is_indirect)
      return refuse(fmt::format("{} is an alias, or has an anchor or a tag", place_of(scalar)));
    if (scalar.text != target_.name || !covers(mention)) return;
    if (!target_.job.empty() && jobs_with(target_.found, mention, target_.name).size() > 1)
      return refuse(fmt::format("{} names containers of several replicatedJobs", place_of(scalar)));
    changes[uri_of(document_)].push_back(
        {{"range", range_of(*file_, scalar.begin, scalar.end)}, {"newText", written(scalar)}});
  }

  bool covers(const NameReference& mention) const {
    return target_.job.empty() || mention.jobs.empty() || base::contains(mention.jobs, target_.job);
  }

  // The new name, written as the old one is.
  std::string written(const SyntaxNode& scalar) const {
    const char first = file_->text()[scalar.begin];
    if (first == '"' || first == '\'') return fmt::format("{}{}{}", first, name_, first);
    return yaml::is_ambiguous_plain(name_) ? fmt::format("\"{}\"", name_) : name_;
  }

  std::string place_of(const SyntaxNode& scalar) const {
    return place_text(workspace_, {.file = file_.get(), .line = file_->line_at(scalar.begin)});
  }

  void refuse(std::string why) {
    if (problem.empty()) problem = std::move(why);
  }

  const Workspace& workspace_;
  const RenameTarget& target_;
  const std::string& name_;
  DocumentId document_;
  std::shared_ptr<const base::SourceFile> file_;
};

// The name at the position.
std::optional<Cursor> name_at(const ParsedText& text, Position at) {
  Cursor cursor = find_at_or_before(text.file->text(), offset_of(*text.file, at));
  return cursor.spot == Spot::None || cursor.spot == Spot::Comment ? std::nullopt
                                                                   : std::optional(std::move(cursor));
}

}  // namespace

std::variant<Json, WhyNot> prepare_rename(const Workspace& workspace, const DocumentId& document,
                                          Position at) {
  const auto text = workspace.current(document);
  const auto cursor = text ? name_at(*text, at) : std::nullopt;
  if (!cursor) return Json();
  Resolved resolved = target_at(workspace, document, *cursor);
  if (auto* why = std::get_if<WhyNot>(&resolved)) return std::move(*why);
  if (std::holds_alternative<std::monostate>(resolved)) return Json();
  return Json{{"range", range_of(*text->file, cursor->begin, cursor->end)}, {"placeholder", cursor->word}};
}

std::variant<Json, WhyNot> rename(const Workspace& workspace, const DocumentId& document, Position at,
                                  const std::string& name) {
  const auto text = workspace.current(document);
  const auto cursor = text ? name_at(*text, at) : std::nullopt;
  Resolved resolved = cursor ? target_at(workspace, document, *cursor) : Resolved();
  if (auto* why = std::get_if<WhyNot>(&resolved)) return std::move(*why);
  const auto* target = std::get_if<RenameTarget>(&resolved);
  if (!target)
    return WhyNot{"only the names of runtimes, and of replicatedJobs and containers in them, can be renamed"};
  Json edit{{"changes", Json::object()}};
  if (name == target->name) return edit;
  if (std::string why = why_not_named(workspace, document, *target, name); !why.empty())
    return WhyNot{std::move(why)};
  Renaming renaming(workspace, *target, name);
  renaming.edit_all();
  if (!renaming.problem.empty()) return WhyNot{std::move(renaming.problem)};
  edit["changes"] = std::move(renaming.changes);
  return edit;
}

}  // namespace trainjobc::lsp
