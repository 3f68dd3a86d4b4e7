// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/workspace.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/files/paths.h"
#include "inputs/config.h"
#include "inputs/kustomize/kustomization.h"
#include "model/runtime.h"
#include "model/trainer_names.h"

namespace trainjobc::lsp {
namespace {

bool can_read(const yaml::FoundDocument& document) {
  base::Arena arena;
  base::Diagnostics problems;
  yaml::read_document(document, arena, problems);
  return !problems.has_errors();
}

// Whether a change of the file may change which files are read, or how.
bool is_about_files(std::string_view path) {
  return is_settings_file(path) || path.ends_with("/.gitignore") || path.ends_with("/.git/info/exclude");
}

bool mentions_trainer(std::string_view text) {
  return text.find("kind: TrainJob") != std::string_view::npos ||
         text.find("TrainingRuntime") != std::string_view::npos;
}

constexpr std::string_view kAnyRuntime = "TrainingRuntime";
constexpr std::string_view kAnyJob = "TrainJob";

bool mentions(const Source& source, std::string_view kind) {
  return source.text.find(kind) != std::string::npos;
}

// A single group, whose configuration has no settings.
std::vector<inputs::InputGroup> without_inputs() {
  return {{.config = std::make_shared<inputs::Config>()}};
}

// The disk with an editor's buffers on top. A buffer replaces its file, even one that does not exist yet.
// Nothing is ever written.
class Overlay final : public base::ReadOnlyFileSystem {
 public:
  Overlay(const base::FileSystem& disk, const std::map<DocumentId, std::string>& buffers)
      : disk_(disk), buffers_(buffers) {}

  base::FileKind kind(const std::string& path) const override {
    return buffers_.contains(base::absolute_path(path)) ? base::FileKind::File : disk_.kind(path);
  }

  base::IoResult<std::string> read(const std::string& path) const override {
    const auto buffer = buffers_.find(base::absolute_path(path));
    return buffer != buffers_.end() ? buffer->second : disk_.read(path);
  }

  base::IoResult<std::vector<base::DirectoryEntry>> list(const std::string& path) const override {
    auto listed = disk_.list(path);
    auto* entries = std::get_if<std::vector<base::DirectoryEntry>>(&listed);
    if (!entries) return listed;
    const std::string folder = base::absolute_path(path);
    for (const auto& [file, text] : buffers_) {
      if (base::parent_of(file) != folder) continue;
      const std::string name = base::path_below(file, folder);
      const auto at = std::ranges::lower_bound(*entries, name, {}, &base::DirectoryEntry::name);
      if (at == entries->end() || at->name != name) entries->insert(at, {name, base::FileKind::File, false});
    }
    return listed;
  }

  bool stays_inside(const std::string& directory, const std::string& path) const override {
    return disk_.stays_inside(directory, path);
  }

