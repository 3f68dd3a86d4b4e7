// SPDX-License-Identifier: Apache-2.0

#include "compile/snapshot.h"

#include <fmt/format.h>

#include <utility>

#include "policy/container.h"
#include "rules/rules.h"
#include "yaml/write/writer.h"

namespace trainjobc::compile {
namespace {

using yaml::Node;

const Node* controller_of(const Node& config_map) {
  const Node* owners = config_map.at({"metadata", "ownerReferences"});
  if (!owners) return nullptr;
  for (const Node* owner : owners->items()) {
    if (text_at(*owner, {"controller"}) == "true") return owner;
  }
  return nullptr;
}

void refuse(const model::TrainJob& job, std::string message, const Node& where,
            base::Diagnostics& diagnostics) {
  base::Diagnostic diagnostic =
      rules::finding("input/runtime-snapshot", std::move(message),
                     "remove the snapshot, or use the job's own", yaml::locate(where));
  diagnostic.object = job.id.str();
  diagnostics.add(std::move(diagnostic));
}

bool is_wanted(const Node& runtime, const model::TrainJob& job) {
  const std::string_view api_version = text_at(runtime, {"apiVersion"});
  return text_at(runtime, {"kind"}) == job.runtime_ref.kind &&
         api_version.substr(0, api_version.find('/')) == job.runtime_ref.api_group &&
         text_at(runtime, {"metadata", "name"}) == job.runtime_ref.name.value;
}

}  // namespace

std::string snapshot_name(const model::TrainJob& job) {
  return fmt::format("{}{}", job.id.name, kSnapshotSuffix);
}

const Node* build_snapshot(const model::TrainJob& job, const Node& encoded_runtime, const yaml::Maker& make) {
  const yaml::Origin origin = make.made("runtime-snapshot", {&encoded_runtime});
  std::string text;
  yaml::write_yaml(encoded_runtime, yaml::KeyOrder::Alphabet, text);
  const Node* data = make.map({{"runtime", make.copied(text, origin)}}, origin);
  return policy::owned_object(make, job, "v1", "ConfigMap", snapshot_name(job), {{"data", data}}, origin);
}

std::optional<InputObject> read_snapshot(const Node& config_map, const model::TrainJob& job, InputSet& memory,
                                         base::Diagnostics& diagnostics) {
  const Node& data = *config_map.at({"data", "runtime"});
  const Node* owner = controller_of(config_map);
  if (!job.uid.empty() && (!owner || text_at(*owner, {"uid"}) != job.uid)) {
    refuse(job, "the runtime snapshot belongs to an object other than this TrainJob",
           owner ? *owner : config_map, diagnostics);
    return std::nullopt;
  }
  const base::Location location = yaml::locate(data);
  Source source;
  source.name = fmt::format("{}({})", location.file ? location.file->name() : "", snapshot_name(job));
  source.text = data.text();
  base::Diagnostics found;
  read_inputs({std::move(source)}, memory, found);
  if (found.has_errors() || memory.objects.empty()) {
    refuse(job, "the runtime in the snapshot can't be read", data, diagnostics);
    diagnostics.append(std::move(found));
    return std::nullopt;
  }
  const InputObject& object = memory.objects.front();
  if (!is_wanted(*object.root, job)) {
    refuse(job,
           fmt::format("the snapshot contains {} \"{}\", but the TrainJob refers to {} \"{}\"",
                       object.id.kind, object.id.name, job.runtime_ref.kind, job.runtime_ref.name.value),
           data, diagnostics);
    return std::nullopt;
  }
  return object;
}

}  // namespace trainjobc::compile
