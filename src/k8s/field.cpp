// SPDX-License-Identifier: Apache-2.0

#include "k8s/field.h"

#include <fmt/format.h>

namespace trainjobc::k8s {

std::string Path::str() const {
  if (!parent_) return "";
  std::string path = parent_->str();
  if (is_index_) return path + fmt::format("[{}]", index_);
  if (!path.empty()) path += '.';
  return path.append(key_);
}

Field Field::child(std::string_view name) const& {
  const yaml::Entry* found = node_ ? node_->find(name) : nullptr;
  return {*this, Step::Child, name, 0, found ? found->value : nullptr, found};
}

Field Field::item(size_t index) const& {
  const auto items = node_ ? node_->items() : std::span<const yaml::Node* const>();
  return {*this, Step::Index, {}, index, index < items.size() ? items[index] : nullptr, nullptr};
}

Field Field::entry(std::string_view key) const& {
  const yaml::Entry* found = node_ ? node_->find(key) : nullptr;
  return {*this, Step::Key, key, 0, found ? found->value : nullptr, found};
}

void Field::append_step(std::string& out) const {
  switch (step_) {
    case Step::Root: return;
    case Step::Child:
      if (!out.empty()) out += '.';
      out += key_;
      return;
    case Step::Index: fmt::format_to(std::back_inserter(out), "[{}]", index_); return;
    case Step::Key: fmt::format_to(std::back_inserter(out), "[{}]", key_); return;
  }
}

std::string Field::path() const {
  std::string out = parent_ ? parent_->path() : "";
  append_step(out);
  return out;
}

std::string Field::name() const {
  const yaml::Derivation* made = node_ ? node_->origin().derivation() : nullptr;
  if (made && !made->input_name.empty()) return std::string(made->input_name);
  std::string out = parent_ && (step_ == Step::Index || step_ == Step::Key) ? parent_->name() : "";
  append_step(out);
  return out;
}

base::Location Field::location() const {
  const Field* at = this;
  while (!at->node_ && at->parent_) at = at->parent_;
  return at->node_ ? yaml::locate(*at->node_) : base::Location{};
}

base::Location Field::key_location() const {
  return entry_ ? yaml::locate_key(*entry_) : location();
}

}  // namespace trainjobc::k8s
