"""Files with lorebooks: World Info of SillyTavern, character cards with a book, lorebooks of RisuAI, NovelAI and Agnai,
and Everword's own form.

Pure. Unsupported settings are skipped and listed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import protovalidate
from google.protobuf import json_format

from everword.cli.lore.counterparts import has_bias
from everword.cli.lore.entries import (
    MAX_TRIGGERS,
    Book,
    EmptyEntry,
    MalformedEntry,
    read_entry,
)
from everword.cli.lore.values import is_number, mistyped, objects_in, text_of
from everword.lore.model import MAX_ENTRIES, MAX_PATTERNS
from everword.transcripts import NOT_UTF8, RecordError, as_object, fill, has_replaced_bytes
from everword.v1 import lore_pb2
from everword.v1 import lore_service_pb2 as pb

_MAX_TITLE = 256
_REGEX = lore_pb2.LORE_TRIGGER_MODE_REGEX
#: Paths of the fields with a book's entries.
_LISTS = ("entries", "data")


class NoLorebook(ValueError):
    """A file holds no lorebook."""


@dataclass(frozen=True)
class LoreFile:
    """The contents of a lorebook file."""

    name: str
    description: str
    entries: Sequence[lore_pb2.NewLoreEntry]
    #: Parts of the file that are not supported and were ignored, one line each.
    left_out: Sequence[str]
    #: Number of entries that were skipped because they are malformed or too many.
    skipped: int = 0


def read_lore(text: str) -> LoreFile:
    """Return the lorebook in the text of a file. Raises NoLorebook."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NoLorebook(f"it is not JSON: {error}") from error
    if isinstance(document, list):
        # World info of AI Dungeon.
        document = {"entries": document}
    if not isinstance(document, dict):
        raise NoLorebook("it is not a JSON object")
    if isinstance(document.get("book"), dict):
        return _own(document)
    data = document.get("data")
    card = data if isinstance(data, dict) else document
    book = card.get("character_book")
    book = book if isinstance(book, dict) else card
    entries = next(filter(None, map(book.get, _LISTS)), None)
    if isinstance(entries, dict):
        entries = list(entries.values())
    if not isinstance(entries, list) or not any(isinstance(each, dict) for each in entries):
        raise NoLorebook("it has no list of entries")
    name = text_of(book.get("name")) or text_of(card.get("name"))
    return _foreign(name[:_MAX_TITLE], book, entries)


def _own(document: dict[str, Any]) -> LoreFile:
    given = document.pop("entries", None) or []
    if not isinstance(given, list):
        raise NoLorebook("entries must be a list")
    if has_replaced_bytes(document):
        raise NoLorebook(NOT_UTF8)
    try:
        book = json_format.ParseDict(document, pb.ImportLoreBookRequest()).book
    except (json_format.ParseError, UnicodeError) as error:
        raise NoLorebook(str(error)) from error
    made, left_out, titles = list[lore_pb2.NewLoreEntry](), list[str](), set[str]()
    for number, fields in enumerate(given, 1):
        place = f"Entry {number}"
        entry = lore_pb2.NewLoreEntry()
        try:
            fields = as_object(fields, place)
            place = text_of(fields.get("title"))[:_MAX_TITLE] or place
            if has_replaced_bytes(fields):
                raise RecordError(place, NOT_UTF8)
            triggers = _triggers(fields.pop("triggers", None), place)
            fill(entry, fields, place)
            if entry.title in titles:
                raise RecordError(place, "an earlier entry has the same title")
            if len(made) == MAX_ENTRIES:
                raise RecordError(place, f"a book has at most {MAX_ENTRIES} entries")
        except RecordError as error:
            left_out.append(str(error))
            continue
        titles.add(entry.title)
        made.append(entry)
        for trigger in triggers:
            if why := _trigger_error(trigger, entry):
                left_out.append(f"{entry.title}: the key {trigger.text[:80]!r}: {why}")
            else:
                entry.triggers.append(trigger)
    left_out += _cut_patterns(made)
    return LoreFile(book.name, book.description, made, left_out, len(given) - len(made))


def _triggers(given: object, place: str) -> list[lore_pb2.LoreTrigger]:
    """Return what an entry of Everword's form has as triggers. Raises RecordError."""
    entry = lore_pb2.NewLoreEntry()
    try:
        json_format.ParseDict({"triggers": given}, entry)
    except (json_format.ParseError, UnicodeError) as error:
        raise RecordError(place, str(error).splitlines()[0]) from None
    return list(entry.triggers)


def _trigger_error(trigger: lore_pb2.LoreTrigger, entry: lore_pb2.NewLoreEntry) -> str:
    """Return why an entry cannot have a trigger; nothing if it can."""
    if "\0" in trigger.text:
        return "has a NUL character"
    if len(entry.triggers) == MAX_TRIGGERS:
        return f"an entry has at most {MAX_TRIGGERS}"
    return next((each.proto.message for each in protovalidate.collect_violations(trigger)), "")


def _foreign(name: str, book: Mapping[str, Any], entries: Sequence[object]) -> LoreFile:
    made, left_out, titles = list[lore_pb2.NewLoreEntry](), list(_of_book(book)), set[str]()
    skipped = 0
    shared = Book(
        book.get("scan_depth"),
        book.get("recursive_scanning") is False,
        [
            text_of(each.get("id"))
            for each in objects_in(book.get("categories"))
            if each.get("enabled") is False
        ],
    )
    for number, fields in enumerate(entries, 1):
        try:
            read = read_entry(fields, f"Entry {number}", shared)
        except MalformedEntry as error:
            left_out.append(f"{error.title}: {error}")
            skipped += not isinstance(error, EmptyEntry)
            continue
        entry, title = read.entry, _new_title(read.entry.title, titles)
        if len(made) == MAX_ENTRIES:
            left_out.append(f"{title}: a book has at most {MAX_ENTRIES} entries")
            skipped += 1
            continue
        titles.add(title)
        entry.title = title
        left_out += [f"{title}: {what}" for what in read.left_out]
        made.append(entry)
    left_out += _cut_patterns(made)
    return LoreFile(name, text_of(book.get("description"))[:2048], made, left_out, skipped)


def _cut_patterns(entries: Sequence[lore_pb2.NewLoreEntry]) -> Iterator[str]:
    """Take out the patterns that a book has no room for, and yield what to say of them."""
    patterns = 0
    for entry in entries:
        for trigger in [each for each in entry.triggers if each.mode == _REGEX]:
            patterns += 1
            if patterns > MAX_PATTERNS:
                entry.triggers.remove(trigger)
                what = f"a book has at most {MAX_PATTERNS} patterns"
                yield f"{entry.title}: the pattern {trigger.text!r}: {what}"


def _of_book(book: Mapping[str, Any]) -> Iterator[str]:
    """Yield the settings of a book without a counterpart."""
    if is_number(book.get("token_budget")):
        yield "the book: token_budget has no counterpart"
    flags, numbers, texts = (
        ("recursive_scanning",),
        ("scan_depth", "token_budget"),
        ("name", "description"),
    )
    for what in mistyped(book, flags, numbers, texts):
        yield f"the book: {what}"
    for category in objects_in(book.get("categories")):
        name = text_of(category.get("name"))
        if has_bias(category.get("categoryBiasGroups")):
            yield f"the category {name!r}: categoryBiasGroups has no counterpart"
        for what in mistyped(category, ("enabled",), (), ()):
            yield f"the category {name!r}: {what}"


def _new_title(title: str, taken: set[str]) -> str:
    number, new = 1, title
    while new in taken:
        number += 1
        new = f"{title} ({number})"
    return new
