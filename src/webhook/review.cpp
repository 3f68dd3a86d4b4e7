// SPDX-License-Identifier: Apache-2.0

#include "webhook/review.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/diagnostic.h"
#include "base/text/printable.h"
#include "compile/compile.h"
#include "inputs/groups.h"
#include "lint/lint.h"
#include "model/trainer_names.h"
#include "schema/compare.h"
#include "schema/schema.h"
#include "secret/secret.h"
#include "webhook/object.h"

namespace trainjobc::webhook {
namespace {

using Json = nlohmann::json;

// The API server passes on 4096 characters of warnings; beyond that, it cuts each after 256.
constexpr size_t kMostWarnings = 4096;
constexpr size_t kLongestWarning = 250;
constexpr size_t kMostChanges = 5;

ObjectName runtime_of(const Json& job, const std::string& ns) {
  const Json& ref = member(member(job, "spec"), "runtimeRef");
  std::string kind = text(ref, "kind");
  if (kind.empty()) kind = model::kClusterTrainingRuntime;
  std::string own_ns = kind == model::kTrainingRuntime ? ns : "";
  return {std::move(kind), std::move(own_ns), text(ref, "name")};
}

// Kueue, since 0.17, patches a TrainJob when it creates, admits and evicts it, as a manager of
// runtimePatches.
Json without_patches_of_kueue(const Json& patches) {
  Json own = Json::array();
  for (const Json& patch : patches) {
    if (!text(patch, "manager").starts_with("kueue.x-k8s.io/")) own.push_back(patch);
  }
  return own;
}

// The part of the spec that its author decides. Kueue decides whether the job is suspended, and where it
// runs.
Json decided(const Json& object) {
  Json spec = member(object, "spec");
  if (spec.is_object()) spec.erase("suspend");
  if (const Json& patches = member(spec, "runtimePatches"); patches.is_array()) {
    Json own = without_patches_of_kueue(patches);
    if (own.empty()) {
      spec.erase("runtimePatches");
    } else {
      spec["runtimePatches"] = std::move(own);
    }
  }
  const Json& metadata = member(object, "metadata");
  return {{"spec", std::move(spec)},
          {"labels", member(metadata, "labels")},
          {"annotations", member(metadata, "annotations")}};
}

bool is_checked(const Json& request) {
  const std::string operation = text(request, "operation");
  if (operation != "CREATE" && operation != "UPDATE") return false;
  const Json& kind = member(request, "kind");
  const bool is_ours = text(kind, "group") == model::kTrainerGroup &&
                       (text(kind, "kind") == model::kTrainJob || model::is_runtime_kind(text(kind, "kind")));
  return is_ours && text(request, "subResource").empty() && member(request, "object").is_object();
}

}  // namespace

std::variant<Review, BadReview> read_review(std::string_view body) {
  const auto root = parse_objects(body, ObjectDepth::Review);
  if (!root) return BadReview{"the body is not JSON"};
  if (text(*root, "apiVersion") != "admission.k8s.io/v1" || text(*root, "kind") != "AdmissionReview")
    return BadReview{"the body is not an AdmissionReview of admission.k8s.io/v1"};
  const Json& request = member(*root, "request");
  Review review{.uid = text(request, "uid"),
                .kind = text(member(request, "kind"), "kind"),
                .ns = text(request, "namespace"),
                .name = text(request, "name"),
                .operation = text(request, "operation")};
  if (review.uid.empty()) return BadReview{"the AdmissionReview has no request.uid"};
  if (!is_checked(request)) return review;
  const Json object = as_written(member(request, "object"));
  if (review.operation == "UPDATE" && member(request, "oldObject").is_object()) {
    const Json old = as_written(member(request, "oldObject"));
    if (decided(old) == decided(object)) return review;
    review.old_object = checkable_text(old).value_or("");
  }
  if (review.name.empty()) review.name = text(member(object, "metadata"), "name");
  if (review.kind == model::kTrainJob) review.runtime = runtime_of(object, review.ns);
  std::optional<std::string> text_of_object = checkable_text(object);
  review.is_too_large = !text_of_object;
  review.object = std::move(text_of_object).value_or("");
  return review;
}

std::string write_answer(std::string_view uid, const Answer& answer) {
  Json response{{"uid", uid}, {"allowed", answer.allowed}};
  if (!answer.warnings.empty()) response["warnings"] = answer.warnings;
  if (!answer.allowed) response["status"] = {{"code", 403}, {"message", answer.message}};
  const Json review{
      {"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}, {"response", response}};
  return review.dump(-1, ' ', false, Json::error_handler_t::replace);
}

namespace {

// The name of a review's object or of a runtime, "team-a/TrainJob/bert", which `suppress` in the settings
// matches.
std::string source_name(const auto& object) {
  return fmt::format("{}/{}/{}", object.ns.empty() ? "-" : object.ns, object.kind, object.name);
}

// A finding as one line: "spec.trainer.numNodes: numNodes must be at least 1; write 1 or more (input/cel)"
std::string line_of(const base::Diagnostic& finding) {
  std::string line = finding.field.empty() ? "" : finding.field + ": ";
  line += finding.message;
  if (!finding.hint.empty()) line += "; " + finding.hint;
  return base::one_line(fmt::format("{} ({})", line, finding.rule));
}

std::string shortened(std::string line) {
  if (line.size() <= kLongestWarning) return line;
  size_t end = kLongestWarning - 3;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U)
    --end;  // not in the middle of a character
  return line.substr(0, end) + "...";
}

size_t size_of(const std::vector<std::string>& lines) {
  size_t size = 0;
  for (const std::string& line : lines) size += line.size();
  return size;
}

// The warnings that the API server will pass on, and the number of those that don't fit.
std::vector<std::string> fitted(std::vector<std::string> warnings) {
  if (size_of(warnings) <= kMostWarnings) return warnings;
  for (std::string& warning : warnings) warning = shortened(std::move(warning));
  const size_t all = warnings.size();
  while (size_of(warnings) > kMostWarnings - kLongestWarning) warnings.pop_back();
  if (warnings.size() < all) warnings.push_back(fmt::format("and {} more findings", all - warnings.size()));
  return warnings;
}

bool is_denied(const base::Diagnostic& finding, const std::vector<std::string>& deny) {
  return std::ranges::any_of(deny, [&](const std::string& what) {
    if (what == "error") return finding.severity == base::Severity::Error;
    if (what == "warning") return finding.severity != base::Severity::Info;
    return what == finding.rule;
  });
}

Answer answer_of(const base::Diagnostics& findings, const Policy& policy) {
  Answer answer;
  std::string refusals;
  for (const base::Diagnostic& finding : findings.items()) {
    answer.rules.push_back(finding.rule);
    const std::string line = line_of(finding);
    if (is_denied(finding, policy.deny)) {
      refusals += (refusals.empty() ? "" : "\n") + line;
    } else {
      answer.warnings.push_back(line);
    }
  }
  answer.allowed = refusals.empty();
  answer.message = std::move(refusals);
  return answer;
}

// Begins the message with "in the runtime torch: …", for findings that are not the job's fault.
void name_runtime(base::Diagnostic& finding, const Review& review) {
  const std::string field = finding.field.empty() ? "" : finding.field + ": ";
  finding.message = fmt::format("in the runtime {}: {}{}", review.runtime->name, field, finding.message);
  finding.field.clear();
}

// What stands in the namespace of the review, and what counts in all of them.
std::vector<Source> surroundings_of(const Review& review, const ObjectStore& store) {
  std::vector<Source> sources;
  for (const auto& [name, object] : store.objects()) {
    const std::string& ns = name.kind == "Namespace" ? name.name : name.ns;
    if (!store.is_known(name.kind) || (!ns.empty() && ns != review.ns)) continue;
    sources.push_back({fmt::format("{}/{}/{}", name.ns, name.kind, name.name), object.json});
  }
  return sources;
}

// What a namespace or policy only writes into the audit log, and what the API server decides by objects that
// are not watched: users would read it with each job.
bool is_for_auditors(std::string_view rule) {
  return rule == "advice/pod-security-audit" || rule == "advice/admission-policy-audit" ||
         rule == "advice/admission-policy-unknown";
}

// The findings on the reviewed object; for a job, also those that its runtime causes.
base::Diagnostics findings_on(const Review& review, std::vector<Source> runtimes, const Policy& policy) {
  std::vector<inputs::InputGroup> groups(1);
  inputs::InputGroup& group = groups.front();
  group.config = policy.config;
  group.inputs.push_back({source_name(review), review.object});
  group.runtimes = std::move(runtimes);
  group.trainer_version = policy.trainer_version;
  if (policy.config) {
    group.feature_gates = policy.config->feature_gates.value_or(std::vector<std::string>());
    group.kubernetes_version = policy.config->kubernetes_version.value_or("");
  }
  if (policy.surroundings) group.policies = surroundings_of(review, *policy.surroundings);
  group.use_catalogue = policy.use_catalogue;
  group.ns = review.ns;
  const std::string name = group.inputs.front().name;
  const std::string object = fmt::format("{}/{}/{}", review.kind, review.ns, review.name);
  Options options;
  options.render = false;
  options.threads = 1;
  const lint::Findings found = lint::find(std::move(groups), options, "");
  base::Diagnostics own;
  const base::Diagnostics causes = base::without_consequences(found.diagnostics);
  for (const base::Diagnostic& finding : causes.items()) {
    const bool is_inside = finding.location.file && finding.location.file->name() == name;
    const bool is_of_runtime = review.runtime && finding.object == object && !is_inside;
    if ((!is_inside && !is_of_runtime) || is_for_auditors(finding.rule)) continue;
    base::Diagnostic kept = finding;
    if (is_of_runtime) name_runtime(kept, review);
    kept.location = {};
    kept.notes.clear();
    kept.fix.clear();
    own.add(std::move(kept));
  }
  return own;
}

Answer not_checked(std::string_view what) {
  Answer answer;
  answer.warnings.push_back(
      fmt::format("trainjobc does not check this: the {} has more than {} values, {} KiB or {} levels", what,
                  kMostValues, kLargestObject / 1024, kDeepest));
  return answer;
}

}  // namespace

Answer check_job(const Review& review, const StoredObject* runtime, const Policy& policy) {
  if (review.is_too_large) return not_checked(review.kind);
  if (review.object.empty() || !runtime) return {};
  if (runtime->json.empty()) return not_checked(fmt::format("runtime {}", review.runtime->name));
  Answer answer =
      answer_of(findings_on(review, {{source_name(*review.runtime), runtime->json}}, policy), policy);
  answer.warnings = fitted(std::move(answer.warnings));
  return answer;
}

namespace {

// A job that sets only what it must, to see what the runtime contributes.
std::string probe_job(const Review& review) {
  const Json job{{"apiVersion", model::kTrainerApiVersion},
                 {"kind", model::kTrainJob},
                 {"metadata", {{"name", "job"}, {"namespace", review.ns.empty() ? "default" : review.ns}}},
                 {"spec",
                  {{"runtimeRef", {{"name", review.name}, {"kind", review.kind}}},
                   {"trainer", {{"image", "image"}, {"numNodes", 2}}}}}};
  return job.dump();
}

Compilation compile_probe(const Review& review, const std::string& runtime, const Policy& policy) {
  Options options;
  options.trainer_version = policy.trainer_version;
  options.use_catalogue = false;
  options.threads = 1;
  options.policy.ssh_key.source = policy::SshKeySource::Omit;
  options.with_defaults = true;  // so that a field that is set for the first time changes from its default
  return compile_sources({{"job", probe_job(review)}}, {{"runtime", runtime}}, options);
}

const Object* job_set_of(const Compilation& compiled) {
  const auto found = std::ranges::find(compiled.objects, "JobSet", &Object::kind);
  return found != compiled.objects.end() ? &*found : nullptr;
}

std::string shown(const yaml::Node* node) {
  if (!node) return "nothing";
  return node->is_map() || node->is_list() ? "another value" : fmt::format("\"{}\"", node->text());
}

std::string change_of(const schema::FieldDifference& difference) {
  const std::string from = shown(difference.live);
  const std::string to = shown(difference.rendered);
  const std::string path = schema::to_keyed_string(difference.path);
  return from == to ? fmt::format("{} changes", path)
                    : fmt::format("{} changes from {} to {}", path, from, to);
}

// What the new runtime changes in the JobSets of new jobs.
std::vector<std::string> changes_of_jobs(const Review& review, const Policy& policy) {
  if (review.old_object.empty()) return {};
  const Compilation before = compile_probe(review, review.old_object, policy);
  const Compilation after = compile_probe(review, review.object, policy);
  const Object* old = job_set_of(before);
  const Object* now = job_set_of(after);
  if (!old || !now) return {};
  const auto differences = schema::compare(*now->root, *old->root, now->schemas->kind("JobSet")->schema);
  secret::SecretTexts secrets;
  secrets.collect_unmarked(*old->root);
  secrets.collect_unmarked(*now->root);
  std::vector<std::string> lines;
  for (const schema::FieldDifference& difference : differences) {
    if (lines.size() == kMostChanges) break;
    lines.push_back(base::one_line("new jobs: " + secrets.hide(change_of(difference))));
  }
  if (differences.size() > kMostChanges)
    lines.push_back(fmt::format("new jobs: {} more fields change", differences.size() - kMostChanges));
  return lines;
}

}  // namespace

Answer check_runtime(const Review& review, const Policy& policy) {
  if (review.is_too_large) return not_checked(review.kind);
  if (review.object.empty()) return {};
  Answer answer = answer_of(findings_on(review, {}, policy), policy);
  for (std::string& line : changes_of_jobs(review, policy)) answer.warnings.push_back(std::move(line));
  answer.warnings = fitted(std::move(answer.warnings));
  return answer;
}

}  // namespace trainjobc::webhook
