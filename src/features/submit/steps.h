// SPDX-License-Identifier: Apache-2.0

// What submit does with each rendered object.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "compile/compile.h"
#include "features/cluster/compare.h"
#include "features/cluster/live.h"
#include "features/submit/left_out.h"

namespace trainjobc::submit {

enum class Step {
  Create,
  Change,
  Confirm,  // unchanged; applied anyway, to own its fields
  Keep,     // an existing Secret
  Replace,  // deleted and recreated: the update would be refused
};

struct Item {
  const Object* object = nullptr;
  Step step = Step::Create;
  size_t job = 0;                             // the JobSet that it belongs to
  const cluster::LiveObject* live = nullptr;  // of Change, Confirm and Replace
  const yaml::Node* root = nullptr;           // what is sent
  const yaml::Node* trial = nullptr;          // what a Replace tries before it deletes anything
  std::vector<LeftOut> left_out;              // the fields that are not sent
};

// In the order of the objects: a JobSet comes after what it mounts.
struct Plan {
  std::vector<Item> items;
  size_t jobs = 0;
  std::shared_ptr<base::Arena> arena = std::make_shared<base::Arena>();  // of changed roots
};

// The inputs of a plan.
struct ClusterState {
  const cluster::Report& report;  // of comparing the objects with `live`
  const cluster::LiveSet& live;
  const std::set<std::string>& secrets;  // that exist: "Secret/namespace/name"
  bool takes_over = false;               // fields of other controllers
};

Plan make_plan(std::span<const Object> objects, const ClusterState& cluster);

// The part of `report` that a cluster would refuse: objects with fields that can't be updated.
cluster::Report refused_part(const cluster::Report& report);

// What is lost with the live object of a Replace, for people: indented lines.
std::string loss_of(const Item& item, const cluster::Report& report);

// "JobSet team-a/llama"
std::string title_of(const Object& object);

}  // namespace trainjobc::submit
