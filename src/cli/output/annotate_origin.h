// render --annotate-origin: where an object comes from, as kustomize's originAnnotations say it.
#pragma once

#include "compile/compile.h"
#include "yaml/node.h"

namespace trainjobc::cli {

// The object with the annotation config.kubernetes.io/origin: the file of one passed through; the file and
// the TrainJob that one was made from.
const yaml::Node* annotate_origin(const Object& object, const yaml::Maker& make);

}  // namespace trainjobc::cli
