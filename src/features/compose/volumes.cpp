// SPDX-License-Identifier: Apache-2.0

// The mounts of a container: files of ConfigMaps and Secrets become configs with their text in the Compose
// file, claims become named volumes, shared memory becomes shm_size.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.h"
#include "features/compose/draft.h"
#include "k8s/name_syntax.h"
#include "k8s/quantity.h"
#include "k8s/violations.h"

namespace trainjobc::compose {
namespace {

using yaml::items_at;
using yaml::Node;
using yaml::text_at;
using yaml::value_at;

constexpr std::string_view kSharedMemory = "/dev/shm";
constexpr int64_t kDefaultMode = 0644;

// One file of a volume.
struct VolumeFile {
  std::string_view kind;
  std::string_view object;
  std::string_view key;
  std::string path;  // relative to the volume
  int64_t mode = kDefaultMode;
};

// A volume, other than a claim, that outlives the pod or is on another machine: its field, and what notes
// call it.
struct OtherVolume {
  std::string_view field;
  std::string_view words;
};
constexpr std::array kOtherVolumes = std::to_array<OtherVolume>({
    {"hostPath", "a folder of a cluster's machine"},
    {"nfs", "NFS"},
    {"csi", "a CSI volume"},
    {"image", "an image volume"},
});

std::string joined_path(std::string_view folder, std::string_view name) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
  return name.empty() ? std::string(folder) : fmt::format("{}/{}", folder == "/" ? "" : folder, name);
}

// A size as Docker writes it, in units of 1024.
const Node* size_node(const yaml::Maker& make, std::string_view text) {
  const auto quantity = k8s::Quantity::parse(text);
  if (!quantity || quantity->sign() <= 0) return nullptr;
  const int64_t bytes = quantity->value();
  for (const auto& [shift, unit] : {std::pair(30, "gb"), std::pair(20, "mb"), std::pair(10, "kb")}) {
    if (bytes >> shift << shift == bytes) return make.copied(fmt::format("{}{}", bytes >> shift, unit));
  }
  return make.integer(bytes);
}

// Whether a YAML file can contain the text.
bool is_text(std::string_view value) {
  const bool has_control = std::ranges::any_of(value, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == '\x7f';
  });
  return !has_control && base::to_valid_utf8(value) == value;
}

// The text as a part of a volume's name.
std::string name_part(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(
      out, [](char c) { return !base::is_alnum(c) && c != '.' && c != '-'; }, '_');
  return out;
}

class MountMaker {
 public:
  MountMaker(Draft& draft, const Pod& pod, const Node& container)
      : draft_(draft), pod_(pod), container_(container), takes_folders_(has_training_image(pod, container)) {}

  Mounted take(const Words& words) {
    if (takes_folders_) {
      for (const Mount& mount : draft_.options.mounts) add_bind(mount.source, mount.target, mount.read_only);
    }
    const auto mounts = items_at(container_, "volumeMounts");
    for (size_t i = 0; i < mounts.size(); ++i) {
      part_ = value_at(*mounts[i], {"subPath"});
      if (part_.empty()) part_ = words.parts[i];
      add(*mounts[i]);
    }
    return std::move(mounted_);
  }

 private:
  void add(const Node& mount) {
    target_ = joined_path(text_at(mount, "mountPath"), "");
    if (!target_.starts_with('/')) target_.insert(0, "/");  // the kubelet does so too
    read_only_ = yaml::is_true_at(mount, "readOnly");
    if (is_replaced()) return;
    // The kubelet doesn't start a container with such a subPath.
    if (part_.starts_with('/') || k8s::has_backstep(part_)) {
      draft_.note(
          fmt::format("what is mounted at {} is left out: \"{}\" leads out of the volume", target_, part_));
      return;
    }
    const std::string_view name = text_at(mount, "name");
    const auto found = pod_.parts->volumes.find(name);
    if (found != pod_.parts->volumes.end()) add_volume(*found->second, name);
  }

