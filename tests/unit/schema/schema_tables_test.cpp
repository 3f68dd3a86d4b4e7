// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/schema.h"

namespace trainjobc::schema::schema_tables_test {
namespace {

// Structured bindings can't be captured by doctest's macros (clang 14).
struct MergeKey {
  const char* path;
  std::string_view key;
};
struct WireClass {
  const char* path;
  Wire wire;
};

using Strings = std::vector<std::string_view>;

Strings list(std::span<const std::string_view> strings) {
  return {strings.begin(), strings.end()};
}

const Schema& root(std::string_view version, std::string_view kind) {
  const VersionSchemas* const schemas = find_version(version);
  REQUIRE(schemas != nullptr);
  const KindSchema* const found = schemas->kind(kind);
  REQUIRE(found != nullptr);
  return *found->schema;
}

// The property at a path such as "spec.replicatedJobs[].name", where "[]" means the items of a list;
// nullptr where there is none.
const Property* find(std::string_view version, std::string_view kind, std::string_view path) {
  const Schema* at = &root(version, kind);
  const Property* property = nullptr;
  while (!path.empty()) {
    std::string_view step = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), step.size() + 1));
    const bool items = step.ends_with("[]");
    if (items) step.remove_suffix(2);
    property = at->property(step);
    if (property == nullptr) return nullptr;
    at = items ? property->schema->items : property->schema;
  }
  return property;
}

const Property& get(std::string_view version, std::string_view kind, std::string_view path) {
  const Property* const found = find(version, kind, path);
  REQUIRE_MESSAGE(found != nullptr, path);
  return *found;
}

// A property of a JobSet's pods, or of their containers.
const Property& pod(std::string_view version, const std::string& path) {
  return get(version, "JobSet", "spec.replicatedJobs[].template.spec.template.spec." + path);
}
const Property& container(std::string_view version, const std::string& path) {
  return pod(version, "containers[]." + path);
}

Strings names(std::string_view version, std::string_view kind) {
  Strings out;
  for (const Property& property : root(version, kind).properties) out.push_back(property.name);
  return out;
}

template <typename Visit>
void visit(const Schema& schema, std::set<const Schema*>& seen, const Visit& call) {
  if (!seen.insert(&schema).second) return;
  call(schema);
  for (const Property& property : schema.properties) visit(*property.schema, seen, call);
  if (schema.items != nullptr) visit(*schema.items, seen, call);
  if (schema.additional != nullptr) visit(*schema.additional, seen, call);
}

// Calls back for every distinct schema of every version.
template <typename Visit>
void visit_all(const Visit& call) {
  std::set<const Schema*> seen;
  for (const VersionSchemas& version : all_versions()) {
    for (const KindSchema& kind : version.kinds) visit(*kind.schema, seen, call);
  }
}

}  // namespace

TEST_CASE("schema tables: versions, oldest first, and their kinds") {
  std::string versions;
  for (const VersionSchemas& version : all_versions()) {
    versions.append(version.trainer).append(" ");
    CHECK(find_version(version.trainer) == &version);
    Strings kinds;
    for (const KindSchema& kind : version.kinds) {
      kinds.push_back(kind.kind);
      CHECK(version.kind(kind.kind) == &kind);
      CHECK(kind.namespaced == (kind.kind != "ClusterTrainingRuntime"));
      if (kind.kind == "ObjectMeta") continue;
      CHECK(kind.group == (kind.kind == "JobSet" ? "jobset.x-k8s.io" : "trainer.kubeflow.org"));
      CHECK(kind.version == (kind.kind == "JobSet" ? "v1alpha2" : "v1alpha1"));
      CHECK(names(version.trainer, kind.kind).at(2) == "metadata");
    }
    Strings expected{"ClusterTrainingRuntime", "JobSet", "ObjectMeta", "TrainJob", "TrainingRuntime"};
    if (version.trainer == "2.4-preview") expected.insert(expected.begin() + 3, "OptimizationJob");
    CHECK(kinds == expected);
    CHECK(version.kind("Pod") == nullptr);
  }
  CHECK(versions == "2.0 2.1 2.2 2.3 2.4-preview ");
  CHECK(find_version("1.9") == nullptr);
}

TEST_CASE("schema tables: a property is found by its exact name") {
  visit_all([](const Schema& schema) {
    const auto out_of_order =
        std::ranges::adjacent_find(schema.properties, std::ranges::greater_equal{}, &Property::name);
    CHECK(out_of_order == schema.properties.end());
    for (const Property& property : schema.properties) CHECK(schema.property(property.name) == &property);
    for (const std::string_view name : {"", "!", "zzz", "Name", "name "})
      CHECK(schema.property(name) == nullptr);
  });
}

