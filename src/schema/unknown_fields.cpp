// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "k8s/kubernetes.h"
#include "rules/rules.h"
#include "schema/validate.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::schema {

const Schema* schema_at(const Schema& root, const k8s::Path& path) {
  if (path.is_root()) return &root;
  const Schema* parent = schema_at(root, *path.parent());
  if (!parent) return nullptr;
  return path.is_index() ? parent->items : parent->child(path.key());
}

namespace {

// Finding fields in a schema

// What hints call the place of a field that is at the top level.
constexpr std::string_view kRoot = "the object itself";

constexpr size_t kAnyDepth = 100;
constexpr size_t kNearRoot = 2;  // below spec: trainer, initializer.model

// A map that can be reached, and its path as text.
struct Place {
  const Schema* schema = nullptr;
  std::string text;
};

// The elements of a list, or of lists in lists; another place as it is.
Place elements_of(Place place) {
  while (place.schema->type == Type::Array && place.schema->items) {
    place.schema = place.schema->items;
    place.text += "[]";
  }
  return place;
}

// The fields below a map, except for the status, to which no hint is useful.
std::vector<Place> children_of(const Place& place) {
  std::vector<Place> children;
  for (const Property& property : place.schema->properties) {
    if (place.text.empty() && property.name == "status") continue;
    const std::string dot = place.text.empty() ? "" : ".";
    children.push_back(elements_of({property.schema, fmt::format("{}{}{}", place.text, dot, property.name)}));
  }
  return children;
}

// The one place that has the field; "" if there is none, or more than one.
std::string only_holder(const std::vector<Place>& places, std::string_view name) {
  std::string found;
  for (const Place& place : places) {
    if (!place.schema->property(name)) continue;
    if (!found.empty()) return "";
    found = place.text;
  }
  return found;
}

// Searches level by level below `top`, at most `depth` levels, each schema at its first occurrence.
std::string search_below(const Place& top, std::string_view name, size_t depth) {
  std::set<const Schema*> seen;
  std::vector<Place> level = {top};
  for (size_t i = 0; i < depth && !level.empty(); ++i) {
    std::vector<Place> below;
    for (const Place& place : level) {
      for (Place& child : children_of(place)) {
        if (seen.insert(child.schema).second) below.push_back(std::move(child));
      }
    }
    const auto holds = [&](const Place& place) { return place.schema->property(name) != nullptr; };
    if (std::ranges::any_of(below, holds)) return only_holder(below, name);
    level = std::move(below);
  }
  return "";
}

// The map that contains the one at `path`; the list that contains an element is skipped.
const k8s::Path& outer_map(const k8s::Path& path) {
  const k8s::Path* above = path.parent();
  while (above->is_index()) above = above->parent();
  return *above;
}

// The path under which a field of this name is valid, for an unknown field at `field`: the nearest one below
// it, above it, beside its parent, or near the root. "" if there is none, or if several are equally near.
// Lists are shown as [].
std::string find_place(const Schema& root, const k8s::Path& field) {
  const std::string_view name = field.key();
  const k8s::Path& parent = *field.parent();
  const Schema* here = schema_at(root, parent);
  if (!here) return "";
  if (std::string place = search_below({here, parent.str()}, name, kAnyDepth); !place.empty()) return place;
  if (!parent.is_root()) {
    const k8s::Path& above = outer_map(parent);
    const Schema* outer = schema_at(root, above);
    if (outer && outer->property(name)) return above.is_root() ? std::string(kRoot) : above.str();
    if (!outer) return "";
    if (std::string place = only_holder(children_of({outer, above.str()}), name); !place.empty())
      return place;
  }
  const Property* spec = root.property("spec");
  // The trainer's fields are no place for those of another container.
  if (!spec || parent.str().find("initContainers[") != std::string::npos) return "";
  return spec->schema->property(name) ? "spec" : search_below({spec->schema, "spec"}, name, kNearRoot);
}

constexpr size_t kMaxListed = 10;

// A field of one version, and a field of another version with the same purpose.
struct Replacement {
  std::string_view field;
  std::string_view instead;
};

constexpr std::array kReplacements = std::to_array<Replacement>({
    {"podSpecOverrides", "podTemplateOverrides"},
    {"podSpecOverrides", "runtimePatches"},
    {"podTemplateOverrides", "podSpecOverrides"},
    {"podTemplateOverrides", "runtimePatches"},
    {"runtimePatches", "podSpecOverrides"},
    {"runtimePatches", "podTemplateOverrides"},
    {"labels", "runtimePatches"},
    {"annotations", "runtimePatches"},
});

std::vector<std::string_view> names_of(const Schema& schema) {
  std::vector<std::string_view> names;
  names.reserve(schema.properties.size());
  for (const Property& property : schema.properties) names.push_back(property.name);
  return names;
}

// Where the search for hints starts; `kind` is empty if only the schema is known.
struct Context {
  const Schema* root = nullptr;
  std::string_view kind;
  std::string_view trainer_version;
};

// Fields that belong to another object, or to the pod.

// What is after the message, and the hint.
struct Elsewhere {
  std::string why;
  std::string hint;
};

const Schema* schema_below(const Schema& root, std::initializer_list<std::string_view> keys) {
  const Schema* schema = &root;
  for (const std::string_view key : keys) {
    schema = schema ? schema->child(key) : nullptr;
    while (schema && schema->items) schema = schema->items;
  }
  return schema;
}

// Where a TrainJob of this version changes pods.
struct PodPlace {
  const Schema* spec = nullptr;
  std::string_view field;  // of the TrainJob's spec
  std::string path;
};

PodPlace pod_place(const Schema& root) {
  if (const Schema* spec =
          schema_below(root, {"spec", "runtimePatches", "trainingRuntimeSpec", "template", "spec",
                              "replicatedJobs", "template", "spec", "template", "spec"})) {
    return {spec, "runtimePatches",
            "spec.runtimePatches[].trainingRuntimeSpec.template.spec.replicatedJobs[].template.spec.template."
            "spec"};
  }
  if (const Schema* spec = schema_below(root, {"spec", "podTemplateOverrides", "spec"}))
    return {spec, "podTemplateOverrides", "spec.podTemplateOverrides[].spec"};
  return {schema_below(root, {"spec", "podSpecOverrides"}), "podSpecOverrides", "spec.podSpecOverrides[]"};
}

// "" if the pod has the field, ".containers[]" if its containers do.
std::optional<std::string_view> part_with(const Schema* pod, std::string_view name) {
  const Schema* container = pod ? schema_below(*pod, {"containers"}) : nullptr;
  if (pod && pod->property(name)) return "";
  if (container && container->property(name)) return ".containers[]";
  return std::nullopt;
}

std::optional<Elsewhere> in_pod(const Schema& root, const KindSchema* runtime, std::string_view name) {
  constexpr std::string_view kPod = "spec.template.spec.replicatedJobs[].template.spec.template.spec";
  const PodPlace place = pod_place(root);
  if (const auto part = part_with(place.spec, name)) {
    return Elsewhere{fmt::format("a job sets it in spec.{}", place.field),
                     fmt::format("write it in {}{}", place.path, *part)};
  }
  const Schema* pod = runtime ? schema_below(*runtime->schema, {"spec", "template", "spec", "replicatedJobs",
                                                                "template", "spec", "template", "spec"})
                              : nullptr;
  if (const auto part = part_with(pod, name))
    return Elsewhere{"it is a field of runtimes, not of jobs",
                     fmt::format("set it in the runtime's {}{}", kPod, *part)};
  return std::nullopt;
}

// Finds where else an unknown field of a TrainJob belongs.
std::optional<Elsewhere> find_elsewhere(const Context& context, const k8s::Path& field) {
  constexpr std::string_view kRuntime = "ClusterTrainingRuntime";
  if (context.kind != "TrainJob" || !context.root || field.is_index()) return std::nullopt;
  const std::string parent = field.parent()->str();
  const std::string_view name = field.key();
  if (parent == "spec.runtimeRef" && name == "namespace") {
    return Elsewhere{"a TrainingRuntime is taken from the job's own namespace",
                     "remove it; with kind: TrainingRuntime, the job's namespace is that of the runtime"};
  }
  const VersionSchemas* version = find_version(context.trainer_version);
  const KindSchema* runtime = version ? version->kind(kRuntime) : nullptr;
  if (parent == "spec.trainer") return in_pod(*context.root, runtime, name);
  const Schema* spec = runtime && parent == "spec" ? schema_below(*runtime->schema, {"spec"}) : nullptr;
  if (!spec || !spec->property(name)) return std::nullopt;
  return Elsewhere{"it is a field of runtimes, not of jobs",
                   name == "mlPolicy"
                       ? "set numNodes and numProcPerNode in spec.trainer, and the rest in the runtime"
                       : "set it in the runtime"};
}

std::string replacement_hint(const Context& context, const Schema& parent, std::string_view field) {
  for (const Replacement& replacement : kReplacements) {
    if (replacement.field != field || !parent.property(replacement.instead)) continue;
    return fmt::format("; Trainer {} has {} instead", context.trainer_version, replacement.instead);
  }
  return "";
}

// Names the versions that have the field at this place; "" if none does.
std::string version_hint(const Context& context, const Schema& parent, const k8s::Path& field) {
  std::string_view first;
  std::string_view last;
  bool is_newer = false;
  for (const VersionSchemas& version : all_versions()) {
    const KindSchema* kind = version.kind(context.kind);
    if (!kind || !schema_at(*kind->schema, field)) continue;
    if (first.empty()) first = version.trainer;
    last = version.trainer;
    is_newer = &version > find_version(context.trainer_version);
  }
  if (first.empty()) return "";
  std::string hint = fmt::format("it existed until Trainer {}", last);
  if (first == last) hint = fmt::format("only Trainer {} has it", last);
  if (is_newer) hint = fmt::format("it was added in Trainer {}", first);
  return hint + replacement_hint(context, parent, field.key());
}

// The required fields that the map lacks.
std::vector<std::string_view> missing_fields(const yaml::Node& map, const Schema& schema) {
  std::vector<std::string_view> missing;
  std::ranges::copy_if(schema.required, std::back_inserter(missing),
                       [&](std::string_view name) { return map.get(name) == nullptr; });
  return missing;
}

// Whether one of the words is a prefix of the other, like runtime and runtimeRef.
bool share_beginning(std::string_view a, std::string_view b) {
  constexpr size_t kShortest = 3;
  const std::string_view shorter = a.size() < b.size() ? a : b;
  return shorter.size() >= kShortest && a.starts_with(shorter) && b.starts_with(shorter);
}

// The only field that has the name as its first words: resourcesPerNode for resources.
std::optional<std::string_view> longer_name(std::string_view name, const Schema& schema) {
  constexpr size_t kShortest = 5;
  std::optional<std::string_view> longer;
  for (const Property& property : schema.properties) {
    const std::string_view field = property.name;
    const bool is_longer = field.size() > name.size() && field.starts_with(name) &&
                           field[name.size()] >= 'A' && field[name.size()] <= 'Z';
    if (name.size() < kShortest || !is_longer) continue;
    if (longer) return std::nullopt;
    longer = field;
  }
  return longer;
}

// The field that the name probably means; a missing field is preferred to an existing one.
std::optional<std::string_view> meant_field(std::string_view name, const yaml::Node& map,
                                            const Schema& schema) {
  const std::vector<std::string_view> missing = missing_fields(map, schema);
  if (const auto meant = base::closest(name, missing)) return meant;
  const auto longer =
      std::ranges::find_if(missing, [&](std::string_view field) { return share_beginning(field, name); });
  if (longer != missing.end()) return *longer;
  if (const auto meant = base::closest(name, names_of(schema))) return meant;
  return longer_name(name, schema);
}

bool could_be(const yaml::Node& value, const Schema& schema) {
  if (schema.type == Type::Object) return value.is_map();
  return schema.type == Type::Array ? value.is_list() : value.is_scalar();
}

// Whether the word stands for the name of something, and is not a name itself.
bool is_generic(std::string_view key) {
  constexpr std::array<std::string_view, 7> kWords{"key", "env", "var", "variable", "field", "id", "title"};
  return base::contains(kWords, key);
}

// For {A: b} in place of {name: A, value: b}: the only missing field, if `entry` is the only unknown one and
// its value fits.
std::optional<std::string_view> stands_for(const yaml::Entry& entry, const yaml::Node& map,
                                           const Schema& schema) {
  const std::vector<std::string_view> missing = missing_fields(map, schema);
  const auto is_another = [&](const yaml::Entry& other) {
    return &other != &entry && !schema.property(other.key);
  };
  if (missing.size() != 1 || std::ranges::any_of(map.entries(), is_another)) return std::nullopt;
  return could_be(*entry.value, *schema.property(missing.front())->schema) ? std::optional(missing.front())
                                                                           : std::nullopt;
}

// The entries on the way to the map at `place`, such as spec.trainer, and the first one that is missing.
struct Way {
  std::vector<const yaml::Entry*> entries;
  std::string new_key;  // "" if none is missing
};

std::optional<Way> way_to(const yaml::Node& root, std::string_view place) {
  Way way;
  const yaml::Node* map = &root;
  while (!place.empty() && place != kRoot) {
    const size_t dot = std::min(place.find('.'), place.size());
    const std::string_view key = place.substr(0, dot);
    place.remove_prefix(std::min(dot + 1, place.size()));
    const yaml::Entry* entry = map->find(key);
    if (!entry && !place.empty()) return std::nullopt;
    if (!entry) {
      way.new_key = key;
      break;
    }
    if (!entry->value->is_map()) return std::nullopt;
    way.entries.push_back(entry);
    map = entry->value;
  }
  return way;
}

void add_steps(const k8s::Path& path, std::vector<yaml::Step>& steps) {
  if (path.is_root()) return;
  add_steps(*path.parent(), steps);
  if (path.is_index()) {
    steps.emplace_back(path.index());
  } else {
    steps.emplace_back(path.key());
  }
}

// Moves an entry, whose value is a scalar, into the map at `place`, which may be missing.
std::vector<base::Edit> move_entry(const yaml::Node& root, const yaml::Entry& entry, const k8s::Path& from,
                                   std::string_view place) {
  const auto written = yaml::written_scalar(*entry.value);
  const auto way = way_to(root, place);
  if (!written || !way || place.find('[') != std::string_view::npos) return {};
  const yaml::Node& target = way->entries.empty() ? root : *way->entries.back()->value;
  if (way->new_key.empty() && target.get(entry.key)) return {};
  const std::string_view line = written->file->line(written->line);
  std::string_view value = line.substr(written->column - 1, written->end_column - written->column);
  // Moves the comment along if it can.
  const bool is_commented = base::trimmed(line.substr(written->end_column - 1)).starts_with('#');
  const bool in_lines =
      way->new_key.empty() && target.size() > 0 && !target.entries().front().key_origin.in_flow();
  if (is_commented && !in_lines) return {};
  if (is_commented) value = base::trimmed(line.substr(written->column - 1));
  const yaml::NewPair pair{fmt::format("{}: {}", entry.key, value),
                           fmt::format("\"{}\": {}", entry.key, value)};
  std::vector<base::Edit> edits;
  if (way->new_key.empty()) {
    edits = yaml::insert_into(target, pair);
  } else if (!way->entries.empty()) {
    edits = yaml::insert_map_first(*way->entries.back(), way->new_key, pair);
  }
  std::vector<yaml::Step> steps;
  add_steps(from, steps);
  const std::vector<base::Edit> removal = yaml::remove_at(root, steps);
  if (edits.empty() || removal.empty()) return {};
  // The removed text may include the map that the field would move to, or be next to it.
  const auto offset = [](const base::Edit& edit, uint32_t row, uint32_t column) {
    return edit.range.file->line_start(row) + column - 1;
  };
  const size_t at = offset(edits.front(), edits.front().range.line, edits.front().range.column);
  const base::Location& gone = removal.front().range;
  if (offset(removal.front(), gone.line, gone.column) <= at &&
      at <= offset(removal.front(), gone.end_line, gone.end_column))
    return {};
  edits.push_back(removal.front());
  return edits;
}

// Returns a hint for a field of pods that is newer than the CRD; "" for any other field.
std::string kubernetes_hint(const Context& context, const k8s::Path& field) {
  if (field.is_index() || !field.parent()) return "";
  const k8s::Path* around = field.parent();
  while (around->is_index() && around->parent()) around = around->parent();
  if (around->is_root() || around->is_index()) return "";
  const std::string_view since = k8s::kubernetes_with_field(around->key(), field.key());
  if (since.empty()) return "";
  return fmt::format("Kubernetes has it since {}, but the CRD of Trainer{} does not: remove it", since,
                     context.trainer_version.empty() ? "" : fmt::format(" {}", context.trainer_version));
}

// `parent` is the schema of the map that holds the field; nullptr if no map belongs. `meant` is the field
// beside it that it was meant for, `place` where else there is such a field.
std::string hint_for(const Context& context, const Schema* parent, const k8s::Path& field,
                     std::optional<std::string_view> meant, std::string& place) {
  if (!parent) return "a list is not allowed here";
  if (parent->type == Type::Array) return fmt::format("{} must be a list", field.parent()->str());
  if (parent->type != Type::Object) return fmt::format("{} has no fields", field.parent()->str());
  if (!context.kind.empty()) {
    if (std::string hint = version_hint(context, *parent, field); !hint.empty()) return hint;
  }
  if (std::string hint = kubernetes_hint(context, field); !hint.empty()) return hint;
  if (meant) return fmt::format("did you mean \"{}\"?", *meant);
  const auto names = names_of(*parent);
  if (context.root) {
    place = find_place(*context.root, field);
    if (!place.empty()) return fmt::format("it is a field of {}", place);
  }
  if (names.empty()) return fmt::format("{} has no fields", field.parent()->str());
  return names.size() <= kMaxListed ? fmt::format("its fields are {}", fmt::join(names, ", ")) : "";
}

// Whether a field may move to `place`: in the item of a list, such as a container, only to the map around the
// list. Anywhere else, the field would be one of another object.
bool may_move(const k8s::Path& field, std::string_view place) {
  const k8s::Path* above = field.parent();
  while (!above->is_root() && !above->is_index()) above = above->parent();
  if (above->is_root()) return true;
  return !field.parent()->is_root() && outer_map(*field.parent()).str() == place;
}

class Walker {
 public:
  // `root` is the whole object; nullptr if it is not known.
  Walker(const Context& context, const yaml::Node* root) : context_(context), root_(root) {}
  k8s::Violations found;

