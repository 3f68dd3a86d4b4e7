// What the translations of TrainJobs and of runtimes share.
#pragma once

#include <string>

#include "model/dialects.h"
#include "yaml/node.h"

namespace trainjobc::model {

struct Rename {
  std::string from;
  std::string to;
};

// A text of digits as the number that it says; nullptr for others.
const yaml::Node* as_number(const yaml::Node& text, const yaml::Maker& make);

// Names, or maps with a name, of which one has another name now; the list itself where none has.
const yaml::Node* with_renamed(const yaml::Node& list, const Rename& rename, const yaml::Maker& make);

// The spec of a runtime. `renamed` says what has other names now: "", or a part of a sentence.
const yaml::Node* translate_runtime(const yaml::Node& spec, const Dialect& dialect, const yaml::Maker& make,
                                    Translation& translation, std::string& renamed);

// A runtime with the framework label, where that follows from its policy and is missing.
const yaml::Node* with_framework(const yaml::Node& root, const yaml::Maker& make);

}  // namespace trainjobc::model