  // Whether a folder of --mount replaces what the job mounts there.
  bool is_replaced() const {
    return takes_folders_ && std::ranges::any_of(draft_.options.mounts, [&](const Mount& mount) {
             return joined_path(mount.target, "") == target_;
           });
  }

  void add_volume(const Node& volume, std::string_view name) {
    const auto source = [&](std::string_view field) {
      const Node* node = volume.get(field);
      return node && !node->is_null() ? node : nullptr;
    };
    if (const Node* secret = source("secret"))
      return add_files("Secret", text_at(*secret, "secretName"), *secret);
    if (const Node* map = source("configMap")) return add_files("ConfigMap", text_at(*map, "name"), *map);
    if (const Node* projected = source("projected")) return add_projected(*projected, name);
    if (const Node* empty = source("emptyDir")) return add_empty(*empty, name);
    if (const Node* claim = source("persistentVolumeClaim")) return add_claim(text_at(*claim, "claimName"));
    if (source("ephemeral")) return add_named(fmt::format("{}.{}", pod_.service, name), nullptr);
    if (source("downwardAPI")) {
      draft_.note(
          fmt::format("volume \"{}\" (downwardAPI) is left out: its files need the Kubernetes API", name));
      return;
    }
    std::string_view words = "a volume of the cluster";
    for (const OtherVolume& other : kOtherVolumes) {
      if (source(other.field)) words = other.words;
    }
    draft_.note(
        fmt::format("volume \"{}\" ({}) is a new, empty volume: --mount DIR:{} mounts a folder instead", name,
                    words, target_));
    add_named(std::string(name), nullptr);
  }

  // Whether an object can have this name: other names could be paths on this machine.
  bool can_exist(std::string_view kind, std::string_view name) {
    const std::string problem = k8s::dns_subdomain_problem(name);
    if (!problem.empty()) draft_.note(fmt::format("{} \"{}\" is left out: its name {}", kind, name, problem));
    return problem.empty();
  }

  void add_claim(std::string_view claim) {
    if (!can_exist("claim", claim)) return;
    draft_.note_part(std::string(claim), !part_.empty());
    if (pod_.trains && !draft_.claims.contains(claim))
      draft_.note(fmt::format("claim \"{}\" is a new, empty volume: --mount DIR:{} mounts a folder instead",
                              claim, target_));
    add_named(std::string(claim), nullptr);
  }

  void add_empty(const Node& empty, std::string_view name) {
    const bool in_memory = value_at(empty, {"medium"}) == "Memory";
    const Node* size = in_memory ? size_node(draft_.make, value_at(empty, {"sizeLimit"})) : nullptr;
    if (in_memory && target_ == kSharedMemory && part_.empty() && size) {
      mounted_.shared_memory = size;
    } else if (is_shared(name) || !part_.empty()) {
      add_named(fmt::format("{}.{}", pod_.service, name),
                in_memory || is_unprivileged() ? memory_volume(size) : nullptr);
    } else if (in_memory || is_unprivileged()) {
      add_memory(size);
    } else {
      mounted_.volumes.push_back(draft_.make.copied(target_));
    }
  }

  // Whether several containers of the pod mount the volume.
  bool is_shared(std::string_view name) const {
    const auto found = pod_.parts->mounts.find(name);
    return found != pod_.parts->mounts.end() && found->second > 1;
  }

  // The user's id; "" for root, or if only the image says who it is.
  std::string_view unprivileged_user() const {
    const std::string_view user = yaml::text_of(security_of(pod_, container_, "runAsUser"));
    return user == "0" ? std::string_view() : user;
  }

  // Only root may write to a new volume of Docker; anyone may write to one in memory, as to an emptyDir.
  bool is_unprivileged() const { return !unprivileged_user().empty(); }

