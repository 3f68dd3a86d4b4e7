// SPDX-License-Identifier: Apache-2.0

// The parts of a Compose file while it is made: what the services of all pods share.
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

// A map that is filled in the order in which it is written.
class Fields {
 public:
  explicit Fields(const yaml::Maker& make) : make_(&make) {}

  // nullptr is left out.
  void set(std::string_view key, const yaml::Node* value);
  const yaml::Node* node() const { return make_->map(entries_); }
  // nullptr for an empty map.
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
  // By key. Empty if there is no such object.
  const std::map<std::string, std::string, std::less<>>& keys(std::string_view kind,
                                                              std::string_view name) const;
  // nullopt if there is no such key.
  std::optional<std::string> value(std::string_view kind, std::string_view name, std::string_view key) const;

 private:
  std::map<std::pair<std::string, std::string>, std::map<std::string, std::string, std::less<>>> objects_;
};

// What is looked up by name in the pods of a replicatedJob.
struct PodParts {
  explicit PodParts(const yaml::Node& spec);

  const yaml::Node* main = nullptr;  // the container that is the pod's service; nullptr if there is none
  std::map<std::string_view, const yaml::Node*> volumes;
  std::map<std::string_view, size_t> mounts;  // by volume: how many containers mount it
};

struct Pod {
  const k8s::jobset::ReplicatedJob* job = nullptr;
  const yaml::Node* spec = nullptr;  // with the claims that JobSet adds
  std::shared_ptr<const PodParts> parts;
  int64_t job_index = 0;
  int64_t index = 0;
  std::string service;  // "node-0-1"
  std::string host;     // "llama-node-0-1"
  std::string address;  // "llama-node-0-1.llama"
  bool trains = false;  // not an initializer
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
  std::set<std::string, std::less<>> claims;  // that JobSet makes
  std::set<std::string> services;             // names that are taken
  Fields volumes;
  Fields configs;
  int64_t gpus = 0;  // that pods have taken

  // What one machine doesn't have; each text once.
  void note(std::string text);
  const std::vector<std::string>& notes() const { return notes_; }

  // The whole file as Compose reads it back: each $ of a text is doubled, references become variables.
  const yaml::Node* as_read_back(const yaml::Node& file) const;
  const yaml::Node* texts(const std::vector<std::string>& values) const;
  // nullptr for an empty list, which the file leaves out.
  const yaml::Node* list(const std::vector<const yaml::Node*>& items) const;

  // A reference to a variable of the shell that starts the job, to be part of a text. `what` is what to set
  // it to.
  std::string refer(std::string_view variable, std::string_view what);

  // Adds a volume of that name; `node` is what the file says about it.
  void add_volume(const std::string& name, const yaml::Node* node);
  // Adds a file with this text and returns the name of its config.
  std::string add_config(std::string_view kind, std::string_view object, std::string_view key,
                         std::string_view value);
  // Whether a claim is mounted as a whole and in parts, which have become volumes of their own.
  void note_part(const std::string& claim, bool is_part);

 private:
  const yaml::Node* text(const yaml::Node& node) const;

  std::vector<std::string> notes_;
  std::set<std::string> noted_;
  std::vector<std::string> references_;                             // "${NAME:?what}", by number
  std::map<std::pair<std::string, std::string>, size_t> referred_;  // by name and what: the number
  std::set<std::string> variables_;
  std::map<std::string, size_t> numbers_;  // after names that are taken
  std::set<std::string> volume_names_;
  std::map<std::string, std::pair<std::string, std::string>> config_names_;  // by name: kind and value
  std::map<std::string, std::set<bool>> parts_;
};

// The environment, and texts in which it is expanded. (features/compose/environment.cpp)

struct Setting {
  std::string name;
  std::optional<std::string> value;  // nullopt: that of the shell, if it has one
};

struct Words {
  std::vector<std::string> command;
  std::vector<std::string> args;
  std::vector<Setting> env;
  std::vector<std::string> parts;  // subPathExpr of each mount, expanded; "" for none
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

// Which services must have ended, or run, before one starts: service and condition.
using Conditions = std::vector<std::pair<std::string, std::string_view>>;

inline constexpr std::string_view kStarted = "service_started";
inline constexpr std::string_view kHealthy = "service_healthy";
inline constexpr std::string_view kCompleted = "service_completed_successfully";

// Whether the container runs the image that trains: it is the main one, or has its image.
bool has_training_image(const Pod& pod, const yaml::Node& container);
// What Compose can check of the container's readiness; nullptr for nothing.
const yaml::Node* health_check(const Draft& draft, const yaml::Node& container);
// A field of the securityContext: the container's own, or the pod's. nullptr if neither has it.
const yaml::Node* security_of(const Pod& pod, const yaml::Node& container, std::string_view field);

// Adds the services of the pod. `waited_for`: another one waits until it is ready.
void add_services(Draft& draft, const Pod& pod, const Conditions& after, bool waited_for, Fields& services);

}  // namespace trainjobc::compose
