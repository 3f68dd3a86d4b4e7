// SPDX-License-Identifier: Apache-2.0

// Pod templates and environments of the replicas.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "features/migrate/v1/draft.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {

// The replica's pod template as Trainer takes it: the main container is called "node" (with `renamed`), the
// operator's port is gone, the others have names, and the restart policy is the Job's.
PodTemplate pods_of(const Conversion& conversion, const Replica& replica, bool renamed = true);

// One environment variable: a value, or a field of the pod.
const yaml::Node* variable(const yaml::Maker& make, std::string_view name, std::string_view value);
const yaml::Node* variable_of_field(const yaml::Maker& make, std::string_view name, std::string_view path);

// The template with the variables added to the main container, after its own. Those of the same names, and
// `without`, are removed: the operator's replace the user's.
PodTemplate with_env(const yaml::Maker& make, PodTemplate pods, const NodeList& env,
                     std::span<const std::string_view> without = {});

// The main container.
const yaml::Node& main_container(const PodTemplate& pods);
PodTemplate with_main(const yaml::Maker& make, PodTemplate pods, const yaml::Node* container);

// <job>-<replicatedJob>-<index>-<pod>.<job>
std::string address_of(const Job& job, std::string_view replicated_job, int64_t index, int64_t pod);

// The restart policy of a replica, as the Job template's spec and its pod template say it.
void apply_restart_policy(Conversion& conversion, const Replica& replica, DraftRole& role);

// The first replica, if all replicas of the job are alike but for their number; nullptr, with a finding,
// if not. `hint` says what to do instead.
const Replica* only_template(Conversion& conversion, const std::string& hint);

// Whether all replicas are alike but for their number.
bool are_alike(const Conversion& conversion);

// Whether the text is in a command, an argument or a variable's value of the container.
bool mentions(const yaml::Node& container, std::string_view text);

// The job's name is part of addresses that are written out. False, with a finding, if it has none.
bool has_name(Conversion& conversion);

}  // namespace trainjobc::migrate::v1
