// SPDX-License-Identifier: Apache-2.0

// What an API server refuses in one object: the findings, the ids of their rules, and where these come from.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "k8s/field.h"
#include "k8s/kubernetes.h"
#include "k8s/name_syntax.h"
#include "yaml/node.h"

namespace trainjobc::k8s {

// Values as they appear in messages.

// The text in quotes, on one line: control characters as \n or \x01, a long text cut with "…", known kinds of
// keys hidden.
std::string quoted(std::string_view text);
// A scalar's text in quotes, "***" if it is a secret.
std::string quoted(const yaml::Node& node);
// "a", "b", "c"
std::string quoted_list(std::span<const std::string_view> words);
// A value in a few words: a scalar's text, *** for a secret, "a map", "a list".
std::string shown(const yaml::Node& node);
// The kind of a value, with its article: "a string", "an integer", "null".
std::string_view kind_words(const yaml::Node& node);
// A file mode in octal: 0644. Values outside 0 to 0777 stay decimal.
std::string mode_text(int64_t mode);
// A scalar as the file spells it (007, yes), or its text if it is not in a file. Meant for fixes: it shows
// secrets.
std::string source_text(const yaml::Node& node);

// What to write instead, as a hint and as a fix.

// Suggests `did you mean "x"?` in place of the scalar.
void suggest(base::Diagnostic& diagnostic, const yaml::Node* scalar, std::string_view meant);
// Suggests it in place of an entry's key.
void suggest_key(base::Diagnostic& diagnostic, const yaml::Entry& entry, std::string_view meant);
// Suggests `write x` in place of the scalar.
void suggest_writing(base::Diagnostic& diagnostic, const yaml::Node* scalar, std::string_view better);

// Adds a note if the node is in a file.
void add_note(base::Diagnostic& diagnostic, std::string message, const yaml::Node* node);

struct RuleSource {
  std::string_view rules;  // what the rules are about
  std::string_view project;
  std::string_view release;
};

inline constexpr std::array kRuleSources = std::to_array<RuleSource>({
    {"names, labels, metadata, quantities", "Kubernetes", "1.36"},
    {"Jobs, pods, volumes", "Kubernetes", "1.36"},
    {"JobSets and their Jobs", "JobSet", "0.12"},
});

// Each has rule, field, message, hint and location; the caller adds object and stage.
using Violations = std::vector<base::Diagnostic>;

// The rules of stage `job`. Their names are stable; one covers everything that can be wrong with its subject.
namespace rule {
inline constexpr std::string_view kAffinity = "job/affinity";
inline constexpr std::string_view kAnnotation = "job/annotation";
inline constexpr std::string_view kContainer = "job/container";  // the list of containers, and their settings
inline constexpr std::string_view kDns = "job/dns";
inline constexpr std::string_view kEnv = "job/env";
inline constexpr std::string_view kGate = "job/gate";
inline constexpr std::string_view kGpuLimit =
    "job/gpu-limit";                                   // resources that need a limit equal to the request
inline constexpr std::string_view kHost = "job/host";  // the host's network, processes, users and names
inline constexpr std::string_view kImage = "job/image";
inline constexpr std::string_view kLabel = "job/label";
inline constexpr std::string_view kLifecycle = "job/lifecycle";
inline constexpr std::string_view kName = "job/name";  // names of the Job's parts and of what it refers to
inline constexpr std::string_view kPodFailurePolicy = "job/pod-failure-policy";
inline constexpr std::string_view kPodSpec = "job/pod-spec";  // settings of a pod that no other rule covers
inline constexpr std::string_view kPort = "job/port";
inline constexpr std::string_view kProbe = "job/probe";
inline constexpr std::string_view kResourceClaim = "job/resource-claim";
inline constexpr std::string_view kResources = "job/resources";
inline constexpr std::string_view kRestartPolicy = "job/restart-policy";
inline constexpr std::string_view kSecurityContext = "job/security-context";
inline constexpr std::string_view kSelector = "job/selector";
inline constexpr std::string_view kSpec = "job/spec";  // counts, limits and modes of the Job itself
inline constexpr std::string_view kSuccessPolicy = "job/success-policy";
inline constexpr std::string_view kToleration = "job/toleration";
inline constexpr std::string_view kTopologySpread = "job/topology-spread";
inline constexpr std::string_view kVolume = "job/volume";
inline constexpr std::string_view kVolumeMount = "job/volume-mount";
}  // namespace rule

class Report {
 public:
  explicit Report(Violations& violations, const KubernetesBehaviour& kubernetes = default_kubernetes())
      : violations_(&violations), kubernetes_(&kubernetes) {}

