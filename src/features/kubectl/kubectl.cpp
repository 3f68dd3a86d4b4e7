// SPDX-License-Identifier: Apache-2.0

#include "features/kubectl/kubectl.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.h"
#include "k8s/object_meta.h"
#include "yaml/write/writer.h"

namespace trainjobc::kubectl {

using base::IoError;
using base::ProcessRequest;
using base::ProcessResult;

Call get_by_name(std::string ns, std::string_view api_version, std::string_view kind,
                 const std::set<std::string>& names, const std::string& format) {
  Call call{std::move(ns), {"get", "-f", "-", "-o", format, "--ignore-not-found"}};
  for (const std::string& name : names) {
    call.input += "---\n{\"apiVersion\": ";
    yaml::write_json_string(api_version, call.input);
    call.input += ", \"kind\": ";
    yaml::write_json_string(kind, call.input);
    call.input += ", \"metadata\": {\"name\": ";
    yaml::write_json_string(name, call.input);
    call.input += "}}\n";
  }
  return call;
}

// The command line, without names.
std::vector<std::string> Kubectl::words_of(const Call& call) const {
  std::vector<std::string> words{settings_.program};
  words.insert(words.end(), call.words.begin(), call.words.end());
  if (!call.ns.empty()) words.push_back("--namespace=" + call.ns);
  if (!settings_.context.empty()) words.push_back("--context=" + settings_.context);
  if (!settings_.kubeconfig.empty()) words.push_back("--kubeconfig=" + settings_.kubeconfig);
  return words;
}

// Names come after --, so that none of them is taken for a flag.
ProcessRequest Kubectl::request_of(const Call& call) const {
  ProcessRequest request{.argv = words_of(call), .input = call.input, .timeout = settings_.timeout};
  if (call.timeout.count() > 0 && (request.timeout.count() == 0 || call.timeout < request.timeout))
    request.timeout = call.timeout;
  if (!call.names.empty()) {
    request.argv.emplace_back("--");
    request.argv.insert(request.argv.end(), call.names.begin(), call.names.end());
  }
  return request;
}

namespace {

// `words` is the command line, without names; `unfinished` is what a program printed that did not end.
Reply reply_of(base::IoResult<ProcessResult> answer, std::string words, std::string unfinished = "") {
  if (const auto* error = std::get_if<IoError>(&answer)) {
    const Cause cause = base::is_missing(answer)       ? Cause::NoProgram
                        : base::is_interrupted(answer) ? Cause::Interrupted
                                                       : Cause::NoAnswer;
    // Status 0: the program did not run to completion.
    return {{cause, words, 0, error->message}, std::move(unfinished), ""};
  }
  auto& result = std::get<ProcessResult>(answer);
  if (result.status == 0) return {{}, std::move(result.out), std::move(result.err)};
  const Cause cause = cause_of(result.err);
  return {{cause, words, result.status, std::move(result.err)}, std::move(result.out), ""};
}

}  // namespace

Reply Kubectl::run(const Call& call, const base::TakeOutput& take_output) const {
  ProcessRequest request = request_of(call);
  request.take_output = take_output;
  std::string unfinished;
  request.unfinished = &unfinished;
  auto answer = runner_.run(request);
  return reply_of(std::move(answer), fmt::format("{}", fmt::join(words_of(call), " ")),
                  std::move(unfinished));
}

std::vector<Reply> Kubectl::run_all(std::span<const Call> calls) const {
  std::vector<ProcessRequest> requests;
  for (const Call& call : calls) requests.push_back(request_of(call));
  auto answers = runner_.run_all(requests);
  std::vector<Reply> replies;
  for (size_t i = 0; i < calls.size(); ++i)
    replies.push_back(reply_of(std::move(answers[i]), fmt::format("{}", fmt::join(words_of(calls[i]), " "))));
  return replies;
}

std::string_view resource_of(std::string_view api_version, std::string_view kind) {
  if (kind == "JobSet") return "jobsets.jobset.x-k8s.io";
  if (kind == "TrainJob") return "trainjobs.trainer.kubeflow.org";
  if (kind == "OptimizationJob") return "optimizationjobs.trainer.kubeflow.org";
  if (kind == "Secret") return "secrets";
  if (kind == "ConfigMap") return "configmaps";
  if (kind != "PodGroup") return {};
  return k8s::group_of(api_version) == "scheduling.volcano.sh" ? "podgroups.scheduling.volcano.sh"
                                                               : "podgroups.scheduling.x-k8s.io";
}

std::string name_of(std::string_view api_version, std::string_view kind, std::string_view name) {
  const std::string_view group = k8s::group_of(api_version);
  return fmt::format("{}{}{}/{}", base::lower_case(kind), group.empty() ? "" : ".", group, name);
}

namespace {

struct Mark {
  std::string_view text;
  Cause cause;
};

// The first match decides. A webhook's errors come first: a failure between the API server and the webhook
// reads like one between kubectl and the API server.
constexpr auto kMarks = std::to_array<Mark>({
    {"failed calling webhook", Cause::Webhook},
    {"does not match existing PVC", Cause::Claim},
    {"must be retain when PVC exists", Cause::Claim},
    {"denied the request", Cause::Refused},
    {"exceeded quota", Cause::Refused},
    {"is being terminated", Cause::Refused},
    {"Apply failed with", Cause::Conflict},
    {"(Forbidden)", Cause::Forbidden},
    {"(Unauthorized)", Cause::Unauthorized},
    {"must be logged in to the server", Cause::Unauthorized},
    {"asked for the client to provide credentials", Cause::Unauthorized},
    {"t have a resource type", Cause::NoKind},
    {"no matches for kind", Cause::NoKind},
    {"namespaces \"", Cause::NoNamespace},
    {"Error in configuration", Cause::Settings},
    {"error loading config file", Cause::Settings},
    {"no configuration has been provided", Cause::Settings},
    {"context was not found", Cause::Settings},
    {"no context exists", Cause::Settings},
    {"error: stat ", Cause::Settings},
    {"error: context ", Cause::Settings},
    {"error: cluster ", Cause::Settings},
    {"onnection to the server", Cause::Unreachable},
    {"nable to connect to the server", Cause::Unreachable},
    {"connection refused", Cause::Unreachable},
    {"no such host", Cause::Unreachable},
    {"i/o timeout", Cause::Unreachable},
    {"context deadline exceeded", Cause::Unreachable},
    {"(Invalid)", Cause::Refused},
    {" is invalid: ", Cause::Refused},
    {"(BadRequest)", Cause::Refused},
    {"(AlreadyExists)", Cause::Exists},
});

std::string_view sentence(Cause cause) {
  switch (cause) {
    case Cause::NoProgram: return "kubectl was not found: install it, or add its folder to PATH";
    case Cause::NoAnswer: return "kubectl did not answer";
    case Cause::Interrupted: return "interrupted while kubectl was running";
    case Cause::Settings:
      return "kubectl can't use its configuration: check the context and the "
             "kubeconfig (kubectl config get-contexts)";
    case Cause::Unreachable:
      return "the cluster can't be reached: check the context, the kubeconfig and the network";
    case Cause::Unauthorized: return "the cluster doesn't accept these credentials: log in again";
    case Cause::Forbidden:
      return "you are not allowed to do this in this cluster: ask for a role that "
             "allows it, or choose another context";
    case Cause::NoKind:
      return "the cluster does not know this kind of object: install the controller it belongs to, JobSet or "
             "the scheduler, with its CustomResourceDefinitions";
    case Cause::NoNamespace: return "the namespace doesn't exist: create it first (kubectl create namespace)";
    case Cause::Conflict:
      return "another manager owns fields that would change: leave them out, or take them over with "
             "--force-conflicts";
    case Cause::Exists: return "an object of that name already exists";
    case Cause::Webhook: return "a webhook of the cluster did not answer: is its controller running?";
    case Cause::Claim:
      return "a claim of another JobSet of that name still exists: delete it (kubectl delete pvc, which may "
             "delete the data on its volume), or rename the claim template";
    case Cause::Refused: return "the API server refused it";
    default: return "kubectl failed";
  }
}

// klog's lines ("E0912 10:00:00.1 …") say the same as the last line, at length.
bool is_log_line(std::string_view line) {
  return line.size() > 5 && std::string_view("EWIF").find(line[0]) != std::string_view::npos &&
         std::ranges::all_of(line.substr(1, 4), base::is_digit);
}

// The lines, without duplicates: kubectl repeats an error of the cluster for each object.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  std::set<std::string_view> seen;
  for (const std::string_view line : base::Lines(text)) {
    if (!line.empty() && seen.insert(line).second) lines.push_back(line);
  }
  return lines;
}

}  // namespace

Cause cause_of(std::string_view said) {
  const auto occurs = [&](const Mark& mark) { return said.find(mark.text) != std::string_view::npos; };
  const auto found = std::ranges::find_if(kMarks, occurs);
  return found != kMarks.end() ? found->cause : Cause::Other;
}

std::string describe(const Failure& failure) {
  std::string text = fmt::format("{}\n  {}: ", sentence(failure.cause), failure.call);
  std::vector<std::string_view> lines = lines_of(failure.said);
  if (!std::ranges::all_of(lines, is_log_line)) std::erase_if(lines, is_log_line);
  if (failure.status == 0) return text + (lines.empty() ? "" : std::string(lines.front()));
  text += fmt::format("exit status {}", failure.status);
  for (const std::string_view line : lines) text += fmt::format("\n  {}", line);
  return text;
}

}  // namespace trainjobc::kubectl
