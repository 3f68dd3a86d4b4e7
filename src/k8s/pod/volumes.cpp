// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "k8s/object_meta.h"
#include "k8s/pod/pod.h"

namespace trainjobc::k8s::pod {

namespace {

// The sources of volumes. Each function checks one source that is given; `source` has the path that the API
// server names it by.

// Directories and disks

using base::is_alnum;
using base::is_digit;

constexpr size_t kMaxTenant = 64;

bool is_host_port(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos) return false;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[')) {
    if (!host.ends_with(']')) return false;
    host = host.substr(1, host.size() - 2);
    return text.substr(colon).find_first_of("[]") == text.npos && host.find_first_of("[]") == host.npos;
  }
  return host.find(':') == host.npos && text.find_first_of("[]") == text.npos;
}

// iqn.YYYY-MM.domain:name
bool is_iqn(std::string_view text) {
  for (size_t at = text.find("iqn."); at != text.npos; at = text.find("iqn.", at + 1)) {
    std::string_view rest = text.substr(at + 4);
    const bool dated = rest.size() > 8 && std::all_of(rest.begin(), rest.begin() + 4, is_digit) &&
                       rest[4] == '-' && is_digit(rest[5]) && is_digit(rest[6]) && rest[7] == '.';
    if (!dated) continue;
    rest.remove_prefix(8);
    const size_t colon = rest.find(':');
    if (colon == rest.npos || colon == 0 || colon + 1 == rest.size()) continue;
    const bool domain = std::ranges::all_of(rest.substr(0, colon),
                                            [](char c) { return is_alnum(c) || c == '-' || c == '.'; });
    if (domain && rest.find_first_of(",;*&$| \t\n\f\r", colon) == rest.npos) return true;
  }
  return false;
}

// Whether the text is eui. or naa. and that many hexadecimal digits.
bool is_hardware_name(std::string_view text, size_t digits) {
  return text.size() == 4 + digits && text[3] != '\n' && std::ranges::all_of(text.substr(4), is_alnum);
}

bool is_initiator(std::string_view text) {
  if (text.starts_with("iqn")) return is_iqn(text);
  if (text.starts_with("eui")) return is_hardware_name(text, 16);
  return text.starts_with("naa") && is_hardware_name(text, 32);
}

void check_initiator(const Field& name, Report& report) {
  if (is_initiator(name.text())) return;
  report.add(rule::kVolume, name, fmt::format("{} {} is not an iSCSI name", name.name(), quoted(name)),
             "write it as iqn.2001-04.com.example:storage");
}

void check_empty_dir(const Field& source, Report& report) {
  const Field limit = source.child("sizeLimit");
  const auto quantity = Quantity::parse(limit.text());
  if (!quantity || quantity->sign() >= 0) return;
  report.add(rule::kVolume, limit, fmt::format("sizeLimit {} is negative", limit.text()));
}

void check_host_path(const Field& source, Report& report) {
  constexpr std::string_view kTypes[] = {"DirectoryOrCreate", "Directory",  "FileOrCreate", "File", "Socket",
                                         "CharDevice",        "BlockDevice"};
  const Field path = source.child("path");
  if (!check_given(path, rule::kVolume, report)) return;
  check_no_backsteps(path, rule::kVolume, report);
  check_defaulted_one_of(source.child("type"), kTypes, rule::kVolume, report);
}

void check_git_repo(const Field& source, Report& report) {
  check_relative_path(source.child("directory"), rule::kVolume, report);
}

void check_nfs(const Field& source, Report& report) {
  const Field path = source.child("path");
  if (path.text().empty() || path.text().starts_with('/')) return;
  suggest_writing(report.add(rule::kVolume, path, fmt::format("path {} must be absolute", quoted(path))),
                  path.node(), fmt::format("/{}", path.text()));
}

// Before Kubernetes 1.36, the Job is accepted without a reference, and its pods are refused.
void check_image_volume(const Field& source, Report& report) {
  constexpr std::string_view kPolicies[] = {"Always", "IfNotPresent", "Never"};
  check_given(source.child("reference"), rule::kVolume, report);
  check_defaulted_one_of(source.child("pullPolicy"), kPolicies, rule::kVolume, report);
}

void check_partitioned_disk(const Field& source, Report& report) {
  check_range(source.child("partition"), 0, 255, rule::kVolume, report);
}

void check_cinder(const Field& source, Report& report) {
  const Field secret = source.child("secretRef");
  if (secret) check_given(secret.child("name"), rule::kVolume, report);
}

void check_azure_disk(const Field& source, Report& report) {
  constexpr std::string_view kCaching[] = {"None", "ReadOnly", "ReadWrite"};
  constexpr std::string_view kKinds[] = {"Dedicated", "Managed", "Shared"};
  const Field uri = source.child("diskURI");
  const Field kind = source.child("kind");
  check_optional_one_of(source.child("cachingMode"), kCaching, rule::kVolume, report);
  check_optional_one_of(kind, kKinds, rule::kVolume, report);
  const std::string_view prefix = kind.text() == "Managed" ? "/subscriptions/" : "https://";
  if (uri.text().empty() || uri.text().starts_with(prefix)) return;
  report.add(rule::kVolume, uri,
             fmt::format("diskURI of a {} disk must begin with {}", kind ? kind.text() : "Shared", prefix));
}

void check_iscsi(const Field& source, Report& report) {
  const Field iqn = source.child("iqn");
  if (!iqn.text().empty()) check_initiator(iqn, report);
  const Field initiator = source.child("initiatorName");
  if (initiator) check_initiator(source.child("initiatorname", initiator.node()), report);
  check_range(source.child("lun"), 0, 255, rule::kVolume, report);
  const bool chap = source.child("chapAuthDiscovery").is_true() || source.child("chapAuthSession").is_true();
  const Field secret = source.child("secretRef");
  if (chap && !secret)
    report.add(rule::kVolume, secret, "CHAP authentication needs a secretRef", "add secretRef");
}

void check_fc(const Field& source, Report& report) {
  const Field targets = source.child("targetWWNs");
  const Field ids = source.child("wwids");
  const Field lun = source.child("lun");
  if (targets.size() == 0 && ids.size() == 0) {
    report.add(rule::kVolume, targets, "an fc volume needs targetWWNs or wwids");
  } else if (targets.size() > 0 && ids.size() > 0) {
    report.add(rule::kVolume, targets, "an fc volume can't have both targetWWNs and wwids",
               "remove one of the two");
  }
  if (targets.size() == 0) return;
  if (lun) {
    check_range(lun, 0, 255, rule::kVolume, report);
  } else {
    report.add(rule::kVolume, lun, "targetWWNs need a lun", "add lun");
  }
}

void check_flocker(const Field& source, Report& report) {
  const Field name = source.child("datasetName");
  const bool has_id = !source.child("datasetUUID").text().empty();
  if (name.text().empty() && !has_id) {
    report.add(rule::kVolume, source, "a flocker volume needs a datasetName or a datasetUUID");
  } else if (!name.text().empty() && has_id) {
    report.add(rule::kVolume, source, "a flocker volume can't have both datasetName and datasetUUID",
               "remove one of the two");
  }
  if (name.text().find('/') != std::string_view::npos) {
    report.add(rule::kVolume, name, fmt::format("datasetName {} can't contain a '/'", quoted(name)));
  }
}

void check_quobyte(const Field& source, Report& report) {
  const Field registry = source.child("registry");
  const Field tenant = source.child("tenant");
  if (!check_given(registry, rule::kVolume, report)) return;
  if (tenant.text().size() > kMaxTenant) {
    report.add(rule::kVolume, tenant,
               fmt::format("tenant is {} characters long, at most {} are allowed", tenant.text().size(),
                           kMaxTenant));
    return;
  }
  if (all_parts(registry.text(), ",", is_host_port)) return;
  report.add(rule::kVolume, registry, fmt::format("registry {} is not a host:port", quoted(registry)),
             "write host:port, and separate several with commas");
}

void check_flex_volume(const Field& source, Report& report) {
  for_each_entry(source.child("options"), [&](std::string_view key, const Field& option) {
    const std::string domain = "." + base::lower_case(key.substr(0, key.find('/')));
    if (!domain.ends_with(".kubernetes.io") && !domain.ends_with(".k8s.io")) return;
    report.add_at(option.key_location(), rule::kVolume, option,
                  fmt::format("option {} is in a domain that is reserved for Kubernetes", quoted(key)));
  });
}

void check_storage_os(const Field& source, Report& report) {
  for (const std::string_view name : {"volumeName", "volumeNamespace"}) {
    check_optional_name(source.child(name), Form::DnsLabel, rule::kVolume, name, report);
  }
  const Field secret = source.child("secretRef");
  if (secret) check_given(secret.child("name"), rule::kVolume, report);
}

// Files that the API server fills in

constexpr int64_t kMinTokenSeconds = 10 * 60;
constexpr int64_t kMaxTokenSeconds = int64_t{1} << 32;

// Checks a key of a ConfigMap or Secret and the file it becomes.
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

// Checks a file of a downwardAPI volume. The API server names `owner` instead of the file.
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

// The files of all sources of a projected volume.
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
  const Field bundle = source.child("clusterTrustBundle");
  const Field certificate = source.child("podCertificate");
  check_trust_bundle(bundle, report);
  check_pod_certificate(certificate, report);
  files.add(bundle.child("path"), report);
  for (const std::string_view key : kCertificatePaths) files.add(certificate.child(key), report);
  const int given = !!secret + !!config_map + !!downward + !!token + !!bundle + !!certificate;
  if (given > 1) {
    report.add(rule::kVolume, source, fmt::format("a projected source can have only one kind, not {}", given),
               "make each a separate element");
  }
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

// Claims

constexpr size_t kMaxDriver = 63;

void check_template_metadata(const Field& metadata, Report& report) {
  check_labels(metadata.child("labels"), "label", report);
  check_annotations(metadata.child("annotations"), report);
  if (!metadata) return;
  for (const yaml::Entry& entry : metadata.node()->entries()) {
    if (entry.key == "labels" || entry.key == "annotations" || entry.value->is_empty_value()) continue;
    const Field field = metadata.child(entry.key);
    report.add_at(field.key_location(), rule::kVolume, field,
                  fmt::format("a claim's template can't have {}", entry.key), "only labels and annotations");
  }
}

void check_access_modes(const Field& modes, Report& report) {
  constexpr std::string_view kModes[] = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany",
                                         "ReadWriteOncePod"};
  if (modes.size() == 0) {
    report.add(rule::kVolume, modes, "a claim needs at least one access mode",
               "add accessModes: [ReadWriteOnce]");
  }
  bool alone = false;
  bool shared = false;
  for_each_item(modes, [&](const Field& mode) {
    const bool known = base::contains(kModes, mode.text());
    if (!known) {
      report.add_at(mode.location(), rule::kVolume, modes,
                    fmt::format("{} is not an access mode", quoted(mode)),
                    fmt::format("one of {}", fmt::join(kModes, ", ")));
    }
    alone = alone || mode.text() == "ReadWriteOncePod";
    shared = shared || (known && mode.text() != "ReadWriteOncePod");
  });
  if (!alone || !shared) return;
  report.add(rule::kVolume, modes, "ReadWriteOncePod can't be combined with other access modes",
             "remove one of them");
}

