// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <set>

#include "k8s/check/field_checks.h"
#include "k8s/container/containers.h"
#include "k8s/volume/volume_sources.h"

namespace trainjobc::k8s::job {
namespace {

constexpr int64_t kMinTokenSeconds = 10 * 60;
constexpr int64_t kMaxTokenSeconds = int64_t{1} << 32;

// A key of a ConfigMap or Secret and the file it becomes.
void check_key_to_path(const Field& item, Report& report) {
  check_given(item.child("key"), rule::kVolume, report);
  const Field path = item.child("path");
  if (check_given(path, rule::kVolume, report)) check_file_path(path, rule::kVolume, report);
  check_mode(item.child("mode"), report);
}

void check_keyed_files(const Field& source, Report& report) {
  check_mode(source.child("defaultMode"), report);
  for_each_item(source.child("items"), [&](const Field& item) { check_key_to_path(item, report); });
}

// A file of a downwardAPI volume. The API server names `owner` instead of the file.
void check_downward_file(const Field& file, const Field& owner, Report& report) {
  const Field path = owner.child("path", file.child("path").node());
  if (path.text().empty()) {
    report.add_at(file.location(), rule::kVolume, path, "a downwardAPI file needs a path", "add path");
  } else {
    check_file_path(path, rule::kVolume, report);
  }
  const Field ref = owner.child("fieldRef", file.child("fieldRef").node());
  const Field resource = owner.child("resourceFieldRef", file.child("resourceFieldRef").node());
  check_field_ref(ref, true, report);
  if (!ref) check_resource_field_ref(resource, true, report);
  if (ref && resource) {
    report.add_at(file.location(), rule::kVolume, owner,
                  "a downwardAPI file can't have both fieldRef and resourceFieldRef",
                  "remove one of the two");
  } else if (!ref && !resource) {
    report.add_at(file.location(), rule::kVolume, owner,
                  "a downwardAPI file needs fieldRef or resourceFieldRef");
  }
  check_mode(owner.child("mode", file.child("mode").node()), report);
}

// The files of all sources of one projected volume.
class ProjectedFiles {
 public:
  explicit ProjectedFiles(const Field& volume) : volume_(&volume) {}

  void add(const Field& path, Report& report) {
    if (path.text().empty() || paths_.insert(path.text()).second) return;
    report.add_at(path.location(), rule::kVolume, *volume_,
                  fmt::format("two sources write the file {}", quoted(path)),
                  "give one of them another path");
  }

 private:
  const Field* volume_;
  std::set<std::string_view> paths_;
};

void check_projected_keys(const Field& source, ProjectedFiles& files, Report& report) {
  if (!source) return;
  check_given(source.child("name"), rule::kVolume, report);
  for_each_item(source.child("items"), [&](const Field& item) {
    check_key_to_path(item, report);
    files.add(item.child("path"), report);
  });
}

void check_token(const Field& token, const Field& volume, Report& report) {
  if (!token) return;
  const Field seconds = token.child("expirationSeconds");
  const auto length = seconds.integer();
  if (length && (*length < kMinTokenSeconds || *length > kMaxTokenSeconds)) {
    report.add(rule::kVolume, seconds,
               fmt::format("a token can't live {} seconds, it must be from {} to {}", *length,
                           kMinTokenSeconds, kMaxTokenSeconds));
  }
  // The API server names the volume, not the source.
  const Field path = volume.child("path", token.child("path").node());
  if (path.text().empty()) {
    report.add_at(token.location(), rule::kVolume, path, "a serviceAccountToken needs a path", "add path");
  } else {
    check_file_path(path, rule::kVolume, report);
  }
}

void check_projection(const Field& source, const Field& volume, ProjectedFiles& files, Report& report) {
  const Field secret = source.child("secret");
  const Field config_map = source.child("configMap");
  const Field downward = source.child("downwardAPI");
  const Field token = source.child("serviceAccountToken");
  check_projected_keys(secret, files, report);
  check_projected_keys(config_map, files, report);
  for_each_item(downward.child("items"), [&](const Field& file) {
    check_downward_file(file, downward, report);
    files.add(file.child("path"), report);
  });
  check_token(token, volume, report);
  const int given = !!secret + !!config_map + !!downward + !!token;
  if (given > 1) {
    report.add(rule::kVolume, source, fmt::format("a projected source can have only one kind, not {}", given),
               "make each a separate element");
  }
}

}  // namespace

void check_secret_volume(const Field& source, Report& report) {
  check_keyed_files(source, report);
}

void check_config_map_volume(const Field& source, Report& report) {
  check_keyed_files(source, report);
}

void check_downward_volume(const Field& source, Report& report) {
  check_mode(source.child("defaultMode"), report);
  for_each_item(source.child("items"), [&](const Field& file) { check_downward_file(file, source, report); });
}

void check_projected_volume(const Field& source, Report& report) {
  check_mode(source.child("defaultMode"), report);
  ProjectedFiles files(source);
  for_each_item(source.child("sources"),
                [&](const Field& projection) { check_projection(projection, source, files, report); });
}

}  // namespace trainjobc::k8s::job
