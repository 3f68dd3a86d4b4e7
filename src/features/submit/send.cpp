// SPDX-License-Identifier: Apache-2.0

#include "features/submit/send.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text/lines.h"
#include "features/kubectl/resource_names.h"
#include "yaml/write/writer.h"

namespace trainjobc::submit {
namespace {

using kubectl::Call;
using kubectl::Cause;
using kubectl::Kubectl;
using kubectl::Reply;

Result success_of(Step step) {
  switch (step) {
    case Step::Create: return Result::Created;
    case Step::Change: return Result::Changed;
    case Step::Confirm: return Result::Unchanged;
    case Step::Keep: return Result::Kept;
    case Step::Replace: return Result::Replaced;
  }
  return Result::NotSent;
}

// Causes that would fail the next call too.
bool stops_everything(Cause cause) {
  return cause == Cause::NoProgram || cause == Cause::NoAnswer || cause == Cause::Settings ||
         cause == Cause::Unreachable || cause == Cause::Unauthorized;
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

// Whether kubectl found the object that it was to create.
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

  // False if going on is pointless.
  bool send_namespace(const std::string& ns, const std::vector<Outcome*>& outcomes) {
    has_no_namespace_ = false;
    keep_what_is_there(outcomes);
    remove_replaced(ns, outcomes);
    create_secrets(ns, pick(outcomes, [](const Object& object) { return object.kind == "Secret"; }));
    apply(ns, pick(outcomes,
                   [](const Object& object) { return object.kind != "Secret" && object.kind != "JobSet"; }));
    for (const Outcome* outcome : outcomes) {
      const bool in_place = outcome->result != Result::Failed && outcome->result != Result::NotSent;
      if (outcome->item->object->kind != "JobSet" && !in_place) without_helpers_.insert(outcome->item->job);
    }
    apply(ns, pick(outcomes, [](const Object& object) { return object.kind == "JobSet"; }));
    return !stopped_;
  }

  std::vector<kubectl::Failure> failures;
  std::string notes;

 private:
  // The objects to send now.
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
      if (outcome->item->step == Step::Keep) finish(*outcome, Result::Kept);
    }
  }

  // `unmentioned`: the number of objects that kubectl didn't mention.
  bool note(const Reply& reply, std::string_view word, size_t unmentioned) {
    notes += reply.notes;
    if (reply.ok() && unmentioned == 0) return true;
    if (reply.ok()) {
      failures.push_back(
          {Cause::Other, fmt::format("kubectl {}", word), 0,
           fmt::format("the answer does not mention {} object{}", unmentioned, unmentioned == 1 ? "" : "s")});
      return false;
    }
    failures.push_back(reply.failure);
    has_no_namespace_ = reply.failure.cause == Cause::NoNamespace;
    stopped_ = stopped_ || stops_everything(reply.failure.cause);
    return false;
  }

  // A dry run deletes nothing, so the object in its place can't be tried either.
  void remove_replaced(const std::string& ns, const std::vector<Outcome*>& outcomes) {
    std::map<std::string_view, std::vector<Outcome*>> by_resource;
    for (Outcome* outcome : outcomes) {
      if (outcome->item->step != Step::Replace) continue;
      if (options_.dry_run != DryRun::None) {
        finish(*outcome, Result::Replaced);
      } else {
        const Object& object = *outcome->item->object;
        by_resource[kubectl::resource_of(object.api_version, object.kind)].push_back(outcome);
      }
    }
    for (const auto& [resource, replaced] : by_resource) remove(ns, resource, try_to_create(ns, replaced));
  }

