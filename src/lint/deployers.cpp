// SPDX-License-Identifier: Apache-2.0

#include "lint/deployers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/text/text.h"

namespace trainjobc::lint {
namespace {

// The end of a note that says nothing more than which root deploys the object.
constexpr std::string_view kApplies = " applies it";
constexpr size_t kMostNamed = 3;

bool only_names(const base::Note& note) {
  return note.message.ends_with(kApplies);
}

}  // namespace

Deployers::Deployers(const std::vector<inputs::InputGroup>& groups) {
  for (const inputs::InputGroup& group : groups) {
    if (group.deployed_by.empty()) continue;
    roots_.insert(group.deployed_by);
    has_several_scopes_ = has_several_scopes_ || group.scope != groups.front().scope;
    const auto add = [&](const std::string& file) { of_file_[file].insert(group.deployed_by); };
    std::ranges::for_each(group.templates, add);
    for (const Source& source : group.parts.empty() ? group.inputs : group.parts) add(source.name);
  }
}

Deployers::Key Deployers::key_of(const base::Diagnostic& found) {
  const base::Location& at = found.location;
  return {found.rule, found.message, at.file ? at.file->name() : "", at.line, at.column};
}

std::string Deployers::root_of(const base::Note& note) const {
  const size_t words = note.message.rfind(only_names(note) ? kApplies : " replaces it");
  const std::string root = words != std::string::npos ? note.message.substr(0, words) : "";
  return roots_.contains(root) ? root : "";
}

void Deployers::collect(const base::Diagnostics& findings) {
  if (roots_.empty()) return;
  for (const base::Diagnostic& found : findings.items()) {
    for (const base::Note& note : found.notes) {
      if (root_of(note).empty()) continue;
      std::vector<base::Note>& known = notes_[key_of(found)];
      if (!base::contains(known, note.message, &base::Note::message)) known.push_back(note);
    }
  }
}

void Deployers::name(base::Diagnostics& findings) const {
  if (roots_.empty()) return;
  findings.retain([&](base::Diagnostic& found) {
    name(found);
    return true;
  });
}

void Deployers::name(base::Diagnostic& found) const {
  const auto known = notes_.find(key_of(found));
  if (known == notes_.end()) return;
  std::erase_if(found.notes, [&](const base::Note& note) { return !root_of(note).empty(); });
  std::vector<base::Note> notes = known->second;
  std::set<std::string> named;
  for (const base::Note& note : notes) named.insert(root_of(note));
  const auto file = of_file_.find(found.location.file ? found.location.file->name() : "");
  // The same value of several clusters has a place in each.
  if (named.size() > 1 && found.notes.size() > kMostNamed) found.notes.resize(kMostNamed);
  const bool is_everywhere = file != of_file_.end() && named.size() > 1 && named == file->second;
  if (has_several_scopes_ && is_everywhere) std::erase_if(notes, only_names);
  if (notes.size() > kMostNamed) {
    const size_t others = notes.size() - kMostNamed + 1;
    notes.resize(kMostNamed - 1);
    std::ranges::move(notes, std::back_inserter(found.notes));
    found.notes.push_back({fmt::format("so do {} other roots", others), {}});
    return;
  }
  std::ranges::move(notes, std::back_inserter(found.notes));
}

}  // namespace trainjobc::lint
