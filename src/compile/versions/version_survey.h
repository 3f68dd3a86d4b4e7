// Which Trainer versions know the fields of an input, and their types: how `--trainer-version auto` finds out
// what it was written for.
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
  bool unknown_field = false;  // otherwise they want another type
  VersionSet accepted_by = VersionSet::none();

  // "torch.numProcPerNode exists only until 2.1"
  std::string text() const;
};

// One object under every version.
struct SurveyedObject {
  const InputObject* object = nullptr;
  std::string id;  // as diagnostics name it
  VersionSet accepted_by = VersionSet::all();
  std::vector<std::vector<Objection>> objections;  // by version; empty if it accepts the object
};

// A mistake under every version counts against none. A mistake inside a value that the others refuse as a
// whole (spec.podTemplateOverrides[0].spce) counts against the others.
SurveyedObject survey(const InputObject& object);

}  // namespace trainjobc::compile
