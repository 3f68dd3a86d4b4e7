// SPDX-License-Identifier: Apache-2.0

// Which Trainer versions have the fields of an input, with their types: `--trainer-version auto` uses this to
// find the version that it was written for.
#pragma once

#include <string>
#include <vector>

#include "compile/input/input.h"
#include "compile/versions/version_set.h"

namespace trainjobc::compile {

// Why some versions refuse an object.
struct Objection {
  std::string field;
  base::Location location;
  bool unknown_field = false;  // otherwise they have another type
  VersionSet accepted_by = VersionSet::none();

  // "torch.numProcPerNode exists only until 2.1"
  std::string text() const;
};

// One object in every version.
struct SurveyedObject {
  const InputObject* object = nullptr;
  std::string id;  // as diagnostics name it
  VersionSet accepted_by = VersionSet::all();
  std::vector<std::vector<Objection>> objections;  // by version; empty if it accepts the object
};

// A mistake in every version counts against none. A mistake inside a value that other versions refuse as a
// whole (spec.podTemplateOverrides[0].spce) counts only against those.
SurveyedObject survey(const InputObject& object);

}  // namespace trainjobc::compile