  // The Kubernetes version whose rules are checked.
  const KubernetesBehaviour& kubernetes() const { return *kubernetes_; }

  // `field` is the path that the API server reports; its value is the place to edit.
  base::Diagnostic& add(std::string_view rule, const Field& field, std::string message,
                        std::string hint = "") {
    return add_at(field.location(), rule, field, std::move(message), std::move(hint));
  }
  base::Diagnostic& add_at(base::Location place, std::string_view rule, const Field& field,
                           std::string message, std::string hint = "");

  // How many violations there are so far.
  size_t size() const { return violations_->size(); }

 private:
  Violations* violations_;
  const KubernetesBehaviour* kubernetes_;
};

// The value of a field in quotes, "***" if it is a secret.
std::string quoted(const Field& field);

// Checks that fields of many kinds share. Each adds at most one violation and returns whether the field
// passed.

// The text must be present and not empty.
bool check_given(const Field& field, std::string_view rule, Report& report);

// The text (an absent one counts as empty) must have the form; `what` begins the message ("container name").
bool check_form(const Field& field, Form form, std::string_view rule, std::string_view what, Report& report);
// Like check_form, for `text` in place of the field's own, which may be absent. `written` is its scalar, if
// known.
bool check_text(const Field& field, std::string_view text, Form form, std::string_view rule,
                std::string_view what, Report& report, const yaml::Node* written = nullptr);
// Combines check_given and check_form.
bool check_name(const Field& field, Form form, std::string_view rule, std::string_view what, Report& report);
// Calls check_form unless the text is empty.
bool check_optional_name(const Field& field, Form form, std::string_view rule, std::string_view what,
                         Report& report);

// The text must be one of `allowed`, and neither absent nor empty.
bool check_one_of(const Field& field, std::span<const std::string_view> allowed, std::string_view rule,
                  Report& report);
// The text must be one of `allowed` if it is given.
bool check_optional_one_of(const Field& field, std::span<const std::string_view> allowed,
                           std::string_view rule, Report& report);
// The text must be one of `allowed` unless it is empty; the API server has a default for an empty one.
bool check_defaulted_one_of(const Field& field, std::span<const std::string_view> allowed,
                            std::string_view rule, Report& report);

// Bounds are inclusive; an absent number passes.
bool check_range(const Field& field, int64_t least, int64_t most, std::string_view rule, Report& report);
bool check_not_negative(const Field& field, std::string_view rule, Report& report);
// An absent number counts as 0.
bool check_positive(const Field& field, std::string_view rule, Report& report);
// The list must have at most `most` items; `what` names them.
bool check_count(const Field& list, size_t most, std::string_view what, std::string_view rule,
                 Report& report);
// Checks a user or group ID.
bool check_id(const Field& field, Report& report);
// Checks the permission bits of a file.
bool check_mode(const Field& field, Report& report);
// Checks a port: a number, or the name of one.
bool check_port_reference(const Field& field, std::string_view rule, Report& report);

// Whether a part of the path is "..".
bool has_backstep(std::string_view path);
// No part of the path may be "..".
bool check_no_backsteps(const Field& path, std::string_view rule, Report& report);
// The path must be relative, and no part may be "..".
bool check_relative_path(const Field& path, std::string_view rule, Report& report);
// The path must be relative, without a part "..", and must not begin with two dots.
bool check_file_path(const Field& path, std::string_view rule, Report& report);

// The text must be an IPv4 or IPv6 address in an unambiguous spelling.
bool check_ip(const Field& field, std::string_view rule, Report& report);

}  // namespace trainjobc::k8s
