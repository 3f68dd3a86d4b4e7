# SPDX-License-Identifier: Apache-2.0
"""What may be passed as objects, as the texts that the compiler reads."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Protocol, Union

    class HasToDict(Protocol):
        """An object with a ``to_dict()``, such as the models of ``kubeflow-trainer-api``."""

        def to_dict(self) -> Any: ...

    # YAML or JSON text, a path, a dict, or an object with to_dict(); or several of them.
    Objects = Union[str, bytes, os.PathLike[str], Mapping[str, Any], HasToDict, Iterable[Any]]
    # name, text, whether it has lines that somebody can look at
    Text = tuple[str, str, bool]

SUFFIXES = (".yaml", ".yml", ".json")


def texts_of(objects: Objects | None, what: str, *, required: bool = False) -> list[Text]:
    """The texts of the objects; ``what`` names those that are in no file: ``objects[0]``.

    If they are ``required``, nothing and an empty folder are mistakes, which would look like a job without findings.
    """
    if required:
        _refuse_nothing(objects)
    if objects is None:
        return []
    texts: list[Text] = []
    for one in _each(objects):
        texts.extend(_read(one, f"{what}[{len(texts)}]"))
    return texts


def _refuse_nothing(objects: Objects | None) -> None:
    if objects is None:
        raise TypeError("objects is None: pass YAML, a path, a dict or an object with to_dict()")
    if isinstance(objects, Mapping) and not objects:
        raise ValueError("objects is an empty dict: pass an object")
    each: Any = objects if isinstance(objects, (list, tuple)) else [objects]
    for one in each:
        if not isinstance(one, (str, os.PathLike)) or (isinstance(one, str) and _is_text(one)):
            continue
        path = os.fspath(one)
        if os.path.isdir(path) and not _files_at(path):
            raise FileNotFoundError(f"{path} has no manifests: no .yaml, .yml or .json file")


def _each(objects: Objects) -> Iterator[Any]:
    if isinstance(objects, (str, bytes, bytearray, os.PathLike, Mapping)) or hasattr(objects, "to_dict"):
        yield objects
    else:
        several: Any = objects
        yield from several


def _read(one: Any, name: str) -> Iterator[Text]:
    if isinstance(one, str) and _is_text(one):
        yield name, one, True
    elif isinstance(one, (str, os.PathLike)):
        for path in _files_at(os.fspath(one)):
            with open(path, encoding="utf-8", newline="") as file:
                yield path, file.read(), True
    elif isinstance(one, (bytes, bytearray)):
        yield name, one.decode(), True
    else:
        yield name, _to_json(one), False


def _is_text(text: str) -> bool:
    return "\n" in text or ": " in text or text.lstrip().startswith(("{", "["))


def _files_at(path: str) -> list[str]:
    """The file, or the manifests below the folder, without hidden ones, by their paths."""
    if not os.path.isdir(path):
        return [path]
    found: list[str] = []
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        names = (name for name in files if name.endswith(SUFFIXES) and not name.startswith("."))
        found.extend(os.path.join(folder, name) for name in names)
    return sorted(found)


def _to_json(one: Any) -> str:
    if not isinstance(one, (Mapping, list, tuple)) and not hasattr(one, "to_dict"):
        raise TypeError(f"neither YAML, a path, a dict nor an object with to_dict(): {type(one).__name__}")
    try:
        text = json.dumps(one, default=_plain, allow_nan=False, ensure_ascii=False)
    except RecursionError:
        raise ValueError("the manifest has too many lists and dicts in each other") from None
    text.encode()  # what can't be UTF-8 is said here, by its position
    return text


def _plain(value: Any) -> Any:
    """A value that JSON does not know, as one that it knows."""
    # The kubernetes client's to_dict() has Python's names; Kubernetes' own are in attribute_map.
    names = getattr(value, "attribute_map", None)
    if names is not None:
        fields = ((key, getattr(value, attribute)) for attribute, key in names.items())
        return {key: field for key, field in fields if field is not None}
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "isoformat"):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a manifest can't contain a value of type {type(value).__name__}")
