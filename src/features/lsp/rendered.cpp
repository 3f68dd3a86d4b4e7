// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

#include "base/text/text.h"
#include "features/explain/explain.h"
#include "features/lsp/answers.h"
#include "features/lsp/references.h"
#include "features/objects/difference_text.h"
#include "features/objects/pods.h"
#include "features/plan/plan.h"
#include "model/runtime.h"
#include "model/trainer_names.h"
#include "secret/secret.h"
#include "yaml/write/writer.h"

namespace trainjobc::lsp {
namespace {

using explain::EarlierValue;
using explain::FieldOrigin;
using yaml::Node;

// The short name of a device: "nvidia.com/gpu" -> "GPU"
std::string device_name(std::string_view resource) {
  const std::string_view kind = resource.substr(resource.rfind('/') + 1);
  if (kind == "gpu") return "GPU";
  return kind == "tpu" ? "TPU" : std::string(resource);
}

bool is_device(std::string_view resource) {
  return resource.find('/') != std::string_view::npos;
}

std::string counted(int64_t number, std::string_view noun) {
  return is_device(noun) ? fmt::format("{} {}", number, noun) : base::counted(number, noun);
}

// "32 processes"; "? processes" if the number is unknown.
std::string processes_in_words(const plan::JobPlan& job) {
  if (!job.processes) return "? processes";
  return fmt::format("{} process{}", *job.processes, job.processes == 1 ? "" : "es");
}

// "4 nodes × 8 GPUs = 32 GPUs", for the replicatedJob with the most devices; "4 nodes" if there are none.
std::string size_in_words(const plan::JobPlan& job) {
  std::string words = counted(job.nodes, "node");
  int64_t most = 0;
  for (const objects::PodSet& set : job.pod_sets) {
    for (const auto& [resource, amount] : objects::times(set.per_pod, set.pods)) {
      const int64_t devices = amount.value();
      if (!is_device(resource) || devices <= most) continue;
      most = devices;
      const std::string device = device_name(resource);
      words =
          fmt::format("{} × {} = {}", counted(set.pods, "node"),
                      counted(set.per_pod.find(resource)->second.value(), device), counted(devices, device));
    }
  }
  return words;
}

// Where a TrainJob begins in the document.
std::optional<Position> place_of(const Compilation& compiled, const DocumentId& document,
                                 std::string_view id) {
  const auto found = std::ranges::find_if(compiled.linted, [&](const LintedObject& object) {
    return object.object == id && object.file == document;
  });
  return found != compiled.linted.end() && found->line > 0 ? std::optional(Position{found->line - 1, 0})
                                                           : std::nullopt;
}

// The objects of the job for which `is_job` is true, without secrets.
template <class IsJob>
std::vector<Object> masked_objects(const Compilation& compiled, const yaml::Maker& make, IsJob is_job) {
  std::vector<Object> objects;
  for (Object object : compiled.objects) {
    if (!object.train_job || !is_job(model::identify(*object.train_job))) continue;
    object.root = secret::masked_object(*object.root, make);
    objects.push_back(object);
  }
  return objects;
}

// The objects of each job, which are consecutive.
std::vector<std::span<const Object>> by_job(const Compilation& compiled) {
  std::vector<std::span<const Object>> jobs;
  const std::span<const Object> all = compiled.objects;
  for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].train_job == all[begin].train_job) ++end;
    if (all[begin].train_job) jobs.push_back(all.subspan(begin, end - begin));
  }
  return jobs;
}

// The first error that keeps the job from being rendered.
std::string first_error(const Compilation& compiled, std::string_view id) {
  for (const base::Diagnostic& found : compiled.diagnostics.items()) {
    if (base::is_refusal(found) && found.object == id) return found.message;
  }
  return "";
}

constexpr size_t kMostEffects = 8;
constexpr size_t kMostReplaced = 3;
constexpr size_t kWidestText = 56;  // of a variable's value
constexpr size_t kMostPlaces = 60;  // of a field; nobody looks for more in a hover

// {line, column} in the document.
using Places = std::set<std::pair<uint32_t, uint32_t>>;

void add_places(const Node& node, Places& places) {
  const base::Location at = yaml::locate(node);
  places.emplace(at.line, at.column);
  for (const yaml::Entry& entry : node.entries()) add_places(*entry.value, places);
  for (const Node* item : node.items()) add_places(*item, places);
}

const Node* node_along(const Node& root, const CursorPath& path) {
  const Node* node = &root;
  for (const CursorStep& step : path) {
    if (!node) break;
    if (!step.is_item()) {
      node = node->get(step.key);
    } else {
      node = step.index < node->items().size() ? node->items()[step.index] : nullptr;
    }
  }
  return node;
}

