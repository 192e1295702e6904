"""The keys of an entry of a lorebook, before they become triggers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from everword.cli.lore.values import kind, text_of

#: A key that is a pattern, as JavaScript has it.
PATTERN = re.compile(r"/(.+)/([a-zA-Z]*)", re.DOTALL)
#: Names of the field in the files of different programs, the ones of the standard first.
_KEYS = ("keys", "key", "keywords")
_SECONDARY = ("secondary_keys", "keysecondary", "secondkey")


def keys_of(entry: Mapping[str, Any], names: tuple[str, ...] = _KEYS) -> list[str]:
    """Return the keys that are texts."""
    return [each for each in map(text_of, _split_keys(entry, names)) if each]


def has_secondary_keys(entry: Mapping[str, Any]) -> bool:
    return any(keys_of(entry, _SECONDARY))


def odd_keys(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield what to say of keys that are no texts."""
    for each in _split_keys(entry, _KEYS):
        if not isinstance(each, str):
            yield f"a key must be text, not {kind(each)}"


def _split_keys(entry: Mapping[str, Any], names: tuple[str, ...]) -> list[Any]:
    """Return keys, which some files have as one text with commas."""
    value: Any = next((entry[name] for name in names if entry.get(name)), [])
    values = value.split(",") if isinstance(value, str) and not PATTERN.fullmatch(value) else value
    return values if isinstance(values, list) else [values]
