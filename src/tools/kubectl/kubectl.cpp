#include "tools/kubectl/kubectl.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>
#include <utility>

#include "yaml/writer.h"

namespace trainjobc::kubectl {
namespace {

using base::IoError;
using base::ProcessRequest;
using base::ProcessResult;

// 0 is for programs that did not run to their end.
Failure did_not_end(std::string call, const IoError& error) {
  const std::string missing = std::generic_category().message(ENOENT);
  const bool is_missing = error.message.ends_with(missing);
  return {is_missing ? Cause::NoProgram : Cause::NoAnswer, std::move(call), 0, error.message};
}

}  // namespace

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

Reply Kubectl::run(const Call& call) const {
  ProcessRequest request;
  request.argv = {settings_.program};
  request.argv.insert(request.argv.end(), call.words.begin(), call.words.end());
  if (!call.ns.empty()) request.argv.push_back("--namespace=" + call.ns);
  if (!settings_.context.empty()) request.argv.push_back("--context=" + settings_.context);
  if (!settings_.kubeconfig.empty()) request.argv.push_back("--kubeconfig=" + settings_.kubeconfig);
  std::string said = fmt::format("{}", fmt::join(request.argv, " "));
  if (!call.names.empty()) {
    request.argv.emplace_back("--");
    request.argv.insert(request.argv.end(), call.names.begin(), call.names.end());
  }
  request.input = call.input;
  request.timeout = settings_.timeout;
  auto answered = runner_.run(request);
  Reply reply;
  if (const auto* error = std::get_if<IoError>(&answered)) {
    reply.failure = did_not_end(std::move(said), *error);
    return reply;
  }
  auto& result = std::get<ProcessResult>(answered);
  reply.out = std::move(result.out);
  if (result.status == 0) {
    reply.notes = std::move(result.err);
  } else {
    const Cause cause = cause_of(result.err);
    reply.failure = {cause, std::move(said), result.status, std::move(result.err)};
  }
  return reply;
}

}  // namespace trainjobc::kubectl
