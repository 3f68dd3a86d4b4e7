// SPDX-License-Identifier: Apache-2.0

// Answers as tests/e2e/flux/main.go does, with the objects that --roots finds in each folder.
#include <unistd.h>

#include <iostream>
#include <string>

#include "base/diagnostic.h"
#include "base/files/file_system.h"
#include "base/process.h"
#include "inputs/load.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace {

using namespace trainjobc;

// A variable that nothing sets is a finding here, and empty there.
bool refuses(const base::Diagnostic& found) {
  return found.severity == base::Severity::Error && !found.message.starts_with("nothing sets the variable");
}

struct Answer {
  std::string objects;
  std::string error;

  void take(const base::Diagnostics& found) {
    for (const base::Diagnostic& one : found.items()) {
      if (error.empty() && refuses(one)) error = one.message;
    }
  }

  void take(const Source& source) {
    const base::SourceFile file(source.name, source.text);
    base::Arena arena;
    base::Diagnostics problems;
    for (const yaml::Document& document : yaml::read(file, arena, problems)) {
      if (!document.root->is_map()) continue;
      if (!objects.empty()) objects += ',';
      yaml::write_json(*document.root, yaml::KeyOrder::Alphabet, 0, objects);
    }
    take(problems);
  }
};

std::string answer_for(const std::string& folder) {
  Answer answer;
  if (chdir(folder.c_str()) != 0) answer.error = "no such folder";
  base::RealFileSystem files;
  base::RealProcessRunner programs;
  inputs::Request request;
  request.paths = {"flux.yaml"};
  request.deployed = true;
  request.no_config = true;
  request.lists_deployed = false;
  const inputs::Loaded loaded = inputs::load(files, programs, request);
  for (const inputs::Message& message : loaded.messages) {
    if (answer.error.empty()) answer.error = message.text;
  }
  for (const inputs::InputGroup& group : loaded.groups) {
    answer.take(group.found);
    for (const Source& source : group.inputs) answer.take(source);
  }
  std::string error;
  yaml::write_json_string(answer.error, error);
  return "{\"objects\":[" + answer.objects + "],\"error\":" + error + "}\n";
}

}  // namespace

int main() {
  std::string folder;
  while (std::getline(std::cin, folder)) std::cout << answer_for(folder) << std::flush;
}
