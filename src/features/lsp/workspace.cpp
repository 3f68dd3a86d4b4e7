// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/workspace.h"

#include <algorithm>
#include <utility>

#include "base/files/paths.h"
#include "lint/config.h"

namespace trainjobc::lsp {
namespace {

bool is_configuration(std::string_view path) {
  return path.ends_with(std::string("/") + lint::kConfigName);
}

bool is_manifest(std::string_view path) {
  return !is_configuration(path) &&
         (path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json"));
}

// Whether a change of the file may change which files are read, or how.
bool is_about_files(std::string_view path) {
  return is_configuration(path) || path.ends_with("/.gitignore") || path.ends_with("/.git/info/exclude");
}

bool mentions_trainer(std::string_view text) {
  return text.find("kind: TrainJob") != std::string_view::npos ||
         text.find("TrainingRuntime") != std::string_view::npos;
}

}  // namespace

Workspace::Workspace(const base::FileSystem& disk, InputLoader load, policy::PolicyOptions policy)
    : overlay_(disk), load_(std::move(load)), policy_(std::move(policy)) {
  groups_.front().config = std::make_shared<lint::Config>();
}

void Workspace::set_folders(std::vector<std::string> folders) {
  folders_ = std::move(folders);
  has_to_load_ = true;
  note_change();
}

void Workspace::set_text(const DocumentId& document, std::string text) {
  const bool is_new = overlay_.buffer(document) == nullptr;
  const bool is_read = sources_.contains(document);
  if (is_about_files(document) || (!is_read && is_manifest(document) && (is_new || mentions_trainer(text))))
    has_to_load_ = true;
  overlay_.set_buffer(document, std::move(text));
  Document& known = documents_[document];
  if (known.current) known.before = std::exchange(known.current, nullptr);
  changed_.insert(document);
  edited_.insert(document);
  note_change();
}

void Workspace::close(const DocumentId& document) {
  overlay_.remove_buffer(document);
  documents_.erase(document);
  changed_.erase(document);
  frozen_.erase(document);
  note_change_on_disk(document);
}

void Workspace::note_change_on_disk(const std::string& path) {
  if (overlay_.buffer(path)) return;
  const auto sources = sources_.find(path);
  auto text = sources != sources_.end() && overlay_.kind(path) == base::FileKind::File
                  ? overlay_.read(path)
                  : base::IoResult<std::string>(base::IoError{});
  if (const auto* read = std::get_if<std::string>(&text)) {
    for (Source* source : sources->second) source->text = *read;
  } else if (sources != sources_.end() || is_manifest(path) || is_about_files(path) ||
             overlay_.is_directory(path) || !overlay_.exists(path)) {
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

void Workspace::bring_up_to_date() {
  if (has_to_load_) load();
  for (const DocumentId& document : std::exchange(changed_, {})) update_source(document);
}

void Workspace::load() {
  has_to_load_ = false;
  std::vector<std::string> paths = folders_;
  std::erase_if(paths, [&](const std::string& path) { return !overlay_.is_directory(path); });
  for (int round = 0; round < 2; ++round) {
    auto loaded = paths.empty() ? lint::LoadedInputs{} : load_(overlay_, paths);
    if (const auto* error = std::get_if<base::IoError>(&loaded)) {
      problem_ = error->message;
      if (sources_.empty()) take(open_documents());
      return;
    }
    take(std::move(std::get<lint::LoadedInputs>(loaded).groups));
    problem_.clear();
    const std::vector<std::string> others = unread_documents();
    if (others.empty()) return;
    paths.insert(paths.end(), others.begin(), others.end());
  }
}

// Takes the groups in place of those from before.
void Workspace::take(std::vector<lint::InputGroup> groups) {
  groups_ = std::move(groups);
  if (groups_.empty()) {
    groups_.emplace_back();
    groups_.back().config = std::make_shared<lint::Config>();
  }
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
  std::erase_if(documents_, [&](const auto& document) { return !overlay_.buffer(document.first); });
  for (const auto& [document, text] : overlay_.buffers()) changed_.insert(document);
}

// All that can be checked if the files can't be read.
std::vector<lint::InputGroup> Workspace::open_documents() const {
  std::vector<lint::InputGroup> groups(1);
  groups.front().config = std::make_shared<lint::Config>();
  for (const auto& [document, text] : overlay_.buffers()) {
    if (is_manifest(document)) groups.front().inputs.push_back({document, text});
  }
  return groups;
}

// Open documents outside of the folders, or in a part of them that is not read.
std::vector<std::string> Workspace::unread_documents() const {
  std::vector<std::string> unread;
  for (const auto& [document, text] : overlay_.buffers()) {
    if (is_manifest(document) && !sources_.contains(document) && mentions_trainer(text))
      unread.push_back(document);
  }
  return unread;
}

void Workspace::update_source(const DocumentId& document) {
  frozen_.erase(document);
  const std::string* text = overlay_.buffer(document);
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

}  // namespace trainjobc::lsp
