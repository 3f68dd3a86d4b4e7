// SPDX-License-Identifier: Apache-2.0

// trainjobc webhook
#if TRAINJOBC_HAS_WEBHOOK
#include <fmt/format.h>

#include <memory>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "inputs/config.h"
#include "platform/team.h"
#include "rules/rules.h"
#include "webhook/service.h"

namespace trainjobc::cli {
namespace {

constexpr std::string_view kAccount = "/var/run/secrets/kubernetes.io/serviceaccount/";

struct WebhookFlags {
  std::string listen = ":9443";
  std::string status_listen = ":8080";
  webhook::TlsFiles tls;
  bool insecure = false;
  std::vector<std::string> deny;
  std::vector<std::string> runtimes;
  std::string config;
  std::string trainer_version;
  std::string api_server;
  std::string token_file;
  std::string ca_file;
  bool watch_policies = false;
  unsigned drain = 10;
};

// False, after an error, if the flag's value is not an address.
bool read_address(Console& console, std::string_view flag, const std::string& text,
                  webhook::Address& address) {
  const auto parsed = webhook::parse_address(text);
  if (!parsed) {
    fail(console, fmt::format("{} {} is not an address such as :9443 or 127.0.0.1:9443", flag, text));
    return false;
  }
  address = *parsed;
  return true;
}

// Reads "error,advice/no-launcher" and repeated flags; the settings may have rules of their own.
std::optional<std::vector<std::string>> read_deny(Console& console, const WebhookFlags& flags) {
  std::vector<std::string_view> known{"error", "warning"};
  for (const rules::Rule& rule : rules::all_rules()) known.push_back(rule.id);
  inputs::Config config;
  if (!flags.config.empty()) {
    auto read = inputs::load_config(console.files(), flags.config);
    if (auto* own = std::get_if<inputs::Config>(&read)) config = std::move(*own);
  }
  for (const platform::TeamRule* rule : inputs::rules_of(config)) known.push_back(rule->id);
  std::vector<std::string> deny;
  for (const std::string& flag : flags.deny) {
    for (const std::string_view word : base::split(flag, ",")) {
      if (base::contains(known, word)) {
        deny.emplace_back(word);
        continue;
      }
      const auto meant = base::closest(word, known);
      fail(console, fmt::format("--deny {} is not error, warning or a rule{}", word,
                                meant ? fmt::format(": did you mean {}?", *meant) : ""));
      return std::nullopt;
    }
  }
  return deny;
}

// nullopt, after an error, if the address of the API server is unknown.
std::optional<webhook::ApiServer> find_api_server(Console& console, const WebhookFlags& flags) {
  webhook::ApiServer server{flags.api_server, flags.token_file, flags.ca_file};
  if (server.url.empty()) {
    std::string host = console.environment("KUBERNETES_SERVICE_HOST");
    if (host.empty()) {
      fail(console,
           "the runtimes are not known: this is not a pod of a cluster; --runtimes takes them from files, "
           "--api-server from a cluster");
      return std::nullopt;
    }
    if (host.find(':') != std::string::npos) host = fmt::format("[{}]", host);
    server.url = fmt::format("https://{}:{}", host, console.environment("KUBERNETES_SERVICE_PORT"));
  }
  const bool is_pod = flags.api_server.empty();
  if (is_pod && server.token.empty()) server.token = fmt::format("{}token", kAccount);
  if (is_pod && server.authority.empty()) server.authority = fmt::format("{}ca.crt", kAccount);
  while (server.url.ends_with('/')) server.url.pop_back();
  return server;
}

int run_webhook(Console& console, const WebhookFlags& flags) {
  webhook::ServiceOptions options;
  options.config = flags.config;
  options.trainer_version = flags.trainer_version.empty() ? "auto" : flags.trainer_version;
  options.drain = std::chrono::seconds(flags.drain);
  if (!read_address(console, "--listen", flags.listen, options.listen)) return kFailed;
  if (!flags.status_listen.empty()) {
    options.status.emplace();
    if (!read_address(console, "--status-listen", flags.status_listen, *options.status)) return kFailed;
  }
  if (!flags.insecure) {
    if (flags.tls.certificate.empty() || flags.tls.key.empty())
      return fail(console, "an API server calls webhooks over TLS only: give --tls-cert and --tls-key");
    options.tls = flags.tls;
  }
  auto deny = read_deny(console, flags);
  if (!deny) return kFailed;
  options.deny = std::move(*deny);
  options.watch_policies = flags.watch_policies;
  if (flags.runtimes.empty()) {
    options.api_server = find_api_server(console, flags);
    if (!options.api_server) return kFailed;
  } else {
    auto loaded = got(console, load_sources(console, flags.runtimes, {}));
    if (!loaded) return kFailed;
    options.runtimes = std::move(loaded->sources);
  }
  const auto log = [&](std::string_view line) { console.write_stderr(std::string(line) + "\n"); };
  const std::string error = webhook::serve(console.files(), options, log);
  return error.empty() ? kOk : fail(console, error);
}

}  // namespace

std::function<int(Console&)> setup_webhook(Command& command) {
  auto flags = std::make_shared<WebhookFlags>();
  command.add("--listen", &flags->listen, "Address for admission reviews").takes("ADDRESS").shows_default();
  command
      .add("--tls-cert", &flags->tls.certificate,
           "Certificate with its chain, PEM; read again when it changes")
      .takes("FILE");
  command.add("--tls-key", &flags->tls.key, "Private key of the certificate, PEM").takes("FILE");
  command.add("--insecure", &flags->insecure, "HTTP without TLS, behind a proxy or for trials")
      .excludes("--tls-cert");
  command
      .add("--status-listen", &flags->status_listen,
           "Address for /healthz, /readyz and /metrics, without TLS; \"\" for none")
      .takes("ADDRESS")
      .shows_default();
  command
      .add("--deny", &flags->deny,
           "Refuse objects with such findings: error, warning, or a rule, also one of the settings; several "
           "with commas, can be repeated")
      .takes("WHAT");
  command
      .add("--runtimes", &flags->runtimes,
           "Take the runtimes from files, not from the cluster; can be repeated")
      .takes("PATH");
  command.add("--config", &flags->config, "Settings (.trainjobc.yaml); read again when they change")
      .takes("FILE");
  command
      .add("--watch-policies", &flags->watch_policies,
           "Watch the cluster's Namespaces, ResourceQuotas, LimitRanges and ValidatingAdmissionPolicies, too, "
           "and report what they refuse of a job's pods")
      .excludes("--runtimes");
  add_version_flag(command, "--trainer-version", flags->trainer_version, "Trainer version of the cluster",
                   true);
  command.add("--api-server", &flags->api_server, "URL of the API server, outside of a cluster").takes("URL");
  command.add("--token-file", &flags->token_file, "Bearer token for the API server").takes("FILE");
  command.add("--ca-file", &flags->ca_file, "Certificates that sign the API server's").takes("FILE");
  command.add("--drain", &flags->drain, "Longest time in seconds from SIGTERM to the end")
      .takes("SECONDS")
      .shows_default();
  command.details = {
      "A validating admission webhook (admission.k8s.io/v1, path /validate): a request that creates or "
      "changes a TrainJob or runtime is answered with the findings of `trainjobc lint`, as warnings. It "
      "refuses nothing unless --deny says so. In a pod, it lists and watches the cluster's runtimes with the "
      "service account; while they are not known, it says nothing.",
      "In the settings, the paths of `suppress` are NAMESPACE/KIND/NAME: team-a/TrainJob/*."};
  command.variables = {
      {"KUBERNETES_SERVICE_HOST", "The API server's address, which Kubernetes sets in each pod."},
      {"KUBERNETES_SERVICE_PORT", "Its port, likewise."}};
  command.exit_statuses = {{0, "ended by SIGTERM or SIGINT"}, {2, "usage or I/O error"}};
  command.examples = {
      "trainjobc webhook --tls-cert tls.crt --tls-key tls.key",
      "trainjobc webhook --tls-cert tls.crt --tls-key tls.key --deny error,advice/no-launcher",
      "trainjobc webhook --insecure --listen 127.0.0.1:9443 --runtimes platform/"};
  return [flags](Console& console) { return run_webhook(console, *flags); };
}

}  // namespace trainjobc::cli

#endif
