# SPDX-License-Identifier: Apache-2.0

"""The volumes of a pod as folders, with the owners and modes that the kubelet gives them."""

import os

from environment import expand


def make(pod_spec, folder, claims, config):
    """Volume name → folder. `claims` is the folder of the claims, which outlive the pod."""
    made = {}
    for volume in pod_spec.get("volumes", []):
        path = os.path.join(folder, volume["name"])
        read_only = False
        if "secret" in volume:
            read_only = True
            source = volume["secret"]
            _project(path, _files(source, config, "Secret", source["secretName"]))
        elif "configMap" in volume:
            read_only = True
            source = volume["configMap"]
            _project(path, _files(source, config, "ConfigMap", source["name"]))
        elif "emptyDir" in volume:
            _make_folder(path)
        elif "persistentVolumeClaim" in volume:
            path = os.path.join(claims, volume["persistentVolumeClaim"]["claimName"])
            _make_folder(path)
        else:
            raise NotImplementedError(f"volume {sorted(volume)}")
        group = pod_spec.get("securityContext", {}).get("fsGroup")
        if group is not None:
            _give_to_group(path, group, read_only)
        made[volume["name"]] = path
    return made


def _make_folder(path):
    os.makedirs(path, exist_ok=True)
    os.chmod(path, 0o777)


def _files(source, config, kind, name):
    """path → (text, mode)"""
    data = config.get((kind, name))
    if data is None:
        if source.get("optional"):
            return {}
        raise LookupError(f"no {kind} {name}")
    mode = source.get("defaultMode", 0o644)
    if not source.get("items"):
        return {key: (text, mode) for key, text in data.items()}
    return {item["path"]: (data[item["key"]], item.get("mode", mode)) for item in source["items"]}


def _project(path, files):
    """A folder in memory, with links to the files: the kubelet replaces all of them at once."""
    os.makedirs(path)
    os.chmod(path, 0o1777)
    data = os.path.join(path, "..2026_01_01")
    os.mkdir(data, 0o755)
    os.symlink("..2026_01_01", os.path.join(path, "..data"))
    for name, (text, mode) in files.items():
        target = os.path.join(data, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(target, mode)
        first = name.split("/")[0]
        if not os.path.lexists(os.path.join(path, first)):
            os.symlink(f"..data/{first}", os.path.join(path, first))


def _give_to_group(path, group, read_only):
    """As pkg/volume/volume_linux.go of Kubernetes does for fsGroup."""
    for folder, folders, files in os.walk(path):
        for name in [".", *folders, *files]:
            item = os.path.join(folder, name)
            os.chown(item, -1, group, follow_symlinks=False)
            if os.path.islink(item):
                continue
            mask = 0o440 if read_only else 0o660
            if os.path.isdir(item):
                mask |= 0o2110
            os.chmod(item, (os.stat(item).st_mode & 0o7777) | mask)


def _expand_all(text, values):
    """As a path, which must not have a name without a value."""
    expanded = expand(text, values)
    if "$(" in expanded:
        raise LookupError(f"subPathExpr {text}: missing value")
    return expanded


def mounts(container, folders, values):
    """What to bind where, outer folders first. `values` are the container's own variables."""
    bound = []
    for mount in container.get("volumeMounts", []):
        source = folders[mount["name"]]
        part = mount.get("subPath") or _expand_all(mount.get("subPathExpr", ""), values)
        if part:
            source = os.path.join(source, part)
            if not os.path.lexists(source):
                os.makedirs(source, mode=0o750)
        target = os.path.normpath(mount["mountPath"])
        bound.append({"source": source, "target": target, "readOnly": mount.get("readOnly", False)})
    return sorted(bound, key=lambda mount: mount["target"])
