// SPDX-License-Identifier: Apache-2.0

#include "platform/policies.h"

#include <map>
#include <utility>

#include "base/text/text.h"
#include "platform/admission_policy.h"
#include "secret/secret.h"

namespace trainjobc::platform {
namespace {

using yaml::Node;

constexpr std::string_view kPolicyKind = "ValidatingAdmissionPolicy";  // and the beginning of the binding's

class AdmissionPolicies : public Policies {
 public:
  AdmissionPolicies(const std::vector<const Node*>& objects, const std::vector<const Node*>& own)
      : objects_(objects) {
    for (const Node* object : objects_) {
      if (is_policy_object(*object)) {
        if (yaml::text_at(*object, "kind") == kPolicyKind)
          policies_.push_back(std::make_unique<const AdmissionPolicy>(
              *object, objects_, base::contains(own, object), problems_));
      } else if (yaml::text_at(*object, "kind") == "Namespace" &&
                 yaml::text_at(*object, "apiVersion") == "v1") {
        namespaces_.try_emplace(yaml::text_at(*object, {"metadata", "name"}), object);
      }
    }
    secret::hide_secrets(problems_, objects_);
  }

  bool is_empty() const { return policies_.empty(); }
  const base::Diagnostics& problems() const override { return problems_; }

  void check(const Subject& subject, const std::string& owner, base::Diagnostics& found) const override {
    const auto ns = namespaces_.find(subject.ns);
    base::Diagnostics own;
    for (const auto& policy : policies_)
      policy->check(subject, ns == namespaces_.end() ? nullptr : ns->second, owner, own);
    // A parameter may be a Secret; who asks hides the secrets of the subject.
    secret::hide_secrets(own, objects_);
    found.append(std::move(own));
  }

 private:
  std::vector<const Node*> objects_;
  std::vector<std::unique_ptr<const AdmissionPolicy>> policies_;
  std::map<std::string_view, const Node*> namespaces_;
  base::Diagnostics problems_;
};

}  // namespace

bool may_have_policies(std::string_view text) {
  return text.find(kPolicyKind) != std::string_view::npos;
}

bool is_policy_object(const Node& root) {
  const std::string_view kind = yaml::text_at(root, "kind");
  return yaml::text_at(root, "apiVersion").starts_with("admissionregistration.k8s.io/") &&
         (kind == kPolicyKind || kind == "ValidatingAdmissionPolicyBinding");
}

std::unique_ptr<const Policies> read_policies(const std::vector<const Node*>& objects,
                                              const std::vector<const Node*>& own) {
  auto policies = std::make_unique<const AdmissionPolicies>(objects, own);
  if (policies->is_empty()) return nullptr;
  return policies;
}

}  // namespace trainjobc::platform