// The object at the cursor in a text of its document.
const compile::InputObject* object_at(const ParsedText& text, const Cursor& cursor) {
  const auto found = std::ranges::find_if(text.objects(), [&](const compile::InputObject& object) {
    return object.id.kind == cursor.kind() && object.id.name == cursor.name() && object.id.ns == cursor.ns();
  });
  return found != text.objects().end() ? &*found : nullptr;
}

// The part of the path after the last dot that is not in brackets.
std::string_view last_step(std::string_view path) {
  size_t begin = 0;
  bool in_brackets = false;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '[') in_brackets = true;
    if (path[i] == ']') in_brackets = false;
    if (path[i] == '.' && !in_brackets) begin = i + 1;
  }
  constexpr std::string_view kCut = "…";
  const std::string_view step = path.substr(begin);
  const size_t cut = step.rfind(kCut);
  return cut == std::string_view::npos ? step : step.substr(cut + kCut.size());
}

std::string shown_value(const Node* value, std::string_view key) {
  return objects::value_texts({.path = {{.key = key}}, .rendered = value}).rendered;
}

// A rendered field in words: "PET_NNODES=4", "parallelism: 4"; "" for the name of a variable.
std::string effect_words(const FieldOrigin& field) {
  constexpr std::string_view kVariable = ".env[";
  const size_t variable = field.short_path.rfind(kVariable);
  const size_t close = variable == std::string::npos ? variable : field.short_path.find(']', variable);
  if (close != std::string::npos) {
    const size_t name = variable + kVariable.size();
    const std::string_view rest = std::string_view(field.short_path).substr(close + 1);
    if (rest == ".name") return "";
    if (rest == ".value") {
      const std::string_view text = field.value->text();
      const bool fits = text.size() <= kWidestText && text.find('\n') == std::string_view::npos;
      return fmt::format("{}={}", std::string_view(field.short_path).substr(name, close - name),
                         fits ? std::string(text) : shown_value(field.value, "value"));
    }
  }
  const std::string_view step = last_step(field.short_path);
  return fmt::format("{}: {}", step, shown_value(field.value, step.substr(0, step.find('['))));
}

class Effects {
 public:
  Effects(const Workspace& workspace, const DocumentId& document, Places places)
      : workspace_(workspace), document_(document), places_(std::move(places)) {}

  void add(const FieldOrigin& field) {
    const std::string key(last_step(field.short_path));
    if (is_here(field.location)) {
      add_once(effect_words(field), becomes_);
      if (!field.input_field.empty()) add_once(field.input_field, from_);
      for (auto step = field.earlier.rbegin(); step != field.earlier.rend(); ++step) add_earlier(*step, key);
      return;
    }
    const bool was_here =
        std::ranges::any_of(field.earlier, [&](const EarlierValue& step) { return is_here(step.location); });
    if (!was_here) return;
    add_once(fmt::format("Replaced by `{}`{}.", shown_value(field.value, key), at_place(field.location)),
             replaced_);
  }

  std::string words() const {
    std::vector<std::string> parts;
    if (!becomes_.empty()) parts.push_back("Becomes " + code_list(becomes_) + from_words());
    const size_t count = std::min(replaced_.size(), kMostReplaced);
    parts.insert(parts.end(), replaced_.begin(), replaced_.begin() + static_cast<std::ptrdiff_t>(count));
    return fmt::format("{}", fmt::join(parts, "\n\n"));
  }

 private:
  bool is_here(const base::Location& at) const {
    return at.file && at.file->name() == document_ && places_.contains({at.line, at.column});
  }

  static void add_once(std::string text, std::vector<std::string>& texts) {
    if (!text.empty() && !base::contains(texts, text)) texts.push_back(std::move(text));
  }

  void add_earlier(const EarlierValue& step, std::string_view key) {
    if (is_here(step.location)) return;
    add_once(fmt::format("Replaces `{}` of {}{}.", shown_value(step.value, key),
                         step.step == "runtime" ? "the runtime" : step.step, at_place(step.location)),
             replaced_);
  }

  std::string at_place(const base::Location& at) const {
    const std::string place = place_text(workspace_, at);
    return place.empty() ? "" : fmt::format(" at {}", place);
  }

  std::string from_words() const {
    return from_.size() == 1 ? fmt::format("; from `{}`.", from_.front()) : ".";
  }

  static std::string code_list(const std::vector<std::string>& texts) {
    const size_t count = std::min(texts.size(), kMostEffects);
    std::string out;
    for (size_t i = 0; i < count; ++i) out += fmt::format("{}`{}`", i > 0 ? ", " : "", texts[i]);
    if (count < texts.size()) out += fmt::format(" and {} more", texts.size() - count);
    return out;
  }

  const Workspace& workspace_;
  const DocumentId& document_;
  Places places_;
  std::vector<std::string> becomes_;
  std::vector<std::string> from_;
  std::vector<std::string> replaced_;
};