  // Inside the list `misplaced`, where no list is allowed, `schema` is nullptr.
  void walk(const yaml::Node& node, const Schema* schema, const k8s::Path& path,
            const k8s::Path* misplaced = nullptr) {
    if (schema && schema->type == Type::Any) return;
    const Schema* items = schema ? schema->items : nullptr;
    if (!items && !misplaced) misplaced = &path;
    size_t index = 0;
    for (const yaml::Node* item : node.items())
      walk(*item, items, path.child(index++), items ? nullptr : misplaced);
    for (const yaml::Entry& entry : node.entries()) {
      const Schema* child = schema ? schema->child(entry.key) : nullptr;
      const k8s::Path at = path.child(entry.key);
      if (child) {
        walk(*entry.value, child, at);
      } else {
        report(entry, node, schema, at);
        if (!is_map(schema)) found.back().depends_on = {(schema ? path : *misplaced).str()};
      }
    }
  }

 private:
  static bool is_map(const Schema* schema) { return schema && schema->type == Type::Object; }

  void report(const yaml::Entry& entry, const yaml::Node& map, const Schema* parent, const k8s::Path& path) {
    auto meant = is_map(parent) ? meant_field(entry.key, map, *parent) : std::nullopt;
    auto shorthand = is_map(parent) && !meant ? stands_for(entry, map, *parent) : std::nullopt;
    if (shorthand && is_generic(entry.key)) meant = std::exchange(shorthand, std::nullopt);
    const std::string where = path.parent()->str();
    base::Diagnostic diagnostic = rules::finding("input/unknown-field");
    diagnostic.field = path.str();
    diagnostic.message =
        fmt::format("unknown field {} in {}", k8s::quoted(entry.key), where.empty() ? "the object" : where);
    const auto elsewhere = is_map(parent) && !meant ? find_elsewhere(context_, path) : std::nullopt;
    if (elsewhere) diagnostic.message += ": " + elsewhere->why;
    diagnostic.location = yaml::locate_key(entry);
    if (const std::string odd = base::odd_space_in(entry.key); !odd.empty()) {
      diagnostic.hint = fmt::format("it contains {}: type a space", odd);
      base::suggest_fix(diagnostic, {{diagnostic.location, base::with_plain_spaces(entry.key)}});
    } else if (shorthand == "name" && parent->property("value")) {
      diagnostic.hint = fmt::format("write {{name: {}, value: {}}}", entry.key, shown_value(*entry.value));
      base::suggest_fix(diagnostic, yaml::entry_to_pair(map, {"name", "value"}));
    } else {
      suggest(diagnostic, entry, map, parent, path, meant);
      if (elsewhere) diagnostic.hint = elsewhere->hint;
    }
    if (meant || shorthand) diagnostic.meant = path.parent()->child(meant ? *meant : *shorthand).str();
    found.push_back(std::move(diagnostic));
  }

