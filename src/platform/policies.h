// SPDX-License-Identifier: Apache-2.0

// The ValidatingAdmissionPolicies of the inputs. A build without CEL reads none (policies_left_out.cpp).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "platform/subject.h"
#include "yaml/node.h"

namespace trainjobc::platform {

// Threads may share it.
class Policies {
 public:
  Policies() = default;
  Policies(const Policies&) = delete;
  Policies& operator=(const Policies&) = delete;
  virtual ~Policies() = default;

  // What is wrong with the policies themselves.
  virtual const base::Diagnostics& problems() const = 0;
  // Appends what they say about the creation, or the change, of an object of `owner`, which findings name.
  virtual void check(const Subject& subject, const std::string& owner, base::Diagnostics& found) const = 0;
};

// A quick test, false for most texts without a policy.
bool may_have_policies(std::string_view text);
// Whether it is a policy or a binding.
bool is_policy_object(const yaml::Node& root);
// `objects`: those that may be policies, bindings, parameters and Namespaces. They must outlive the result,
// which is nullptr if there is no policy. Those of them that are `own`, of the settings, deny if nothing
// binds them.
std::unique_ptr<const Policies> read_policies(const std::vector<const yaml::Node*>& objects,
                                              const std::vector<const yaml::Node*>& own);

}  // namespace trainjobc::platform
