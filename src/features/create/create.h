// SPDX-License-Identifier: Apache-2.0

// trainjobc new: a TrainJob, and a runtime if one is wanted, from the answers to a few questions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace trainjobc::create {

// A framework that `new` knows.
struct NewFramework {
  std::string_view name;     // "torch"
  std::string_view runtime;  // of the catalogue; "": there is none, so the job needs a runtime of its own
  std::string_view label;    // trainer.kubeflow.org/framework of a runtime of one's own; "": none
  std::string_view policy;   // field of its mlPolicy, a key of the template; "" if it has none
  std::string_view command;  // an example, which a shell would split; "": the runtime has one
  bool uses_gpus = true;
};

std::span<const NewFramework> frameworks();
const NewFramework* find_framework(std::string_view name);

// What a runtime sets, and so what a job has to.
struct RuntimeFacts {
  struct Target {
    std::string job;        // of replicatedJobs
    std::string container;  // its first one
  };

  std::string kind;
  std::string name;
  std::string ns;
  std::optional<int64_t> nodes;     // the least that a job has
  bool is_framework_image = false;  // it comes with Trainer, and nobody's training code is in it
  bool is_mpi = false;
  bool has_torch = false;
  bool has_command = false;                  // of the container that trains
  std::string image;                         // of this container
  std::optional<int64_t> gpus;               // its limit
  std::vector<Target> targets;               // the replicatedJobs that run the user's program
  std::set<std::string, std::less<>> steps;  // that its replicatedJobs are for: "dataset-initializer"
};

// nullopt if the text is not one runtime.
std::optional<RuntimeFacts> facts_of(std::string_view runtime);

// What is wanted, in the words of the flags. "", or no word: not said.
struct JobRequest {
  std::string name;
  std::string ns;
  std::string image;
  std::string nodes;
  std::string processes;
  std::string gpus;
  std::string cpu;
  std::string memory;
  std::string queue;
  std::string dataset;
  std::string dataset_secret;
  std::string model;
  std::string model_secret;
  std::string claim;
  std::string claim_path = "/checkpoints";
  std::string shared_memory;
  std::string gang;  // "coscheduling" or "volcano"
  std::vector<std::string> command;
  bool command_is_guess = false;     // where the image has the script
  std::vector<std::string> remarks;  // comments above the job
};

// Whether the quantity is zero.
bool is_zero(std::string_view amount);

struct DraftLine {
  std::string text;
  std::string flag;  // that its value comes from: "--nodes"; "" if none
};

struct Draft {
  std::vector<DraftLine> lines;

  std::string text() const;
  // The flag that a place of the text comes from; "" if none.
  std::string_view flag_at(size_t line) const;
};

// A job for the runtime.
Draft draft_job(const JobRequest& wanted, const RuntimeFacts& runtime);

// The nodes of a job with a runtime of one's own, unless it says more.
int64_t own_nodes(const NewFramework& framework);

// A runtime of one's own for the framework, and a job for it.
Draft draft_with_runtime(const JobRequest& wanted, const NewFramework& framework);

}  // namespace trainjobc::create
