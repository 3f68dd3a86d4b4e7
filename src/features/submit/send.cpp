// SPDX-License-Identifier: Apache-2.0

#include "features/submit/send.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/arena.h"
#include "base/text/text.h"
#include "compile/kept_jobs.h"
#include "features/cluster/live_fields.h"
#include "features/objects/differences.h"
#include "features/submit/state.h"
#include "k8s/jobset/jobset.h"
#include "model/trainer_names.h"
#include "yaml/write/writer.h"

namespace trainjobc::submit {
namespace {

using cluster::Answer;
using kubectl::Call;
using kubectl::Cause;
using kubectl::Kubectl;
using kubectl::Reply;
using objects::Difference;
using objects::ObjectDiff;
using yaml::Maker;
using yaml::Node;

// `node` without the field at `path`; unchanged if there is no such field or it is an item of a list.
const Node* without(const Node* node, std::span<const schema::Step> path, const Maker& make) {
  const schema::Step& step = path.front();
  if (!step.is_item()) {
    const Node* value = node->is_map() ? node->get(step.key) : nullptr;
    if (!value) return node;
    return make.with(node, step.key, path.size() > 1 ? without(value, path.subspan(1), make) : nullptr);
  }
  if (!node->is_list() || step.index >= node->size() || path.size() == 1) return node;
  std::vector<const Node*> items(node->items().begin(), node->items().end());
  items[step.index] = without(items[step.index], path.subspan(1), make);
  return make.list(items, node->origin());
}

// `rendered` without the fields that another controller owns according to `differences`. Adds these to
// `left_out`.
const Node* without_others_fields(const Node& rendered, const objects::ObjectDiff& differences,
                                  const Maker& make, std::vector<LeftOut>& left_out) {
  const Node* result = &rendered;
  for (const objects::Difference& field : differences.differences) {
    if (field.kind != objects::DifferenceKind::Ignored || !field.rendered) continue;
    const Node* less = without(result, field.path, make);
    if (less == result) continue;
    result = less;
    left_out.push_back({field.name, field.manager});
  }
  return result;
}

// Reads "secret/a\nsecret/b\n"; false if a line is anything else.
bool add_secrets(std::string_view text, const std::string& ns, std::set<std::string>& secrets) {
  constexpr std::string_view kPrefix = "secret/";
  for (const std::string_view line : base::Lines(text)) {
    if (!line.starts_with(kPrefix)) return false;
    secrets.insert(objects::object_id("Secret", ns, line.substr(kPrefix.size())));
  }
  return true;
}

Answer look_for_secrets(const Kubectl& kubectl, std::span<const Object> objects,
                        std::set<std::string>& secrets) {
  std::map<std::string, std::set<std::string>> wanted;  // the Secrets to look up, by namespace
  for (const Object& object : objects) {
    if (object.kind == "Secret") wanted[std::string(object.ns)].emplace(object.name);
  }
  Answer answer;
  for (const auto& [ns, names] : wanted) {
    Reply reply = kubectl.run(kubectl::get_by_name(ns, "v1", "Secret", names, "name"));
    if (!reply.ok() && reply.failure.cause != Cause::Forbidden) {
      answer.failure = std::move(reply.failure);
      return answer;
    }
    if (!add_secrets(reply.out, ns, secrets) && reply.ok()) {
      answer.failure = {Cause::Other, "kubectl get", 0, "the answer names something other than Secrets"};
      return answer;
    }
    answer.warnings += reply.notes;
  }
  return answer;
}

}  // namespace

Answer look_up(const Kubectl& kubectl, std::span<const Object> objects, Cluster& cluster) {
  std::vector<Object> open;
  std::ranges::copy_if(objects, std::back_inserter(open),
                       [](const Object& object) { return object.kind != "Secret"; });
  Answer answer;
  if (!answer.join(cluster::fetch(kubectl, open, false, cluster.live))) return answer;
  if (!answer.join(look_for_secrets(kubectl, objects, cluster.secrets))) return answer;
  answer.join(cluster::fetch_train_jobs(kubectl, objects, true, cluster.live, &cluster.has_trainer));
  return answer;
}

namespace {

struct Claim {
  std::string_view template_name;
  bool stays = false;  // whether it outlives its JobSet
};

// The claims of a JobSet, which owns those of a policy with Delete. A JobSet that its webhook never saw may
// lack the policy, and then owns none.
std::vector<Claim> claims_of(const Node& job_set) {
  std::vector<Claim> claims;
  for (const Node* policy : items_at(job_set, {"spec", "volumeClaimPolicies"})) {
    const bool stays = value_at(*policy, {"retentionPolicy", "whenDeleted"}) != "Delete";
    for (const Node* claim : items_at(*policy, {"templates"})) {
      claims.push_back({value_at(*claim, {"metadata", "name"}), stays});
    }
  }
  return claims;
}

// Tells people what happens to the claims of a deleted JobSet, in indented lines.
std::string claims_lost(const Node& job_set, std::string_view flag_of_namespace) {
  const std::string_view job_set_name = value_at(job_set, {"metadata", "name"});
  std::string text;
  for (const Claim& claim : claims_of(job_set)) {
    const std::string name = k8s::jobset::claim_name(claim.template_name, job_set_name);
    if (claim.stays) {
      text += fmt::format(
          "    but not the claim {}, which is kept: the new JobSet is refused unless its template equals the "
          "claim's spec, including volumeMode, volumeName and storageClassName, and sets whenDeleted: "
          "Retain. To start with an empty volume, delete the claim first: kubectl delete pvc {}{}\n",
          name, name, flag_of_namespace);
    } else {
      text += fmt::format("    the claim {}, and the data on its volume\n", name);
    }
  }
  return text;
}

// `job_set` without the claim templates whose claims are deleted with `live`. JobSet's webhook refuses a
// JobSet while its claims exist, so these templates can't be tried before the deletion.
const Node* without_deleted_claims(const Node& job_set, const Node& live, const Maker& make) {
  const std::vector<Claim> old_claims = claims_of(live);
  const auto is_deleted = [&](const Node& claim) {
    const std::string_view name = value_at(claim, {"metadata", "name"});
    const Claim* old = base::find(old_claims, name, &Claim::template_name);
    return old && !old->stays;
  };
  std::vector<const Node*> policies;
  for (const Node* policy : items_at(job_set, {"spec", "volumeClaimPolicies"})) {
    std::vector<const Node*> templates;
    for (const Node* claim : items_at(*policy, {"templates"})) {
      if (!is_deleted(*claim)) templates.push_back(claim);
    }
    if (!templates.empty())
      policies.push_back(make.with(policy, "templates", make.list(templates, policy->origin())));
  }
  const Node* spec = job_set.get("spec");
  if (!spec || !spec->get("volumeClaimPolicies")) return &job_set;
  return make.with(&job_set, "spec",
                   make.with(spec, "volumeClaimPolicies",
                             policies.empty() ? nullptr : make.list(policies, spec->origin())));
}

bool is_refused(const Difference& difference) {
  return !difference.refusal.empty();
}

// Whether applying the object changes a field.
bool changes(const ObjectDiff& difference, bool takes_over) {
  const auto is_ours = [&](const Difference& field) {
    return field.kind == objects::DifferenceKind::Changed || (takes_over && field.rendered);
  };
  return std::ranges::any_of(difference.differences, is_ours);
}

Action action_of(const Object& object, const ObjectDiff* difference, bool is_there,
                 const ClusterState& cluster) {
  if (object.kind == "Secret") {
    return cluster.secrets.contains(objects::object_id(object.kind, object.ns, object.name)) ? Action::Keep
                                                                                             : Action::Create;
  }
  if (!is_there) return Action::Create;
  if (!difference || !changes(*difference, cluster.takes_over)) return Action::Confirm;
  return std::ranges::any_of(difference->differences, is_refused) ? Action::Replace : Action::Change;
}

}  // namespace

namespace {

std::string manifest_of(const Node& root) {
  std::string text;
  yaml::write_yaml(root, yaml::KeyOrder::Kubernetes, text);
  return text;
}

class BatchMaker {
 public:
  explicit BatchMaker(const ClusterState& cluster) : cluster_(cluster) {
    for (const ObjectDiff& object : cluster.report.objects) differences_.emplace(object.id, &object);
    for (const cluster::LiveObject& object : cluster.live.objects) {
      there_.emplace(objects::object_id(object.kind, object.ns, object.name), &object);
    }
  }

