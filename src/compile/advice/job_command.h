// SPDX-License-Identifier: Apache-2.0

// The command line of a job's container, and where its words are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/advice/checks.h"
#include "launch/words.h"
#include "yaml/node.h"

namespace trainjobc::compile::advice {

// The command line of a container whose words a job may set. Knows where each word is written: in the job, or
// in the runtime that it refers to. Indices count the words of both lists.
class JobCommand {
 public:
  // `container` is the container as the JobSet runs it.
  JobCommand(const AdviceContext& context, const yaml::Node& container);

  const launch::CommandLine& line() const { return line_; }
  const std::vector<std::string_view>& words() const { return words_; }

  // Adds a warning at a word; in a shell's script, at `part` if the script contains it exactly once.
  base::Diagnostic& report(std::string_view rule, size_t index, std::string message, std::string hint,
                           Advisor& advisor, std::string_view part = "") const;

  // The word in the job; nullptr if the runtime sets it.
  const yaml::Node* own_word(size_t index) const;
  // Edits that remove words of the job's own: `count` from `index` on, or `part` of a shell's script.
  std::vector<base::Edit> without(size_t index, size_t count, std::string_view part = "") const;
  // Edits that replace a part of the job's own script. Empty unless it occurs exactly once.
  std::vector<base::Edit> with(size_t index, std::string_view part, std::string_view by) const;

 private:
  // The job's list that contains the word; nullptr if the runtime sets it.
  const yaml::Node* own_list(const launch::WordPlace& place) const;

  const AdviceContext& context_;
  launch::CommandLine line_;
  std::vector<std::string_view> words_;
  size_t script_;  // the index of a shell's script; the number of words if there is none
};

}  // namespace trainjobc::compile::advice