 private:
  const base::FileSystem& disk_;
  const std::map<DocumentId, std::string>& buffers_;
};

}  // namespace

bool is_manifest(std::string_view path) {
  return !is_settings_file(path) &&
         (path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json"));
}

bool is_settings_file(std::string_view path) {
  return path.ends_with(std::string("/") + inputs::kConfigName);
}

ParsedText::ParsedText(std::string name, std::string text, const ParsedText* before)
    : file(std::make_shared<base::SourceFile>(std::move(name), std::move(text))) {
  std::unordered_set<std::string_view> known;
  for (const Part& part : before ? before->parts : std::vector<Part>()) {
    if (part.is_readable) known.insert(part.document.text);
  }
  base::Diagnostics problems;
  for (const yaml::FoundDocument& found : yaml::find_documents(*file, problems))
    parts.push_back({found, known.contains(found.text) || can_read(found)});
  is_readable = !problems.has_errors() && std::ranges::all_of(parts, &Part::is_readable);
}

const std::vector<compile::InputObject>& ParsedText::objects() const {
  if (objects_) return objects_->list;
  objects_ = std::make_unique<Objects>();
  for (const Part& part : parts) {
    for (compile::InputObject& object : compile::read_objects(part.document, {}, objects_->memory).objects) {
      if (object.kind == compile::InputKind::TrainJob || object.is_runtime() ||
          object.kind == compile::InputKind::OptimizationJob)
        objects_->list.push_back(object);
    }
  }
  return objects_->list;
}

std::string text_of(const std::vector<inputs::Message>& messages) {
  std::string text;
  for (const inputs::Message& message : messages) {
    if (message.kind == inputs::MessageKind::Problem) text += "trainjobc: ";
    text += message.text;
    if (message.kind != inputs::MessageKind::Report) text += '\n';
  }
  return text;
}

std::string with_readable_documents(const ParsedText& current, const ParsedText& readable) {
  if (current.parts.size() != readable.parts.size() || current.parts.empty())
    return std::string(readable.file->text());
  const std::string_view text = current.file->text();
  std::string out;
  size_t at = 0;
  for (size_t i = 0; i < current.parts.size(); ++i) {
    if (current.parts[i].is_readable) continue;
    const std::string_view broken = current.parts[i].document.text;
    const auto begin = static_cast<size_t>(broken.data() - text.data());
    out += text.substr(at, begin - at);
    out += readable.parts[i].document.text;
    at = begin + broken.size();
  }
  return out.append(text.substr(at));
}

Workspace::Workspace(const base::FileSystem& disk, LoadSettings settings, policy::PolicyOptions policy)
    : disk_(disk),
      files_(std::make_unique<Overlay>(disk, buffers_)),
      settings_(std::move(settings)),
      policy_(std::move(policy)),
      groups_(without_inputs()) {}

void Workspace::set_folders(std::vector<std::string> folders) {
  folders_ = std::move(folders);
  has_to_load_ = true;
  roots_.has_to_build = true;
  note_change();
}

void Workspace::set_text(const DocumentId& document, std::string text) {
  const bool is_new = buffer(document) == nullptr;
  const bool is_read = sources_.contains(document) || roots_.parts.contains(document);
  if (is_about_files(document) || (!is_read && is_manifest(document) && (is_new || mentions_trainer(text))))
    has_to_load_ = true;
  buffers_[document] = std::move(text);
  Document& known = documents_[document];
  if (known.current) known.before = std::exchange(known.current, nullptr);
  changed_.insert(document);
  edited_.insert(document);
  note_change();
}

const std::string* Workspace::buffer(const DocumentId& document) const {
  const auto found = buffers_.find(document);
  return found != buffers_.end() ? &found->second : nullptr;
}

void Workspace::close(const DocumentId& document) {
  buffers_.erase(document);
  documents_.erase(document);
  changed_.erase(document);
  frozen_.erase(document);
  note_change_on_disk(document);
}

bool Workspace::note_saved(const DocumentId& document) {
  if (!settings_.builds_roots || !has_roots_ || !is_of_roots(document)) return false;
  roots_.saved.insert(document);
  findings_.reset();
  return true;
}

// Whether a kustomization or chart may read the file on disk.
bool Workspace::is_of_roots(const DocumentId& document) const {
  if (roots_.built.contains(document) || kustomize::is_kustomization(document)) return true;
  const bool has_objects = group_of_.contains(document) && !look_up(document).current->objects().empty();
  return !has_objects;  // a list of fields, a values file
}

void Workspace::note_change_on_disk(const std::string& path) {
  note_saved(path);
  if (buffer(path)) return;
  const auto sources = sources_.find(path);
  auto text = sources != sources_.end() && files_->kind(path) == base::FileKind::File
                  ? files_->read(path)
                  : base::IoResult<std::string>(base::IoError{});
  if (const auto* read = std::get_if<std::string>(&text)) {
    for (Source* source : sources->second) source->text = *read;
  } else if (sources != sources_.end() || is_manifest(path) || is_about_files(path) ||
             files_->is_directory(path) || !files_->exists(path)) {
    has_to_load_ = true;
  } else {
    return;
  }
  documents_.erase(path);
  note_change();
}

void Workspace::note_change() {
  findings_.reset();
  for (auto& [name, document] : documents_) document.compiled.reset();
}

// The disk without buffers.
std::unique_ptr<base::FileSystem> Workspace::as_saved() const {
  static const std::map<DocumentId, std::string> kNone;
  return std::make_unique<Overlay>(disk_, kNone);
}

void Workspace::bring_up_to_date() {
  if (has_to_load_) load();
  for (const DocumentId& document : std::exchange(changed_, {})) update_source(document);
}

inputs::Request Workspace::request_for(std::vector<std::string> paths) const {
  return {.paths = std::move(paths), .environment = settings_.environment};
}

void Workspace::load() {
  has_to_load_ = false;
  std::vector<std::string> paths = folders_;
  std::erase_if(paths, [&](const std::string& path) { return !files_->is_directory(path); });
  for (int round = 0; round < 2; ++round) {
    inputs::Loaded loaded =
        paths.empty() ? inputs::Loaded{} : inputs::load(*files_, settings_.programs, request_for(paths));
    if (loaded.failed()) {
      problem_ = text_of(loaded.messages);
      if (sources_.empty()) take(open_documents());
      return;
    }
    has_roots_ = !loaded.roots.empty();
    roots_.patches = std::move(loaded.patches);
    take(std::move(loaded.groups));
    index_roots();
    problem_.clear();
    const std::vector<std::string> others = unread_documents();
    if (others.empty()) return;
    paths.insert(paths.end(), others.begin(), others.end());
  }
}

// Replaces the previous groups by these.
void Workspace::take(std::vector<inputs::InputGroup> groups) {
  groups_ = groups.empty() ? without_inputs() : std::move(groups);
  sources_.clear();
  group_of_.clear();
  for (size_t i = 0; i < groups_.size(); ++i) {
    for (Source& source : groups_[i].inputs) {
      const DocumentId document = base::absolute_path(source.name);
      sources_[document].push_back(&source);
      group_of_[document] = i;
    }
    for (Source& source : groups_[i].runtimes) sources_[base::absolute_path(source.name)].push_back(&source);
  }
  std::erase_if(documents_, [&](const auto& document) { return !buffer(document.first); });
  for (const auto& [document, text] : buffers_) changed_.insert(document);
}

// If the files can't be read, only open documents can be checked.
std::vector<inputs::InputGroup> Workspace::open_documents() const {
  std::vector<inputs::InputGroup> groups = without_inputs();
  for (const auto& [document, text] : buffers_) {
    if (is_manifest(document)) groups.front().inputs.push_back({document, text});
  }
  return groups;
}

// Open documents outside of the folders, or in a part of them that is not searched.
std::vector<std::string> Workspace::unread_documents() const {
  std::vector<std::string> unread;
  for (const auto& [document, text] : buffers_) {
    const bool is_read = sources_.contains(document) || roots_.parts.contains(document);
    if (is_manifest(document) && !is_read && mentions_trainer(text)) unread.push_back(document);
  }
  return unread;
}

void Workspace::update_source(const DocumentId& document) {
  frozen_.erase(document);
  const std::string* text = buffer(document);
  const auto sources = sources_.find(document);
  if (!text || sources == sources_.end()) return;
  const Document& known = look_up(document);
  std::string linted = *text;
  if (!known.current->is_readable && known.last_readable) {
    linted = with_readable_documents(*known.current, *known.last_readable);
    frozen_[document] = {known.current, std::make_shared<base::SourceFile>(document, linted)};
  }
  for (Source* source : sources->second) source->text = linted;
}

// The document with its current text parsed; without a text if there is none.
Workspace::Document& Workspace::look_up(const DocumentId& document) const {
  Document& found = documents_[document];
  if (found.current) return found;
  const std::string* text = buffer(document);
  const auto sources = sources_.find(document);
  if (!text && sources != sources_.end()) text = &sources->second.front()->text;
  if (!text) return found;
  const auto before = std::exchange(found.before, nullptr);
  found.current = std::make_shared<const ParsedText>(document, *text, before.get());
  if (found.current->is_readable) found.last_readable = found.current;
  return found;
}

std::shared_ptr<const ParsedText> Workspace::current(const DocumentId& document) const {
  return look_up(document).current;
}

std::shared_ptr<const ParsedText> Workspace::last_readable(const DocumentId& document) const {
  return look_up(document).last_readable;
}

std::vector<WorkspaceObject> Workspace::objects(bool jobs) const {
  std::vector<WorkspaceObject> found;
  for (const auto& [document, sources] : sources_) {
    if (!mentions(*sources.front(), jobs ? kAnyJob : kAnyRuntime)) continue;
    const auto text = last_readable(document);
    if (!text) continue;
    for (const compile::InputObject& object : text->objects()) {
      if (object.is_runtime() != jobs) found.push_back({document, text, &object});
    }
  }
  return found;
}

std::vector<WorkspaceObject> Workspace::jobs() const {
  return objects(true);
}

std::vector<WorkspaceObject> Workspace::runtimes() const {
  return objects(false);
}

std::optional<WorkspaceObject> Workspace::find_runtime(const DocumentId& document, std::string_view kind,
                                                       std::string_view name, std::string_view ns) const {
  model::RuntimeRef ref;
  ref.kind = kind.empty() ? model::kClusterTrainingRuntime : kind;
  ref.name.value = name;
  const model::ObjectId wanted = model::runtime_of(ref, ns);
  for (WorkspaceObject& runtime : runtimes()) {
    const model::ObjectId& id = runtime.object->id;
    if (serves(runtime.document, document) && id.kind == wanted.kind && id.name == wanted.name &&
        model::effective_namespace(id) == model::effective_namespace(wanted))
      return std::move(runtime);
  }
  return std::nullopt;
}

bool Workspace::serves(const DocumentId& other, const DocumentId& document) const {
  const inputs::InputGroup& group = settings_of(document);
  const auto known = group_of_.find(other);
  if (known != group_of_.end() && groups_[known->second].scope == group.scope) return true;
  return std::ranges::any_of(group.runtimes,
                             [&](const Source& source) { return base::absolute_path(source.name) == other; });
}

const inputs::InputGroup& Workspace::settings_of(const DocumentId& document) const {
  const auto group = group_of_.find(document);
  return groups_[group != group_of_.end() ? group->second : 0];
}

Workspace::Inputs Workspace::inputs_of(const DocumentId& document) const {
  Inputs inputs;
  if (const auto text = last_readable(document)) {
    inputs.own.push_back({document, std::string(text->file->text())});
  }
  std::set<DocumentId> taken{document};
  const auto add = [&](const std::vector<Source>& sources) {
    for (const Source& source : sources) {
      if (!mentions(source, kAnyRuntime)) continue;
      if (taken.insert(base::absolute_path(source.name)).second) inputs.others.push_back(source);
    }
  };
  const inputs::InputGroup& group = settings_of(document);
  add(group.inputs);
  for (const inputs::InputGroup& other : groups_) {
    if (other.scope == group.scope) add(other.inputs);
  }
  add(group.runtimes);
  return inputs;
}

Options Workspace::options_of(const DocumentId& document) const {
  Options options;
  options.policy = policy_;
  return inputs::options_of(settings_of(document), std::move(options));
}

std::shared_ptr<const CompiledDocument> Workspace::compiled(const DocumentId& document) const {
  Document& known = look_up(document);
  if (known.compiled) return known.compiled;
  auto compiled = std::make_shared<CompiledDocument>();
  compiled->text = known.last_readable;
  Inputs inputs = inputs_of(document);
  compiled->compilation =
      compile_sources(std::move(inputs.own), std::move(inputs.others), options_of(document));
  compiled->schemas = &schema::version_or_newest(compiled->compilation.trainer_version);
  known.compiled = std::move(compiled);
  return known.compiled;
}

const schema::VersionSchemas& Workspace::schemas_of(const DocumentId& document) const {
  return *compiled(document)->schemas;
}

}  // namespace trainjobc::lsp
