// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "k8s/check/field_checks.h"
#include "k8s/pod/pod_parts.h"
#include "k8s/volume/volume_sources.h"

namespace trainjobc::k8s::job {
namespace {

using Check = void (*)(const Field& source, Report& report);

struct Source {
  std::string_view name;
  // Texts and lists that must not be empty, separated by spaces.
  std::string_view required;
  Check check = nullptr;
  // The API server's name of the source in its own check, and as one source too many, if that isn't
  // `name`.
  std::string_view own_path = "";
  std::string_view surplus_path = "";
};

// In the API server's order: the first source given is checked, those after it are too many.
constexpr Source kSources[] = {
    {"emptyDir", "", check_empty_dir},
    {"hostPath", "", check_host_path},
    {"gitRepo", "repository", check_git_repo},
    {"gcePersistentDisk", "pdName", check_partitioned_disk, "persistentDisk"},
    {"awsElasticBlockStore", "volumeID", check_partitioned_disk},
    {"secret", "secretName", check_secret_volume},
    {"nfs", "server path", check_nfs},
    {"iscsi", "targetPortal iqn", check_iscsi},
    {"glusterfs", "endpoints path"},
    {"flocker", "", check_flocker},
    {"persistentVolumeClaim", "claimName"},
    {"rbd", "monitors image"},
    {"cinder", "volumeID", check_cinder},
    {"cephfs", "monitors", nullptr, "", "cephFS"},
    {"quobyte", "volume", check_quobyte},
    {"downwardAPI", "", check_downward_volume, "", "downwarAPI"},
    {"fc", "", check_fc},
    {"flexVolume", "driver", check_flex_volume},
    {"configMap", "name", check_config_map_volume},
    {"azureFile", "secretName shareName"},
    {"vsphereVolume", "volumePath"},
    {"photonPersistentDisk", "pdID"},
    {"portworxVolume", "volumeID"},
    {"azureDisk", "diskName diskURI", check_azure_disk},
    {"storageos", "volumeName", check_storage_os},
    {"projected", "", check_projected_volume},
    {"scaleIO", "gateway system volumeName"},
    {"csi", "", check_csi_volume},
    {"ephemeral", "", check_ephemeral_volume},
    {"image", "", check_image_volume},
};

void check_required(const Field& source, std::string_view names, Report& report) {
  while (!names.empty()) {
    const size_t end = std::min(names.find(' '), names.size());
    const Field field = source.child(names.substr(0, end));
    if (field.size() == 0 && field.text().empty()) {
      report.add(rule::kVolume, field, fmt::format("{} needs {}", source.name(), field.name()),
                 fmt::format("add {}", field.name()));
    }
    names.remove_prefix(std::min(end + 1, names.size()));
  }
}

void check_volume_source(const Field& volume, Report& report) {
  std::string_view first;
  for (const Source& source : kSources) {
    const Field given = volume.child(source.name);
    if (!given) continue;
    if (first.empty()) {
      first = source.name;
      const Field named = volume.child(source.own_path.empty() ? source.name : source.own_path, given.node());
      check_required(named, source.required, report);
      if (source.check) source.check(named, report);
      continue;
    }
    const Field named =
        volume.child(source.surplus_path.empty() ? source.name : source.surplus_path, given.node());
    report.add_at(
        given.key_location(), rule::kVolume, named,
        fmt::format("volume {} has two sources, {} and {}", quoted(volume.child("name")), first, source.name),
        "keep one of them; a patch that changes the source keeps the old one too");
  }
}

// The iSCSI client combines the names of the volume and the portal.
void check_portal_length(const Field& volume, Report& report) {
  const Field iscsi = volume.child("iscsi");
  const Field name = volume.child("name");
  const size_t length = name.text().size() + 1 + iscsi.child("targetPortal").text().size();
  if (!iscsi.child("initiatorName") || length <= 64) return;
  report.add(rule::kVolume, name,
             "with an initiatorName, the volume's name and the targetPortal can have "
             "at most 63 characters together");
}

void check_volume_name(const Field& name, std::set<std::string_view>& names, Report& report) {
  if (!check_name(name, Form::DnsLabel, rule::kName, "volume name", report) || !names.contains(name.text()))
    return;
  report.add(rule::kVolume, name, fmt::format("two volumes are named {}", quoted(name)),
             "rename one of them");
}

const yaml::Node* given(const yaml::Node& map, std::string_view key) {
  const yaml::Node* value = map.get(key);
  return value && !value->is_null() ? value : nullptr;
}

}  // namespace

std::vector<PodVolume> check_volumes(const Field& volumes, Report& report) {
  std::vector<PodVolume> out;
  std::set<std::string_view> names;
  for_each_item(volumes, [&](const Field& volume) {
    const size_t before = report.size();
    const Field name = volume.child("name");
    check_volume_source(volume, report);
    check_portal_length(volume, report);
    check_volume_name(name, names, report);
    const bool usable = report.size() == before;
    if (usable) names.insert(name.text());
    out.push_back({name.text(), volume.node(), usable});
  });
  return out;
}

const yaml::Node* PodFacts::volume(std::string_view name) const {
  const auto found =
      std::ranges::find_if(volumes, [&](const PodVolume& v) { return v.usable && v.name == name; });
  return found != volumes.end() ? found->node : nullptr;
}

bool is_empty_dir(const yaml::Node& volume) {
  if (given(volume, "emptyDir")) return true;
  return std::ranges::none_of(kSources, [&](const Source& source) { return given(volume, source.name); });
}

bool is_claim(const yaml::Node& volume) {
  return given(volume, "persistentVolumeClaim") || given(volume, "ephemeral");
}

}  // namespace trainjobc::k8s::job
