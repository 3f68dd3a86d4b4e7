# SPDX-License-Identifier: Apache-2.0
"""Classes of values that don't change. Like frozen dataclasses, which take longer to define than a compilation."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, TypeVar

    from typing_extensions import dataclass_transform

    Class = TypeVar("Class", bound=type)
else:

    def dataclass_transform(**_):
        return lambda decorated: decorated


@dataclass_transform(frozen_default=True)
class Value:
    """Its fields are those that are annotated; two values with equal fields are equal."""

    # In the order of the arguments.
    _fields: ClassVar[tuple[str, ...]] = ()
    # Texts that repr() leaves out.
    _unshown: ClassVar[frozenset[str]] = frozenset()

    if not TYPE_CHECKING:

        def __init_subclass__(cls):
            super().__init_subclass__()
            own = (name for name, kind in cls.__annotations__.items() if not kind.startswith("ClassVar"))
            cls._fields = cls._fields + tuple(own)
            cls.__match_args__ = cls._fields

        def __init__(self, *values, **named):
            given = self.__dict__
            given.update(zip(self._fields, values))
            given.update(named)
            if len(given) != len(self._fields) or len(values) + len(named) != len(given):
                self._refuse(values, named)
            for name in named:
                if name not in self._fields:
                    self._refuse(values, named)

    def _refuse(self, values: tuple[Any, ...], named: dict[str, Any]) -> None:
        fields = ", ".join(self._fields)
        raise TypeError(f"{type(self).__name__} takes {fields}, not {len(values)} values and {', '.join(named) or 'no names'}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} does not change: {name} can't be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} does not change: {name} can't be deleted")

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        shown = (f"{name}={self.__dict__[name]!r}" for name in self._fields if name not in self._unshown)
        return f"{type(self).__name__}({', '.join(shown)})"
