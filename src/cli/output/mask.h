// SPDX-License-Identifier: Apache-2.0

// Objects without their secrets.
#pragma once

#include <string>
#include <vector>

#include "compile/compile.h"
#include "schema/redact.h"
#include "yaml/node.h"

namespace trainjobc::cli {

// The object with "***" for every value of a Secret, and for everything else that looks like a secret.
const yaml::Node* mask_secrets(const yaml::Node& object, const yaml::Maker& make);

// The secrets of objects, to be hidden in the output of other programs.
schema::SecretTexts secrets_of(const std::vector<Object>& objects);

// A diff of a YAML file without the secrets of the file.
std::string without_secrets(const std::string& diff, const std::string& file_text);

}  // namespace trainjobc::cli
