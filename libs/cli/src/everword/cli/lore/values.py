"""Values of fields of lorebooks, which may be of any type. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from everword.transcripts import without_marks

#: Boolean fields of an entry and, below, its numeric fields, with the names that different programs use.
FLAGS = (
    *("enabled", "disable", "disabled", "constant", "forceActivation", "alwaysActive"),
    *("preventRecursion", "prevent_recursion", "excludeRecursion", "exclude_recursion"),
    *("caseSensitive", "case_sensitive", "risu_case_sensitive", "matchWholeWords", "match_whole_words"),
    *("use_regex", "useRegex", "selective"),
)  # fmt: skip
NUMBERS = (
    "priority",
    "order",
    "insertion_order",
    "insertorder",
    "sticky",
    "scanDepth",
    "scan_depth",
)
_KINDS = {dict: "an object", list: "a list", str: "text", int: "a number", float: "a number"}


def mistyped(
    fields: Mapping[str, Any],
    flags: tuple[str, ...],
    numbers: tuple[str, ...],
    texts: tuple[str, ...],
    objects: tuple[str, ...] = (),
) -> Iterator[str]:
    """Yield which fields say something of the wrong type, and are therefore left out."""
    for names, requested in (
        (flags, "true or false"),
        (numbers, "a number"),
        (texts, "text"),
        (objects, "an object"),
    ):
        for name in names:
            value = fields.get(name)
            if value not in (None, "") and kind(value) != requested:
                yield f"{name} must be {requested}, not {kind(value)}"


def kind(value: object) -> str:
    """Return the JSON type of a value as a word for an error message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float) and not is_number(value):
        return "a number out of range"
    return _KINDS.get(type(value), type(value).__name__)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**53


def text_of(value: Any) -> str:
    """Return a text as it can be stored; nothing for another value."""
    if not isinstance(value, str):
        return ""
    return without_marks(value.replace("\0", "")).encode("utf-8", "replace").decode()


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list; nothing for another value."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
