// SPDX-License-Identifier: Apache-2.0

#include "features/cluster/live.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text/text.h"
#include "features/cluster/answer_items.h"
#include "features/cluster/train_jobs.h"
#include "features/objects/differences.h"
#include "k8s/object_meta.h"
#include "k8s/violations.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "secret/secret.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::cluster {
namespace {

using yaml::Node;

std::string own_text(const Node& root, std::initializer_list<std::string_view> path) {
  return std::string(yaml::value_at(root, path));
}

// Reads documents into a set.
class LiveReader {
 public:
  // Nodes are made in `arena`.
  LiveReader(LiveSet& live, LiveText& text, base::Arena& arena) : live_(live), text_(text), make_(arena) {}

  // The apiVersion and kind of an object that lacks them are those of its list: a typed list from the API
  // (`kubectl get --raw`) names them once.
  void add(const Node& root, std::string_view list_version, std::string_view list_kind) {
    if (!root.is_map()) return note_strange(root);
    const Node* object = with_type(with_type(&root, "apiVersion", list_version), "kind", list_kind);
    LiveObject found{own_text(*object, {"apiVersion"}), own_text(*object, {"kind"}),
                     own_text(*object, {"metadata", "namespace"}), own_text(*object, {"metadata", "name"})};
    const Node* items = root.get("items");
    if (found.kind.ends_with(kList) && items && items->is_list()) {
      const std::string item_kind = found.kind.substr(0, found.kind.size() - kList.size());
      for (const Node* item : items->items()) add(*item, found.api_version, item_kind);
    } else if (!found.kind.empty() && !found.name.empty()) {
      found.root = secret::mark_secrets(*object, make_);
      live_.objects.push_back(std::move(found));
    } else {
      note_strange(root);
    }
  }

 private:
  static constexpr std::string_view kList = "List";

  const Node* with_type(const Node* object, std::string_view key, std::string_view of_list) const {
    if (of_list.empty() || !yaml::value_at(*object, {key}).empty()) return object;
    return make_.with(object, key, make_.copied(of_list, object->origin()));
  }

  void note_strange(const Node& root) { text_.strange = text_.strange ? text_.strange : &root; }

  LiveSet& live_;
  LiveText& text_;
  yaml::Maker make_;
};

// Whether this is an object, and certainly not a list.
bool is_object(const Node& root) {
  return root.is_map() && !root.get("items") && !own_text(root, {"kind"}).empty() &&
         !own_text(root, {"metadata", "name"}).empty();
}

// Adds the object of a document that is nothing else, without its nodes. False if it may be something else.
bool add_document(const yaml::FoundDocument& document, LiveSet& live, LiveText& text) {
  base::Arena arena;
  base::Diagnostics found;
  const std::vector<yaml::Document> documents = yaml::read_document(document, arena, found);
  if (documents.size() != 1 || !found.empty() || !is_object(*documents.front().root)) return false;
  LiveReader(live, text, arena).add(*documents.front().root, "", "");
  live.objects.back().root = nullptr;
  live.objects.back().document = document;
  ++text.documents;
  return true;
}

}  // namespace

LiveText read_live(Source source, LiveSet& live, base::Diagnostics& diagnostics, LiveNodes kept) {
  LiveText text;
  text.is_blank = source.text.find_first_not_of(base::kSpace) == std::string::npos;
  live.files.push_back(std::make_unique<base::SourceFile>(std::move(source.name), std::move(source.text)));
  base::Diagnostics found;
  for (const yaml::FoundDocument& part : yaml::find_documents(*live.files.back(), found)) {
    if (kept == LiveNodes::Lists && add_document(part, live, text)) continue;
    for (const yaml::Document& document : yaml::read_document(part, live.arena, found)) {
      LiveReader(live, text, live.arena).add(*document.root, "", "");
      ++text.documents;
    }
  }
  secret::hide_secrets(found);
  diagnostics.append(std::move(found));
  return text;
}

