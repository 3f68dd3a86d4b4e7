// SPDX-License-Identifier: Apache-2.0

// trainjobc new: drafts a TrainJob, and a runtime if one is wanted, from the answers to a few questions.
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

// A framework that `new` supports.
struct NewFramework {
  std::string_view name;     // "torch"
  std::string_view runtime;  // in the catalogue; "": there is none, so the job needs a runtime of its own
  std::string_view label;    // trainer.kubeflow.org/framework of such a runtime; "" for none
  std::string_view policy;   // field of its mlPolicy, a key of the template; "" if it has none
  std::string_view command;  // an example for a shell to split; "": the runtime has a command
  bool uses_gpus = true;
};

std::span<const NewFramework> frameworks();
const NewFramework* find_framework(std::string_view name);

// What a runtime sets, and so what is left for a job to set.
struct RuntimeFacts {
  struct Target {
    std::string job;        // the replicatedJob
    std::string container;  // the first container of it
  };

  std::string kind;
  std::string name;
  std::string ns;
  std::optional<int64_t> nodes;     // the minimum for a job
  bool is_framework_image = false;  // it comes with Trainer, and contains nobody's training code
  bool is_mpi = false;
  bool has_torch = false;
  bool has_command = false;                  // of the training container
  std::string image;                         // of the training container
  std::optional<int64_t> gpus;               // of the training container's limits
  std::vector<Target> targets;               // the replicatedJobs that run the user's program
  std::set<std::string, std::less<>> steps;  // what its initializers are for: "dataset-initializer"
};

// Returns nullopt if the text is not a single runtime.
std::optional<RuntimeFacts> facts_of(std::string_view runtime);

// What the flags ask for; "", or no words, if a flag is not given.
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
  bool command_is_guess = false;     // where the script is in the image
  std::vector<std::string> remarks;  // become comments above the job
};

// Whether the quantity is zero.
bool is_zero(std::string_view amount);

struct DraftLine {
  std::string text;
  std::string flag;  // the flag that set its value: "--nodes"; "" if none
};

struct Draft {
  std::vector<DraftLine> lines;

  std::string text() const;
  // The flag that set the value on a line; "" if none.
  std::string_view flag_at(size_t line) const;
};

// Drafts a job for the runtime.
Draft draft_job(const JobRequest& wanted, const RuntimeFacts& runtime);

// The number of nodes for a runtime of the job's own, if the request doesn't say.
int64_t own_nodes(const NewFramework& framework);

// Drafts a runtime for the framework, and a job for it.
Draft draft_with_runtime(const JobRequest& wanted, const NewFramework& framework);

}  // namespace trainjobc::create