  Batch batch;

  // `outline` stays; `object` is the same with all that is sent.
  void add(const Object& outline, const Object& object) {
    const std::string id = objects::object_id(object.kind, object.ns, object.name);
    const ObjectDiff* difference = base::value_or(differences_, id);
    Item item{&outline, Action::Create, batch.jobs, base::value_or(there_, id)};
    item.action = action_of(object, difference, item.live != nullptr, cluster_);
    if (item.action != Action::Keep) write(object, difference, item);
    batch.secrets.collect_unmarked(*object.root);
    batch.items.push_back(std::move(item));
    if (object.kind == "JobSet") ++batch.jobs;
  }

 private:
  void write(const Object& object, const ObjectDiff* difference, Item& item) const {
    base::Arena arena;
    const Maker make(arena);
    const bool is_job_set = object.kind == "JobSet";
    const bool is_replaced = item.action == Action::Replace;
    const Node* root = object.root;
    if (is_replaced)
      item.trial = manifest_of(is_job_set ? *without_deleted_claims(*root, *item.live->root, make) : *root);
    if (difference && !is_replaced && !cluster_.takes_over)
      root = without_others_fields(*root, *difference, make, item.left_out);
    if (item.live && !is_replaced && is_job_set)
      root = cluster::with_live_env_order(*root, *item.live->root, make);
    item.manifest = manifest_of(*root);
  }

