// SPDX-License-Identifier: Apache-2.0

// The admission webhook as a service: reviews, the watch of runtimes, settings, health and metrics in one
// loop.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file_system.h"
#include "compile/compile.h"
#include "webhook/http.h"
#include "webhook/review.h"

namespace trainjobc::webhook {

// How to reach the API server.
struct ApiServer {
  std::string url;        // such as https://10.0.0.1:443
  std::string token;      // file with the service account's token, read for each request
  std::string authority;  // file with the CA's certificates
};

struct ServiceOptions {
  Address listen;
  std::optional<TlsFiles> tls;
  std::optional<Address> status;        // plain HTTP: /healthz, /readyz, /metrics
  std::optional<ApiServer> api_server;  // nullopt: `runtimes` are all there are
  std::vector<Source> runtimes;
  std::string config;  // the file with the settings; "" for none
  std::vector<std::string> deny;
  bool watch_policies = false;           // watches what namespaces refuse, too; needs an API server
  std::string trainer_version = "auto";  // used unless the settings have one
  std::chrono::seconds drain{10};        // the maximum time between SIGTERM and the end
};

// Receives a line of the log: JSON, without secret values.
using Log = std::function<void(std::string_view line)>;

// Runs until a stop signal. Returns the error, or "".
std::string serve(base::FileSystem& files, const ServiceOptions& options, const Log& log);

}  // namespace trainjobc::webhook
