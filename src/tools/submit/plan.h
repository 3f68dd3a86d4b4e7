// What submit has to do for each rendered object.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "compile/compile.h"
#include "tools/diff/difference.h"
#include "tools/diff/live/live.h"
#include "tools/submit/left_out.h"

namespace trainjobc::submit {

enum class Step {
  Create,
  Change,
  Confirm,  // there as it should be; applied all the same, so that its fields are owned
  Keep,     // a Secret that is there
  Replace,  // deleted and recreated: the update would be refused
};

struct Item {
  const Object* object = nullptr;
  Step step = Step::Create;
  size_t job = 0;                          // which JobSet it belongs to
  const diff::LiveObject* live = nullptr;  // of Change, Confirm and Replace
  const yaml::Node* root = nullptr;        // what is sent
  const yaml::Node* trial = nullptr;       // what is tried before a Replace deletes anything
  std::vector<LeftOut> left_out;           // what of the object is not
};

// In the order of the objects: what a JobSet mounts comes before it.
struct Plan {
  std::vector<Item> items;
  size_t jobs = 0;
  std::shared_ptr<base::Arena> arena = std::make_shared<base::Arena>();  // of changed roots
};

// What a plan is made of.
struct ClusterState {
  const diff::Report& report;  // of comparing the objects with `live`
  const diff::LiveSet& live;
  const std::set<std::string>& secrets;  // that exist: "Secret/namespace/name"
  bool takes_over = false;               // fields of other controllers
};

Plan make_plan(std::span<const Object> objects, const ClusterState& cluster);

// The part of `report` that a cluster would refuse: the objects, with the fields that can't be updated.
diff::Report refused_part(const diff::Report& report);

// What goes with the live object of a Replace, for people: indented lines.
std::string loss_of(const Item& item, const diff::Report& report);

// "JobSet team-a/llama"
std::string title_of(const Object& object);

}  // namespace trainjobc::submit
