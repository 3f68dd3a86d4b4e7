// SPDX-License-Identifier: Apache-2.0

#include "features/kubectl/kubectl.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "yaml/write/writer.h"

namespace trainjobc::kubectl {

using base::IoError;
using base::ProcessRequest;
using base::ProcessResult;

Call get_by_name(std::string ns, std::string_view api_version, std::string_view kind,
                 const std::set<std::string>& names, const std::string& format) {
  Call call;
  call.ns = std::move(ns);
  call.words = {"get", "-f", "-", "-o", format, "--ignore-not-found"};
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

std::vector<std::string> Kubectl::words_of(const Call& call) const {
  std::vector<std::string> words{settings_.program};
  words.insert(words.end(), call.words.begin(), call.words.end());
  if (!call.ns.empty()) words.push_back("--namespace=" + call.ns);
  if (!settings_.context.empty()) words.push_back("--context=" + settings_.context);
  if (!settings_.kubeconfig.empty()) words.push_back("--kubeconfig=" + settings_.kubeconfig);
  return words;
}

std::vector<std::string> Kubectl::command(const Call& call) const {
  std::vector<std::string> argv = words_of(call);
  if (!call.names.empty()) {
    argv.emplace_back("--");
    argv.insert(argv.end(), call.names.begin(), call.names.end());
  }
  return argv;
}

// 0: the program did not run to completion.
Failure Kubectl::failure_of(const Call& call, const IoError& error) const {
  const bool is_missing = error.message.ends_with(std::generic_category().message(ENOENT));
  return {is_missing ? Cause::NoProgram : Cause::NoAnswer, fmt::format("{}", fmt::join(words_of(call), " ")),
          0, error.message};
}

Failure Kubectl::failure_of(const Call& call, ProcessResult result) const {
  if (result.status == 0) return {};
  const Cause cause = cause_of(result.err);
  return {cause, fmt::format("{}", fmt::join(words_of(call), " ")), result.status, std::move(result.err)};
}

Reply Kubectl::run(const Call& call) const {
  ProcessRequest request;
  request.argv = command(call);
  request.input = call.input;
  request.timeout = settings_.timeout;
  if (call.timeout.count() > 0 && (request.timeout.count() == 0 || call.timeout < request.timeout))
    request.timeout = call.timeout;
  auto answered = runner_.run(request);
  Reply reply;
  if (const auto* error = std::get_if<IoError>(&answered)) {
    reply.failure = failure_of(call, *error);
    return reply;
  }
  auto& result = std::get<ProcessResult>(answered);
  reply.out = std::move(result.out);
  if (result.status == 0) {
    reply.notes = std::move(result.err);
  } else {
    reply.failure = failure_of(call, std::move(result));
  }
  return reply;
}

namespace {

std::string_view group_of(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

}  // namespace

std::string_view resource_of(std::string_view api_version, std::string_view kind) {
  if (kind == "JobSet") return "jobsets.jobset.x-k8s.io";
  if (kind == "TrainJob") return "trainjobs.trainer.kubeflow.org";
  if (kind == "Secret") return "secrets";
  if (kind == "ConfigMap") return "configmaps";
  if (kind != "PodGroup") return {};
  return group_of(api_version) == "scheduling.volcano.sh" ? "podgroups.scheduling.volcano.sh"
                                                          : "podgroups.scheduling.x-k8s.io";
}

std::string name_of(std::string_view api_version, std::string_view kind, std::string_view name) {
  std::string word(kind);
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const std::string_view group = group_of(api_version);
  return fmt::format("{}{}{}/{}", word, group.empty() ? "" : ".", group, name);
}

}  // namespace trainjobc::kubectl