  // In a pod, root owns the file, and the kubelet lets the pod's group read it. Docker makes the container's
  // user its owner: that user gets the rights that it has in the pod, so that ssh still accepts a key that no
  // one else may read.
  static int64_t mode_of(const VolumeFile& file, bool has_group, bool has_user) {
    const int64_t mode = has_group ? file.mode | 0440 : file.mode;
    if (!has_user) return mode;
    const int64_t others = mode & 07;
    const int64_t own = has_group ? (mode >> 3) & 07 : others;
    return own << 6 | others << 3 | others;
  }

  const Node* memory_volume(const Node* size) const {
    const yaml::Maker& make = draft_.make;
    const std::string size_option =
        size ? fmt::format(",size={}", size->text().substr(0, size->text().find('b'))) : "";
    const Node* options = make.map({{"type", make.string("tmpfs")},
                                    {"device", make.string("tmpfs")},
                                    {"o", make.copied("mode=1777" + size_option)}});
    return make.map({{"driver", make.string("local")}, {"driver_opts", options}});
  }

  void add_memory(const Node* size) {
    const yaml::Maker& make = draft_.make;
    mounted_.volumes.push_back(make.map({{"type", make.string("tmpfs")},
                                         {"target", draft_.make.copied(target_)},
                                         {"tmpfs", size ? make.map({{"size", size}}) : nullptr}}));
  }

  void add_named(std::string name, const Node* node) {
    if (!part_.empty()) name += "_" + name_part(part_);
    draft_.add_volume(name, node ? node : draft_.make.map({}));
    const yaml::Maker& make = draft_.make;
    const bool is_drive = name.size() == 1;  // Compose would take d:/data for a path on Windows
    if (target_.find(':') == std::string::npos && !is_drive) {
      mounted_.volumes.push_back(
          draft_.make.copied(fmt::format("{}:{}{}", name, target_, read_only_ ? ":ro" : "")));
      return;
    }
    mounted_.volumes.push_back(make.map({{"type", make.string("volume")},
                                         {"source", make.copied(name)},
                                         {"target", draft_.make.copied(target_)},
                                         {"read_only", read_only_ ? make.boolean(true) : nullptr}}));
  }

  // Mounts a folder or file of this machine, which must exist.
  void add_bind(const std::string& source, const std::string& target, bool read_only) {
    const yaml::Maker& make = draft_.make;
    const bool is_relative = !source.starts_with('/') && !source.starts_with('.') && !source.starts_with('~');
    mounted_.volumes.push_back(make.map({{"type", make.string("bind")},
                                         {"source", draft_.make.copied(is_relative ? "./" + source : source)},
                                         {"target", draft_.make.copied(target)},
                                         {"read_only", read_only ? make.boolean(true) : nullptr},
                                         {"bind", make.map({{"create_host_path", make.boolean(false)}})}}));
  }

  void add_files(std::string_view kind, std::string_view object, const Node& source) {
    if (!can_exist(kind, object)) return;
    const std::string_view optional = value_at(source, {"optional"});
    if (!draft_.files.has(kind, object)) {
      if (optional != "true") add_missing(kind, object, source);
      return;
    }
    for (const VolumeFile& file : files_of(kind, object, source)) add_file(file);
  }

  // For an object that is not among the inputs: mounts the folder that the note names.
  void add_missing(std::string_view kind, std::string_view object, const Node& source) {
    draft_.note(fmt::format("{} \"{}\" is not among the inputs: put its keys as files into ./{}", kind,
                            object, object));
    const auto items = items_at(source, "items");
    if (items.empty() && part_.empty()) add_bind(std::string(object), target_, true);
    if (items.empty() && !part_.empty()) add_bind(fmt::format("{}/{}", object, part_), target_, true);
    for (const Node* item : items) {
      const std::string target = target_of(std::string(text_at(*item, "path")));
      const std::string_view key = text_at(*item, "key");
      if (!target.empty() && is_key(key, kind, object))
        add_bind(fmt::format("{}/{}", object, key), target, true);
    }
  }

