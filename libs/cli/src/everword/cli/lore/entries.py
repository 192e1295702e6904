"""Reads a lorebook entry from another program's file, and lists its settings without a counterpart. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from everword.cli.lore.counterparts import without_counterpart
from everword.cli.lore.decorators import read_decorators
from everword.cli.lore.keys import PATTERN, keys_of, odd_keys
from everword.cli.lore.values import FLAGS, NUMBERS, is_number, kind, mistyped, text_of
from everword.lore.patterns import BadPattern, compile_pattern
from everword.transcripts import NOT_UTF8, has_replaced_bytes
from everword.v1 import lore_pb2

_SUBSTRING = lore_pb2.LORE_TRIGGER_MODE_SUBSTRING
_WORD, _REGEX = lore_pb2.LORE_TRIGGER_MODE_WORD, lore_pb2.LORE_TRIGGER_MODE_REGEX
#: Flags that change nothing in whether a pattern matches somewhere, and those that RE2 knows.
_IDLE_FLAGS, _KNOWN_FLAGS = "gud", "ims"
#: An escaped character, the two halves of one, `\uXXXX` and `\u{X…}` among them.
_ESCAPED = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|(.))",
    re.DOTALL,
)
#: Halves of characters, which no text holds by themselves.
_HALVES = range(0xD800, 0xE000)
_MAX_TITLE, _MAX_DEPTH, _MAX_TURNS, _MAX_PRIORITY = 256, 100, 100, 1_000_000
MAX_TRIGGERS, _MAX_TRIGGER, _MAX_CONTENT_BYTES = 32, 256, 32 * 1024
#: Names of a field in the files of different programs, the ones of the standard first.
_EXTENSIONS = ("extentions", "extensions")
_CONTENTS = ("content", "text", "entry", "value")
_TITLES = ("comment", "name", "displayName")
_PRIORITIES = ("priority", "order", "insertion_order", "insertorder")
_CONSTANT = ("constant", "forceActivation", "alwaysActive")


class MalformedEntry(ValueError):
    """An entry cannot be imported; the message says why."""

    def __init__(self, title: str, reason: str) -> None:
        super().__init__(reason)
        self.title = title


class EmptyEntry(MalformedEntry):
    """An entry has no content; it is skipped without an error."""


@dataclass(frozen=True)
class Book:
    """Settings of a book that apply to all its entries."""

    scan_depth: Any = None
    #: True if entries never trigger others.
    excludes_recursion: bool = False
    #: Ids of NovelAI's categories whose entries are all disabled.
    disabled_categories: Sequence[str] = ()


@dataclass(frozen=True)
class ReadEntry:
    """An entry in Everword's form."""

    entry: lore_pb2.NewLoreEntry
    #: Sentences about left-out settings, such as `group has no counterpart`.
    left_out: list[str] = field(default_factory=list)


def read_entry(given: object, number: str, book: Book) -> ReadEntry:
    """Return an entry; `number` is the title of an untitled one. Raises MalformedEntry."""
    if not isinstance(given, dict):
        raise MalformedEntry(number, "it is not a JSON object")
    if has_replaced_bytes(given):
        raise MalformedEntry(_title(given, number), NOT_UTF8)
    # In cards, SillyTavern keeps its own fields in a separate object; RisuAI spells the object's name differently.
    extensions = dict[str, Any]()
    for name in _EXTENSIONS:
        extensions |= given[name] if isinstance(given.get(name), dict) else {}
    entry = {**extensions, **{name: value for name, value in given.items() if value is not None}}
    # The standard's field has only two positions.
    entry["position"] = extensions.get("position", entry.get("position"))
    title = _title(entry, number)
    if entry.get("mode") == "folder":
        raise EmptyEntry(title, "is a folder")
    decorators, unsupported, content = read_decorators(_content(entry, title))
    if not content.strip():
        raise EmptyEntry(title, "says nothing")
    if len(content.encode("utf-8", "replace")) > _MAX_CONTENT_BYTES:
        raise MalformedEntry(title, f"its content has more than {_MAX_CONTENT_BYTES // 1024} KiB")
    left_out = [
        *without_counterpart(entry),
        *mistyped(given, (), (), (), _EXTENSIONS),
        *mistyped(entry, FLAGS, NUMBERS, _TITLES),
        *odd_keys(entry),
        *unsupported,
    ]
    triggers = list[lore_pb2.LoreTrigger]()
    for key in keys_of(entry):
        try:
            if trigger := _trigger(key, entry):
                triggers.append(trigger)
        except BadPattern as error:
            left_out.append(f"the key {_short(key)}: {error}")
    if more := triggers[MAX_TRIGGERS:]:
        left_out.append(f"{len(more)} keys: an entry has at most {MAX_TRIGGERS}")
    return ReadEntry(
        _made(title, content, entry, triggers[:MAX_TRIGGERS], decorators, book), left_out
    )


