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

// YAML documents or JSON, as in a file. `name` is their name in findings: a path, or anything else.
struct Manifests {
  std::string name;
  std::string text;
  // false if a program wrote the text and nobody sees its lines. Findings and origins then only name the
  // field.
  bool has_lines = true;
};

// Where the SSH key of an MPI job comes from.
enum class SshKey {
  Random,    // a new one each time, as in the cluster
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
  std::string default_namespace;  // for TrainJobs that name none; "" renders them without one
  std::string name_suffix;        // for metadata.generateName; "" for a hash of the TrainJob
  SshKey ssh_key = SshKey::Random;
  std::string ssh_key_material;
  // For lint_manifests, the text of a .trainjobc.yaml: its policies, podSecurity, platform, allowPrivileged,
  // rules and suppressions apply, but no paths and no other settings.
  std::string settings = {};
  unsigned threads = 1;  // 0 for as many as there are processors. The result doesn't depend on it
};

enum class Level { Error, Warning, Info };

// A range of an input. Lines and columns count from 1, columns in bytes; the end is one past the last byte.
struct Place {
  std::string file;   // Manifests::name; "" for no place, or one in an input without lines
  uint32_t line = 0;  // 0 for the input as a whole
  uint32_t column = 0;
  uint32_t end_line = 0;
  uint32_t end_column = 0;
  std::string field = {};  // in inputs without lines, the field: "spec.trainer.numNodes"; "" if unknown
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
  bool is_refusal = false;  // the cluster would not store the object; render leaves it out
  std::string object;       // "TrainJob/namespace/name"; "" if the document has no readable identity
  std::string field;        // "spec.trainer.env[0].name"
  std::string message;      // what is wrong; one sentence without a final stop
  std::string hint;         // what to write instead; "" if unknown
  Place place;
  std::vector<Note> notes;
  std::vector<Fix> fixes;      // applied together, they do what the hint says
  bool fixes_are_safe = true;  // false if they are a guess that a person should confirm
  std::string text;  // the finding as the command line prints it, with its source line; without secrets
};

struct RenderedObject {
  std::string api_version;
  std::string kind;
  std::string object_namespace;  // "" if the TrainJob has none
  std::string name;
  std::string train_job;  // the TrainJob that it was made from: "TrainJob/namespace/name"
  std::string yaml;       // one document without a separator. A Secret holds its private key
  std::string json;       // the same document as JSON, on one line
};

struct Rendering {
  // Sorted by namespace and name of the TrainJob; for each, its ConfigMaps, Secrets, PodGroup and JobSet.
  // Those of a TrainJob that would be refused are left out.
  std::vector<RenderedObject> objects;
  std::vector<Finding> findings;  // by file, line and column
  std::string trainer_version;    // the version that the objects are for; "2.1, 2.3" if no single one fits
};

struct LintReport {
  std::vector<Finding>
      findings;  // by file, line and column; without those that a comment in the input suppresses
  std::string trainer_version;
};

// Why a request can't be carried out, whatever its inputs are: "there is no Trainer version "9.9": …".
struct InvalidRequest {
  std::string message;
};

// Problems of the inputs are findings, not an InvalidRequest.
std::variant<Rendering, InvalidRequest> render_manifests(const Request& request);
// Returns the same findings, and those about runtimes without a TrainJob and about suppressions.
// with_defaults and the SSH key have no effect.
std::variant<LintReport, InvalidRequest> lint_manifests(const Request& request);

// A value that the field had before its final one: in the runtime, or after an override of the job.
struct EarlierValue {
  std::string step;   // "runtime", "override 1"
  std::string value;  // as JSON
  Place place;
};

// A field without subfields, and where its value comes from.
struct FieldOrigin {
  std::string path;   // spec.replicatedJobs[0].name
  std::string value;  // as JSON
  std::string rule;   // what computed it: "torch/PET_NNODES"; "" if it is written in an input
  Place place;  // the input that it was read or computed from, with its field; no place if there is none
  std::vector<EarlierValue> earlier;  // the values that it replaces, the oldest first
  uint32_t line = 0;                  // the line in ExplainedObject::yaml, from 1
};

struct ExplainedObject {
  std::string id;                   // "JobSet/team-a/llama"
  std::string yaml;                 // without secrets
  std::vector<FieldOrigin> fields;  // in the order of the lines
};

