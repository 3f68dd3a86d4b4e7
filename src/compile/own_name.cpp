// SPDX-License-Identifier: Apache-2.0

#include "compile/own_name.h"

#include <fmt/format.h>

#include <cstdint>

#include "yaml/changes.h"
#include "yaml/write/writer.h"

namespace trainjobc::compile {
namespace {

// FNV-1a: for names only, not for secrets.
uint64_t hash(std::string_view text) {
  uint64_t value = 0xcbf29ce484222325ULL;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return value;
}

const yaml::Node* with_namespace(const yaml::Node* root, const std::string& ns, const yaml::Maker& make) {
  const yaml::Node* metadata = root->get("metadata");
  if (ns.empty() || !metadata || !metadata->is_map()) return root;
  const yaml::Node* own = metadata->get("namespace");
  if (own && !own->is_null() && !own->text().empty()) return root;
  return make.with_path(root, {"metadata", "namespace"}, make.copied(ns, make.made("--namespace")));
}

}  // namespace

// The characters that Kubernetes uses in generated names: without vowels, they form no words.
std::string content_suffix(const yaml::Node& root) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string json;
  yaml::write_json(root, yaml::KeyOrder::Kubernetes, 0, json);
  uint64_t value = hash(json);
  std::string suffix;
  for (int i = 0; i < 5; ++i) {
    suffix += kLetters[value % kLetters.size()];
    value /= kLetters.size();
  }
  return suffix;
}

const yaml::Node* with_own_name(const yaml::Node& given, const std::string& ns, std::string_view suffix,
                                const yaml::Maker& make) {
  const yaml::Node* root = with_namespace(&given, ns, make);
  const yaml::Node* prefix = root->at({"metadata", "generateName"});
  if (!prefix || !prefix->is_string() || prefix->text().empty()) return root;
  const yaml::Node* name = root->at({"metadata", "name"});
  if (name && !name->is_null() && !(name->is_string() && name->text().empty())) return root;
  const std::string generated =
      fmt::format("{}{}", prefix->text(), suffix.empty() ? content_suffix(*root) : std::string(suffix));
  return make.with_path(root, {"metadata", "name"},
                        make.copied(generated, make.made("generate-name", {prefix})));
}

}  // namespace trainjobc::compile
