// SPDX-License-Identifier: Apache-2.0

// The C++ API for other programs: the reports of explain, plan, diff and migrate, and what compose makes.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/text/digest.h"
#include "compile/compile.h"
#include "compile/kept_jobs.h"
#include "features/cluster/compare.h"
#include "features/cluster/live.h"
#include "features/compose/compose.h"
#include "features/diff/format.h"
#include "features/diff/states.h"
#include "features/explain/explain.h"
#include "features/library/convert.h"
#include "features/migrate/migrate.h"
#include "features/objects/difference_text.h"
#include "features/objects/differences.h"
#include "features/plan/plan.h"
#include "features/plan/quota/capacity.h"
#include "features/plan/quota/quota.h"
#include "model/behaviours.h"
#include "schema/schema.h"
#include "secret/secret.h"
#include "trainjobc/trainjobc.h"
#include "yaml/write/writer.h"

namespace trainjobc {
namespace {

using library::Places;

// Reports show no key, so a fixed one makes them repeatable.
std::optional<Options> report_options(const Request& request) {
  std::optional<Options> options = library::options_of(request);
  if (options) options->policy.ssh_key = {policy::SshKeySource::Seed, "trainjobc shows no key"};
  return options;
}

// With the defaults that the cluster stores.
std::optional<Options> stored_options(const Request& request) {
  std::optional<Options> options = report_options(request);
  if (options) options->with_defaults = true;
  return options;
}

std::string json_of(const yaml::Node* value) {
  std::string json;
  if (value) yaml::write_json(*value, yaml::KeyOrder::AsIs, 0, json);
  return value ? json : "null";
}

// The lines of an object's scalars and empty collections. Several fields may share a value.
class ValueLines {
 public:
  ValueLines(std::string_view text, const std::vector<yaml::LeafLine>& leaves) {
    uint32_t number = 1;
    size_t at = 0;
    for (const yaml::LeafLine& leaf : leaves) {
      number += static_cast<uint32_t>(std::ranges::count(text.substr(at, leaf.end - at), '\n'));
      at = leaf.end;
      std::string_view line = text.substr(0, leaf.end);
      line.remove_prefix(line.rfind('\n') + 1);  // npos + 1 is 0
      line.remove_prefix(std::min(line.find_first_not_of("- "), line.size()));
      lines_[leaf.node].push_back({number, line});
    }
  }

  // Takes the next line with the value and the last key of the path; 0 if there is none.
  uint32_t take(const yaml::Node* value, std::string_view path) {
    const auto found = lines_.find(value);
    if (found == lines_.end() || found->second.empty()) return 0;
    const std::string key = fmt::format("{}:", path.substr(path.rfind('.') + 1));
    std::deque<Line>& left = found->second;
    const auto with_key =
        std::ranges::find_if(left, [&](const Line& line) { return line.text.starts_with(key); });
    const auto line = with_key != left.end() ? with_key : left.begin();
    const uint32_t number = line->number;
    left.erase(line);
    return number;
  }

 private:
  struct Line {
    uint32_t number = 0;
    std::string_view text;  // without indentation
  };
  std::unordered_map<const yaml::Node*, std::deque<Line>> lines_;
};

// Explains the objects of one TrainJob at a time.
class Explainer {
 public:
  Explainer(const Request& request, std::string_view field)
      : places_(request), wanted_{explain::FieldSelector(field), true} {}

  std::vector<ExplainedObject> explain(std::span<const Object> objects) {
    base::Arena arena;
    const yaml::Maker make(arena);
    std::vector<Object> shown(objects.begin(), objects.end());
    for (Object& object : shown) object.root = secret::masked_object(*object.root, make);
    std::vector<ExplainedObject> explained;
    for (const explain::ObjectOrigins& origins :
         explain::explain_objects(shown, *shown.front().schemas, wanted_, inputs_, make)) {
      const auto object = std::ranges::find_if(shown, [&](const Object& one) {
        return objects::object_id(one.kind, one.ns, one.name) == origins.id;
      });
      explained.push_back(to_explained(origins, *object->root));
    }
    return explained;
  }