const yaml::Node& read_again(const LiveObject& object, base::Arena& arena) {
  if (object.root) return *object.root;
  base::Diagnostics ignored;
  const std::vector<yaml::Document> documents = yaml::read_document(object.document, arena, ignored);
  return *secret::mark_secrets(*documents.front().root, yaml::Maker(arena));
}

bool Answer::join(Answer next) {
  warnings += next.warnings;
  failure = std::move(next.failure);
  return ok();
}

namespace {

using kubectl::Call;
using kubectl::Cause;
using kubectl::Kubectl;
using kubectl::Reply;

// What to request in one namespace: for each kind and apiVersion, the names.
using Names = std::map<std::pair<std::string, std::string>, std::set<std::string>>;

// Adds the helper objects that a live JobSet mounts: they are orphans if its TrainJob no longer needs them.
void add_mounted(const LiveObject& job_set, Names& names) {
  for (const yaml::Node* job : items_at(*job_set.root, {"spec", "replicatedJobs"})) {
    for (const yaml::Node* volume : items_at(*job, {"template", "spec", "template", "spec", "volumes"})) {
      const std::string_view secret = text_at(*volume, {"secret", "secretName"});
      const std::string_view config_map = text_at(*volume, {"configMap", "name"});
      if (is_helper_name("Secret", secret, job_set.name)) names[{"Secret", "v1"}].emplace(secret);
      if (is_helper_name("ConfigMap", config_map, job_set.name))
        names[{"ConfigMap", "v1"}].emplace(config_map);
    }
  }
}

// Whether all requested Secrets are SSH keys, which are kept whatever they contain.
bool wants_only_keys(std::span<const Object> rendered, const std::string& ns) {
  return std::ranges::none_of(rendered, [&](const Object& object) {
    return object.ns == ns && object.kind == "Secret" &&
           !policy::has_content(policy::OwnedObject::Content::SshKey, object.kind, object.name);
  });
}

// Treats the rendered Secrets of a namespace as existing.
void assume_secrets(std::span<const Object> rendered, const std::string& ns, LiveSet& live) {
  for (const Object& object : rendered) {
    if (object.ns != ns || object.kind != "Secret") continue;
    live.objects.push_back(
        {std::string(object.api_version), "Secret", ns, std::string(object.name), object.root});
  }
}

Answer fetch_namespace(const Kubectl& kubectl, const std::string& ns, std::span<const Object> rendered,
                       bool all_job_sets, LiveSet& live) {
  Answer answer;
  const size_t before = live.objects.size();
  const std::string job_sets(kubectl::resource_of("", "JobSet"));
  const Call get_all{ns, {"get", job_sets, "-o", "json", "--show-managed-fields"}};
  if (all_job_sets && !answer.join(ask_for_values(kubectl, get_all, live))) return answer;
  Names names;
  for (size_t i = before; i < live.objects.size(); ++i) add_mounted(live.objects[i], names);
  for (const Object& object : rendered) {
    const bool is_known = !kubectl::resource_of(object.api_version, object.kind).empty();
    if (object.ns != ns || !is_known || (all_job_sets && object.kind == "JobSet")) continue;
    names[{std::string(object.kind), std::string(object.api_version)}].emplace(object.name);
  }
  for (const auto& [type, wanted] : names) {
    const auto& [kind, api_version] = type;
    Call call = kubectl::get_by_name(ns, api_version, kind, wanted, "json");
    call.words.emplace_back("--show-managed-fields");
    Answer got = ask_for_values(kubectl, call, live);
    // Many users may read JobSets but not Secrets.
    const bool forbidden = got.failure.cause == Cause::Forbidden;
    if (kind == "Secret" && forbidden && wants_only_keys(rendered, ns)) {
      answer.warnings += fmt::format("warning: Secrets could not be looked up: {}\n", describe(got.failure));
      assume_secrets(rendered, ns, live);
    } else if (kind == model::kOptimizationJob && got.failure.cause == Cause::NoKind) {
      answer.warnings += fmt::format("warning: the cluster's Trainer has no kind {}\n", kind);
    } else if (!answer.join(std::move(got))) {
      return answer;
    }
  }
  return answer;
}

std::string manifests(std::span<const Object> objects, const std::string& ns,
                      const std::set<std::string>& skip) {
  std::string text;
  for (const Object& object : objects) {
    if (object.ns != ns || skip.contains(objects::object_id(object.kind, object.ns, object.name))) continue;
    text += "---\n";
    yaml::write_yaml(*object.root, yaml::KeyOrder::Kubernetes, text);
  }
  return text;
}

std::set<std::string> namespaces_of(std::span<const Object> objects) {
  std::set<std::string> namespaces;
  for (const Object& object : objects) namespaces.emplace(object.ns);
  return namespaces;
}

bool is_asked_for(const LiveObject& object, std::span<const std::string_view> kinds) {
  if (!kinds.empty()) return base::contains(kinds, object.kind);
  return object.kind == model::kTrainJob || !kubectl::resource_of(object.api_version, object.kind).empty();
}

// Why this can't be kubectl's answer; "" if it can. `objects` are the answer's.
std::string impossible(const LiveText& text, std::span<const LiveObject> objects, const Call& call,
                       std::span<const std::string_view> kinds) {
  // kubectl prints nothing if none of the requested objects exists.
  if (text.is_blank) return base::contains(call.words, "--ignore-not-found") ? "" : "the answer is empty";
  if (text.documents == 0) return "the answer contains no object";
  if (text.documents > 1) return fmt::format("the answer contains {} documents, not one", text.documents);
  if (text.strange && own_text(*text.strange, {"kind"}) == "Status") {
    const std::string message = own_text(*text.strange, {"message"});
    return fmt::format("the answer is a Status{}{}", message.empty() ? "" : ": ", message);
  }
  if (text.strange) {
    return fmt::format("the answer contains {}, which is neither an object nor a list of objects",
                       k8s::kind_words(*text.strange));
  }
  const auto other = std::ranges::find_if_not(
      objects, [&](const LiveObject& object) { return is_asked_for(object, kinds); });
  if (other == objects.end()) return "";
  return fmt::format("the answer contains {} \"{}\", which was not requested", other->kind, other->name);
}

// Says which of the sent objects `results` lack; "" if none.
std::string unanswered(std::span<const Object> sent, const std::string& ns, const std::set<std::string>& skip,
                       const LiveSet& results) {
  for (const Object& object : sent) {
    const std::string id = objects::object_id(object.kind, object.ns, object.name);
    if (object.ns != ns || skip.contains(id)) continue;
    const auto is_it = [&](const LiveObject& result) {
      return objects::object_id(result.kind, result.ns, result.name) == id;
    };
    if (std::ranges::none_of(results.objects, is_it))
      return fmt::format("the answer contains no {} \"{}\"", object.kind, object.name);
  }
  return "";
}

}  // namespace

