// SPDX-License-Identifier: Apache-2.0

#include "webhook/service.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/text.h"
#include "compile/input.h"
#include "model/trainer_names.h"
#include "webhook/metrics.h"
#include "webhook/object_store.h"
#include "yaml/write/writer.h"

namespace trainjobc::webhook {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

// How often files are checked for changes: kubelet replaces mounted ones within a minute.
constexpr seconds kReload{5};
// Before findings are reported, the job's runtime is requested once more; without a timely answer, none are
// reported.
constexpr seconds kConfirmation{1};
// Longer than the server keeps a watch open.
constexpr seconds kWatchTimeout{330};
constexpr seconds kListTimeout{30};
// If a server ends its watches sooner, it is asked less and less often.
constexpr seconds kShortestWatch{10};
constexpr milliseconds kFirstPause{500};
constexpr milliseconds kLongestPause{30000};
// The limit for a list's page, or a line of a watch: fits a page of the largest objects that an API server
// stores.
constexpr size_t kMaxAnswer = size_t{64} << 20U;

// Enough for the reviews' connections, as many to the API server, and some for the status pages.
constexpr rlim_t kMostDescriptors = 2048;

constexpr std::array kRuntimes = std::to_array<WatchedKind>({
    {model::kTrainingRuntime, model::kTrainerApiVersion, "trainingruntimes"},
    {model::kClusterTrainingRuntime, model::kTrainerApiVersion, "clustertrainingruntimes"},
});
constexpr std::string_view kAdmission = "admissionregistration.k8s.io/v1";
// What decides about the pods of a namespace.
constexpr std::array kSurroundings = std::to_array<WatchedKind>({
    {"Namespace", "v1", "namespaces"},
    {"ResourceQuota", "v1", "resourcequotas"},
    {"LimitRange", "v1", "limitranges"},
    {"ValidatingAdmissionPolicy", kAdmission, "validatingadmissionpolicies"},
    {"ValidatingAdmissionPolicyBinding", kAdmission, "validatingadmissionpolicybindings"},
});

std::string path_of(const ObjectName& name) {
  const std::string base = fmt::format("/apis/{}", model::kTrainerApiVersion);
  return name.ns.empty() ? fmt::format("{}/clustertrainingruntimes/{}", base, name.name)
                         : fmt::format("{}/namespaces/{}/trainingruntimes/{}", base, name.ns, name.name);
}

std::string timestamp() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

// A client that disconnects before it has read its answer must not end the service for the others.
void ignore_broken_pipes() {
  std::signal(SIGPIPE, SIG_IGN);
}

// Limits the descriptors, and with them the connections that clients of the status pages can keep open.
void limit_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= kMostDescriptors) return;
  limit.rlim_cur = kMostDescriptors;
  setrlimit(RLIMIT_NOFILE, &limit);
}

class Service {
 public:
  Service(base::FileSystem& files, const ServiceOptions& options, const Log& log)
      : files_(files), options_(options), log_(log) {}

  std::string run() {
    if (std::string error = start(); !error.empty()) return error;
    loop_.run();
    write_log("stopped", {{"open_requests", loop_.open_requests()}});
    return "";
  }

 private:
  struct Watched {
    ObjectWatch watch;
    milliseconds pause = kFirstPause;
    std::string buffer;  // the incomplete line of an answer
    int status = 0;
    Clock::time_point asked;
    bool is_list = false;  // whether it was a list that was requested
  };

  std::string start() {
    policy_.deny = options_.deny;
    policy_.trainer_version = options_.trainer_version;
    if (std::string error = load_settings(); !error.empty()) return error;
    add_runtimes();
    if (options_.watch_policies) add_surroundings();
    limit_descriptors();
    ignore_broken_pipes();
    const ServerLimits limits{.body = kMaxReview};
    std::string error =
        loop_.listen(options_.listen, options_.tls, limits,
                     [this](const HttpRequest& request, const Reply& reply) { review(request, reply); });
    if (error.empty() && options_.status) {
      error = loop_.listen(
          *options_.status, std::nullopt, {.body = 4096},
          [this](const HttpRequest& request, const Reply& reply) { report_status(request, reply); });
    }
    if (!error.empty()) return error;
    loop_.on_stop_signal([this] { stop(); });
    for (const auto& watched : watched_) ask(*watched);
    seen_certificates_ = texts_of_files();
    watch_files();
    write_log("listening", {{"ports", loop_.ports()}});
    return "";
  }

