// The C++ API of trainjobc, a library without a cluster: TrainJobs and their runtimes in; out, the objects
// that the Kubeflow Trainer controller would create, or what the cluster would refuse and users would regret.
//
//   find_package(trainjobc REQUIRED)
//   target_link_libraries(program PRIVATE trainjobc::trainjobc)
//
// A call reads no file, no environment and no network, keeps nothing, and may run beside others. A result
// owns all that it holds. No function throws, but for std::bad_alloc. All texts are UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace trainjobc {

// YAML documents or JSON, as in a file. `name` is what findings call it: a path, or any other word.
struct Manifests {
  std::string name;
  std::string text;
};

// Where the SSH key of an MPI job comes from.
enum class SshKey {
  Random,    // another one each time, as in the cluster
  Omit,      // there is no Secret among the objects
  FromFile,  // Request::ssh_key_material is the text of an unencrypted private key
  FromSeed   // Request::ssh_key_material is a secret seed: the same job gets the same key
};

struct Request {
  std::vector<Manifests> inputs;    // TrainJobs, runtimes; documents of other kinds are skipped
  std::vector<Manifests> runtimes;  // searched for runtimes after the inputs; their other objects are ignored
  // The Trainer that the cluster runs: one of trainer_versions(), also written "v2.3" or "2.3.1"; or "auto",
  // the newest that takes the inputs.
  std::string trainer_version = "auto";
  bool use_catalogue = true;      // search the runtimes that Trainer ships last
  bool with_defaults = false;     // the JobSet as the cluster stores it, not as the controller sends it
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

// A change that mends the finding and can do no harm: `text` instead of what is at `place`.
struct Fix {
  Place place;
  std::string text;
};

struct Finding {
  std::string rule;   // "input/unknown-field"; `trainjobc lint --explain RULE` tells more
  std::string stage;  // who would say it: "yaml", "input", "jobset", "job", or "advice" for trainjobc alone
  Level level = Level::Error;
  std::string object;   // "TrainJob/namespace/name"; "" if the document has no readable identity
  std::string field;    // "spec.trainer.env[0].name"
  std::string message;  // what is wrong; one sentence without a final stop
  std::string hint;     // what to write instead; "" if unknown
  Place place;
  std::vector<Note> notes;
  std::vector<Fix> fixes;
  std::string text;  // all of it with the source line, as the command line prints it. Secrets are not shown
};

struct RenderedObject {
  std::string api_version;
  std::string kind;
  std::string object_namespace;  // "" if the TrainJob has none
  std::string name;
  std::string train_job;  // the TrainJob that it is made of: "TrainJob/namespace/name"
  std::string yaml;       // one document without a separator. A Secret holds its private key
};

struct Rendering {
  // By namespace and name of the TrainJob; of each its ConfigMaps, Secrets, PodGroup and JobSet. Nothing of a
  // TrainJob that would be refused.
  std::vector<RenderedObject> objects;
  std::vector<Finding> findings;  // by file, line and column
  std::string trainer_version;    // that the objects are for. "2.1, 2.3" if the inputs fit no single one
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
// The same findings and more: of runtimes without a TrainJob, and of suppressions. with_defaults and the SSH
// key mean nothing here.
std::variant<LintReport, InvalidRequest> lint_manifests(const Request& request);

// "2.0", …, ascending.
std::vector<std::string> trainer_versions();

// "error", "warning", "info".
std::string_view to_string(Level level);

}  // namespace trainjobc
