// SPDX-License-Identifier: Apache-2.0

#include "cli/help/complete_names.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "cli/input/known_runtimes.h"
#include "cli/input/load.h"
#include "compile/input.h"
#include "features/json_schema/json_schema.h"
#include "lint/config.h"
#include "model/runtime.h"
#include "rules/rules.h"

namespace trainjobc::cli {
namespace {

// The readable sources; standard input is left to the command.
std::vector<Source> readable(Console& console, const std::vector<std::string>& paths, bool recurse) {
  lint::Configurations configurations(console.files(), "", false);
  DiscoverOptions options;
  options.recurse = recurse;
  options.configurations = &configurations;
  std::vector<Source> all;
  for (const std::string& path : paths) {
    if (path == "-") continue;
    auto loaded = load_sources(console, {path}, options);
    if (auto* some = std::get_if<Loaded>(&loaded)) std::ranges::move(some->sources, std::back_inserter(all));
  }
  return all;
}

}  // namespace

std::vector<Candidate> rule_candidates() {
  std::vector<Candidate> candidates;
  for (const rules::Rule& rule : rules::all_rules()) {
    candidates.push_back({std::string(rule.id), std::string(rule.summary)});
  }
  return candidates;
}

std::vector<std::string> schema_kinds() {
  std::vector<std::string> names;
  for (const schema::KindSchema* kind : json_schema::kinds_of(schema::all_versions().back()))
    names.emplace_back(kind->kind);
  return names;
}

namespace {

using schema::Schema;

void collect_names(const Schema& schema, std::set<const Schema*>& seen, std::set<std::string>& names) {
  if (!seen.insert(&schema).second) return;
  for (const schema::Property& property : schema.properties) {
    names.emplace(property.name);
    collect_names(*property.schema, seen, names);
  }
  for (const Schema* below : {schema.items, schema.additional}) {
    if (below) collect_names(*below, seen, names);
  }
}

// The schema that a JSONPath of keys and brackets leads to; nullptr if there is none.
const Schema* schema_along(const Schema* schema, std::string_view path) {
  while (schema && !path.empty()) {
    if (path.front() == '[') {
      const size_t close = path.find(']');
      if (close == std::string_view::npos) return nullptr;
      schema = schema->items ? schema->items : schema->additional;
      path.remove_prefix(close + 1);
      continue;
    }
    path.remove_prefix(1);  // the dot
    const std::string_view name = path.substr(0, std::min(path.find_first_of(".["), path.size()));
    const schema::Property* property = schema->property(name);
    schema = property ? property->schema : schema->additional;
    path.remove_prefix(name.size());
  }
  return schema;
}

}  // namespace

std::vector<std::string> field_names(std::string_view typed) {
  const schema::KindSchema* job_set = schema::all_versions().back().kind("JobSet");
  std::set<std::string> names;
  if (!typed.starts_with('.')) {
    std::set<const Schema*> seen;
    collect_names(*job_set->schema, seen, names);
    return {names.begin(), names.end()};
  }
  const std::string_view before = typed.substr(0, typed.rfind('.'));
  if (const Schema* schema = schema_along(job_set->schema, before)) {
    for (const schema::Property& property : schema->properties) {
      const bool is_list = property.schema->items != nullptr;
      names.insert(std::string(before) + "." + std::string(property.name) + (is_list ? "[*]" : ""));
    }
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> runtime_names(Console& console, const CompletionInputs& inputs) {
  lint::Configurations configurations(console.files(), "", false);
  RuntimeSearch search{inputs.paths, inputs.runtimes, {}, ""};
  search.how.recurse = inputs.recurse;
  const auto found = known_runtimes(console, configurations, search);
  std::set<std::string> names;
  if (const auto* all = std::get_if<KnownRuntimes>(&found)) {
    for (const KnownRuntime& runtime : all->runtimes) names.insert(runtime.name);
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> job_names(Console& console, const CompletionInputs& inputs) {
  const std::vector<std::string> here{"."};
  compile::InputSet set;
  base::Diagnostics ignored;
  compile::read_inputs(readable(console, inputs.paths.empty() ? here : inputs.paths, inputs.recurse), set,
                       ignored);
  std::map<std::string_view, std::set<std::string>> namespaces;
  for (const compile::InputObject& object : set.objects) {
    if (object.kind == compile::InputKind::TrainJob && !object.id.name.empty())
      namespaces[object.id.name].emplace(model::effective_namespace(object.id));
  }
  // A name in several namespaces is offered once per namespace.
  std::set<std::string> names;
  for (const auto& [name, of] : namespaces) {
    names.emplace(name);
    for (const std::string& ns : of) {
      if (of.size() > 1) names.insert(ns + "/" + std::string(name));
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace trainjobc::cli
