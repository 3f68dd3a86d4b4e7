# SPDX-License-Identifier: Apache-2.0
"""A smaller repository that fails in the same way."""
import time


def is_whole(value, kept):
    """Without a part of it, it would say something else: a secret with what names it."""
    if isinstance(value, str):
        return any(text in value for text in kept)
    if isinstance(value, dict):
        return set(value) <= {"name", "value"} and any(is_whole(inner, kept) for inner in value.values())
    return isinstance(value, list) and any(isinstance(inner, str) and is_whole(inner, kept) for inner in value)


def smaller_values(value, kept=()):
    """Each value that is a little smaller, largest steps first."""
    if is_whole(value, kept):
        return
    if isinstance(value, dict):
        for key in list(value):
            yield {other: inner for other, inner in value.items() if other != key}
        for key, inner in value.items():
            for smaller in smaller_values(inner, kept):
                yield {**value, key: smaller}
    elif isinstance(value, list):
        if len(value) > 3:
            yield value[:len(value) // 2]
            yield value[len(value) // 2:]
        for at in range(len(value)):
            yield value[:at] + value[at + 1:]
        for at, inner in enumerate(value):
            for smaller in smaller_values(inner, kept):
                yield [*value[:at], smaller, *value[at + 1:]]
    elif isinstance(value, str) and len(value) > 12:
        yield value[:len(value) // 2]
        yield value[len(value) // 2:]


def candidates(repository):
    for path in list(repository.texts):
        less = repository.copy()
        del less.texts[path]
        yield less
    for path in list(repository.items):
        if path not in repository.built.values() and len(repository.items) > 1:
            less = repository.copy()
            del less.items[path]
            yield less
        for items in smaller_values(repository.items[path], repository.secrets):
            if items:
                less = repository.copy()
                less.items[path] = items
                yield less


def shrink(repository, fails, seconds=60):
    """`fails` says whether a repository still fails."""
    end = time.monotonic() + seconds
    plain = repository.copy()
    plain.style = None
    if fails(plain):
        repository = plain
    changed = True
    while changed and time.monotonic() < end:
        changed = False
        for less in candidates(repository):
            if time.monotonic() > end:
                break
            if fails(less):
                repository, changed = less, True
                break
    return repository