  // Loads the current settings. If they are invalid, returns the error, and the last valid ones stay in use.
  std::string load_settings() {
    if (options_.config.empty()) return "";
    std::string text;
    if (const auto error = base::take(files_.read(options_.config), text)) return error->message;
    if (text == seen_settings_) return "";
    seen_settings_ = std::move(text);
    inputs::ConfigResult result = inputs::load_config(files_, options_.config);
    if (const auto* error = std::get_if<inputs::Message>(&result)) return error->text;
    auto config = std::make_shared<inputs::Config>(std::move(std::get<inputs::Config>(result)));
    config->folder.clear();  // its paths are NAMESPACE/KIND/NAME, not below a folder
    policy_.trainer_version = options_.trainer_version != "auto" ? options_.trainer_version
                                                                 : config->trainer_version.value_or("auto");
    policy_.config = std::move(config);
    return "";
  }

  void write_log(std::string_view message, Json fields) {
    fields["time"] = timestamp();
    fields["msg"] = message;
    log_(fields.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  void review(const HttpRequest& request, const Reply& reply) {
    if (request.path != "/validate") return reply({404, "text/plain", "reviews are sent to /validate\n"});
    if (!request.is_post) return reply({405, "text/plain", "send an AdmissionReview with POST\n"});
    const Clock::time_point begin = Clock::now();
    auto read = read_review(request.body);
    if (const auto* bad = std::get_if<BadReview>(&read)) {
      metrics_.count_bad_request();
      return reply({400, "text/plain", bad->message + "\n"});
    }
    auto& review = std::get<Review>(read);
    const bool knows = !review.runtime || store_.is_known(review.runtime->kind);
    const StoredObject* runtime = review.runtime && knows ? store_.find(*review.runtime) : nullptr;
    Answer found = knows ? check(review, runtime) : Answer{};
    if (found.has_findings() && runtime && options_.api_server)
      return confirm(std::move(review), *runtime, found, begin, reply);
    answer(review, found, begin, reply);
  }

  // The runtime may have changed a moment ago: findings are reported only if it is still the one that was
  // used.
  void confirm(Review review, const StoredObject& known, const Answer& answer, Clock::time_point begin,
               const Reply& reply) {
    struct Confirmation {
      Review review;
      std::string version;
      Answer answer;
      std::string body;
      int status = 0;
    };
    auto state =
        std::make_shared<Confirmation>(Confirmation{std::move(review), known.resource_version, answer});
    const ClientRequest request{options_.api_server->url + path_of(*state->review.runtime), token(),
                                options_.api_server->authority, kConfirmation, kMaxReview};
    loop_.get(request, {.begin = [state](int status) { state->status = status; },
                        .part =
                            [state](const std::string& part) {
                              if (state->body.size() < kMaxReview) state->body += part;
                            },
                        .end =
                            [this, state, begin, reply](const std::string& error) {
                              const auto now = error.empty() && state->status == 200
                                                   ? read_runtime(state->review.runtime->kind, state->body)
                                                   : std::nullopt;
                              if (!now) {
                                metrics_.count_unconfirmed();
                                return this->answer(state->review, {}, begin, reply);
                              }
                              const bool is_same = now->resource_version == state->version;
                              this->answer(state->review,
                                           is_same ? state->answer : check(state->review, &*now), begin,
                                           reply);
                            }});
  }

  Answer check(const Review& review, const StoredObject* runtime) const {
    return review.runtime ? check_job(review, runtime, policy_) : check_runtime(review, policy_);
  }

  void answer(const Review& review, const Answer& answer, Clock::time_point begin, const Reply& reply) {
    const auto time = Clock::now() - begin;
    metrics_.count_review(review, answer, time);
    if (answer.has_findings()) {
      write_log("findings", {{"uid", review.uid},
                             {"kind", review.kind},
                             {"namespace", review.ns},
                             {"name", review.name},
                             {"operation", review.operation},
                             {"allowed", answer.allowed},
                             {"rules", answer.rules}});
    }
    reply({200, "application/json", write_answer(review.uid, answer)});
  }

  void report_status(const HttpRequest& request, const Reply& reply) {
    if (request.path == "/healthz") return reply({200, "text/plain", "ok\n"});
    if (request.path == "/readyz") {
      was_known_ = is_ready() || was_known_;
      return is_ready() ? reply({200, "text/plain", "ok\n"})
                        : reply({503, "text/plain",
                                 is_stopping_ ? "stopping\n" : "the runtimes are not known yet\n"});
    }
    if (request.path == "/metrics") return reply({200, "text/plain; version=0.0.4", metrics_.text(gauges())});
    reply({404, "text/plain", "there are /healthz, /readyz and /metrics\n"});
  }

  bool is_ready() const {
    const auto knows = [&](const ObjectStore& store) {
      return [&](const WatchedKind& kind) { return !options_.api_server || store.is_known(kind.kind); };
    };
    const bool all_known =
        std::ranges::all_of(kRuntimes, knows(store_)) &&
        (!options_.watch_policies || std::ranges::all_of(kSurroundings, knows(surroundings_)));
    return !is_stopping_ && (was_known_ || all_known);
  }

  Gauges gauges() const {
    Gauges result{.runtimes = store_.size(), .watch_age = -1};
    for (const auto& watched : watched_) {
      if (!watched->watch.heard) return {store_.size(), -1};
      const double age = std::chrono::duration<double>(Clock::now() - *watched->watch.heard).count();
      result.watch_age = std::max(result.watch_age, age);
    }
    return result;
  }

  // Adds the runtimes from files, or, with an API server, watches its runtimes.
  void add_runtimes() {
    for (const WatchedKind& kind : kRuntimes) {
      if (options_.api_server) {
        watched_.push_back(std::make_unique<Watched>(Watched{ObjectWatch(store_, kind)}));
      } else {
        store_.trust(kind.kind);
      }
    }
    compile::InputSet set;
    base::Diagnostics ignored;  // the command has reported them
    compile::read_inputs(options_.runtimes, set, ignored);
    for (const compile::InputObject& object : set.objects) {
      if (!object.is_runtime() || !object.root) continue;
      std::string text;
      yaml::write_yaml(*object.root, yaml::KeyOrder::AsIs, text);
      const bool has_namespace = object.kind == compile::InputKind::TrainingRuntime;
      store_.put({std::string(object.id.kind), has_namespace ? std::string(object.id.ns) : "",
                  std::string(object.id.name)},
                 {std::move(text), ""});
    }
  }

  void add_surroundings() {
    for (const WatchedKind& kind : kSurroundings)
      watched_.push_back(std::make_unique<Watched>(Watched{ObjectWatch(surroundings_, kind)}));
    policy_.surroundings = &surroundings_;
  }

  void ask(Watched& watched) {
    if (is_stopping_) return;
    watched.buffer.clear();
    watched.status = 0;
    watched.asked = Clock::now();
    watched.is_list = !watched.watch.is_watching();
    const ClientRequest request{options_.api_server->url + watched.watch.next_request(), token(),
                                options_.api_server->authority,
                                watched.is_list ? kListTimeout : kWatchTimeout, kMaxAnswer};
    loop_.get(request, {.begin =
                            [this, &watched](int status) {
                              watched.status = status;
                              watched.watch.heard = Clock::now();
                              if (status != 200 || !watched.watch.is_watching()) return;
                              watched.watch.start_watch();
                              was_known_ = was_known_ || is_ready();
                            },
                        .part = [this, &watched](const std::string& part) { take_part(watched, part); },
                        .end = [this, &watched](const std::string& error) { end_answer(watched, error); }});
  }

  void take_part(Watched& watched, std::string_view part) {
    watched.watch.heard = Clock::now();
    if (watched.buffer.size() + part.size() > kMaxAnswer) watched.status = 0;
    if (watched.status != 200) return;
    const size_t old = watched.buffer.size();
    watched.buffer += part;
    if (!watched.watch.is_watching()) return;
    size_t begin = 0;
    for (size_t end = watched.buffer.find('\n', old); end != std::string::npos;
         end = watched.buffer.find('\n', begin)) {
      const std::string_view line = std::string_view(watched.buffer).substr(begin, end - begin);
      begin = end + 1;
      if (!line.empty() && !watched.watch.take_event(line)) {
        watched.status = 0;  // the rest of this answer doesn't count
        break;
      }
    }
    watched.buffer.erase(0, begin);
  }

  void end_answer(Watched& watched, std::string error) {
    const int status = error.empty() ? watched.status : 0;
    if (watched.is_list) {
      const std::string problem = watched.watch.take_list(status, watched.buffer);
      if (error.empty()) error = problem;
    } else {
      const bool is_short = Clock::now() - watched.asked < kShortestWatch;
      if (!is_short) watched.pause = kFirstPause;
      if (watched.watch.is_watching()) watched.watch.end_watch(status);
      if (error.empty() && status != 200) error = "the watch was refused, or told of an error";
      if (error.empty() && is_short) error = "the watch ended at once";
    }
    watched.buffer.clear();
    if (!error.empty()) {
      write_log("the API server can't be watched",
                {{"error", error}, {"status", watched.status}, {"resource", watched.watch.resource()}});
      watched.pause = std::min(watched.pause * 2, kLongestPause);
    }
    if (is_stopping_) return;
    loop_.after(error.empty() ? milliseconds{0} : watched.pause, [this, &watched] { ask(watched); });
  }

  std::string token() const {
    if (!options_.api_server || options_.api_server->token.empty()) return "";
    return std::string(base::trimmed(files_.text_of(options_.api_server->token)));
  }

  void watch_files() {
    loop_.after(kReload, [this] {
      const std::string before = seen_settings_;
      const std::string error = load_settings();
      if (!error.empty()) write_log("the settings are not used", {{"error", error}});
      if (before != seen_settings_ || !error.empty()) metrics_.count_reload(error.empty());
      std::string certificates = texts_of_files();
      if (certificates != seen_certificates_) {
        const std::string problem = loop_.reload_certificates();
        if (problem.empty()) seen_certificates_ = std::move(certificates);
        metrics_.count_reload(problem.empty());
        write_log(problem.empty() ? "certificate read again" : "the certificate is not used",
                  {{"error", problem}});
      }
      watch_files();
    });
  }

  std::string texts_of_files() const {
    if (!options_.tls) return "";
    return files_.text_of(options_.tls->certificate) + files_.text_of(options_.tls->key);
  }

  // Serves for half of the time, while the cluster removes this pod from its Service; then answers the open
  // requests.
  void stop() {
    if (std::exchange(is_stopping_, true)) return loop_.stop();
    write_log("stopping", {{"open_requests", loop_.open_requests()}});
    loop_.close_connections();
    const Clock::time_point deadline = Clock::now() + options_.drain;
    loop_.after(std::chrono::duration_cast<milliseconds>(options_.drain) / 2, [this, deadline] {
      loop_.close_listeners();
      stop_when_idle(deadline, false);
    });
  }

  // Waits for one more look after the last request, since its answer may still be on its way.
  void stop_when_idle(Clock::time_point deadline, bool was_idle) {
    const bool is_idle = loop_.open_requests() == 0;
    if ((is_idle && was_idle) || Clock::now() >= deadline) return loop_.stop();
    loop_.after(milliseconds{20}, [this, deadline, is_idle] { stop_when_idle(deadline, is_idle); });
  }

  base::FileSystem& files_;
  const ServiceOptions& options_;
  const Log& log_;
  Loop loop_;
  ObjectStore store_;  // runtimes
  ObjectStore surroundings_;
  std::vector<std::unique_ptr<Watched>> watched_;
  Policy policy_;
  Metrics metrics_;
  std::string seen_settings_;
  std::string seen_certificates_;
  bool was_known_ = false;
  bool is_stopping_ = false;
};

}  // namespace

std::string serve(base::FileSystem& files, const ServiceOptions& options, const Log& log) {
  return Service(files, options, log).run();
}

}  // namespace trainjobc::webhook
