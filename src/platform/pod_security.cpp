// SPDX-License-Identifier: Apache-2.0

#include "platform/pod_security.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/text/text.h"
#include "k8s/violations.h"

namespace trainjobc::platform {
namespace {

using yaml::Node;
using Words = std::span<const std::string_view>;

constexpr int kNewest = 35;  // the last version with a change
constexpr int kForever = 1000;

// Where a rule looks.
enum class Where : uint8_t {
  Pod,         // spec
  Containers,  // each container and init container
  Both,        // spec, and each container
};

// What a rule asks of the values at its path.
enum class Ask : uint8_t {
  OneOf,      // each value that is there is one of the words
  NoneOf,     // none is
  Absent,     // there is none
  Required,   // each container has one of the words
  Inherited,  // each container has one of the words, or the pod has
  Holds,      // each container has a list with the word
};

// Pods that a rule leaves alone.
enum class Exempt : uint8_t { None, Windows, UserNamespace };

struct Rule {
  std::string_view check;
  SecurityLevel level;
  int since;
  int until;  // the first version without it
  Where where;
  std::string_view path;  // "*" is each item of a list
  Ask ask;
  Words words;
  Exempt exempt = Exempt::None;
};

constexpr auto kFalse = std::to_array<std::string_view>({"false"});
constexpr auto kTrue = std::to_array<std::string_view>({"true"});
constexpr auto kZero = std::to_array<std::string_view>({"0"});
constexpr auto kEmpty = std::to_array<std::string_view>({""});
constexpr auto kAll = std::to_array<std::string_view>({"ALL"});
constexpr auto kDefault = std::to_array<std::string_view>({"Default"});
constexpr auto kBind = std::to_array<std::string_view>({"NET_BIND_SERVICE"});
constexpr auto kProfiles = std::to_array<std::string_view>({"RuntimeDefault", "Localhost"});
constexpr auto kCapabilities = std::to_array<std::string_view>(
    {"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE",
     "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"});
constexpr auto kTypes31 = std::to_array<std::string_view>(
    {"", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"});
constexpr auto kSysctls32 = std::to_array<std::string_view>(
    {"kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies",
     "net.ipv4.ping_group_range", "net.ipv4.ip_unprivileged_port_start", "net.ipv4.ip_local_reserved_ports",
     "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl",
     "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"});
// Later versions allow more.
constexpr Words kTypes0 = Words(kTypes31).first(4);
constexpr Words kSysctls0 = Words(kSysctls32).first(5);
constexpr Words kSysctls27 = Words(kSysctls32).first(6);
constexpr Words kSysctls29 = Words(kSysctls32).first(10);

constexpr SecurityLevel kBaseline = SecurityLevel::Baseline;
constexpr SecurityLevel kRestricted = SecurityLevel::Restricted;

// A restricted check of the same name replaces the one of the baseline.
constexpr auto kRules = std::to_array<Rule>({
    {"appArmorProfile", kBaseline, 0, kForever, Where::Both, "securityContext.appArmorProfile.type",
     Ask::OneOf, kProfiles},
    {"capabilities", kBaseline, 0, kForever, Where::Containers, "securityContext.capabilities.add.*",
     Ask::OneOf, kCapabilities},
    {"hostNamespaces", kBaseline, 0, kForever, Where::Pod, "hostNetwork", Ask::OneOf, kFalse},
    {"hostNamespaces", kBaseline, 0, kForever, Where::Pod, "hostPID", Ask::OneOf, kFalse},
    {"hostNamespaces", kBaseline, 0, kForever, Where::Pod, "hostIPC", Ask::OneOf, kFalse},
    {"hostPathVolumes", kBaseline, 0, kForever, Where::Pod, "volumes.*.hostPath", Ask::Absent, {}},
    {"hostPorts", kBaseline, 0, kForever, Where::Containers, "ports.*.hostPort", Ask::OneOf, kZero},
    {"hostProbesAndHostLifecycle", kBaseline, 34, kForever, Where::Containers, "livenessProbe.httpGet.host",
     Ask::OneOf, kEmpty},
    {"hostProbesAndHostLifecycle", kBaseline, 34, kForever, Where::Containers, "livenessProbe.tcpSocket.host",
     Ask::OneOf, kEmpty},
    {"hostProbesAndHostLifecycle", kBaseline, 34, kForever, Where::Containers, "readinessProbe.httpGet.host",
     Ask::OneOf, kEmpty},
    {"hostProbesAndHostLifecycle", kBaseline, 34, kForever, Where::Containers,
     "readinessProbe.tcpSocket.host", Ask::OneOf, kEmpty},
    {"hostProbesAndHostLifecycle", kBaseline, 34, kForever, Where::Containers, "startupProbe.httpGet.host",
     Ask::OneOf, kEmpty},
    {"hostProbesAndHostLifecycle", kBaseline, 34, kForever, Where::Containers, "startupProbe.tcpSocket.host",
     Ask::OneOf, kEmpty},
    {"hostProbesAndHostLifecycle", kBaseline, 34, kForever, Where::Containers,
     "lifecycle.postStart.httpGet.host", Ask::OneOf, kEmpty},
    {"hostProbesAndHostLifecycle", kBaseline, 34, kForever, Where::Containers,
     "lifecycle.postStart.tcpSocket.host", Ask::OneOf, kEmpty},
    {"hostProbesAndHostLifecycle", kBaseline, 34, kForever, Where::Containers,
     "lifecycle.preStop.httpGet.host", Ask::OneOf, kEmpty},
    {"hostProbesAndHostLifecycle", kBaseline, 34, kForever, Where::Containers,
     "lifecycle.preStop.tcpSocket.host", Ask::OneOf, kEmpty},
    {"privileged", kBaseline, 0, kForever, Where::Containers, "securityContext.privileged", Ask::OneOf,
     kFalse},
    {"procMount", kBaseline, 0, 35, Where::Containers, "securityContext.procMount", Ask::OneOf, kDefault},
    {"procMount", kBaseline, 35, kForever, Where::Containers, "securityContext.procMount", Ask::OneOf,
     kDefault, Exempt::UserNamespace},
    {"seLinuxOptions", kBaseline, 0, 31, Where::Both, "securityContext.seLinuxOptions.type", Ask::OneOf,
     kTypes0},
    {"seLinuxOptions", kBaseline, 31, kForever, Where::Both, "securityContext.seLinuxOptions.type",
     Ask::OneOf, kTypes31},
    {"seLinuxOptions", kBaseline, 0, kForever, Where::Both, "securityContext.seLinuxOptions.user", Ask::OneOf,
     kEmpty},
    {"seLinuxOptions", kBaseline, 0, kForever, Where::Both, "securityContext.seLinuxOptions.role", Ask::OneOf,
     kEmpty},
    {"seccompProfile", kBaseline, 19, kForever, Where::Both, "securityContext.seccompProfile.type",
     Ask::OneOf, kProfiles},
    {"sysctls", kBaseline, 0, 27, Where::Pod, "securityContext.sysctls.*.name", Ask::OneOf, kSysctls0},
    {"sysctls", kBaseline, 27, 29, Where::Pod, "securityContext.sysctls.*.name", Ask::OneOf, kSysctls27},
    {"sysctls", kBaseline, 29, 32, Where::Pod, "securityContext.sysctls.*.name", Ask::OneOf, kSysctls29},
    {"sysctls", kBaseline, 32, kForever, Where::Pod, "securityContext.sysctls.*.name", Ask::OneOf,
     kSysctls32},
    {"windowsHostProcess", kBaseline, 0, kForever, Where::Both, "securityContext.windowsOptions.hostProcess",
     Ask::OneOf, kFalse},

    {"allowPrivilegeEscalation", kRestricted, 8, 25, Where::Containers,
     "securityContext.allowPrivilegeEscalation", Ask::Required, kFalse},
    {"allowPrivilegeEscalation", kRestricted, 25, kForever, Where::Containers,
     "securityContext.allowPrivilegeEscalation", Ask::Required, kFalse, Exempt::Windows},
    {"capabilities", kRestricted, 22, 25, Where::Containers, "securityContext.capabilities.drop", Ask::Holds,
     kAll},
    {"capabilities", kRestricted, 25, kForever, Where::Containers, "securityContext.capabilities.drop",
     Ask::Holds, kAll, Exempt::Windows},
    {"capabilities", kRestricted, 22, 25, Where::Containers, "securityContext.capabilities.add.*", Ask::OneOf,
     kBind},
    {"capabilities", kRestricted, 25, kForever, Where::Containers, "securityContext.capabilities.add.*",
     Ask::OneOf, kBind, Exempt::Windows},
    {"procMount", kRestricted, 35, kForever, Where::Containers, "securityContext.procMount", Ask::OneOf,
     kDefault},
    {"runAsNonRoot", kRestricted, 0, 35, Where::Both, "securityContext.runAsNonRoot", Ask::OneOf, kTrue},
    {"runAsNonRoot", kRestricted, 0, 35, Where::Containers, "securityContext.runAsNonRoot", Ask::Inherited,
     kTrue},
    {"runAsNonRoot", kRestricted, 35, kForever, Where::Both, "securityContext.runAsNonRoot", Ask::OneOf,
     kTrue, Exempt::UserNamespace},
    {"runAsNonRoot", kRestricted, 35, kForever, Where::Containers, "securityContext.runAsNonRoot",
     Ask::Inherited, kTrue, Exempt::UserNamespace},
    {"runAsUser", kRestricted, 23, 35, Where::Both, "securityContext.runAsUser", Ask::NoneOf, kZero},
    {"runAsUser", kRestricted, 35, kForever, Where::Both, "securityContext.runAsUser", Ask::NoneOf, kZero,
     Exempt::UserNamespace},
    {"seccompProfile", kRestricted, 19, 25, Where::Both, "securityContext.seccompProfile.type", Ask::OneOf,
     kProfiles},
    {"seccompProfile", kRestricted, 19, 25, Where::Containers, "securityContext.seccompProfile.type",
     Ask::Inherited, kProfiles},
    {"seccompProfile", kRestricted, 25, kForever, Where::Both, "securityContext.seccompProfile.type",
     Ask::OneOf, kProfiles, Exempt::Windows},
    {"seccompProfile", kRestricted, 25, kForever, Where::Containers, "securityContext.seccompProfile.type",
     Ask::Inherited, kProfiles, Exempt::Windows},
});

// The sources of volumes that `restricted` allows, since 1.0; there, this replaces hostPathVolumes.
constexpr auto kVolumes =
    std::to_array<std::string_view>({"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image",
                                     "persistentVolumeClaim", "projected", "secret"});

// Annotations of which only some values are allowed.
struct Annotation {
  std::string_view check;
  int until;
  std::string_view key;
  bool is_prefix;
  Words values;  // "localhost/*" is allowed, too
};
constexpr auto kAppArmor = std::to_array<std::string_view>({"", "runtime/default"});
constexpr auto kSeccomp = std::to_array<std::string_view>({"runtime/default", "docker/default"});
constexpr auto kAnnotations = std::to_array<Annotation>({
    {"appArmorProfile", kForever, "container.apparmor.security.beta.kubernetes.io/", true, kAppArmor},
    {"seccompProfile", 19, "seccomp.security.alpha.kubernetes.io/pod", false, kSeccomp},
    {"seccompProfile", 19, "container.seccomp.security.alpha.kubernetes.io/", true, kSeccomp},
});

bool applies(const Rule& rule, SecurityLevel level, int version) {
  return rule.level <= level && rule.since <= version && version < rule.until;
}

// Whether a restricted check of that version takes the place of the baseline's.
bool is_replaced(const Rule& rule, SecurityLevel level, int version) {
  if (rule.level != kBaseline || level != kRestricted) return false;
  if (rule.check == "hostPathVolumes") return true;
  return std::ranges::any_of(kRules, [&](const Rule& other) {
    return other.level == kRestricted && other.check == rule.check && applies(other, level, version);
  });
}

// The values at a path that are there.
void collect(const Node* at, std::string_view path, std::vector<const Node*>& found) {
  if (!at || at->is_null()) return;
  if (path.empty()) {
    found.push_back(at);
    return;
  }
  const size_t dot = std::min(path.find('.'), path.size());
  const std::string_view step = path.substr(0, dot);
  const std::string_view rest = path.substr(std::min(dot + 1, path.size()));
  if (step != "*") return collect(at->get(step), rest, found);
  for (const Node* item : at->items()) collect(item, rest, found);
}

std::vector<const Node*> values_at(const Node& at, std::string_view path) {
  std::vector<const Node*> found;
  collect(&at, path, found);
  return found;
}

// "ports[].hostPort"
std::string shown_path(std::string_view path) {
  std::string shown;
  for (const std::string_view part : base::non_empty_parts(path, ".")) {
    if (part == "*") {
      shown += "[]";
    } else {
      shown += (shown.empty() ? "" : ".") + std::string(part);
    }
  }
  return shown;
}

class SecurityCheck {
 public:
  SecurityCheck(const Node& pod, SecurityLevel level, int version)
      : pod_(pod), spec_(*pod.get("spec")), level_(level), version_(version) {
    for (const std::string_view list : {"initContainers", "containers"}) {
      for (const Node* container : yaml::items_at(spec_, list)) containers_.push_back(container);
    }
  }

  std::vector<SecurityViolation> run() {
    if (level_ == SecurityLevel::Privileged) return {};
    for (const Annotation& annotation : kAnnotations) check(annotation);
    for (const Rule& rule : kRules) {
      if (applies(rule, level_, version_) && !is_replaced(rule, level_, version_) && !is_exempt(rule.exempt))
        check(rule);
    }
    if (level_ == kRestricted) check_volumes();
    return std::move(found_);
  }

 private:
  bool is_exempt(Exempt exempt) const {
    if (exempt == Exempt::Windows) return yaml::text_at(spec_, {"os", "name"}) == "windows";
    const Node* host_users = spec_.get("hostUsers");
    return exempt == Exempt::UserNamespace && host_users && host_users->as_bool() == false;
  }

  void add(std::string_view check, std::string message, const Node* culprit, std::string hint) {
    found_.push_back({check, std::move(message), culprit, std::move(hint)});
  }

  static std::string name_of(const Node& container) {
    return fmt::format("container \"{}\"", yaml::text_at(container, "name"));
  }

  void check(const Rule& rule) {
    if (rule.ask >= Ask::Required) {
      for (const Node* container : containers_) check_required(rule, *container);
      return;
    }
    if (rule.where != Where::Containers) check_values(rule, spec_, "the pod");
    if (rule.where == Where::Pod) return;
    for (const Node* container : containers_) check_values(rule, *container, name_of(*container));
  }

  void check_values(const Rule& rule, const Node& owner, const std::string& name) {
    for (const Node* value : values_at(owner, rule.path)) {
      const bool is_listed = base::contains(rule.words, value->text());
      if (rule.ask == Ask::Absent ? false : is_listed == (rule.ask == Ask::OneOf)) continue;
      const std::string shown = value->is_scalar() ? fmt::format(": {}", k8s::shown(*value)) : std::string();
      add(rule.check, fmt::format("{} must not set {}{}", name, shown_path(rule.path), shown), value,
          hint_for(rule));
    }
  }

  static std::string hint_for(const Rule& rule) {
    if (rule.ask != Ask::OneOf || rule.words.front().empty()) return "remove it";
    if (rule.words.size() > 5) return fmt::format("only {} are allowed", fmt::join(rule.words, ", "));
    return fmt::format("only {} {} allowed", fmt::join(rule.words, ", "),
                       rule.words.size() == 1 ? "is" : "are");
  }

  void check_required(const Rule& rule, const Node& container) {
    const std::vector<const Node*> own = values_at(container, rule.path);
    if (rule.ask == Ask::Holds) {
      const bool is_there = !own.empty() && std::ranges::any_of(own.front()->items(), [&](const Node* item) {
        return base::contains(rule.words, item->text());
      });
      if (!is_there) lacks(rule, container, fmt::format("[{}]", rule.words.front()));
      return;
    }
    const auto fits = [&](const Node* value) { return base::contains(rule.words, value->text()); };
    if (!own.empty()) {
      // What an inherited field must not say is a rule of its own.
      if (rule.ask == Ask::Required && !fits(own.front()))
        lacks(rule, container, std::string(rule.words.front()));
      return;
    }
    const std::vector<const Node*> of_pod = values_at(spec_, rule.path);
    if (rule.ask == Ask::Inherited && !of_pod.empty() && fits(of_pod.front())) return;
    lacks(rule, container, std::string(rule.words.front()));
  }

  void lacks(const Rule& rule, const Node& container, const std::string& value) {
    const std::string_view pod = rule.ask == Ask::Inherited ? "the pod or " : "";
    const Node* name = container.get("name");
    const std::vector<const Node*> own = values_at(container, rule.path);
    add(rule.check,
        fmt::format("{}{} must set {}: {}", pod, name_of(container), shown_path(rule.path),
                    rule.words.size() > 1 ? fmt::format("{}", fmt::join(rule.words, " or ")) : value),
        own.empty() ? name ? name : &container : own.front(), hint_to_set(rule.path, value));
  }

  // "add securityContext: {capabilities: {drop: [ALL]}}"
  static std::string hint_to_set(std::string_view path, const std::string& value) {
    std::string hint = "set ";
    std::string tail;
    const auto parts = base::non_empty_parts(path, ".");
    for (size_t i = 0; i < parts.size(); ++i) {
      const bool is_last = i + 1 == parts.size();
      hint += fmt::format("{}: {}", parts[i], is_last ? value : "{");
      if (!is_last) tail += '}';
    }
    return hint + tail;
  }

  void check_volumes() {
    for (const Node* volume : yaml::items_at(spec_, "volumes")) {
      const auto is_source = [&](const yaml::Entry& entry) {
        return !entry.value->is_null() && entry.key != "name";
      };
      const auto is_allowed = [&](const yaml::Entry& entry) {
        return is_source(entry) && base::contains(kVolumes, entry.key);
      };
      if (std::ranges::any_of(volume->entries(), is_allowed)) continue;
      const auto source = std::ranges::find_if(volume->entries(), is_source);
      if (source == volume->entries().end()) continue;  // the API server makes it an emptyDir
      add("restrictedVolumes",
          fmt::format("volume \"{}\" must not be of the type {}", yaml::text_at(*volume, "name"),
                      source->key),
          source->value, "use an emptyDir or a persistentVolumeClaim");
    }
  }

  void check(const Annotation& annotation) {
    const Node* annotations = pod_.at({"metadata", "annotations"});
    if (!annotations || version_ >= annotation.until) return;
    for (const yaml::Entry& entry : annotations->entries()) {
      if (!names(annotation, entry.key)) continue;
      const std::string_view value = entry.value->text();
      if (base::contains(annotation.values, value) || value.starts_with("localhost/")) continue;
      add(annotation.check,
          fmt::format("the annotation {} must not be {}", entry.key, k8s::quoted(*entry.value)), entry.value,
          "only runtime/default and localhost/… are allowed");
    }
  }

  // An annotation for a container that the pod does not have only counts for AppArmor.
  bool names(const Annotation& annotation, std::string_view key) const {
    if (!annotation.is_prefix) return key == annotation.key;
    if (!key.starts_with(annotation.key)) return false;
    const std::string_view container = key.substr(annotation.key.size());
    return annotation.until == kForever || std::ranges::any_of(containers_, [&](const Node* one) {
             return yaml::text_at(*one, "name") == container;
           });
  }

  const Node& pod_;
  const Node& spec_;
  SecurityLevel level_;
  int version_;
  std::vector<const Node*> containers_;
  std::vector<SecurityViolation> found_;
};

}  // namespace

bool SecurityExemptions::have(const Node& pod, std::string_view ns) const {
  return base::contains(namespaces, ns) ||
         base::contains(usernames, "system:serviceaccount:kube-system:job-controller") ||
         base::contains(runtime_classes, yaml::text_at(pod, {"spec", "runtimeClassName"}));
}

std::optional<SecurityLevel> read_level(std::string_view text) {
  constexpr auto kNames = std::to_array<std::string_view>({"privileged", "baseline", "restricted"});
  const auto found = std::ranges::find(kNames, text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<SecurityLevel>(found - kNames.begin());
}

std::optional<int> read_level_version(std::string_view text) {
  constexpr std::string_view kPrefix = "v1.";
  if (text == "latest") return kNewest;
  if (!text.starts_with(kPrefix)) return std::nullopt;
  const std::string_view digits = text.substr(kPrefix.size());
  const bool is_number = !digits.empty() && digits.size() < 6 &&
                         std::ranges::all_of(digits, base::is_digit) &&
                         (digits.size() == 1 || digits.front() != '0');
  if (!is_number) return std::nullopt;
  return static_cast<int>(std::min<int64_t>(*base::read_integer(digits), kNewest));
}

std::vector<SecurityViolation> security_violations(const Node& pod, SecurityLevel level, int version) {
  const Node* spec = pod.get("spec");
  if (!spec) return {};
  return SecurityCheck(pod, level, version).run();
}

}  // namespace trainjobc::platform
