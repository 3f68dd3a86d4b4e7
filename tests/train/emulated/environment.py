# SPDX-License-Identifier: Apache-2.0

"""What the kubelet makes of a container's env, command and args."""

import base64
import math
import re


def expand(text, values):
    """$(NAME) is replaced if NAME has a value, $$ is one $."""

    def replace(found):
        if found.group(0) == "$$":
            return "$"
        return values.get(found.group(1), found.group(0))

    return re.sub(r"\$\$|\$\(([^)]*)\)", replace, text)


def quantity(text):
    """A quantity as a number."""
    units = {"m": 1e-3, "": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
    units |= {letter + "i": 1024 ** (power + 1) for power, letter in enumerate("KMGTPE")}
    number, unit = re.fullmatch(r"([0-9.eE+-]+?)([a-zA-Z]*)", str(text)).groups()
    return float(number) * units[unit]


class Environment:
    """Resolves the env of the containers of one pod. `config` maps (kind, name) to the data, as text."""

    def __init__(self, fields, labels, annotations, config):
        self.fields = fields
        self.maps = {"metadata.labels": labels, "metadata.annotations": annotations}
        self.config = config

    def of(self, container):
        """What the container's own spec sets; $(NAME) sees nothing else, such as the image's variables."""
        values = {}
        for source in container.get("envFrom", []):
            values |= self._all_of(source)
        for item in container.get("env", []):
            if "valueFrom" in item:
                value = self._value_from(item["valueFrom"], container)
                if value is not None:
                    values[item["name"]] = value
            else:
                values[item["name"]] = expand(item.get("value", ""), values)
        return values

    def field(self, path):
        indexed = re.fullmatch(r"(metadata\.(?:labels|annotations))\['([^']*)'\]", path)
        if indexed:
            return self.maps[indexed.group(1)].get(indexed.group(2), "")
        return self.fields[path]

    def _value_from(self, source, container):
        if "fieldRef" in source:
            return self.field(source["fieldRef"]["fieldPath"])
        if "resourceFieldRef" in source:
            return self._resource(source["resourceFieldRef"], container)
        for key, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
            if key in source:
                return self._key(kind, source[key])
        raise NotImplementedError(f"valueFrom {sorted(source)}")

    def _key(self, kind, reference):
        data = self.config.get((kind, reference["name"]), {})
        if reference["key"] not in data and not reference.get("optional"):
            raise LookupError(f"{kind} {reference['name']} has no key {reference['key']}")
        return data.get(reference["key"])

    def _all_of(self, source):
        for key, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
            if key not in source:
                continue
            data = self.config.get((kind, source[key]["name"]))
            if data is None and not source[key].get("optional"):
                raise LookupError(f"no {kind} {source[key]['name']}")
            return {source.get("prefix", "") + name: text for name, text in (data or {}).items()}
        raise NotImplementedError(f"envFrom {sorted(source)}")

    def _resource(self, reference, container):
        kind, name = reference["resource"].split(".", 1)
        text = container.get("resources", {}).get(kind, {}).get(name, "0")
        divisor = quantity(reference.get("divisor", "1")) or 1
        return str(math.ceil(quantity(text) / divisor))


def config_of(objects):
    """(kind, name) → {key: text} of the ConfigMaps and Secrets among the objects."""
    config = {}
    for item in objects:
        if item["kind"] not in ("ConfigMap", "Secret"):
            continue
        data = dict(item.get("data") or {})
        if item["kind"] == "Secret":
            data = {key: base64.b64decode(text).decode() for key, text in data.items()}
            data |= item.get("stringData") or {}
        config[(item["kind"], item["metadata"]["name"])] = data
    return config
