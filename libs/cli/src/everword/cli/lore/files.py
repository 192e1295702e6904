"""Files with lorebooks: World Info of SillyTavern, the `character_book` of a character card, and Everword's own form.

Pure. What Everword has nothing for is left out, and said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf import json_format

from everword.v1 import lore_pb2
from everword.v1 import lore_service_pb2 as pb

_SUBSTRING = lore_pb2.LORE_TRIGGER_MODE_SUBSTRING
_WORD, _REGEX = lore_pb2.LORE_TRIGGER_MODE_WORD, lore_pb2.LORE_TRIGGER_MODE_REGEX
#: A key of SillyTavern that is a pattern.
_PATTERN = re.compile(r"/(.+)/([a-z]*)", re.DOTALL)
_MAX_TITLE, _MAX_DEPTH, _MAX_TURNS, _MAX_PRIORITY = 256, 100, 100, 1_000_000
#: Fields that change when an entry comes in, and have no counterpart; with what they are where they change nothing.
_NO_COUNTERPART = {"cooldown": (None, 0), "delay": (None, 0), "probability": (None, 100)}


class NoLorebook(ValueError):
    """A file holds no lorebook."""


@dataclass(frozen=True)
class LoreFile:
    """What a file holds."""

    name: str
    description: str
    entries: Sequence[lore_pb2.NewLoreEntry]
    #: What was left out of it, a line each.
    left_out: Sequence[str]


def read_lore(text: str) -> LoreFile:
    """Return the lorebook in the text of a file. Raises NoLorebook."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NoLorebook(f"it is no JSON: {error}") from error
    if not isinstance(document, dict):
        raise NoLorebook("it is no object of JSON")
    if isinstance(document.get("book"), dict):
        return _own(document)
    data = document.get("data")
    card = data if isinstance(data, dict) else document
    book = card.get("character_book") or document
    entries = book.get("entries") if isinstance(book, dict) else None
    if isinstance(entries, dict):
        entries = list(entries.values())
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise NoLorebook("it has no list of entries")
    name = _text(book.get("name")) or _text(card.get("name"))
    return _foreign(name, _text(book.get("description")), entries, book.get("scan_depth"))


def _own(document: dict[str, Any]) -> LoreFile:
    try:
        request = json_format.ParseDict(document, pb.ImportLoreBookRequest())
    except json_format.ParseError as error:
        raise NoLorebook(str(error)) from error
    return LoreFile(request.book.name, request.book.description, list(request.entries), ())


def _foreign(
    name: str, description: str, entries: Sequence[Mapping[str, Any]], depth: Any
) -> LoreFile:
    made, left_out, titles = list[lore_pb2.NewLoreEntry](), list[str](), set[str]()
    for number, fields in enumerate(entries, 1):
        # What SillyTavern adds to the standard's fields stands apart in cards.
        extensions = fields.get("extensions")
        entry = {**(extensions if isinstance(extensions, dict) else {}), **fields}
        title = _new_title(_title(entry, number), titles)
        content = _text(entry.get("content"))
        if not content.strip():
            left_out.append(f"{title}: says nothing")
            continue
        titles.add(title)
        made.append(_entry(title, content, entry, depth))
        left_out += [f"{title}: {what} has no counterpart" for what in _unknown(entry)]
    return LoreFile(name, description[:2048], made, left_out)


def _title(entry: Mapping[str, Any], number: int) -> str:
    keys = _texts(entry.get("keys", entry.get("key")))
    named = (_text(entry.get(field)).strip() for field in ("comment", "name"))
    return next(filter(None, [*named, *keys]), f"Entry {number}")[: _MAX_TITLE - 8]


def _new_title(title: str, taken: set[str]) -> str:
    number, new = 1, title
    while new in taken:
        number += 1
        new = f"{title} ({number})"
    return new


def _entry(title: str, content: str, entry: Mapping[str, Any], depth: Any) -> lore_pb2.NewLoreEntry:
    made = lore_pb2.NewLoreEntry(
        title=title,
        content=content,
        triggers=_triggers(entry),
        priority=_priority(entry),
        sticky_turns=_turns(entry.get("sticky")),
        disabled=entry.get("enabled") is False or entry.get("disable") is True,
        constant=entry.get("constant") is True,
        prevent_recursion=_any(entry, "preventRecursion", "prevent_recursion"),
        exclude_recursion=_any(entry, "excludeRecursion", "exclude_recursion"),
    )
    depths = (entry.get("scanDepth"), entry.get("scan_depth"), depth)
    looks = next((each for each in depths if _is_number(each)), None)
    if looks is not None:
        made.scan_depth = min(max(int(looks), 0), _MAX_DEPTH)
    return made


def _triggers(entry: Mapping[str, Any]) -> Iterator[lore_pb2.LoreTrigger]:
    is_cased = _any(entry, "caseSensitive", "case_sensitive")
    mode = _WORD if _any(entry, "matchWholeWords", "match_whole_words") else _SUBSTRING
    for key in _texts(entry.get("keys", entry.get("key"))):
        if pattern := _PATTERN.fullmatch(key.strip()):
            flags = "".join(flag for flag in "sm" if flag in pattern[2])
            text = f"(?{flags}){pattern[1]}" if flags else pattern[1]
            text = text.replace("\\/", "/")
            is_exact = "i" not in pattern[2]
            yield lore_pb2.LoreTrigger(text=text, mode=_REGEX, case_sensitive=is_exact)
        elif key.strip():
            yield lore_pb2.LoreTrigger(text=key.strip(), mode=mode, case_sensitive=is_cased)


def _priority(entry: Mapping[str, Any]) -> int:
    fields = (entry.get(name) for name in ("priority", "order", "insertion_order"))
    value: Any = next((each for each in fields if _is_number(each)), 0)
    return max(-_MAX_PRIORITY, min(int(value), _MAX_PRIORITY))


def _turns(messages: Any) -> int:
    """Return how many turns of a user so many messages are, of which each second is an answer."""
    return min(_MAX_TURNS, (int(messages) + 1) // 2) if _is_number(messages) and messages > 0 else 0


def _unknown(entry: Mapping[str, Any]) -> Iterable[str]:
    secondary = entry.get("secondary_keys") or entry.get("keysecondary")
    if entry.get("selective") and secondary:
        yield "secondary keys"
    for field, harmless in _NO_COUNTERPART.items():
        if entry.get(field) not in harmless:
            yield field


def _any(entry: Mapping[str, Any], *names: str) -> bool:
    return any(entry.get(name) is True for name in names)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**53


def _text(value: Any) -> str:
    return value.replace("\0", "") if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    """Return keys, which some files have as one text with commas."""
    values = value.split(",") if isinstance(value, str) else value
    return [each for each in map(_text, values if isinstance(values, list) else []) if each]