struct Explanation {
  std::vector<ExplainedObject> objects;  // objects with a field that was asked for, in the order of Rendering
  std::vector<Finding> findings;
  std::string trainer_version;
};

// Where each field of the rendered objects comes from. `field` selects some, as `trainjobc explain --field`
// does: a part of the path, or a JSONPath; "" for all.
std::variant<Explanation, InvalidRequest> explain_manifests(const Request& request,
                                                            std::string_view field = "");

// A report in the formats of the command of the same name. Secrets are left out.
struct Report {
  std::string text;
  std::string markdown;
  std::string json;
  std::vector<Finding> findings;
  std::string trainer_version;
};

struct PlanQuestion {
  bool ranks = false;            // list what each process sees
  std::vector<Manifests> quota;  // objects of Kueue: with them, also whether each job could be admitted
};

// What the jobs occupy: pods, processes, resources.
std::variant<Report, InvalidRequest> plan_manifests(const Request& request,
                                                    const PlanQuestion& question = {});

struct Difference {
  Report report;         // its findings are those of both sides, if they are refused
  bool differs = false;  // in what is rendered or refused
};

// What a change of the inputs does to every job.
std::variant<Difference, InvalidRequest> diff_manifests(const Request& before, const Request& after);
// What another Trainer version does to every job. Ignores Request::trainer_version.
std::variant<Difference, InvalidRequest> diff_versions(const Request& request, std::string_view old_version,
                                                       std::string_view new_version);
// Compares the rendered objects with those of a cluster, which `kubectl get -o yaml` printed.
std::variant<Difference, InvalidRequest> diff_live(const Request& request,
                                                   const std::vector<Manifests>& live);

struct MigrationQuestion {
  std::string to;              // Trainer version; "" for the newest
  std::string manager;         // for runtimePatches made from overrides; "" is "trainer.kubeflow.org/user"
  std::string runtime_name;    // for new runtimes of v1 jobs; "" derives it from their content
  bool per_namespace = false;  // new runtimes are TrainingRuntimes
  bool plain = false;          // write out roles that differ only in labels, annotations or restart policy
};

struct MigratedFile {
  std::string name;
  std::string old_text;
  std::string new_text;
};

struct Migration {
  std::vector<MigratedFile> files;  // only files that change
  std::vector<Finding> findings;    // what can't be converted, and what a person should check
  Difference difference;            // between the old and the new JobSets
};

// Rewrites the inputs for another Trainer version. Request::trainer_version is the version of the inputs.
std::variant<Migration, InvalidRequest> migrate_manifests(const Request& request,
                                                          const MigrationQuestion& question = {});

struct ComposeQuestion {
  std::string job;        // NAME or NAMESPACE/NAME, if the inputs contain several
  int64_t nodes = 0;      // up to 256; 0 for the job's own
  int64_t processes = 0;  // per node, up to 256, each with one GPU if the job has GPUs; 0 for the job's own
  std::string image;      // for the containers that train; "" for their own
  bool cpu = false;       // without GPUs and other devices
  std::vector<std::string> mounts;  // folders in the containers that train: "DIR:/PATH" or "DIR:/PATH:ro"
};

struct Composition {
  std::string yaml;                // contains the private key of an MPI job. "" if an input would be refused
  std::vector<std::string> notes;  // what is left out because one machine doesn't have it
  std::vector<Finding> findings;   // by file, line and column
  std::string trainer_version;
};

// A file of the Compose specification that runs a TrainJob on one machine. ConfigMaps and Secrets among the
// inputs become files and variables. An InvalidRequest unless there is exactly one job, of limited size.
std::variant<Composition, InvalidRequest> compose_manifests(const Request& request,
                                                            const ComposeQuestion& question = {});

struct CatalogueRuntime {
  std::string trainer_version;
  std::string name;
  std::string yaml;
};

// The runtimes that Trainer ships, oldest version first, by name within a version.
std::vector<CatalogueRuntime> catalogue_runtimes();

// "2.0", …, ascending; previews of versions that are not released come last.
std::vector<std::string> trainer_versions();

// The newest that is released: what "auto" chooses among ends with it.
std::string newest_trainer_version();

// Of this library: "0.1.0".
std::string library_version();

// "error", "warning", "info".
std::string_view to_string(Level level);

}  // namespace trainjobc
