// SPDX-License-Identifier: Apache-2.0

#include "features/submit/lookup.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/text/lines.h"

namespace trainjobc::submit {
namespace {

using cluster::Answer;
using kubectl::Cause;
using kubectl::Kubectl;
using kubectl::Reply;

// Names of the objects of a kind, by namespace.
using Names = std::map<std::string, std::set<std::string>>;

Names names_of(std::span<const Object> objects, std::string_view kind) {
  Names names;
  for (const Object& object : objects) {
    if (object.kind == kind) names[std::string(object.ns)].emplace(object.name);
  }
  return names;
}

// "secret/a\nsecret/b\n"; false if a line says something else.
bool add_secrets(std::string_view text, const std::string& ns, std::set<std::string>& secrets) {
  constexpr std::string_view kPrefix = "secret/";
  for (const std::string_view line : base::Lines(text)) {
    if (!line.starts_with(kPrefix)) return false;
    secrets.insert(cluster::object_id("Secret", ns, line.substr(kPrefix.size())));
  }
  return true;
}

Answer look_for_secrets(const Kubectl& kubectl, std::span<const Object> objects,
                        std::set<std::string>& secrets) {
  Answer answer;
  for (const auto& [ns, names] : names_of(objects, "Secret")) {
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

bool joins(Answer& answer, Answer next) {
  answer.warnings += next.warnings;
  answer.failure = std::move(next.failure);
  return answer.ok();
}

}  // namespace

Answer look_up(const Kubectl& kubectl, std::span<const Object> objects, Cluster& cluster) {
  std::vector<Object> open;
  std::ranges::copy_if(objects, std::back_inserter(open),
                       [](const Object& object) { return object.kind != "Secret"; });
  Answer answer;
  if (!joins(answer, cluster::fetch(kubectl, open, false, cluster.live))) return answer;
  if (!joins(answer, look_for_secrets(kubectl, objects, cluster.secrets))) return answer;
  joins(answer, cluster::fetch_train_jobs(kubectl, objects, true, cluster.live));
  return answer;
}

}  // namespace trainjobc::submit