 private:
  ExplainedObject to_explained(const explain::ObjectOrigins& origins, const yaml::Node& root) {
    ExplainedObject object{.id = origins.id};
    std::vector<yaml::LeafLine> leaves;
    yaml::write_yaml(root, yaml::KeyOrder::Kubernetes, object.yaml, leaves);
    ValueLines lines(object.yaml, leaves);
    for (const explain::FieldOrigin& origin : origins.fields) {
      FieldOrigin field{.path = origin.path,
                        .value = json_of(origin.value),
                        .rule = origin.rule,
                        .place = places_.of(origin.location)};
      field.place.field = origin.input_field;
      for (const explain::EarlierValue& earlier : origin.earlier)
        field.earlier.push_back({earlier.step, json_of(earlier.value), places_.of(earlier.location)});
      field.line = lines.take(origin.value, origin.path);
      object.fields.push_back(std::move(field));
    }
    std::ranges::stable_sort(object.fields, {}, &FieldOrigin::line);
    return object;
  }

  Places places_;
  explain::Wanted wanted_;
  objects::InputFields inputs_;
};

struct Quota {
  std::optional<plan::Quota> quota;
  std::optional<plan::Capacity> capacity;
  std::vector<Finding> findings;
};

// Behind a pointer, since the capacity refers to the quota.
std::unique_ptr<Quota> read_quota(const std::vector<Manifests>& manifests, const Places& places) {
  auto read = std::make_unique<Quota>();
  if (manifests.empty()) return read;
  base::Diagnostics diagnostics;
  read->quota = plan::read_quota(library::sources_of(manifests), diagnostics);
  read->capacity.emplace(*read->quota);
  read->findings = library::to_findings(diagnostics, places);
  return read;
}

struct State {
  diff::Scopes scopes;
  std::vector<Finding> findings;
};

constexpr diff::Details kAllDetails{.objects = true};

State compile_state(const Request& request, const Options& options, const base::Digester& digester) {
  State state;
  inputs::ScopedCompilation& scope = state.scopes.emplace_back();
  scope.scope = ".";
  JobContents contents(digester);
  scope.compiled = compile_into_sink(library::sources_of(request.inputs),
                                     library::sources_of(request.runtimes), options, &contents.sinks()(0));
  contents.add_to(scope.compiled);
  state.findings = library::to_findings(scope.compiled.diagnostics, Places(request));
  return state;
}

Difference to_difference(const objects::Report& report, bool files) {
  const diff::FormatOptions format{.files = files};
  Difference difference;
  const bool by_change = files && report.new_version.empty();
  difference.report.text = by_change ? diff::format_reach(report, format) : diff::format_text(report, format);
  difference.report.markdown = diff::format_markdown(report, format);
  difference.report.json = diff::format_json(report, format);
  difference.differs = report.differs() || report.count(objects::Verdict::Never, false) > 0 ||
                       report.count(objects::Verdict::NoLonger, false) > 0;
  return difference;
}

// Returns "" if the question can be answered for some job.
std::string read_compose_question(const ComposeQuestion& question, compose::ComposeOptions& how) {
  for (const auto& [name, number] : {std::pair("nodes", question.nodes), {"processes", question.processes}}) {
    if (number < 0 || number > compose::kMostOfAScale)
      return fmt::format("{} is a number from 1 to {}, not {}", name, compose::kMostOfAScale, number);
  }
  if (!question.image.empty() && !compose::is_image(question.image))
    return fmt::format("\"{}\" is not the name of an image, which has no blanks", question.image);
  for (const std::string& text : question.mounts) {
    const std::optional<compose::Mount> mount = compose::read_mount(text);
    if (!mount) return fmt::format("\"{}\" is not a folder and an absolute path, as in .:/workspace", text);
    how.mounts.push_back(*mount);
  }
  how.cpu = question.cpu;
  how.image = question.image;
  return compose::check_mounts(how.mounts);
}

}  // namespace

std::variant<Explanation, InvalidRequest> explain_manifests(const Request& request, std::string_view field) {
  const std::optional<Options> options = report_options(request);
  if (!options) return library::unknown_version(request.trainer_version);
  if (const std::string wrong = explain::FieldSelector::check(field); !wrong.empty())
    return InvalidRequest{fmt::format("not a JSONPath, {}", wrong)};
  Explainer explainer(request, field);
  KeptJobs<std::vector<ExplainedObject>> jobs(
      [&](std::span<const Object> objects) { return explainer.explain(objects); });
  const Compilation compiled = compile_into_sink(
      library::sources_of(request.inputs), library::sources_of(request.runtimes), *options, &jobs.sinks()(0));
  Explanation explanation{.findings = library::to_findings(compiled.diagnostics, Places(request)),
                          .trainer_version = compiled.trainer_version};
  for (std::vector<ExplainedObject>& objects : jobs.take(compiled))
    std::ranges::move(objects, std::back_inserter(explanation.objects));
  return explanation;
}

std::variant<Report, InvalidRequest> plan_manifests(const Request& request, const PlanQuestion& question) {
  const std::optional<Options> options = stored_options(request);
  if (!options) return library::unknown_version(request.trainer_version);
  Places places(request);
  places.add(question.quota);
  const std::unique_ptr<Quota> quota = read_quota(question.quota, places);
  const plan::PlanOptions how{question.ranks, quota->capacity ? &*quota->capacity : nullptr};
  KeptJobs<plan::JobPlan> jobs([&](std::span<const Object> objects) { return plan::plan_job(objects, how); });
  const Compilation compiled = compile_into_sink(
      library::sources_of(request.inputs), library::sources_of(request.runtimes), *options, &jobs.sinks()(0));
  std::vector<plan::JobPlan> plans = jobs.take(compiled);
  if (quota->capacity) plan::plan_together(*quota->capacity, plans);
  const plan::Plan planned = plan::add_totals(std::move(plans));
  const plan::PlanFormat format{question.ranks, quota->capacity.has_value()};
  Report report{.text = plan::format_text(planned, format),
                .markdown = plan::format_markdown(planned, format),
                .json = plan::format_json(planned, format),
                .findings = std::move(quota->findings),
                .trainer_version = compiled.trainer_version};
  std::ranges::move(library::to_findings(compiled.diagnostics, places), std::back_inserter(report.findings));
  return report;
}

std::variant<Difference, InvalidRequest> diff_manifests(const Request& before, const Request& after) {
  const std::optional<Options> old_options = stored_options(before);
  if (!old_options) return library::unknown_version(before.trainer_version);
  const std::optional<Options> new_options = stored_options(after);
  if (!new_options) return library::unknown_version(after.trainer_version);
  const base::Digester digester;
  State old_state = compile_state(before, *old_options, digester);
  State new_state = compile_state(after, *new_options, digester);
  std::string trainer_version = new_state.scopes.front().compiled.trainer_version;
  Difference difference =
      to_difference(diff::compare_states(std::move(old_state.scopes), std::move(new_state.scopes),
                                         {.details = kAllDetails}),
                    true);
  difference.report.findings = std::move(new_state.findings);
  difference.report.trainer_version = std::move(trainer_version);
  return difference;
}

std::variant<Difference, InvalidRequest> diff_versions(const Request& request, std::string_view old_version,
                                                       std::string_view new_version) {
  Request before = request;
  Request after = request;
  before.trainer_version = old_version;
  after.trainer_version = new_version;
  const std::optional<Options> old_options = stored_options(before);
  const std::optional<Options> new_options = stored_options(after);
  if (!old_options || old_options->trainer_version == "auto") return library::unknown_version(old_version);
  if (!new_options || new_options->trainer_version == "auto") return library::unknown_version(new_version);
  const base::Digester digester;
  const State old_state = compile_state(before, *old_options, digester);
  State new_state = compile_state(after, *new_options, digester);
  Difference difference =
      to_difference(diff::compare_versions(old_state.scopes, new_state.scopes, old_options->trainer_version,
                                           new_options->trainer_version, kAllDetails),
                    true);
  difference.report.findings = std::move(new_state.findings);
  difference.report.trainer_version = new_options->trainer_version;
  return difference;
}

std::variant<Difference, InvalidRequest> diff_live(const Request& request,
                                                   const std::vector<Manifests>& live) {
  const std::optional<Options> options = stored_options(request);
  if (!options) return library::unknown_version(request.trainer_version);
  const Compilation compiled =
      compile_sources(library::sources_of(request.inputs), library::sources_of(request.runtimes), *options);
  auto saved = std::make_shared<cluster::LiveSet>();
  base::Diagnostics diagnostics;
  for (Source& source : library::sources_of(live)) cluster::read_live(std::move(source), *saved, diagnostics);
  cluster::CompareOptions how;
  objects::InputFields fields;
  how.fields = &fields;
  for (const Object& object : compiled.objects) {
    if (object.schemas) how.schemas = object.schemas;
  }
  if (!how.schemas) how.schemas = schema::find_version(model::newest_behaviours().trainer);
  Difference difference = to_difference(cluster::compare_objects(compiled, saved, how), false);
  Places places(request);
  places.add(live);
  difference.report.findings = library::to_findings(diagnostics, places);
  std::ranges::move(library::to_findings(compiled.diagnostics, Places(request)),
                    std::back_inserter(difference.report.findings));
  difference.report.trainer_version = compiled.trainer_version;
  return difference;
}

std::variant<Migration, InvalidRequest> migrate_manifests(const Request& request,
                                                          const MigrationQuestion& question) {
  std::optional<Options> options = report_options(request);
  if (!options) return library::unknown_version(request.trainer_version);
  migrate::MigrateOptions how{.compile = std::move(*options)};
  const std::string to = question.to.empty() ? std::string(model::newest_behaviours().trainer) : question.to;
  const std::optional<std::string> version = model::read_trainer_version(to);
  if (!version || *version == "auto") return library::unknown_version(to);
  how.to = *version;
  if (!question.manager.empty()) how.manager = question.manager;
  how.runtime_name = question.runtime_name;
  how.per_namespace = question.per_namespace;
  how.plain = question.plain;
  const migrate::Migration migrated =
      migrate::migrate(library::sources_of(request.inputs), library::sources_of(request.runtimes), how);
  Migration migration{.findings = library::to_findings(migrated.findings, Places(request)),
                      .difference = to_difference(migrated.differences, true)};
  migration.difference.report.trainer_version = *version;
  for (const migrate::MigratedFile& file : migrated.files)
    migration.files.push_back({file.name, file.old_text, file.new_text});
  return migration;
}

std::variant<Composition, InvalidRequest> compose_manifests(const Request& request,
                                                            const ComposeQuestion& question) {
  std::optional<Options> options = library::options_of(request);
  if (!options) return library::unknown_version(request.trainer_version);
  compose::ComposeOptions how;
  if (std::string wrong = read_compose_question(question, how); !wrong.empty())
    return InvalidRequest{std::move(wrong)};
  options->with_defaults = true;
  options->passthrough = true;
  options->scale = {question.nodes, question.processes};
  if (!question.job.empty()) options->jobs = {question.job};
  const Compilation compiled =
      compile_sources(library::sources_of(request.inputs), library::sources_of(request.runtimes), *options);
  Composition composition{.findings = library::to_findings(compiled.diagnostics, Places(request)),
                          .trainer_version = compiled.trainer_version};
  if (compiled.diagnostics.has_refusals()) return composition;
  if (std::string wrong = compose::check_one_job(compiled.objects, question.job, "by its name");
      !wrong.empty())
    return InvalidRequest{std::move(wrong)};
  compose::Composition made = compose::compose_job(compiled.objects, how);
  if (!made.error.empty()) return InvalidRequest{std::move(made.error)};
  composition.yaml = std::move(made.text);
  composition.notes = std::move(made.notes);
  return composition;
}

}  // namespace trainjobc