def _made(
    title: str,
    content: str,
    entry: Mapping[str, Any],
    triggers: list[lore_pb2.LoreTrigger],
    decorators: Mapping[str, int],
    book: Book,
) -> lore_pb2.NewLoreEntry:
    made = lore_pb2.NewLoreEntry(
        title=title,
        content=content,
        triggers=triggers,
        priority=_priority(entry),
        sticky_turns=_user_turns(entry.get("sticky")),
        disabled=entry.get("enabled") is False
        or _any(entry, "disable", "disabled")
        or entry.get("category") in book.disabled_categories
        or "dont_activate" in decorators,
        constant=_any(entry, *_CONSTANT)
        or entry.get("mode") == "constant"
        or "activate" in decorators,
        prevent_recursion=_any(entry, "preventRecursion", "prevent_recursion"),
        exclude_recursion=book.excludes_recursion
        or _any(entry, "excludeRecursion", "exclude_recursion"),
    )
    depths = (
        decorators.get("scan_depth"),
        entry.get("scanDepth"),
        entry.get("scan_depth"),
    )
    looks: Any = next((each for each in (*depths, book.scan_depth) if is_number(each)), None)
    if looks is not None:
        made.scan_depth = min(max(int(looks), 0), _MAX_DEPTH)
    return made


def _content(entry: Mapping[str, Any], title: str) -> str:
    """Return the content, which may be empty. Raises MalformedEntry."""
    given = [(each, entry[each]) for each in _CONTENTS if entry.get(each) is not None]
    for name, value in given:
        if not isinstance(value, str):
            raise MalformedEntry(title, f"{name} must be text, not {kind(value)}")
        if value:
            return text_of(value)
    if not given:
        raise MalformedEntry(title, "it has no content")
    return ""


def _title(entry: Mapping[str, Any], number: str) -> str:
    keys = (key.strip() for key in keys_of(entry))
    named = (text_of(entry.get(each)).strip() for each in _TITLES)
    return next(filter(None, [*named, *keys]), number)[: _MAX_TITLE - 8]


def _trigger(key: str, entry: Mapping[str, Any]) -> lore_pb2.LoreTrigger | None:
    """Return the trigger of a key; None for a blank one. Raises BadPattern if Everword cannot search for it."""
    key = key.strip()
    is_cased = _any(entry, "caseSensitive", "case_sensitive", "risu_case_sensitive")
    uses_patterns = entry.get("use_regex", entry.get("useRegex"))
    pattern = PATTERN.fullmatch(key) if uses_patterns is not False else None
    if pattern or (uses_patterns is True and key):
        body, flags = (pattern[1], pattern[2]) if pattern else (key, "" if is_cased else "i")
        return _pattern(body, flags)
    if not key:
        return None
    if len(key) > _MAX_TRIGGER:
        raise BadPattern(f"has more than {_MAX_TRIGGER} characters")
    if "&" in key and "forceActivation" in entry:
        # Of NovelAI.
        raise BadPattern("requires several words together, which is not supported")
    mode = _WORD if _any(entry, "matchWholeWords", "match_whole_words") else _SUBSTRING
    return lore_pb2.LoreTrigger(text=key, mode=mode, case_sensitive=is_cased)


def _pattern(body: str, flags: str) -> lore_pb2.LoreTrigger:
    """Return the trigger of a JavaScript pattern. Raises BadPattern if RE2 does not support it."""
    for flag in flags:
        if flag not in _IDLE_FLAGS + _KNOWN_FLAGS:
            raise BadPattern(f"the flag {flag} has no counterpart")
    options = "".join(flag for flag in "sm" if flag in flags)
    text = _ESCAPED.sub(_unescaped, body)
    text = f"(?{options}){text}" if options else text
    if len(text) > _MAX_TRIGGER:
        raise BadPattern(f"has more than {_MAX_TRIGGER} characters")
    is_cased = "i" not in flags
    compile_pattern(text, case_sensitive=is_cased)
    return lore_pb2.LoreTrigger(text=text, mode=_REGEX, case_sensitive=is_cased)


def _unescaped(match: re.Match[str]) -> str:
    """Return an escape of JavaScript as RE2 has it. Raises BadPattern for half a character."""
    if match[1]:
        return rf"\x{{{0x10000 + (int(match[1], 16) % 0x400 << 10) + int(match[2], 16) % 0x400:X}}}"
    if code := match[3] or match[4]:
        if int(code, 16) in _HALVES:
            raise BadPattern(f"has half a character ({match[0]})")
        return rf"\x{{{code}}}"
    return "/" if match[5] == "/" else match[0]


def _priority(entry: Mapping[str, Any]) -> int:
    fields = [entry.get(name) for name in _PRIORITIES]
    config = entry.get("contextConfig")
    fields.append(config.get("budgetPriority") if isinstance(config, dict) else None)
    value: Any = next((each for each in fields if is_number(each)), 0)
    return max(-_MAX_PRIORITY, min(int(value), _MAX_PRIORITY))


def _user_turns(messages: Any) -> int:
    """Return the number of user turns in this many messages, at most 100; 0 unless it is a positive number.

    Every second message is an answer.
    """
    return min(_MAX_TURNS, (int(messages) + 1) // 2) if is_number(messages) and messages > 0 else 0


def _short(key: str) -> str:
    return repr(key if len(key) <= 80 else f"{key[:80]}…")


def _any(entry: Mapping[str, Any], *names: str) -> bool:
    return any(entry.get(name) is True for name in names)