namespace {

std::string name_of(const Call& call) {
  return fmt::format("kubectl {}", call.words.front());
}

// Adds the values of an item of an answer. False if its list has to say what it is.
bool add_item(std::string_view item, const Call& call, LiveSet& live) {
  const base::SourceFile file(name_of(call), std::string(item));
  base::Arena arena;
  base::Diagnostics found;
  const std::vector<yaml::Document> documents = yaml::read(file, arena, found);
  if (documents.size() != 1 || !found.empty() || !is_object(*documents.front().root) ||
      own_text(*documents.front().root, {"apiVersion"}).empty()) {
    return false;
  }
  LiveText text;
  LiveReader(live, text, arena).add(*documents.front().root, "", "");
  live.objects.back().root = live.values.copy(live.objects.back().root);
  return true;
}

// `before` is the number of objects that are not from the reply.
Answer read_reply(Reply reply, const Call& call, size_t before, LiveSet& live,
                  std::span<const std::string_view> kinds) {
  if (!reply.ok()) return {std::move(reply.failure), ""};
  const std::string name = name_of(call);
  base::Diagnostics diagnostics;
  const LiveText text = read_live({name, std::move(reply.out)}, live, diagnostics);
  if (diagnostics.has_errors()) return {{Cause::Other, name, 0, "the answer is not JSON"}, ""};
  const std::string wrong = impossible(text, std::span(live.objects).subspan(before), call, kinds);
  if (!wrong.empty()) return {{Cause::Other, name, 0, wrong}, ""};
  const bool is_for_all = base::contains(call.words, "--all-namespaces");
  for (size_t i = before; !is_for_all && i < live.objects.size(); ++i) live.objects[i].ns = call.ns;
  return {{}, std::move(reply.notes)};
}

}  // namespace

