// SPDX-License-Identifier: Apache-2.0

// Objects as text.
#pragma once

#include <string>
#include <string_view>

#include "compile/compile.h"

namespace trainjobc::cli {

enum class ObjectFormat { Yaml, Json, Name };

// One object of an output in this format.
std::string print_object(const Object& object, ObjectFormat format);

// The text before the first object, between two, and after the last: of YAML documents, of a v1 List as
// kubectl prints it, or of one kind.group/name per line.
struct Joints {
  std::string_view opening;
  std::string_view between;
  std::string_view closing;
};
Joints joints_of(ObjectFormat format, bool is_empty);

// The file that holds one object in an output directory, named as kustomize names it:
// jobset.x-k8s.io_v1alpha2_jobset_llama.yaml.
std::string file_name(const Object& object);

}  // namespace trainjobc::cli
