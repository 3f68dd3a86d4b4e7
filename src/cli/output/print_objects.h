// Objects as text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compile/compile.h"

namespace trainjobc::cli {

enum class ObjectFormat { Yaml, Json, Name };

// YAML documents, a v1 List as kubectl prints it, or one kind.group/name per line.
std::string print_objects(std::span<const Object> objects, ObjectFormat format);

// The file that holds one object in an output directory, named as kustomize names it:
// jobset.x-k8s.io_v1alpha2_jobset_llama.yaml.
std::string file_name(const Object& object);

}  // namespace trainjobc::cli