// The effects of the field at the cursor on the rendered objects of a job. `object` is the one at the cursor.
std::string effects_in(const Workspace& workspace, const DocumentId& document, const Cursor& cursor,
                       const compile::InputObject& object, const CompiledDocument& compiled,
                       const compile::InputObject& job) {
  const Node* node = node_along(*object.root, cursor.path);
  if (!node) return "";
  Places places;
  add_places(*node, places);
  if (places.size() > kMostPlaces) return "";
  base::Arena arena;
  const yaml::Maker make(arena);
  Effects effects(workspace, document, std::move(places));
  objects::InputFields inputs;
  const explain::Wanted all{.field = explain::FieldSelector("")};
  // A job without a namespace may have been given the configured one.
  const auto objects = masked_objects(compiled.compilation, make, [&](const model::ObjectId& id) {
    return id.name == job.id.name && (job.id.ns.empty() || id.ns == job.id.ns);
  });
  const auto origins = explain::explain_objects(objects, *compiled.schemas, all, inputs, make);
  for (const explain::ObjectOrigins& one : origins) {
    for (const FieldOrigin& field : one.fields) effects.add(field);
  }
  return effects.words();
}

// The effects of a runtime's field on the first job that uses the runtime.
std::string effects_of_runtime(const Workspace& workspace, const DocumentId& document, const Cursor& cursor) {
  const auto text = workspace.last_readable(document);
  const compile::InputObject* runtime = text ? object_at(*text, cursor) : nullptr;
  const auto name = runtime_named(workspace, document, cursor);
  if (!runtime || !name) return "";
  for (const WorkspaceObject& job : workspace.jobs()) {
    if (!workspace.serves(document, job.document) || !reference_to(*name, workspace, job)) continue;
    const auto compiled = workspace.compiled(job.document);
    const std::string words = effects_in(workspace, document, cursor, *runtime, *compiled, *job.object);
    return words.empty() ? "" : fmt::format("In {}:\n\n{}", job.object->id.str(), words);
  }
  return "";
}

}  // namespace

Json code_lenses(const Workspace& workspace, const DocumentId& document) {
  Json lenses = Json::array();
  Workspace::Inputs inputs = workspace.inputs_of(document);
  if (inputs.own.empty()) return lenses;
  Options options = workspace.options_of(document);
  options.with_defaults = true;
  const Compilation compiled = compile_sources(std::move(inputs.own), std::move(inputs.others), options);
  for (const std::span<const Object> objects : by_job(compiled)) {
    const plan::JobPlan job = plan::plan_job(objects, {});
    const auto at = place_of(compiled, document, job.id);
    if (!at) continue;
    lenses.push_back(
        {{"range", Range{*at, *at}},
         {"command",
          {{"title", fmt::format("{}, {} · show JobSet", size_in_words(job), processes_in_words(job))},
           {"command", std::string(kShowJobSet)},
           {"arguments", Json::array({uri_of(document), job.ns, job.name})}}}});
  }
  return lenses;
}

std::variant<Json, WhyNot> rendered_job_set(const Workspace& workspace, const DocumentId& document,
                                            const std::string& ns, const std::string& name) {
  const std::string id = model::ObjectId{model::kTrainJob, ns, name}.str();
  const auto compiled = workspace.compiled(document);
  base::Arena arena;
  const yaml::Maker make(arena);
  const auto objects = masked_objects(compiled->compilation, make,
                                      [&](const model::ObjectId& job) { return job.str() == id; });
  if (objects.empty()) {
    const std::string why = first_error(compiled->compilation, id);
    return WhyNot{why.empty() ? fmt::format("the document contains no {}", id)
                              : fmt::format("{} can't be rendered: {}", id, why)};
  }
  std::string text;
  for (const Object& object : objects) {
    if (!text.empty()) text += "---\n";
    yaml::write_yaml(*object.root, yaml::KeyOrder::Kubernetes, text);
  }
  const std::string path = uri_of(id.substr(id.find('/'))).substr(kFileScheme.size());
  return Json{{"uri", fmt::format("{}{}.yaml", kJobSetScheme, path)},
              {"languageId", "yaml"},
              {"text", std::move(text)}};
}

std::string describe_effects(const Workspace& workspace, const DocumentId& document, const Cursor& cursor) {
  if (cursor.path.empty()) return "";
  if (cursor.kind() != model::kTrainJob) return effects_of_runtime(workspace, document, cursor);
  const auto compiled = workspace.compiled(document);
  const compile::InputObject* job = compiled->text ? object_at(*compiled->text, cursor) : nullptr;
  return job ? effects_in(workspace, document, cursor, *job, *compiled, *job) : "";
}

}  // namespace trainjobc::lsp