void check_storage(const Field& resources, Report& report) {
  const Field requests = resources.child("requests");
  const Field asked = requests.child("storage");
  // The API server leaves "requests" out of the path.
  const Field named = resources.entry("storage");
  const auto amount = stored_amount(asked.text());
  if (!asked) {
    report.add_at(requests.location(), rule::kVolume, named, "a claim needs a request for storage",
                  "add resources: {requests: {storage: 10Gi}}");
  } else if (amount && amount->sign() <= 0) {
    report.add_at(asked.location(), rule::kVolume, named,
                  fmt::format("a claim can't request {} of storage", asked.text()));
  }
}

void check_data_source(const Field& source, Report& report) {
  if (!source) return;
  check_given(source.child("name"), rule::kVolume, report);
  const Field kind = source.child("kind");
  const bool has_kind = check_given(kind, rule::kVolume, report);
  const Field group = source.child("apiGroup");
  if (group.text().empty() && kind.text() != "PersistentVolumeClaim") {
    report.add_at(has_kind ? kind.location() : source.location(), rule::kVolume, source,
                  fmt::format("without an apiGroup, {} can only be a PersistentVolumeClaim", source.name()),
                  "add apiGroup");
  }
  check_optional_name(group, Form::DnsSubdomain, rule::kVolume, "apiGroup", report);
  check_optional_name(source.child("namespace"), Form::DnsLabel, rule::kVolume, "namespace", report);
}

