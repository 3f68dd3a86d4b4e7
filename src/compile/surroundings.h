// SPDX-License-Identifier: Apache-2.0

// Objects of the inputs, beside TrainJobs and runtimes, that say what a job's pods meet in the cluster.
#pragma once

#include <map>
#include <string_view>
#include <utility>

#include "compile/compile.h"
#include "compile/input.h"
#include "yaml/node.h"

namespace trainjobc::compile {

struct Surroundings {
  // PersistentVolumeClaims, by namespace and name.
  std::map<std::pair<std::string_view, std::string_view>, const yaml::Node*> claims;
  std::map<std::string_view, const yaml::Node*> namespaces;
  bool is_openshift = false;
  bool allows_privileged = false;  // as the API server of most clusters does

  const yaml::Node* claim(std::string_view ns, std::string_view name) const;
  const yaml::Node* find_namespace(std::string_view name) const;
};

// Whether surroundings_of looks at objects like this.
bool is_surrounding(const yaml::Node& object);

// Whether the cluster is OpenShift is told by the options, or else by objects that only OpenShift knows; and
// whether it allows privileged containers by the options, OpenShift, or a namespace for them.
Surroundings surroundings_of(const InputSet& inputs, const Options& options);

}  // namespace trainjobc::compile
