// SPDX-License-Identifier: Apache-2.0

// Functions that the translations of TrainJobs and of runtimes share.
#pragma once

#include <string>

#include "model/dialects.h"
#include "yaml/node.h"

namespace trainjobc::model {

struct Rename {
  std::string from;
  std::string to;
};

// A string of digits as a number; nullptr for any other value.
const yaml::Node* as_number(const yaml::Node& text, const yaml::Maker& make);

// A list of names, or of maps with a name, with one of them renamed; the list itself if it does not contain
// the name.
const yaml::Node* with_renamed(const yaml::Node& list, const Rename& rename, const yaml::Maker& make);

// The spec of a runtime. `renamed` says what was renamed: "", or a part of a sentence.
const yaml::Node* translate_runtime(const yaml::Node& spec, const Dialect& dialect, const yaml::Maker& make,
                                    Translation& translation, std::string& renamed);

// A runtime with the framework label added, if it is missing and the policy determines it.
const yaml::Node* with_framework(const yaml::Node& root, const yaml::Maker& make);

}  // namespace trainjobc::model
