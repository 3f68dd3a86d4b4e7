// SPDX-License-Identifier: Apache-2.0

// The parts of a Compose file under construction: what the services of all pods share.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/compile.h"
#include "features/compose/compose.h"
#include "k8s/jobset/jobset.h"
#include "yaml/node.h"

namespace trainjobc::compose {

// A map that is written in the order in which it is filled.
class Fields {
 public:
  explicit Fields(const yaml::Maker& make) : make_(&make) {}

  // A value of nullptr is left out.
  void set(std::string_view key, const yaml::Node* value);
  const yaml::Node* node() const { return make_->map(entries_); }
  // Returns nullptr for an empty map.
  const yaml::Node* node_if_any() const { return entries_.empty() ? nullptr : node(); }

 private:
  const yaml::Maker* make_;
  std::vector<yaml::Entry> entries_;
};

// The ConfigMaps and Secrets of a namespace.
class Files {
 public:
  Files(std::span<const Object> objects, std::string_view ns);

  bool has(std::string_view kind, std::string_view name) const;
  // The values of an object by key; empty if there is no such object.
  const std::map<std::string, std::string, std::less<>>& keys(std::string_view kind,
                                                              std::string_view name) const;
  // Returns nullopt if there is no such key.
  std::optional<std::string> value(std::string_view kind, std::string_view name, std::string_view key) const;

 private:
  std::map<std::pair<std::string, std::string>, std::map<std::string, std::string, std::less<>>> objects_;
};

// Parts of the pods of a replicatedJob that are looked up by name.
struct PodParts {
  explicit PodParts(const yaml::Node& spec);

  const yaml::Node* main = nullptr;  // the container that becomes the pod's service; nullptr if there is none
  std::map<std::string_view, const yaml::Node*> volumes;
  std::map<std::string_view, size_t> mounts;  // how many containers mount each volume
};

struct Pod {
  const k8s::jobset::ReplicatedJob* job = nullptr;
  const yaml::Node* spec = nullptr;  // includes the claims that JobSet adds
  std::shared_ptr<const PodParts> parts;
  int64_t job_index = 0;
  int64_t index = 0;
  std::string service;  // "node-0-1"
  std::string host;     // "llama-node-0-1"
  std::string address;  // "llama-node-0-1.llama"
  bool trains = false;  // false for an initializer
};

class Draft {
 public:
  Draft(const yaml::Maker& maker, const ComposeOptions& how, Files sources)
      : make(maker), options(how), files(std::move(sources)), volumes(maker), configs(maker) {}

  const yaml::Maker& make;
  const ComposeOptions& options;
  const Files files;
  std::string_view ns;
  std::string_view job_set;
  std::set<std::string, std::less<>> claims;  // names of claims that JobSet creates
  std::set<std::string> services;             // names that are taken
  Fields volumes;
  Fields configs;
  int64_t gpus = 0;  // how many GPUs the pods so far have

  // Notes what is left out on one machine; each text once.
  void note(std::string text);
  const std::vector<std::string>& notes() const { return notes_; }

  // The whole file, to be read by Compose: each $ of a text is doubled, references become variables.
  const yaml::Node* as_read_back(const yaml::Node& file) const;
  const yaml::Node* texts(const std::vector<std::string>& values) const;
  // Returns nullptr for an empty list, which the file leaves out.
  const yaml::Node* list(const std::vector<const yaml::Node*>& items) const;

  // Returns a reference to a variable of the shell that starts the job, to be part of a text. `what` says
  // what to set it to.
  std::string refer(std::string_view variable, std::string_view what);

  // Adds a volume of that name; `node` describes it in the file.
  void add_volume(const std::string& name, const yaml::Node* node);
  // Adds a file with this text and returns the name of its config.
  std::string add_config(std::string_view kind, std::string_view object, std::string_view key,
                         std::string_view value);
  // Records that a claim is mounted as a whole, or in parts, which become volumes of their own.
  void note_part(const std::string& claim, bool is_part);

 private:
  const yaml::Node* text(const yaml::Node& node) const;

  std::vector<std::string> notes_;
  std::set<std::string> noted_;
  std::vector<std::string> references_;                             // "${NAME:?what}", indexed by number
  std::map<std::pair<std::string, std::string>, size_t> referred_;  // {name, what} to number
  std::set<std::string> variables_;
  std::map<std::string, size_t> numbers_;  // last number appended to a name that was taken
  std::set<std::string> volume_names_;
  std::map<std::string, std::pair<std::string, std::string>> config_names_;  // by name: {kind, value}
  std::map<std::string, std::set<bool>> parts_;
};

// The environment, and texts in which it is expanded. (features/compose/environment.cpp)

struct Setting {
  std::string name;
  std::optional<std::string> value;  // nullopt: taken from the shell, if it has one
};

struct Words {
  std::vector<std::string> command;
  std::vector<std::string> args;
  std::vector<Setting> env;
  std::vector<std::string> parts;  // the expanded subPathExpr of each mount; "" for none
};
Words words_of(Draft& draft, const Pod& pod, const yaml::Node& container);

// The volumes of a container. (features/compose/volumes.cpp)

struct Mounted {
  std::vector<const yaml::Node*> volumes;
  std::vector<const yaml::Node*> configs;
  const yaml::Node* shared_memory = nullptr;
};
Mounted mounts_of(Draft& draft, const Pod& pod, const yaml::Node& container, const Words& words);

// The services of a pod. (features/compose/service.cpp)

// The services that must have ended, or be running, before another one starts: {service, condition}.
using Conditions = std::vector<std::pair<std::string, std::string_view>>;

inline constexpr std::string_view kStarted = "service_started";
inline constexpr std::string_view kHealthy = "service_healthy";
inline constexpr std::string_view kCompleted = "service_completed_successfully";

// Whether the container runs the training image: it is the main one, or has the same image.
bool has_training_image(const Pod& pod, const yaml::Node& container);
// The part of the container's readiness that Compose can check; nullptr if there is none.
const yaml::Node* health_check(const Draft& draft, const yaml::Node& container);
// A field of the securityContext: the container's own, or the pod's. nullptr if neither has it.
const yaml::Node* security_of(const Pod& pod, const yaml::Node& container, std::string_view field);

// Adds the services of the pod. `waited_for`: another pod waits until this one is ready.
void add_services(Draft& draft, const Pod& pod, const Conditions& after, bool waited_for, Fields& services);

}  // namespace trainjobc::compose
