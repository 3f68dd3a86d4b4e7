// SPDX-License-Identifier: Apache-2.0

// render --annotate-origin: where an object comes from, like kustomize's originAnnotations.
#pragma once

#include "compile/compile.h"
#include "yaml/node.h"

namespace trainjobc::cli {

// The object with the annotation config.kubernetes.io/origin: the file of an object passed through; the file
// and the TrainJob of a rendered one.
const yaml::Node* annotate_origin(const Object& object, const yaml::Maker& make);

}  // namespace trainjobc::cli