  void suggest(base::Diagnostic& diagnostic, const yaml::Entry& entry, const yaml::Node& map,
               const Schema* parent, const k8s::Path& path, std::optional<std::string_view> meant) const {
    std::string place;
    diagnostic.hint = hint_for(context_, parent, path, meant, place);
    if (!place.empty()) {
      if (root_ && may_move(path, place))
        base::suggest_fix(diagnostic, move_entry(*root_, entry, path, place));
      return;
    }
    const bool says_so = meant && diagnostic.hint == fmt::format("did you mean \"{}\"?", *meant);
    if (says_so && !map.get(*meant)) base::suggest_fix(diagnostic, yaml::rename_key(entry, *meant));
  }

  static std::string shown_value(const yaml::Node& value) {
    if (!value.is_scalar() || value.is_null() || value.origin().is_secret()) return "…";
    return value.is_string() ? yaml::inline_text(value.text(), false)
                             : fmt::format("\"{}\"", k8s::source_text(value));
  }

  const Context& context_;
  const yaml::Node* root_;
};

}  // namespace

k8s::Violations find_unknown_fields(const yaml::Node& node, const Schema& schema, const k8s::Path& path) {
  const Context context;
  Walker walker(context, nullptr);
  walker.walk(node, &schema, path);
  return std::move(walker.found);
}

k8s::Violations find_unknown_fields(const yaml::Node& node, const Schema& schema, std::string_view kind,
                                    std::string_view trainer_version) {
  const Context context{&schema, kind, trainer_version};
  Walker walker(context, &node);
  walker.walk(node, &schema, {});
  return std::move(walker.found);
}

}  // namespace trainjobc::schema