  const ClusterState& cluster_;
  std::map<std::string, const ObjectDiff*> differences_;
  std::map<std::string, const cluster::LiveObject*> there_;
};

}  // namespace

Batch make_batch(const Rendered& rendered, const ClusterState& cluster) {
  BatchMaker maker(cluster);
  auto outline = rendered.objects.begin();
  for_each_object(rendered.compiled, rendered.threads, [&](std::span<const Object> objects) {
    for (const Object& object : objects) maker.add(*outline++, object);
  });
  return std::move(maker.batch);
}

Batch batch_of_train_jobs(std::span<const Object> objects) {
  Batch batch;
  for (const Object& object : objects) {
    // No job waits for its runtime: the webhook refuses it if that is missing.
    const size_t job = is_job(object) ? batch.jobs++ : objects.size();
    Item& item = batch.items.emplace_back(Item{&object, Action::Apply, job});
    item.manifest = manifest_of(*object.root);
  }
  return batch;
}

bool is_job(const Object& object) {
  return object.kind == "JobSet" || object.kind == model::kTrainJob;
}

objects::Report refused_part(const objects::Report& report) {
  objects::Report part;
  part.jobs = report.jobs;
  for (const ObjectDiff& object : report.objects) {
    ObjectDiff refused = object;
    std::erase_if(refused.differences, [](const Difference& d) { return !is_refused(d); });
    if (!refused.differences.empty()) part.objects.push_back(std::move(refused));
  }
  return part;
}

std::string loss_of(const Item& item, const objects::Report& report) {
  const Object& object = *item.object;
  std::string text = fmt::format("  {}", title_of(object));
  if (object.kind == "JobSet") {
    const JobSetState state = state_of(*item.live->root);
    text += fmt::format(": {}{}\n", describe(state), state.jobs.empty() ? "" : "; " + describe_jobs(state));
    text +=
        "    its Jobs and Pods, their logs, and everything that their containers wrote, "
        "except to persistent volumes\n";
    text += claims_lost(*item.live->root, object.ns.empty() ? "" : fmt::format(" -n {}", object.ns));
    if (state.restarts > 0) text += fmt::format("    its restart count, {} so far\n", state.restarts);
  } else {
    text += "\n    its contents; a Pod that starts in between waits for the new one\n";
  }
  const std::string id = objects::object_id(object.kind, object.ns, object.name);
  for (const ObjectDiff& differing : report.objects) {
    if (differing.id != id) continue;
    for (const Difference& field : differing.differences) {
      if (field.kind != objects::DifferenceKind::Ignored) continue;
      text += fmt::format("    {}, managed by {}\n", field.name, field.manager);
    }
  }
  return text;
}

std::string title_of(const Object& object) {
  return object.ns.empty() ? fmt::format("{} {}", object.kind, object.name)
                           : fmt::format("{} {}/{}", object.kind, object.ns, object.name);
}

namespace {

Result success_of(Action action) {
  switch (action) {
    case Action::Create: return Result::Created;
    case Action::Change: return Result::Changed;
    case Action::Confirm: return Result::Unchanged;
    case Action::Keep: return Result::Kept;
    case Action::Replace: return Result::Replaced;
    case Action::Apply: return Result::Applied;
  }
  return Result::NotSent;
}

// Whether the next call would fail for the same cause.
bool stops_everything(Cause cause) {
  return cause == Cause::NoProgram || cause == Cause::NoAnswer || cause == Cause::Interrupted ||
         cause == Cause::Settings || cause == Cause::Unreachable || cause == Cause::Unauthorized;
}

// The objects that kubectl reports as done: the first words of its lines.
std::set<std::string, std::less<>> first_words(std::string_view text) {
  std::set<std::string, std::less<>> words;
  for (const std::string_view line : base::Lines(text)) words.emplace(line.substr(0, line.find(' ')));
  return words;
}

std::string kubectl_name(const Outcome& outcome) {
  const Object& object = *outcome.item->object;
  return kubectl::name_of(object.api_version, object.kind, object.name);
}

// The objects that kubectl reports as deleted: `jobset.jobset.x-k8s.io "llama" deleted`. It then waits until
// they are gone.
std::set<std::string, std::less<>> deleted_names(std::string_view text) {
  std::set<std::string, std::less<>> names;
  for (const std::string_view line : base::Lines(text)) {
    const size_t quote = line.find(" \"");
    const size_t end = line.find("\" deleted");
    if (end != std::string_view::npos && quote < end)
      names.insert(fmt::format("{}/{}", line.substr(0, quote), line.substr(quote + 2, end - quote - 2)));
  }
  return names;
}

// Whether kubectl found that the object to create exists already.
bool exists(const Outcome& outcome, const Reply& reply) {
  const Object& object = *outcome.item->object;
  const std::string said = fmt::format("{} \"{}\" already exists",
                                       kubectl::resource_of(object.api_version, object.kind), object.name);
  return reply.failure.said.find(said) != std::string::npos;
}

class Sender {
 public:
  Sender(const Kubectl& kubectl, const SendOptions& options, const std::function<void(const Outcome&)>& done)
      : kubectl_(kubectl), options_(options), done_(done) {}