  std::vector<VolumeFile> files_of(std::string_view kind, std::string_view object, const Node& source) {
    std::vector<VolumeFile> files;
    const Node* default_mode = source.get("defaultMode");
    const int64_t mode = default_mode ? default_mode->as_int().value_or(kDefaultMode) : kDefaultMode;
    const auto items = items_at(source, "items");
    if (items.empty()) {
      for (const auto& [key, value] : draft_.files.keys(kind, object))
        files.push_back({kind, object, key, key, mode});
    }
    for (const Node* item : items) {
      const Node* own = item->get("mode");
      files.push_back({kind, object, text_at(*item, "key"), std::string(text_at(*item, "path")),
                       own ? own->as_int().value_or(mode) : mode});
    }
    return files;
  }

  // Where a file of the volume appears in the container; "" if subPath leaves it out.
  std::string target_of(const std::string& path) const {
    if (part_.empty()) return joined_path(target_, path);
    if (path == part_) return target_;
    return path.starts_with(part_ + "/") ? joined_path(target_, path.substr(part_.size() + 1)) : "";
  }

  bool is_key(std::string_view key, std::string_view kind, std::string_view object) {
    const std::string problem = k8s::complaint(k8s::Form::ConfigKey, key);
    if (!problem.empty())
      draft_.note(fmt::format("key \"{}\" of {} \"{}\" is left out: it {}", key, kind, object, problem));
    return problem.empty();
  }

  void add_file(const VolumeFile& file) {
    if (!is_key(file.key, file.kind, file.object)) return;
    const std::string target = target_of(file.path);
    const auto value = draft_.files.value(file.kind, file.object, file.key);
    if (target.empty() || !value) return;
    if (value->empty() || !is_text(*value)) {
      draft_.note(fmt::format("key {} of {} \"{}\" is left out: it is {}", file.key, file.kind, file.object,
                              value->empty() ? "empty" : "not text"));
      return;
    }
    const yaml::Maker& make = draft_.make;
    const std::string_view group = value_at(*pod_.spec, {"securityContext", "fsGroup"});
    const std::string user(unprivileged_user());
    mounted_.configs.push_back(make.map(
        {{"source", make.copied(draft_.add_config(file.kind, file.object, file.key, *value))},
         {"target", draft_.make.copied(target)},
         {"uid", make.copied(user.empty() ? "0" : user)},
         {"gid", make.string(group.empty() ? "0" : group)},
         {"mode", make.copied(fmt::format("{:04o}", mode_of(file, !group.empty(), !user.empty())))}}));
  }

  void add_projected(const Node& projected, std::string_view name) {
    for (const Node* source : items_at(projected, "sources")) {
      for (const auto& [field, kind] : {std::pair("secret", "Secret"), std::pair("configMap", "ConfigMap")}) {
        const Node* one = source->get(field);
        if (!one || one->is_null()) continue;
        const Node* mode = projected.get("defaultMode");
        add_files(kind, text_at(*one, "name"), mode ? *draft_.make.with(one, "defaultMode", mode) : *one);
      }
      if (source->get("serviceAccountToken") || source->get("downwardAPI") ||
          source->get("clusterTrustBundle"))
        draft_.note(fmt::format("files of volume \"{}\" that need the Kubernetes API are left out", name));
    }
  }

  Draft& draft_;
  const Pod& pod_;
  const Node& container_;
  const bool takes_folders_;  // folders of --mount
  Mounted mounted_;
  std::string target_;
  std::string part_;  // the mount's subPath
  bool read_only_ = false;
};

}  // namespace

Mounted mounts_of(Draft& draft, const Pod& pod, const Node& container, const Words& words) {
  return MountMaker(draft, pod, container).take(words);
}

}  // namespace trainjobc::compose
