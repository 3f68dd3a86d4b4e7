// SPDX-License-Identifier: Apache-2.0

#include "features/compose/draft.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text/text.h"
#include "k8s/object_meta.h"
#include "secret/secret.h"
#include "yaml/changes.h"

namespace trainjobc::compose {

using yaml::Node;

void Fields::set(std::string_view key, const Node* value) {
  if (value) entries_.push_back({make_->copied(key)->text(), value, {}});
}

namespace {

std::map<std::string, std::string, std::less<>> keys_of(const Node& object) {
  std::map<std::string, std::string, std::less<>> keys;
  const bool is_secret = yaml::text_at(object, "kind") == "Secret";
  const auto add = [&](std::string_view field, bool is_encoded) {
    const Node* map = object.get(field);
    if (!map) return;
    for (const yaml::Entry& entry : map->entries()) {
      const std::string text(entry.value->text());
      const auto decoded = is_encoded ? base::base64_decode(text) : text;
      if (decoded) keys[std::string(entry.key)] = *decoded;
    }
  };
  add("data", is_secret);
  add("binaryData", true);
  add("stringData", false);
  return keys;
}

}  // namespace

Files::Files(std::span<const Object> objects, std::string_view ns) {
  for (const Object& object : objects) {
    const bool is_file = object.kind == "ConfigMap" || object.kind == "Secret";
    if (!is_file || object.api_version != "v1") continue;
    if (k8s::effective_namespace(object.ns) != k8s::effective_namespace(ns)) continue;
    objects_[{std::string(object.kind), std::string(object.name)}] = keys_of(*object.root);
  }
}

bool Files::has(std::string_view kind, std::string_view name) const {
  return objects_.contains({std::string(kind), std::string(name)});
}

const std::map<std::string, std::string, std::less<>>& Files::keys(std::string_view kind,
                                                                   std::string_view name) const {
  static const std::map<std::string, std::string, std::less<>> kNone;
  const auto found = objects_.find({std::string(kind), std::string(name)});
  return found != objects_.end() ? found->second : kNone;
}

std::optional<std::string> Files::value(std::string_view kind, std::string_view name,
                                        std::string_view key) const {
  const auto& all = keys(kind, name);
  const auto found = all.find(key);
  return found != all.end() ? std::optional(found->second) : std::nullopt;
}

void Draft::note(std::string text) {
  text = secret::without_keys(text);  // it may quote an invalid name, which may be anything
  if (noted_.insert(text).second) notes_.push_back(std::move(text));
}

namespace {

// They surround the number of a reference, in texts that are not escaped yet.
constexpr char kOpen = '\x01';
constexpr char kClose = '\x02';

}  // namespace

const Node* Draft::as_read_back(const Node& node) const {
  if (node.is_string()) return text(node);
  return yaml::with_values(node, make,
                           [&](std::string_view, const Node& value) { return as_read_back(value); });
}

const Node* Draft::text(const Node& node) const {
  const std::string_view value = node.text();
  std::string out;
  for (size_t at = 0; at < value.size(); ++at) {
    const size_t close = value[at] == kOpen ? value.find(kClose, at) : std::string_view::npos;
    size_t number = references_.size();
    if (close != std::string_view::npos) std::from_chars(value.data() + at + 1, value.data() + close, number);
    if (number < references_.size()) {
      out += references_[number];
      at = close;
    } else {
      out.append(value[at] == '$' ? 2 : 1, value[at]);
    }
  }
  return out == value ? &node : make.copied(out);
}

const Node* Draft::texts(const std::vector<std::string>& values) const {
  std::vector<const Node*> items;
  for (const std::string& value : values) items.push_back(make.copied(value));
  return list(items);
}

const Node* Draft::list(const std::vector<const Node*>& items) const {
  return items.empty() ? nullptr : make.list(items);
}

namespace {

// The name as a variable of the shell, whose syntax Compose uses.
std::string shell_name(std::string_view name) {
  std::string out;
  for (const char c : name) out += base::is_alnum(c) ? c : '_';
  if (out.empty() || base::is_digit(out[0])) out.insert(0, "_");
  return out;
}

}  // namespace

std::string Draft::refer(std::string_view variable, std::string_view what) {
  const std::string wanted = shell_name(variable);
  const auto [known, is_new] = referred_.try_emplace({wanted, std::string(what)}, references_.size());
  if (is_new) {
    std::string name = wanted;
    for (size_t& number = numbers_[wanted]; !variables_.insert(name).second;)
      name = fmt::format("{}_{}", wanted, ++number);
    std::string words(what);
    std::erase_if(words, [](char c) { return c == '}' || c == '{' || c == '$'; });
    references_.push_back(fmt::format("${{{}:?{}}}", name, words));
  }
  return fmt::format("{}{}{}", kOpen, known->second, kClose);
}

void Draft::add_volume(const std::string& name, const Node* node) {
  if (volume_names_.insert(name).second) volumes.set(name, node);
}

std::string Draft::add_config(std::string_view kind, std::string_view object, std::string_view key,
                              std::string_view value) {
  const std::pair<std::string, std::string> content{kind, value};
  std::string name = fmt::format("{}.{}", object, key);
  auto [at, is_new] = config_names_.try_emplace(name, content);
  while (!is_new && at->second != content) {
    name += "_";
    std::tie(at, is_new) = config_names_.try_emplace(name, content);
  }
  if (is_new) configs.set(name, make.map({{"content", make.copied(value)}}));
  return name;
}

void Draft::note_part(const std::string& claim, bool is_part) {
  std::set<bool>& seen = parts_[claim];
  if (seen.insert(is_part).second && seen.size() == 2)
    note(fmt::format(
        "claim \"{}\" is mounted as a whole and in parts (subPath): here they are separate volumes", claim));
}

}  // namespace trainjobc::compose