TEST_CASE("schema tables: a schema has the facts of its type, and only those") {
  visit_all([](const Schema& schema) {
    CHECK((schema.properties.empty() || schema.additional == nullptr));
    CHECK((schema.type == Type::Object || (schema.properties.empty() && schema.additional == nullptr)));
    CHECK((schema.type == Type::Array) == (schema.items != nullptr));
    CHECK((schema.list_type == ListType::Map) == !schema.list_keys.empty());
    CHECK((!schema.quantity || schema.type == Type::IntOrString));
    for (const std::string_view name : schema.required) CHECK(schema.property(name) != nullptr);
    for (const std::string_view key : schema.list_keys) CHECK(schema.items->property(key) != nullptr);
    for (const Property& property : schema.properties) {
      const bool merges_objects = property.patch_merge && property.schema->items->type == Type::Object;
      CHECK(merges_objects == !property.patch_merge_key.empty());
      CHECK((property.wire != Wire::Struct || property.schema->type == Type::Object));
      CHECK((!property.patch_retain_keys || property.patch_merge));
    }
  });
}

TEST_CASE("schema tables: each version's fields") {
  for (const std::string_view version : {"2.0", "2.1", "2.2", "2.3"}) {
    CAPTURE(version);
    CHECK((find(version, "TrainJob", "spec.podSpecOverrides") != nullptr) == (version == "2.0"));
    CHECK((find(version, "TrainJob", "spec.podTemplateOverrides") != nullptr) == (version == "2.1"));
    CHECK((find(version, "TrainJob", "spec.runtimePatches") != nullptr) == (version >= "2.2"));
    CHECK((find(version, "TrainJob", "spec.labels") != nullptr) == (version < "2.2"));
    CHECK((find(version, "TrainingRuntime", "spec.mlPolicy.torch.elasticPolicy") != nullptr) ==
          (version < "2.2"));
    CHECK((find(version, "TrainingRuntime", "spec.mlPolicy.flux") != nullptr) == (version >= "2.2"));
    CHECK((find(version, "TrainingRuntime", "spec.mlPolicy.torch.envInjection") != nullptr) ==
          (version == "2.3"));
    const Schema& processes = *get(version, "TrainJob", "spec.trainer.numProcPerNode").schema;
    CHECK(processes.type == (version < "2.2" ? Type::IntOrString : Type::Integer));
    CHECK_FALSE(processes.quantity);
  }
}

TEST_CASE("schema tables: types, defaults, bounds and list types") {
  const Schema& ports = *container("2.3", "ports").schema;
  CHECK(ports.list_type == ListType::Map);
  CHECK(list(ports.list_keys) == Strings{"containerPort", "protocol"});
  CHECK(list(ports.items->required) == Strings{"containerPort"});
  CHECK(ports.items->property("protocol")->schema->default_json == "\"TCP\"");
  CHECK(ports.items->property("containerPort")->schema->format == Format::Int32);

  const Schema& limits = *container("2.3", "resources.limits").schema;
  REQUIRE(limits.additional != nullptr);
  CHECK(limits.additional->quantity);
  CHECK(limits.additional->bounds->pattern.starts_with("^("));
  const Schema& probe_port = *container("2.3", "livenessProbe.httpGet.port").schema;
  CHECK(probe_port.type == Type::IntOrString);
  CHECK_FALSE(probe_port.quantity);
  CHECK(container("2.3", "command").schema->list_type == ListType::Atomic);
  CHECK(container("2.3", "env[].valueFrom.secretKeyRef").schema->atomic_map);
  CHECK(container("2.3", "env[].valueFrom.secretKeyRef.name").schema->default_json == "\"\"");

  const Schema& deadline = *get("2.3", "TrainJob", "spec.activeDeadlineSeconds").schema;
  CHECK(deadline.format == Format::Int64);
  CHECK(deadline.bounds->minimum == 1);
  CHECK_FALSE(deadline.bounds->maximum.has_value());
  CHECK(get("2.3", "TrainJob", "spec.suspend").schema->default_json == "false");
  CHECK(get("2.3", "TrainJob", "spec.runtimePatches").schema->bounds->max_items == 16);
  CHECK(list(get("2.3", "TrainJob", "spec.runtimePatches").schema->list_keys) == Strings{"manager"});
  CHECK(get("2.3", "TrainJob", "spec.runtimePatches[].time").schema->format == Format::DateTime);
  CHECK(get("2.3", "TrainJob", "spec.runtimeRef.name").schema->bounds->min_length == 1);
  CHECK(get("2.3", "TrainJob", "spec.runtimeRef.kind").schema->default_json == "\"ClusterTrainingRuntime\"");
  CHECK(get("2.3", "TrainingRuntime", "spec").schema->bounds->min_properties == 1);
  CHECK(get("2.3", "TrainingRuntime", "spec.template.spec.replicatedJobs[].replicas").schema->default_json ==
        "1");
  CHECK(list(get("2.3", "JobSet", "spec.successPolicy.operator").schema->enums) == Strings{"All", "Any"});
  CHECK(list(root("2.3", "TrainJob").property("spec")->schema->required) == Strings{"runtimeRef"});
}