  // Returns false if it is pointless to go on.
  bool send_namespace(const std::string& ns, const std::vector<Outcome*>& outcomes) {
    has_no_namespace_ = false;
    keep_what_is_there(outcomes);
    remove_replaced(ns, outcomes);
    create_secrets(ns, pick(outcomes, [](const Object& object) { return object.kind == "Secret"; }));
    apply(ns,
          pick(outcomes, [](const Object& object) { return object.kind != "Secret" && !is_job(object); }));
    for (const Outcome* outcome : outcomes) {
      const bool in_place = outcome->result != Result::Failed && outcome->result != Result::NotSent;
      if (!is_job(*outcome->item->object) && !in_place) without_helpers_.insert(outcome->item->job);
    }
    apply(ns, pick(outcomes, is_job));
    return !stopped_;
  }

  std::vector<kubectl::Failure> failures;
  std::string notes;

 private:
  // The outcomes for which `is_wanted` is true: the objects to send now.
  template <class Predicate>
  std::vector<Outcome*> pick(const std::vector<Outcome*>& outcomes, Predicate is_wanted) const {
    std::vector<Outcome*> picked;
    for (Outcome* outcome : outcomes) {
      if (outcome->result != Result::NotSent || !is_wanted(*outcome->item->object)) continue;
      if (!held_back(*outcome)) picked.push_back(outcome);
    }
    return picked;
  }