  // Those whose new version the API server would accept: an object isn't deleted for one that is refused.
  std::vector<Outcome*> try_to_create(const std::string& ns, const std::vector<Outcome*>& outcomes) {
    std::vector<Outcome*> accepted;
    if (stopped_) return accepted;
    Call call = create_call(ns, outcomes, "--dry-run=server");
    call.input = manifests(outcomes, &Item::trial);
    const Reply reply = kubectl_.run(call);
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
    Call call;
    call.ns = ns;
    // The new JobSet's Jobs have the names of the old ones: those must be gone first.
    call.words = {"delete", std::string(resource), "--cascade=foreground", "--ignore-not-found", "--wait"};
    for (const Outcome* outcome : outcomes) call.names.emplace_back(outcome->item->object->name);
    const bool removed = note(kubectl_.run(call), "delete", 0);
    for (Outcome* outcome : outcomes) {
      outcome->deleted = removed;
      if (!removed) undeleted_.insert(outcome->item);
    }
  }

  std::string dry_run_flag() const {
    if (options_.dry_run == DryRun::None) return "";
    return options_.dry_run == DryRun::Server ? "--dry-run=server" : "--dry-run=client";
  }

  static std::string manifests(const std::vector<Outcome*>& outcomes,
                               const yaml::Node* Item::*which = &Item::root) {
    std::string text;
    for (const Outcome* outcome : outcomes) {
      text += "---\n";
      yaml::write_yaml(*(outcome->item->*which), yaml::KeyOrder::Kubernetes, text);
    }
    return text;
  }

  static Call create_call(const std::string& ns, const std::vector<Outcome*>& outcomes,
                          const std::string& dry_run) {
    Call call;
    call.ns = ns;
    call.words = {"create", "--field-manager=trainjobc"};
    if (!dry_run.empty()) call.words.push_back(dry_run);
    call.words.insert(call.words.end(), {"-f", "-"});
    call.input = manifests(outcomes);
    return call;
  }

  void create_secrets(const std::string& ns, const std::vector<Outcome*>& secrets) {
    if (secrets.empty()) return;
    Reply reply = kubectl_.run(create_call(ns, secrets, dry_run_flag()));
    // Secrets that were created since, or that we may not read, are kept.
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

  // kubectl has no client-side dry run of a server-side apply.
  Call apply_call(const std::string& ns, const std::vector<Outcome*>& outcomes) const {
    if (options_.dry_run == DryRun::Client) return create_call(ns, outcomes, dry_run_flag());
    Call call;
    call.ns = ns;
    call.words = {"apply", "--server-side", "--field-manager=trainjobc"};
    if (options_.force_conflicts) call.words.emplace_back("--force-conflicts");
    if (options_.dry_run == DryRun::Server) call.words.push_back(dry_run_flag());
    call.words.insert(call.words.end(), {"-f", "-"});
    call.input = manifests(outcomes);
    return call;
  }

  void apply(const std::string& ns, const std::vector<Outcome*>& outcomes) {
    if (outcomes.empty()) return;
    const Reply reply = kubectl_.run(apply_call(ns, outcomes));
    const auto applied = first_words(reply.out);
    size_t unmentioned = 0;
    for (Outcome* outcome : outcomes) {
      const bool is_applied = applied.contains(kubectl_name(*outcome));
      unmentioned += is_applied ? 0 : 1;
      finish(*outcome, is_applied ? success_of(outcome->item->step) : Result::Failed);
    }
    note(reply, "apply", unmentioned);
  }

  const Kubectl& kubectl_;
  const SendOptions& options_;
  const std::function<void(const Outcome&)>& done_;
  std::set<const Item*> undeleted_;
  std::set<size_t> without_helpers_;  // jobs
  bool has_no_namespace_ = false;
  bool stopped_ = false;
};

}  // namespace

bool Sending::complete() const {
  return failures.empty() && std::ranges::none_of(outcomes, [](const Outcome& outcome) {
           return outcome.result == Result::Failed || outcome.result == Result::NotSent;
         });
}

Sending send(const Plan& plan, const Kubectl& kubectl, const SendOptions& options,
             const std::function<void(const Outcome&)>& done) {
  Sending sending;
  std::map<std::string, std::vector<Outcome*>> namespaces;
  sending.outcomes.reserve(plan.items.size());
  for (const Item& item : plan.items) {
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