bool same_text(const Field& a, const Field& b) {
  return !!a == !!b && a.text() == b.text();
}

// dataSource and dataSourceRef must match; the API server names the claim's spec.
void check_data_sources(const Field& spec, Report& report) {
  const Field source = spec.child("dataSource");
  const Field ref = spec.child("dataSourceRef");
  check_data_source(source, report);
  check_data_source(ref, report);
  if (!source || !ref) return;
  const bool same = same_text(source.child("apiGroup"), ref.child("apiGroup")) &&
                    source.child("kind").text() == ref.child("kind").text() &&
                    source.child("name").text() == ref.child("name").text();
  if (!ref.child("namespace").text().empty()) {
    report.add_at(source.key_location(), rule::kVolume, spec,
                  "dataSource can't be used with dataSourceRef.namespace", "remove dataSource");
  } else if (!same) {
    report.add_at(source.key_location(), rule::kVolume, spec, "dataSource and dataSourceRef must be the same",
                  "remove one of the two");
  }
}

}  // namespace

void check_claim_spec(const Field& spec, Report& report) {
  constexpr std::string_view kModes[] = {"Block", "Filesystem"};
  check_access_modes(spec.child("accessModes"), report);
  check_label_selector(spec.child("selector"), report);
  check_storage(spec.child("resources"), report);
  for (const std::string_view name : {"storageClassName", "volumeAttributesClassName"}) {
    check_optional_name(spec.child(name), Form::DnsSubdomain, rule::kVolume, name, report);
  }
  check_optional_one_of(spec.child("volumeMode"), kModes, rule::kVolume, report);
  check_data_sources(spec, report);
}

