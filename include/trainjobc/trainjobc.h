// SPDX-License-Identifier: Apache-2.0

// The C++ API of trainjobc. TrainJobs and their runtimes go in; out come the objects that the Kubeflow
// Trainer controller would create, and findings: what the cluster would refuse, and probable mistakes.
// No cluster is needed.
//
//   find_package(trainjobc REQUIRED)
//   target_link_libraries(program PRIVATE trainjobc::trainjobc)
//
// A call reads no files, no environment variables and no network, keeps no state, and is thread-safe. A
// result owns everything that it holds. The only exception is std::bad_alloc. All texts are UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace trainjobc {

// YAML documents or JSON, as in a file. `name` is its name in findings: a path, or anything else.
struct Manifests {
  std::string name;
  std::string text;
};

// Where the SSH key of an MPI job comes from.
enum class SshKey {
  Random,    // a different one each time, as in the cluster
  Omit,      // the objects include no Secret
  FromFile,  // Request::ssh_key_material is the text of an unencrypted private key
  FromSeed   // Request::ssh_key_material is a secret seed: the same job gets the same key
};

struct Request {
  std::vector<Manifests> inputs;    // TrainJobs, runtimes; documents of other kinds are skipped
  std::vector<Manifests> runtimes;  // searched for runtimes after the inputs; their other objects are ignored
  // The Trainer that the cluster runs: one of trainer_versions(), also written "v2.3" or "2.3.1"; or "auto",
  // the newest that accepts the inputs.
  std::string trainer_version = "auto";
  bool use_catalogue = true;      // search the runtimes that Trainer ships last
  bool with_defaults = false;     // the JobSet as the cluster stores it, not as the controller sends it
  bool owner_references = false;  // the objects refer to their TrainJob, if it has a uid
  std::string default_namespace;  // of TrainJobs that name none; "": they are rendered without one
  std::string name_suffix;        // for metadata.generateName; "": a hash of the TrainJob
  SshKey ssh_key = SshKey::Random;
  std::string ssh_key_material;
  unsigned threads = 1;  // 0: as many as there are processors. The result doesn't depend on it
};

enum class Level { Error, Warning, Info };

// A range of an input. Lines and columns count from 1, columns in bytes; the end is one past the last byte.
struct Place {
  std::string file;   // Manifests::name; "": no place
  uint32_t line = 0;  // 0: the input as a whole
  uint32_t column = 0;
  uint32_t end_line = 0;
  uint32_t end_column = 0;
};

struct Note {
  std::string message;
  Place place;
};

// A part of the change that fixes a finding: `text` replaces what is at `place`.
struct Fix {
  Place place;
  std::string text;
};

struct Finding {
  std::string rule;   // "input/unknown-field"; `trainjobc lint --explain RULE` explains it
  std::string stage;  // who would say it: "yaml", "input", "jobset", "job", or "advice" for trainjobc alone
  Level level = Level::Error;
  std::string object;   // "TrainJob/namespace/name"; "" if the document has no readable identity
  std::string field;    // "spec.trainer.env[0].name"
  std::string message;  // what is wrong; one sentence without a final stop
  std::string hint;     // what to write instead; "" if unknown
  Place place;
  std::vector<Note> notes;
  std::vector<Fix> fixes;      // all together do what the hint says
  bool fixes_are_safe = true;  // false: they are what was most likely meant, which a person decides
  std::string text;  // the finding as the command line prints it, with its source line; without secrets
};

struct RenderedObject {
  std::string api_version;
  std::string kind;
  std::string object_namespace;  // "" if the TrainJob has none
  std::string name;
  std::string train_job;  // the TrainJob that it is made from: "TrainJob/namespace/name"
  std::string yaml;       // one document without a separator. A Secret holds its private key
};

struct Rendering {
  // Sorted by namespace and name of the TrainJob; for each, its ConfigMaps, Secrets, PodGroup and JobSet.
  // Those of a TrainJob that would be refused are left out.
  std::vector<RenderedObject> objects;
  std::vector<Finding> findings;  // by file, line and column
  std::string trainer_version;    // that the objects are for; "2.1, 2.3" if no single one fits
};

struct LintReport {
  std::vector<Finding>
      findings;  // by file, line and column; without those that a comment in the input suppresses
  std::string trainer_version;
};

// Why a request can't be carried out, whatever the inputs are: "there is no Trainer version "9.9": …".
struct InvalidRequest {
  std::string message;
};

// What is wrong with the inputs is in the findings, not an InvalidRequest.
std::variant<Rendering, InvalidRequest> render_manifests(const Request& request);
// The same findings, and those about runtimes without a TrainJob and about suppressions. with_defaults and
// the SSH key have no effect.
std::variant<LintReport, InvalidRequest> lint_manifests(const Request& request);

// "2.0", …, ascending.
std::vector<std::string> trainer_versions();

// "error", "warning", "info".
std::string_view to_string(Level level);

}  // namespace trainjobc
