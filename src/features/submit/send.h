// SPDX-License-Identifier: Apache-2.0

// Decides what submit does with each rendered object, and sends it with kubectl.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "features/cluster/live.h"
#include "features/kubectl/kubectl.h"
#include "features/objects/differences.h"
#include "secret/secret.h"
#include "yaml/node.h"

namespace trainjobc::submit {

// A field that is not sent: another controller owns it, so applying it would always be a conflict.
struct LeftOut {
  std::string field;    // "spec.suspend"
  std::string manager;  // "kueue"
};

// What submit fetches from a cluster before it sends anything.
struct Cluster {
  cluster::LiveSet live;  // all rendered objects except Secrets, and TrainJobs with the JobSets' names
  std::set<std::string> secrets;  // "Secret/namespace/name" of those that exist; their content is not fetched
  bool has_trainer = false;       // it knows TrainJobs
};

// Returns a failure if submit can't continue. A missing permission for Secrets or TrainJobs is not one:
// Secrets are then left to `kubectl create`, which does not replace existing ones.
cluster::Answer look_up(const kubectl::Kubectl& kubectl, std::span<const Object> objects, Cluster& cluster);

enum class Action {
  Create,
  Change,
  Confirm,  // unchanged, but applied anyway, to own its fields
  Keep,     // an existing Secret
  Replace,  // delete and recreate, since an update would be refused
  Apply,    // apply without comparing: what it changes is unknown
};

struct Item {
  const Object* object = nullptr;  // or its outline
  Action action = Action::Create;
  size_t job = 0;                             // number of its TrainJob
  const cluster::LiveObject* live = nullptr;  // for Change, Confirm and Replace
  std::string manifest;                       // the object to send; "" for Keep
  std::string trial;                          // for Replace: tried before anything is deleted
  std::vector<LeftOut> left_out;              // fields that are not sent
};

// In the order of the objects: a JobSet follows what it mounts.
struct Batch {
  std::vector<Item> items;
  size_t jobs = 0;
  secret::SecretTexts secrets;  // of the objects
};

// What is sent.
struct Rendered {
  std::span<const Object> objects;  // or their outlines, in the order of `compiled`
  const Compilation& compiled;
  unsigned threads = 0;  // 0: one per processor
};

// What a batch is made from.
struct ClusterState {
  const objects::Report& report;  // from comparing the objects with `live`
  const cluster::LiveSet& live;
  const std::set<std::string>& secrets;  // ids of existing ones: "Secret/namespace/name"
  bool takes_over = false;               // also sends fields of other controllers
};

// Of TrainJobs and runtimes: the cluster says what it refuses.
Batch batch_of_train_jobs(std::span<const Object> objects);

// The objects of TrainJobs that are not kept are made again, a few at a time.
Batch make_batch(const Rendered& rendered, const ClusterState& cluster);

// Whether it is what is submitted, and not what that needs: a JobSet or TrainJob.
bool is_job(const Object& object);

// The part of `report` that a cluster would refuse: objects with fields that can't be updated.
objects::Report refused_part(const objects::Report& report);

// Tells people what is lost with the live object of a Replace, in indented lines.
std::string loss_of(const Item& item, const objects::Report& report);

// "JobSet team-a/llama"
std::string title_of(const Object& object);

enum class DryRun { None, Client, Server };

struct SendOptions {
  DryRun dry_run = DryRun::None;
  bool force_conflicts = false;
};

enum class Result {
  Created,
  Changed,
  Unchanged,
  Kept,
  Replaced,
  Applied,  // created or changed
  Failed,   // sent, but refused
  NotSent,  // because something else failed
};

struct Outcome {
  const Item* item = nullptr;
  Result result = Result::NotSent;
  bool deleted = false;  // for Replace: whether the old object was deleted
};

// The results of the items, in order, and the errors.
struct Sending {
  std::vector<Outcome> outcomes;
  std::vector<kubectl::Failure> failures;
  std::string notes;  // kubectl's warnings

  // Whether every item is in place.
  bool complete() const;
};

// Sends one namespace after the other: deletes each object to replace if the API server would accept the new
// one, and waits until it is gone; creates the Secrets that don't exist; applies ConfigMaps and PodGroups,
// then the JobSets whose helper objects are all in place. After a failure, the other objects of the call and
// the other namespaces are still sent, unless kubectl can't reach the cluster. Calls `done` for each item as
// soon as it is in place.
Sending send(const Batch& batch, const kubectl::Kubectl& kubectl, const SendOptions& options,
             const std::function<void(const Outcome&)>& done);

}  // namespace trainjobc::submit