Answer ask(const Kubectl& kubectl, const Call& call, LiveSet& live, std::span<const std::string_view> kinds) {
  return read_reply(kubectl.run(call), call, live.objects.size(), live, kinds);
}

Answer ask_for_values(const Kubectl& kubectl, const Call& call, LiveSet& live) {
  const size_t before = live.objects.size();
  AnswerItems items([&](std::string_view item) { return add_item(item, call, live); });
  Reply reply = kubectl.run(call, [&](std::string_view part) { items.add(part); });
  items.add(reply.out);
  reply.out = items.rest();
  Answer answer = read_reply(std::move(reply), call, before, live, {});
  if (!answer.ok()) live.objects.resize(before);
  return answer;
}

std::vector<Answer> ask_all(const Kubectl& kubectl, std::span<const Question> questions, LiveSet& live) {
  std::vector<Call> calls;
  for (const Question& question : questions) calls.push_back(question.call);
  std::vector<Reply> replies = kubectl.run_all(calls);
  std::vector<Answer> answers;
  for (size_t i = 0; i < questions.size(); ++i)
    answers.push_back(
        read_reply(std::move(replies[i]), calls[i], live.objects.size(), live, questions[i].kinds));
  return answers;
}

Answer fetch(const Kubectl& kubectl, std::span<const Object> rendered, bool all_job_sets, LiveSet& live) {
  Answer answer;
  for (const std::string& ns : namespaces_of(rendered)) {
    if (!answer.join(fetch_namespace(kubectl, ns, rendered, all_job_sets, live))) break;
  }
  return answer;
}

Answer fetch_train_jobs(const Kubectl& kubectl, std::span<const Object> rendered, bool all, LiveSet& live,
                        bool* has_kind) {
  std::map<std::string, std::set<std::string>> namespaces;
  for (const Object& object : rendered) {
    if (object.kind != "JobSet" || !object.train_job) continue;
    if (all || has_guarded_fields(*object.train_job) || names_queue(*object.train_job))
      namespaces[std::string(object.ns)].emplace(object.name);
  }
  Answer answer;
  for (const auto& [ns, names] : namespaces) {
    Answer got = ask_for_values(
        kubectl, kubectl::get_by_name(ns, model::kTrainerApiVersion, model::kTrainJob, names, "json"), live);
    answer.warnings += got.warnings;
    if (got.failure.cause == Cause::NoKind) return answer;
    if (has_kind && got.ok()) *has_kind = true;
    if (got.failure.cause == Cause::Forbidden) {
      answer.warnings += fmt::format("warning: can't tell whether TrainJobs with these names exist: {}\n",
                                     describe(got.failure));
    } else if (!got.ok()) {
      answer.failure = std::move(got.failure);
      return answer;
    }
  }
  return answer;
}

Answer dry_run(const Kubectl& kubectl, std::span<const Object> rendered, const std::set<std::string>& skip,
               const std::string& field_manager, LiveSet& results) {
  Answer answer;
  for (const std::string& ns : namespaces_of(rendered)) {
    const Call call{.ns = ns,
                    .words = {"apply", "--server-side", "--dry-run=server", "--force-conflicts",
                              "--field-manager=" + field_manager, "-o", "json", "-f", "-"},
                    .input = manifests(rendered, ns, skip)};
    if (call.input.empty()) continue;
    if (!answer.join(ask(kubectl, call, results))) return answer;
    if (const std::string missing = unanswered(rendered, ns, skip, results); !missing.empty()) {
      answer.failure = {Cause::Other, "kubectl apply", 0, missing};
      return answer;
    }
  }
  return answer;
}

}  // namespace trainjobc::cluster