namespace {

// Checks a claim that is created for the pod.
void check_ephemeral_volume(const Field& source, Report& report) {
  const Field claim = source.child("volumeClaimTemplate");
  if (!claim) {
    report.add(rule::kVolume, claim, "an ephemeral volume needs a volumeClaimTemplate",
               "add volumeClaimTemplate");
    return;
  }
  check_template_metadata(claim.child("metadata"), report);
  check_claim_spec(claim.child("spec"), report);
}

void check_csi_volume(const Field& source, Report& report) {
  const Field driver = source.child("driver");
  const std::string wrong = complaint(Form::DnsSubdomain, base::lower_case(driver.text()));
  if (!check_given(driver, rule::kVolume, report)) {
    // The volume isn't checked any further.
  } else if (!wrong.empty()) {
    report.add(rule::kVolume, driver, fmt::format("CSI driver {} {}", quoted(driver), wrong));
  } else if (driver.text().size() > kMaxDriver) {
    report.add(rule::kVolume, driver,
               fmt::format("CSI driver is {} characters long, at most {} are allowed", driver.text().size(),
                           kMaxDriver));
  }
  const Field secret = source.child("nodePublishSecretRef");
  const Field name = secret.child("name");
  if (!secret || !check_given(name, rule::kVolume, report)) return;
  // The API server names a field of the volume, not of the reference.
  check_form(source.child("name", name.node()), Form::DnsSubdomain, rule::kVolume,
             "name of nodePublishSecretRef", report);
}

// The list of volumes

using Check = void (*)(const Field& source, Report& report);

struct Source {
  std::string_view name;
  // Texts and lists that must not be empty, separated by spaces.
  std::string_view required;
  Check check = nullptr;
  // What the API server calls the source in its own check, and when it is one too many, if not `name`.
  std::string_view own_path = "";
  std::string_view surplus_path = "";
};

// In the API server's order: it checks the first source that is given, and refuses the others.
constexpr Source kSources[] = {
    {"emptyDir", "", check_empty_dir},
    {"hostPath", "", check_host_path},
    {"gitRepo", "repository", check_git_repo},
    {"gcePersistentDisk", "pdName", check_partitioned_disk, "persistentDisk"},
    {"awsElasticBlockStore", "volumeID", check_partitioned_disk},
    {"secret", "secretName", check_keyed_files},
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
    {"configMap", "name", check_keyed_files},
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

// The iSCSI client combines the names of the volume and the portal into one.
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
  const auto found = usable_volumes.find(name);
  return found != usable_volumes.end() ? found->second : nullptr;
}

bool is_empty_dir(const yaml::Node& volume) {
  if (given(volume, "emptyDir")) return true;
  return std::ranges::none_of(kSources, [&](const Source& source) { return given(volume, source.name); });
}

bool is_claim(const yaml::Node& volume) {
  return given(volume, "persistentVolumeClaim") || given(volume, "ephemeral");
}

}  // namespace trainjobc::k8s::pod
