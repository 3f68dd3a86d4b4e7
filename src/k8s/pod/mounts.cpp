// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "k8s/pod/pod.h"

namespace trainjobc::k8s::pod {

namespace {

// The texts under `key` of a list's elements. Of elements with the same name, only the last counts.
std::set<std::string_view> texts_at(const Field& list, std::string_view key) {
  std::set<std::string_view> names;
  std::set<std::string_view> texts;
  for (size_t i = list.size(); i-- > 0;) {
    const Field item = list.item(i);
    if (names.insert(item.child("name").text()).second) texts.insert(item.child(key).text());
  }
  return texts;
}

void report_missing_volume(const Field& name, const PodFacts& facts, Report& report) {
  const auto refused =
      std::ranges::find_if(facts.volumes, [&](const PodVolume& v) { return v.name == name.text(); });
  if (refused != facts.volumes.end()) {
    report.add(rule::kVolumeMount, name,
               fmt::format("volume {} can't be used because it is invalid itself", quoted(name)),
               "correct the volume first");
    return;
  }
  if (base::contains(facts.claim_templates, name.text())) {
    report.add(rule::kVolumeMount, name,
               fmt::format("JobSet adds no volume {} to this pod: it adds a claim's volume only if a "
                           "container mounts it",
                           quoted(name)),
               "claims of volumeClaimPolicies can't be block devices; add a volume "
               "with its own persistentVolumeClaim");
    return;
  }
  std::vector<std::string_view> known;
  for (const PodVolume& volume : facts.volumes) known.push_back(volume.name);
  const auto meant = base::closest(name.text(), known);
  base::Diagnostic& found =
      report.add(rule::kVolumeMount, name, fmt::format("the pod has no volume {}", quoted(name)),
                 "add a volume of that name to the pod's volumes");
  if (meant) suggest(found, name.node(), *meant);
}

// A field has at most one error: the first.
void check_mount_name(const Field& mount, const std::set<std::string_view>& devices, const PodFacts& facts,
                      Report& report) {
  const Field name = mount.child("name");
  if (!check_given(name, rule::kVolumeMount, report)) return;
  if (!facts.volume(name.text())) {
    report_missing_volume(name, facts, report);
  } else if (devices.contains(name.text())) {
    report.add(rule::kVolumeMount, name, fmt::format("volume {} is both mounted and a device", quoted(name)),
               "remove one of the two");
  }
}

void check_propagation(const Field& mount, const Field& mounts, bool privileged, Report& report) {
  constexpr std::string_view kModes[] = {"None", "HostToContainer", "Bidirectional"};
  constexpr std::string_view kReadOnly[] = {"Disabled", "IfPossible", "Enabled"};
  const Field given = mount.child("mountPropagation");
  const Field mode = mounts.child("mountPropagation", given.node());
  if (check_optional_one_of(mode, kModes, rule::kVolumeMount, report) && mode.text() == "Bidirectional" &&
      !privileged) {
    suggest_writing(report.add(rule::kVolumeMount, mode,
                               "only privileged containers can propagate mounts in both directions"),
                    mode.node(), "HostToContainer");
  }
  const Field recursive = mounts.child("recursiveReadOnly", mount.child("recursiveReadOnly").node());
  if (!check_optional_one_of(recursive, kReadOnly, rule::kVolumeMount, report)) return;
  if (!recursive || recursive.text() == "Disabled") return;
  if (!mount.child("readOnly").is_true()) {
    report.add(rule::kVolumeMount, recursive,
               fmt::format("recursiveReadOnly {} needs readOnly: true", recursive.text()),
               "add readOnly: true");
  }
  if (mode && mode.text() != "None") {
    report.add(rule::kVolumeMount, recursive,
               fmt::format("recursiveReadOnly {} can't be used with mountPropagation {}", recursive.text(),
                           mode.text()),
               "remove mountPropagation");
  }
}

void check_sub_paths(const Field& mount, const Field& mounts, Report& report) {
  const Field path = mount.child("subPath");
  const Field expression = mount.child("subPathExpr");
  // The API server names the list of mounts, not the mount.
  check_relative_path(mounts.child("subPath", path.node()), rule::kVolumeMount, report);
  check_relative_path(mounts.child("subPathExpr", expression.node()), rule::kVolumeMount, report);
  if (path.text().empty() || expression.text().empty()) return;
  report.add(rule::kVolumeMount, expression, "a mount can't have both subPath and subPathExpr",
             "remove one of the two");
}

void check_volume_mounts(const Field& container, const PodFacts& facts, Report& report) {
  const Field mounts = container.child("volumeMounts");
  const Field devices = container.child("volumeDevices");
  const std::set<std::string_view> device_names = texts_at(devices, "name");
  const std::set<std::string_view> device_paths = texts_at(devices, "devicePath");
  const Field context = container.child("securityContext");
  const bool privileged = context.child("privileged").is_true();
  std::set<std::string_view> paths;
  for_each_item(mounts, [&](const Field& mount) {
    check_mount_name(mount, device_names, facts, report);
    const Field path = mount.child("mountPath");
    if (check_given(path, rule::kVolumeMount, report)) {
      if (paths.contains(path.text())) {
        report.add(rule::kVolumeMount, path, fmt::format("two mounts at {}", quoted(path)),
                   "move one of them to another path");
      } else if (device_paths.contains(path.text())) {
        report.add(rule::kVolumeMount, path, fmt::format("{} is the path of a device too", quoted(path)));
      }
    }
    paths.insert(path.text());
    check_sub_paths(mount, mounts, report);
    check_propagation(mount, mounts, privileged, report);
  });
}

void check_device_name(const Field& device, const std::set<std::string_view>& mounts,
                       const std::set<std::string_view>& names, const PodFacts& facts, Report& report) {
  const Field name = device.child("name");
  if (!check_given(name, rule::kVolumeMount, report)) return;
  const yaml::Node* volume = facts.volume(name.text());
  if (!volume) {
    report_missing_volume(name, facts, report);
  } else if (!is_claim(*volume)) {
    report.add(rule::kVolumeMount, name,
               fmt::format("volume {} is not a claim, only a claim can be a block device", quoted(name)));
  } else if (names.contains(name.text())) {
    report.add(rule::kVolumeMount, name, fmt::format("volume {} is used as a device twice", quoted(name)),
               "remove one of the two");
  } else if (mounts.contains(name.text())) {
    report.add(rule::kVolumeMount, name, fmt::format("volume {} is both mounted and a device", quoted(name)),
               "remove one of the two");
  }
}

void check_volume_devices(const Field& container, const PodFacts& facts, Report& report) {
  const Field mounts = container.child("volumeMounts");
  const std::set<std::string_view> mount_names = texts_at(mounts, "name");
  const std::set<std::string_view> mount_paths = texts_at(mounts, "mountPath");
  std::set<std::string_view> names;
  std::set<std::string_view> paths;
  for_each_item(container.child("volumeDevices"), [&](const Field& device) {
    check_device_name(device, mount_names, names, facts, report);
    names.insert(device.child("name").text());
    const Field path = device.child("devicePath");
    if (!check_given(path, rule::kVolumeMount, report)) return;
    if (!check_no_backsteps(path, rule::kVolumeMount, report)) return;
    if (!paths.insert(path.text()).second) {
      report.add(rule::kVolumeMount, path, fmt::format("two devices at {}", quoted(path)),
                 "move one of them to another path");
    } else if (mount_paths.contains(path.text())) {
      report.add(rule::kVolumeMount, path, fmt::format("{} is the path of a mount too", quoted(path)));
    }
  });
}

}  // namespace

void check_mounts(const Field& container, const PodFacts& facts, Report& report) {
  check_volume_mounts(container, facts, report);
  check_volume_devices(container, facts, report);
}

}  // namespace trainjobc::k8s::pod
