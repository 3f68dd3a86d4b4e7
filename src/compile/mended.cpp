// SPDX-License-Identifier: Apache-2.0

#include "compile/mended.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text/text.h"
#include "yaml/changes.h"

namespace trainjobc::compile {
namespace {

using base::Diagnostic;
using yaml::Entry;
using yaml::Node;

using Place = std::tuple<const base::SourceFile*, uint32_t, uint32_t>;

Place place_of_finding(const base::Location& at) {
  return {at.file, at.line, at.column};
}

// Takes out of a tree, or renames, what its refusals are about.
class Mender {
 public:
  Mender(const std::vector<Diagnostic>& refusals, Mend how, const yaml::Maker& make)
      : how_(how), make_(make) {
    for (const Diagnostic& one : refusals) {
      const bool is_absent = one.rule == "input/required" || one.rule == "input/missing-runtime";
      if (one.severity != base::Severity::Error || !one.location.file || is_absent) continue;
      const Place place = place_of_finding(one.location);
      if (one.rule == "input/unknown-field")
        names_.emplace(place, std::string_view(one.meant).substr(one.meant.rfind('.') + 1));
      else
        values_.insert(place);
    }
  }

  bool changed = false;
  bool is_known = true;

  const Node* mend(const Node& node) {
    if (node.is_map()) return mend_map(node);
    if (!node.is_list()) return &node;
    std::vector<const Node*> items;
    for (const Node* item : node.items()) {
      if (!drops(values_.contains(place_of_finding(yaml::locate(*item))))) items.push_back(mend(*item));
    }
    return make_.with_items(&node, items);
  }

 private:
  bool drops(bool is_refused) {
    changed = changed || is_refused;
    is_known = is_known && !is_refused;
    return is_refused;
  }

  const Node* mend_map(const Node& node) {
    yaml::ChangedMap map(node);
    std::vector<Entry> renamed;
    for (const Entry& entry : node.entries()) {
      const Place key = place_of_finding(yaml::locate_key(entry));
      const auto name = names_.find(key);
      if (name != names_.end()) {
        if (is_renamed(node, name->second))
          renamed.push_back({make_.copied(name->second)->text(), mend(*entry.value), entry.key_origin});
        map.take(nullptr);
      } else if (drops(values_.contains(place_of_finding(yaml::locate(*entry.value))) ||
                       values_.contains(key))) {
        map.take(nullptr);
      } else {
        map.take(mend(*entry.value));
      }
    }
    for (const Entry& entry : renamed) map.set(entry);
    return map.node(make_);
  }

  // Whether the unknown field is kept, under the name that was meant.
  bool is_renamed(const Node& map, const std::string& name) {
    changed = true;
    const bool has_name = !name.empty() && !map.get(name);
    is_known = is_known && has_name;
    return has_name && how_ == Mend::AsMeant;
  }

  Mend how_;
  const yaml::Maker& make_;
  std::map<Place, std::string> names_;  // the places of unknown fields, and the names that were meant
  std::set<Place> values_;              // the places of other refused values
};

auto identity_of(const Diagnostic& found) {
  return std::tuple(std::string_view(found.rule), std::string_view(found.message),
                    place_of_finding(found.location));
}

bool has_same(const std::vector<Diagnostic>& findings, const Diagnostic& wanted) {
  return std::ranges::any_of(
      findings, [&](const Diagnostic& found) { return identity_of(found) == identity_of(wanted); });
}

}  // namespace

bool looks_at_one_value(std::string_view rule) {
  static constexpr std::string_view kRules[] = {
      "advice/device-name",
      "advice/env-twice",
      "advice/image-name",
      "advice/image-placeholder",
      "advice/image-tag",
      "advice/misspelt-image",
      "advice/num-nodes-zero",
      "advice/one-word-argument",
      "advice/one-word-command",
      "advice/plain-secret",
      "advice/queue-label",
      "advice/size-unit",
      "advice/shell-variable",
      "advice/typographic-sign",
      "job/env",
      "job/gpu-limit",
      "job/image",
      "job/resources",
  };
  return base::contains(kRules, rule);
}

Mended mend(const Node& root, const std::vector<Diagnostic>& refusals, Mend how, const yaml::Maker& make) {
  Mender mender(refusals, how, make);
  Mended mended;
  mended.root = mender.mend(root);
  mended.changed = mender.changed;
  mended.is_known = mender.is_known;
  // Values of a generated file may share one place, so fields that say what the object is are never removed.
  const auto is_same = [&](std::string_view key) {
    return yaml::text_at(*mended.root, key) == yaml::text_at(root, key);
  };
  if (!is_same("apiVersion") || !is_same("kind")) {
    mended.root = &root;
    mended.changed = false;
  }
  return mended;
}

std::vector<Diagnostic> independent_findings(MendedFindings findings, bool is_known,
                                             const std::vector<Diagnostic>& known) {
  auto& [without, as_meant] = findings;
  const bool has_both = without && as_meant;
  std::vector<Diagnostic> independent;
  auto& first = as_meant ? as_meant : without;
  if (!first) return independent;
  for (Diagnostic& found : *first) {
    const bool is_independent = has_both && !has_same(*without, found) ? false
                                : has_both && is_known                 ? true
                                                                       : looks_at_one_value(found.rule);
    if (is_independent && !has_same(known, found)) independent.push_back(std::move(found));
  }
  return independent;
}

}  // namespace trainjobc::compile
