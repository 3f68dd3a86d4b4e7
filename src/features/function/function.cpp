// SPDX-License-Identifier: Apache-2.0

#include "features/function/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/train_job.h"
#include "model/trainer_names.h"
#include "model/trainer_version.h"
#include "features/function/resource_list.h"
#include "features/function/results.h"
#include "yaml/fields.h"
#include "yaml/write/writer.h"

namespace trainjobc::function {
namespace {

using yaml::Node;

constexpr std::string_view kLocalConfig = "config.kubernetes.io/local-config";

bool is_input(const Node& root) {
  const std::string_view kind = text_at(root, {"kind"});
  const std::string_view version = text_at(root, {"apiVersion"});
  return version.substr(0, version.find('/')) == model::kTrainerGroup &&
         (kind == model::kTrainJob || kind == model::kTrainingRuntime ||
          kind == model::kClusterTrainingRuntime);
}

// API group, kind, namespace and name: the identity of an object.
std::string identity(const Node& root) {
  const std::string_view version = text_at(root, {"apiVersion"});
  const size_t slash = version.find('/');
  return fmt::format("{} {} {} {}", slash == std::string_view::npos ? "" : version.substr(0, slash),
                     text_at(root, {"kind"}), text_at(root, {"metadata", "namespace"}),
                     text_at(root, {"metadata", "name"}));
}

// The settings of functionConfig; a message if it contains anything else.
std::string read_settings(const Node* config, Settings& settings) {
  const Node* data = config ? config->get("data") : nullptr;
  if (config && !data) data = config->get("spec");
  if (!data) return "";
  for (const yaml::Entry& entry : data->entries()) {
    const std::string value(entry.value->text());
    if (entry.key == "trainerVersion") {
      const auto version = model::read_trainer_version(value);
      if (!version) return fmt::format("there is no Trainer version \"{}\" here", value);
      settings.compile.trainer_version = *version;
    } else if (entry.key == "namespace") {
      settings.compile.ns = value;
    } else if (entry.key == "nameSuffix") {
      settings.compile.name_suffix = value;
    } else if (entry.key == "catalogue") {
      settings.compile.use_catalogue = value != "false";
    } else if (entry.key == "keepInputs") {
      settings.keep_inputs = value == "true";
    } else if (entry.key == "sshKey") {
      settings.ssh_key = value;
    } else {
      return fmt::format(
          "functionConfig has an unknown setting \"{}\"; known settings are trainerVersion, namespace, "
          "nameSuffix, catalogue, keepInputs and sshKey",
          entry.key);
    }
  }
  return "";
}

// Each input as a separate source, named after its place in the list.
std::vector<Source> sources_of(const ResourceList& list) {
  std::vector<Source> sources;
  for (size_t i = 0; i < list.items.size(); ++i) {
    if (!is_input(*list.items[i].root)) continue;
    Source source;
    source.name = fmt::format("items[{}]", i);
    yaml::write_yaml(*list.items[i].root, yaml::KeyOrder::AsIs, source.text);
    sources.push_back(std::move(source));
  }
  return sources;
}

// Replaces the inputs by the rendered objects, which come after everything else.
std::vector<NewItem> new_items(const ResourceList& list, const Compilation& compiled, bool keep_inputs,
                               const yaml::Maker& make) {
  std::set<std::string> made;
  for (const Object& object : compiled.objects) made.insert(identity(*object.root));
  std::vector<NewItem> items;
  for (const Item& item : list.items) {
    if (is_input(*item.root)) {
      if (!keep_inputs) continue;
      const std::string_view marked = text_at(*item.root, {"metadata", "annotations", kLocalConfig});
      if (marked == "true") {
        items.push_back({item.root, item.text, false, item.has_alias});
      } else {
        items.push_back(
            {make.with_path(item.root, {"metadata", "annotations", kLocalConfig}, make.string("true")),
             {},
             false,
             false});
      }
    } else if (!made.contains(identity(*item.root))) {
      items.push_back({item.root, item.text, false, item.has_alias});
    }
  }
  for (const Object& object : compiled.objects) items.push_back({object.root, {}, true, false});
  return items;
}

std::vector<NewItem> same_items(const ResourceList& list) {
  std::vector<NewItem> items;
  for (const Item& item : list.items) items.push_back({item.root, item.text, false, item.has_alias});
  return items;
}

void set_list(std::optional<std::string> text, Outcome& outcome) {
  if (text) {
    outcome.list = std::move(*text);
  } else {
    outcome.rejected = true;
    outcome.errors +=
        "error: nothing was written: two YAML parsers find different values in the new ResourceList\n";
  }
}

}  // namespace

Outcome run(std::string resource_list, const ReadKey& read_key) {
  Outcome outcome;
  const auto list = read_resource_list(std::move(resource_list), outcome.errors);
  if (!list) return outcome;
  base::Arena arena;
  const yaml::Maker make(arena);
  Settings settings;
  std::string wrong = read_settings(list->root->get("functionConfig"), settings);
  if (wrong.empty()) wrong = read_key(settings.ssh_key, settings.compile.policy.ssh_key);
  if (!wrong.empty()) {
    outcome.rejected = true;
    outcome.errors = fmt::format("error: {}\n", wrong);
    set_list(write_resource_list(*list, same_items(*list), one_result(wrong, make)), outcome);
    return outcome;
  }
  const Compilation compiled = compile_sources(sources_of(*list), {}, settings.compile);
  const Results results = results_of(compiled.diagnostics, *list, make);
  outcome.rejected = results.rejected;
  outcome.errors = results.errors;
  set_list(write_resource_list(
               *list,
               results.rejected ? same_items(*list) : new_items(*list, compiled, settings.keep_inputs, make),
               results.list),
           outcome);
  return outcome;
}

}  // namespace trainjobc::function
