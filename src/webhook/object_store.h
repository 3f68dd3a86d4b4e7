// SPDX-License-Identifier: Apache-2.0

// The cluster's objects as the webhook knows them: from lists and watches of the API server; runtimes also
// from files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace trainjobc::webhook {

// The objects of one kind that are watched.
struct WatchedKind {
  std::string_view kind;         // "TrainingRuntime"
  std::string_view api_version;  // "trainer.kubeflow.org/v1alpha1"
  std::string_view resource;     // "trainingruntimes"
};

struct ObjectName {
  std::string kind;
  std::string ns;  // "" if the cluster has the object, not a namespace
  std::string name;

  friend auto operator<=>(const ObjectName&, const ObjectName&) = default;
};

struct StoredObject {
  std::string json;              // as its author wrote it; "" if it is too large to check
  std::string resource_version;  // "" if it is from a file
};

// Reads an object of an answer; nullopt if that fails.
std::optional<StoredObject> read_runtime(const std::string& kind, std::string_view json);

// Objects by name. A kind is known once it has been listed; what depends on an unknown kind must not be
// judged.
class ObjectStore {
 public:
  // Returns nullptr if there is none.
  const StoredObject* find(const ObjectName& name) const;
  const std::map<ObjectName, StoredObject>& objects() const { return objects_; }
  void put(ObjectName name, StoredObject object);
  void remove(const ObjectName& name);
  // Called after a list, with all objects of the kind.
  void replace(std::string_view kind, std::map<ObjectName, StoredObject> objects);

  bool is_known(std::string_view kind) const;
  // Called when a watch has ended, until a new one is established.
  void forget(std::string_view kind) { known_[std::string(kind)] = false; }
  void trust(std::string_view kind) { known_[std::string(kind)] = true; }
  size_t size() const { return objects_.size(); }
  size_t bytes() const { return bytes_; }

 private:
  std::map<ObjectName, StoredObject> objects_;
  size_t bytes_ = 0;  // size of all texts
  std::map<std::string, bool, std::less<>> known_;
};

// Decides what to ask the API server for next, and what its answers mean, for the objects of one kind. Source
// of the rules: kubernetes.io/docs/reference/using-api/api-concepts, "Efficient detection of changes".
class ObjectWatch {
 public:
  // The texts of `watched` outlive the watch, as constants do.
  ObjectWatch(ObjectStore& store, const WatchedKind& watched) : store_(store), watched_(watched) {}

  // The path and query of the next request: a page of a list, or a watch.
  std::string next_request() const;
  bool is_watching() const { return is_listed_; }

  std::string_view resource() const { return watched_.resource; }

  // Takes the whole answer to a list. Returns why it can't be used, or "".
  std::string take_list(int status, std::string_view body);
  // The server has accepted the watch: from now on, the store is up to date.
  void start_watch() { store_.trust(watched_.kind); }
  // Takes a line of a watch. False if the watch must end and the objects be listed again.
  bool take_event(std::string_view line);
  // The watch has ended or was refused with this status; 0 if there was no answer.
  void end_watch(int status);

  // The time of the cluster's last sign of life.
  std::optional<base::Clock::Time> heard;

 private:
  void start_over();

  ObjectStore& store_;
  WatchedKind watched_;
  std::string resource_version_;
  std::string continue_;                       // token of the list's next page
  std::map<ObjectName, StoredObject> listed_;  // from the pages so far
  int pages_ = 0;                              // how many pages were read
  size_t listed_bytes_ = 0;
  bool is_listed_ = false;
};

}  // namespace trainjobc::webhook
