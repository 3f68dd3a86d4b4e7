// SPDX-License-Identifier: Apache-2.0

// Which Trainer version each input is compiled for.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/diagnostic.h"
#include "compile/input.h"
#include "model/behaviours.h"
#include "schema/schema.h"

namespace trainjobc::compile {

struct Target {
  const schema::VersionSchemas* schemas = nullptr;
  const model::Behaviours* behaviours = nullptr;

  bool operator==(const Target&) const = default;
};

// `trainer_version` is one of model::all_behaviours(); anything else, "auto" too, is the newest.
Target choose_target(std::string_view trainer_version);

// A set of Trainer versions.

// Versions by their place in model::released_behaviours(): 0 is the oldest.
class VersionSet {
 public:
  static VersionSet none() { return VersionSet(0); }
  static VersionSet all() { return VersionSet((uint32_t{1} << model::released_behaviours().size()) - 1); }

  bool empty() const { return bits_ == 0; }
  bool has(size_t version) const { return (bits_ >> version & 1) != 0; }
  void add(size_t version) { bits_ |= uint32_t{1} << version; }
  // Must not be empty.
  size_t newest() const { return static_cast<size_t>(std::bit_width(bits_)) - 1; }
  size_t size() const { return static_cast<size_t>(std::popcount(bits_)); }

  VersionSet operator&(VersionSet other) const { return VersionSet(bits_ & other.bits_); }
  bool operator==(const VersionSet&) const = default;

  // "until 2.1", "since 2.2", "in 2.0", "in 2.0 and 2.3". The set must be neither empty nor complete.
  std::string range() const;

 private:
  explicit VersionSet(uint32_t bits) : bits_(bits) {}
  uint32_t bits_;
};

// Which Trainer versions know the fields of an input, with these types: `--trainer-version auto` uses this to
// find the version for which it was written.

// A field because of which some versions refuse an object.
struct Objection {
  std::string field;
  base::Location location;
  bool unknown_field = false;  // the versions lack the field; otherwise its type differs
  VersionSet accepted_by = VersionSet::none();

  // "torch.numProcPerNode exists only until 2.1"
  std::string text() const;
};

// How every version sees one object.
struct SurveyedObject {
  const InputObject* object = nullptr;
  std::string id;  // its name in diagnostics
  VersionSet accepted_by = VersionSet::all();
  std::vector<std::vector<Objection>> objections;  // by version; empty for a version that accepts the object
};

// A mistake that every version refuses counts against none. A mistake inside a value that other versions
// refuse as a whole (spec.podTemplateOverrides[0].spce) counts only against the others.
SurveyedObject survey(const InputObject& object);

struct VersionChoice {
  Target common;                             // the target of all inputs that are not in `own`
  std::map<const InputObject*, Target> own;  // used if no version accepts all inputs
  base::Diagnostics findings;                // why the target is not the newest, and what is incompatible
  std::string reason;  // "runtimes/torch.yaml:11:7 torch.numProcPerNode exists only until 2.1"

  Target target_of(const InputObject& object) const;
  // All targets in use, oldest version first.
  std::vector<Target> targets() const;
  bool is_newest() const;
  // The versions in use: "2.3"; several are joined by ", ".
  std::string versions() const;
};

// Chooses `trainer_version` for all inputs; the newest for "auto".
VersionChoice versions_for(std::string_view trainer_version);

// The runtimes of the inputs, then of --runtimes, by the names with which TrainJobs refer to them.
class RuntimeIndex {
 public:
  RuntimeIndex(const InputSet& inputs, const InputSet& runtimes);

  // Returns nullptr if the TrainJob refers to none of them. Threads may call this concurrently.
  const InputObject* runtime_of(const InputObject& train_job) const;

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;  // kind, namespace, name

  void add(const InputSet& set);

  std::map<Key, const InputObject*> runtimes_;
};

// A TrainJob of the inputs, for the choice of its version.
struct VersionedJob {
  const InputObject* object = nullptr;
  const InputObject* runtime = nullptr;          // nullptr if it isn't in the RuntimeIndex
  std::shared_ptr<const SurveyedObject> survey;  // nullptr: assumed to fit every version
};

// Implements --trainer-version auto: the newest version that knows the fields of all TrainJobs, their
// runtimes and the other runtimes among the inputs. If there is none, each TrainJob gets the newest that
// accepts it and its runtime. A TrainJob that no version accepts together with its runtime gets the newest of
// all, and an error that says why. Runtimes that are not in `surveyed`, if given, are assumed to fit every
// version.
VersionChoice versions_by_content(const InputSet& inputs, const std::vector<VersionedJob>& jobs,
                                  const std::set<const InputObject*>* surveyed);

}  // namespace trainjobc::compile