TEST_CASE("schema tables: strategic merge tags") {
  for (const MergeKey& expected : {MergeKey{"containers", "name"},
                                   {"initContainers", "name"},
                                   {"containers[].ports", "containerPort"},
                                   {"containers[].env", "name"},
                                   {"containers[].volumeMounts", "mountPath"},
                                   {"containers[].volumeDevices", "devicePath"},
                                   {"volumes", "name"},
                                   {"hostAliases", "ip"},
                                   {"topologySpreadConstraints", "topologyKey"},
                                   {"imagePullSecrets", "name"}}) {
    const Property& property = pod("2.3", expected.path);
    CAPTURE(expected.path);
    CHECK(property.patch_merge);
    CHECK(property.patch_merge_key == expected.key);
    CHECK(property.patch_retain_keys == (property.name == "volumes"));
  }
  CHECK_FALSE(pod("2.3", "tolerations").patch_merge);
  CHECK_FALSE(container("2.3", "args").patch_merge);
  CHECK_FALSE(container("2.3", "envFrom").patch_merge);
  CHECK(get("2.3", "JobSet", "spec.replicatedJobs").patch_merge_key == "name");
  CHECK(get("2.3", "TrainJob", "metadata.ownerReferences").patch_merge_key == "uid");
  CHECK(get("2.3", "TrainJob", "metadata.finalizers").patch_merge);
  CHECK(get("2.3", "TrainJob", "metadata.finalizers").patch_merge_key.empty());
}

TEST_CASE("schema tables: wire classes") {
  const WireClass expected[] = {
      {"hostNetwork", Wire::OmitEmpty},
      {"nodeSelector", Wire::OmitEmpty},
      {"tolerations", Wire::OmitEmpty},
      {"restartPolicy", Wire::OmitEmpty},
      {"securityContext", Wire::Pointer},
      {"terminationGracePeriodSeconds", Wire::Pointer},
      {"automountServiceAccountToken", Wire::Pointer},
      {"affinity", Wire::Pointer},
      {"containers", Wire::Null},
      {"containers[].name", Wire::Always},
      {"containers[].image", Wire::OmitEmpty},
      {"containers[].args", Wire::OmitEmpty},
      {"containers[].env", Wire::OmitEmpty},
      {"containers[].env[].name", Wire::Always},
      {"containers[].env[].value", Wire::OmitEmpty},
      {"containers[].env[].valueFrom", Wire::Pointer},
      {"containers[].env[].valueFrom.fieldRef.apiVersion", Wire::OmitEmpty},
      {"containers[].env[].valueFrom.fieldRef.fieldPath", Wire::Always},
      {"containers[].env[].valueFrom.resourceFieldRef.divisor", Wire::Always},
      {"containers[].env[].valueFrom.secretKeyRef.name", Wire::OmitEmpty},
      {"containers[].env[].valueFrom.secretKeyRef.optional", Wire::Pointer},
      {"containers[].livenessProbe.httpGet", Wire::Pointer},
      {"containers[].livenessProbe.httpGet.port", Wire::Always},
      {"containers[].livenessProbe.grpc.service", Wire::Null},
      {"containers[].ports[].containerPort", Wire::Always},
      {"containers[].resources", Wire::Struct},
      {"containers[].resources.limits", Wire::OmitEmpty},
      {"containers[].securityContext", Wire::Pointer},
      {"containers[].stdin", Wire::OmitEmpty},
      {"containers[].volumeMounts[].readOnly", Wire::OmitEmpty},
      {"volumes[].emptyDir", Wire::Pointer},
      {"volumes[].emptyDir.medium", Wire::OmitEmpty},
      {"volumes[].emptyDir.sizeLimit", Wire::Pointer},
      {"volumes[].projected.sources", Wire::Null},
  };
  for (const VersionSchemas& version : all_versions()) {
    CAPTURE(version.trainer);
    for (const WireClass& field : expected) {
      CAPTURE(field.path);
      CHECK(pod(version.trainer, field.path).wire == field.wire);
    }
    CHECK(get(version.trainer, "JobSet", "metadata").wire == Wire::Struct);
    CHECK(get(version.trainer, "JobSet", "kind").wire == Wire::OmitEmpty);
    CHECK(get(version.trainer, "JobSet", "spec.replicatedJobs[].replicas").wire == Wire::OmitEmpty);
    CHECK(get(version.trainer, "JobSet", "spec.replicatedJobs[].template").wire == Wire::Struct);
    CHECK(get(version.trainer, "TrainJob", "spec.trainer.numNodes").wire == Wire::Pointer);
    // Structs and times by value got `omitzero` with 2.1.
    const bool omitzero = version.trainer != "2.0";
    CHECK(get(version.trainer, "TrainJob", "spec.runtimeRef").wire ==
          (omitzero ? Wire::Pointer : Wire::Struct));
    CHECK(get(version.trainer, "ObjectMeta", "creationTimestamp").wire ==
          (omitzero ? Wire::Pointer : Wire::Null));
  }
}