  bool held_back(const Outcome& outcome) const {
    return stopped_ || has_no_namespace_ || undeleted_.contains(outcome.item) ||
           without_helpers_.contains(outcome.item->job);
  }

  void finish(Outcome& outcome, Result result) {
    outcome.result = result;
    if (result != Result::Failed) done_(outcome);
  }

  void keep_what_is_there(const std::vector<Outcome*>& outcomes) {
    for (Outcome* outcome : outcomes) {
      if (outcome->item->action == Action::Keep) finish(*outcome, Result::Kept);
    }
  }

  // `unmentioned` is the number of objects that kubectl didn't mention.
  bool note(const Reply& reply, std::string_view word, size_t unmentioned) {
    notes += reply.notes;
    if (reply.ok() && unmentioned == 0) return true;
    if (reply.ok()) {
      failures.push_back({Cause::Other, fmt::format("kubectl {}", word), 0,
                          "the answer does not mention " + base::counted(unmentioned, "object")});
      return false;
    }
    failures.push_back(reply.failure);
    has_no_namespace_ = reply.failure.cause == Cause::NoNamespace;
    stopped_ = stopped_ || stops_everything(reply.failure.cause);
    return false;
  }

  // Drops objects to be replaced: a dry run deletes nothing, so the new object can't be tried either.
  void remove_replaced(const std::string& ns, const std::vector<Outcome*>& outcomes) {
    std::map<std::string_view, std::vector<Outcome*>> by_resource;
    for (Outcome* outcome : outcomes) {
      if (outcome->item->action != Action::Replace) continue;
      if (options_.dry_run != DryRun::None) {
        finish(*outcome, Result::Replaced);
      } else {
        const Object& object = *outcome->item->object;
        by_resource[kubectl::resource_of(object.api_version, object.kind)].push_back(outcome);
      }
    }
    for (const auto& [resource, replaced] : by_resource) remove(ns, resource, try_to_create(ns, replaced));
  }

  // The objects whose new version the API server would accept: nothing is deleted for one that is refused.
  std::vector<Outcome*> try_to_create(const std::string& ns, const std::vector<Outcome*>& outcomes) {
    std::vector<Outcome*> accepted;
    if (stopped_) return accepted;
    const Reply reply = kubectl_.run(create_call(ns, outcomes, "--dry-run=server", &Item::trial));
    const auto tried = first_words(reply.out);
    for (Outcome* outcome : outcomes) {
      if (tried.contains(kubectl_name(*outcome)) || exists(*outcome, reply)) {
        accepted.push_back(outcome);
      } else {
        finish(*outcome, Result::Failed);
      }
    }
    if (accepted.size() < outcomes.size()) note(reply, "create", outcomes.size() - accepted.size());
    return accepted;
  }

  void remove(const std::string& ns, std::string_view resource, const std::vector<Outcome*>& outcomes) {
    if (outcomes.empty()) return;
    // The new JobSet's Jobs have the names of the old ones, which must be gone first.
    Call call{ns, {"delete", std::string(resource), "--cascade=foreground", "--ignore-not-found", "--wait"}};
    for (const Outcome* outcome : outcomes) call.names.emplace_back(outcome->item->object->name);
    const Reply reply = kubectl_.run(call);
    const bool removed = note(reply, "delete", 0);
    const auto deleted = deleted_names(reply.out);
    for (Outcome* outcome : outcomes) {
      outcome->deleted = removed || deleted.contains(kubectl_name(*outcome));
      if (!removed) undeleted_.insert(outcome->item);
    }
  }

  std::string dry_run_flag() const {
    if (options_.dry_run == DryRun::None) return "";
    return options_.dry_run == DryRun::Server ? "--dry-run=server" : "--dry-run=client";
  }

