// SPDX-License-Identifier: Apache-2.0

// Labels, annotations, and the selectors that match labels.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "k8s/field.h"
#include "k8s/violations.h"

namespace trainjobc::k8s {

// Keys and values; `what` is "label" or "node label". The path of every violation is the map's own.
void check_labels(const Field& labels, std::string_view what, Report& report);

void check_annotations(const Field& annotations, Report& report);

// metav1.LabelSelector. An absent one passes.
void check_label_selector(const Field& selector, Report& report);

using LabelSet = std::map<std::string, std::string, std::less<>>;

// Whether a selector that passes its check selects a thing with these labels; an empty one selects
// everything, an absent one nothing.
bool selects(const yaml::Node* selector, const LabelSet& labels);

}  // namespace trainjobc::k8s