TEST_CASE("schema tables: every CEL rule with its message") {
  using Rules = std::set<std::pair<std::string_view, std::string_view>>;
  const Rules expected = {
      {"!(has(self.numNodes) && (has(self.torch) && has(self.torch.elasticPolicy)))",
       "numNodes should not be set if torch.elasticPolicy is configured"},
      {"!(has(self.startupPolicy) && self.startupPolicy.startupPolicyOrder == 'InOrder' && "
       "self.replicatedJobs.exists(x, has(x.dependsOn)))",
       "StartupPolicy and DependsOn APIs are mutually exclusive"},
      {"!has(self.name) && !has(self.namespace)", "name and namespace cannot be set in a template."},
      {"!has(self.searchAlgorithm.grid) || self.parameters.all(p, has(p.searchSpace.categorical))",
       "Grid search requires all parameters to be Categorical; Uniform and LogUniform are not supported."},
      {"!(has(self.torch) && has(self.mpi))", "Only one of the policy can be configured"},
      {"!self.exists(c, c == 'node')",
       "containerNames must not include the main node container because PET_* envs are always injected into "
       "it"},
      {"[has(self.torch), has(self.mpi), has(self.jax), has(self.xgboost),has(self.flux)]"
       ".filter(x, x).size() <= 1",
       "Only one of the policy can be configured"},
      {"[has(self.random),has(self.grid)].filter(x,x==true).size() == 1",
       "exactly one of the fields in [random grid] must be set"},
      {"[has(self.uniform),has(self.logUniform),has(self.categorical)].filter(x,x==true).size() == 1",
       "exactly one of the fields in [uniform logUniform categorical] must be set"},
      {"double(self.min) < double(self.max)", "min must be strictly less than max"},
      {"double(self.min) > 0.0", "min must be strictly greater than 0"},
      {"has(self.lastUpdatedTime)", "lastUpdatedTime is required when trainerStatus is present"},
      {"self == '' || self.matches('^[A-Za-z][A-Za-z0-9+.-]*://.+$')",
       "storageUri may be empty, or it must be a valid URI (scheme://...)"},
      {"self.parallelTrials <= self.numTrials", "parallelTrials cannot exceed numTrials"},
      {"self == oldSelf", "OptimizationJobSpec is immutable and cannot be updated after creation"},
      {"self == oldSelf", "ManagedBy value is immutable"},
      {"self == oldSelf", "Value is immutable"},
      {"self == oldSelf", "field is immutable"},
      {"self == oldSelf", "runtimeRef is immutable"},
      {"self > 0 || self in ['auto', 'cpu', 'gpu']",
       "NumProcPerNode must be equal to auto, cpu, gpu, or int value"},
      {"self >= 1", "NumProcPerNode in fluxPolicy must be >= 1"},
      {"self >= 1", "numProcPerNode must be greater than or equal to 1"},
      {"self >= 1", "NumProcPerNode in mpiPolicy must be >= 1"},
      {"self in ['trainer.kubeflow.org/trainjob-controller', 'kueue.x-k8s.io/multikueue']",
       "ManagedBy must be trainer.kubeflow.org/trainjob-controller or kueue.x-k8s.io/multikueue if set"},
      {"self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
       "metadata.name must match RFC 1035 DNS label format"},
      {"self.templates.all(t, !has(t.metadata.namespace) || size(t.metadata.namespace) == 0)",
       "namespace cannot be set for VolumeClaimPolicies templates"},
      {"size(self.metadata.name) <= 63", "metadata.name must be no more than 63 characters"},
  };
  Rules found;
  visit_all([&](const Schema& schema) {
    for (const CelRule& rule : schema.rules) found.emplace(rule.rule, rule.message);
  });
  for (const auto& rule : found) CHECK_MESSAGE(expected.contains(rule), rule.first);
  for (const auto& rule : expected) CHECK_MESSAGE(found.contains(rule), rule.first);
  CHECK(found.size() == 27);
}

}  // namespace trainjobc::schema::schema_tables_test