  // A call with these words, and with the manifests as input.
  static Call call_with(const std::string& ns, std::vector<std::string> words,
                        const std::vector<Outcome*>& outcomes, std::string Item::*which = &Item::manifest) {
    words.insert(words.end(), {"-f", "-"});
    Call call{ns, std::move(words)};
    for (const Outcome* outcome : outcomes) {
      call.input += "---\n";
      call.input += outcome->item->*which;
    }
    return call;
  }

  static Call create_call(const std::string& ns, const std::vector<Outcome*>& outcomes,
                          const std::string& dry_run, std::string Item::*which = &Item::manifest) {
    std::vector<std::string> words{"create", "--field-manager=trainjobc"};
    if (!dry_run.empty()) words.push_back(dry_run);
    return call_with(ns, std::move(words), outcomes, which);
  }

  void create_secrets(const std::string& ns, const std::vector<Outcome*>& secrets) {
    if (secrets.empty()) return;
    Reply reply = kubectl_.run(create_call(ns, secrets, dry_run_flag()));
    // Secrets that were created in the meantime, or that we may not read, are kept.
    const auto created = first_words(reply.out);
    size_t missing = 0;
    for (Outcome* outcome : secrets) {
      if (created.contains(kubectl_name(*outcome))) {
        finish(*outcome, Result::Created);
      } else if (exists(*outcome, reply)) {
        finish(*outcome, Result::Kept);
      } else {
        ++missing;
        finish(*outcome, Result::Failed);
      }
    }
    if (missing > 0 || reply.ok()) note(reply, "create", missing);
  }

  // kubectl has no client-side dry run for server-side apply.
  Call apply_call(const std::string& ns, const std::vector<Outcome*>& outcomes) const {
    if (options_.dry_run == DryRun::Client) return create_call(ns, outcomes, dry_run_flag());
    std::vector<std::string> words{"apply", "--server-side", "--field-manager=trainjobc"};
    if (options_.force_conflicts) words.emplace_back("--force-conflicts");
    if (options_.dry_run == DryRun::Server) words.push_back(dry_run_flag());
    return call_with(ns, std::move(words), outcomes);
  }

  void apply(const std::string& ns, const std::vector<Outcome*>& outcomes) {
    if (outcomes.empty()) return;
    const Reply reply = kubectl_.run(apply_call(ns, outcomes));
    const auto applied = first_words(reply.out);
    size_t unmentioned = 0;
    for (Outcome* outcome : outcomes) {
      const bool is_applied = applied.contains(kubectl_name(*outcome));
      unmentioned += is_applied ? 0 : 1;
      finish(*outcome, is_applied ? success_of(outcome->item->action) : Result::Failed);
    }
    note(reply, "apply", unmentioned);
  }

  const Kubectl& kubectl_;
  const SendOptions& options_;
  const std::function<void(const Outcome&)>& done_;
  std::set<const Item*> undeleted_;
  std::set<size_t> without_helpers_;  // numbers of jobs
  bool has_no_namespace_ = false;
  bool stopped_ = false;
};

}  // namespace

bool Sending::complete() const {
  return failures.empty() && std::ranges::none_of(outcomes, [](const Outcome& outcome) {
           return outcome.result == Result::Failed || outcome.result == Result::NotSent;
         });
}

Sending send(const Batch& batch, const Kubectl& kubectl, const SendOptions& options,
             const std::function<void(const Outcome&)>& done) {
  Sending sending;
  std::map<std::string, std::vector<Outcome*>> namespaces;
  sending.outcomes.reserve(batch.items.size());
  for (const Item& item : batch.items) {
    sending.outcomes.push_back({&item, Result::NotSent});
    namespaces[std::string(item.object->ns)].push_back(&sending.outcomes.back());
  }
  Sender sender(kubectl, options, done);
  for (const auto& [ns, outcomes] : namespaces) {
    if (!sender.send_namespace(ns, outcomes)) break;
  }
  sending.failures = std::move(sender.failures);
  sending.notes = std::move(sender.notes);
  return sending;
}

}  // namespace trainjobc::submit
