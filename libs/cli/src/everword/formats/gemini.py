"""Gemini's part of Google Takeout: `MyActivity.json`, an activity log in which each entry is a prompt and its answer.

The log names conversations only in some entries, by their address. The others of a day are one conversation. The latest
entry comes first, so the log is laid aside on disk and read from its end.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import IO, Any

from everword.formats.records import Conversation, Record, conversation, day_of, digest
from everword.transcripts import (
    Part,
    RecordError,
    TranscriptError,
    as_object,
    list_in,
    text_in,
    time_of,
)

CHANNEL = "gemini"
_ADDRESS = re.compile(r"gemini\.google\.com/app/(?:c/)?([\w-]+)")
_PRODUCT = re.compile(r"Gemini|Bard", re.I)
#: Activities without a prompt, as an English account has them.
_NO_PROMPT = ("Used ", "Gave feedback", "Created Gemini", "Selected ")
#: Prefixes of prompts' titles in English and German accounts.
_PROMPTED = ("Prompted ", "Eingegebener Prompt: ")
#: In other languages, a prefix up to a colon is a label if this many answered entries share it.
_LABEL = re.compile(r"[^:]{1,40}: ")
_SHARED = 3
_UNSEEN = {"script", "style", "template"}
_BREAKS = {
    "p",
    "br",
    "div",
    "li",
    "tr",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "pre",
    "table",
    "blockquote",
    "hr",
}


def reader(shape: frozenset[str]) -> object:
    """Return the function that reads a part of this shape; None if it is not an activity log."""
    is_log = {"item.header", "item.title"} <= shape and shape & {"item.time", "item.products"}
    return read if is_log else None


def read(part: Part) -> Iterator[Record]:
    """Yield prompts and answers, the oldest first. Raises TranscriptError if the file is damaged."""
    into: Conversation | None = None
    with tempfile.TemporaryFile() as retained:
        log = _Log(retained)
        damage = _collect_entries(part, log)
        labels = (*_PROMPTED, *log.label())
        for entry, moment, place in log.oldest_first():
            part.meter.at = place
            with part.meter.skipping(place):
                title = text_in(entry, "title", place).replace("\xa0", " ").strip()
                label = next((each for each in labels if title.startswith(each)), "")
                answer = _answer(entry, place)
                asked = title and not title.startswith(_NO_PROMPT)
                if not answer and not label:
                    part.meter.skipped["no prompt"] += 1
                    continue
                own = f"{entry['time']}-{digest(title)[:8]}"
                session = _session(entry, place)
                if into is None or into.target.key.session_key != session:
                    into = conversation(session, place, channel=CHANNEL)
                into.place = place
                files = _files(entry, place)
                if asked:
                    yield into.message(
                        f"{own}-prompt",
                        role="user",
                        create_time=moment,
                        content=title.removeprefix(label),
                        content_blocks=files,
                    )
                if answer:
                    yield into.message(
                        f"{own}-answer", role="assistant", create_time=moment, content=answer
                    )
    if damage:
        raise damage


class _Log:
    """The entries of a log, in a file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._places = list[tuple[str, int, int, str]]()
        self._labels = Counter[str]()

    def add(self, entry: dict[str, Any], moment: str, place: str) -> None:
        line = json.dumps(entry).encode()
        self._places.append((moment, -self._file.tell(), len(line), place))
        self._file.write(line)
        title = str(entry.get("title") or "").replace("\xa0", " ")
        if entry.get("safeHtmlItem") and (label := _LABEL.match(title)):
            self._labels[label[0]] += 1

    def label(self) -> list[str]:
        """Return the label that most titles of prompts begin with; empty if there is none."""
        [(label, count)] = self._labels.most_common(1) or [("", 0)]
        return [label] if count >= max(_SHARED, len(self._places) / 2) else []

    def oldest_first(self) -> Iterator[tuple[dict[str, Any], str, str]]:
        """Yield each entry with its time and its place."""
        for moment, start, size, place in sorted(self._places):
            self._file.seek(-start)
            yield json.loads(self._file.read(size)), moment, place


def _collect_entries(part: Part, log: _Log) -> TranscriptError | None:
    """Put the entries into the log; return the error of a damaged file, so that the entries before it are imported."""
    try:
        for entry, place in part.items("item", "entry"):
            with part.meter.skipping(place):
                header = text_in(entry, "header", place)
                if not header:
                    raise RecordError(place, "it has no header")
                if not _PRODUCT.search(header):
                    part.meter.skipped["of other products"] += 1
                    continue
                if not text_in(entry, "title", place):
                    raise RecordError(place, "it has no title")
                moment = time_of(entry.get("time"), place)
                if not moment:
                    raise RecordError(place, "it has no time")
                log.add(entry, moment, place)
    except RecordError:
        raise
    except TranscriptError as error:
        return error
    return None


def _files(entry: dict[str, Any], place: str) -> list[dict[str, str]]:
    names = [*list_in(entry, "attachedFiles", place), entry.get("imageFile")]
    return [{"type": "file", "text": name} for name in names if name and isinstance(name, str)]


def _session(entry: dict[str, Any], place: str) -> str:
    """Return the conversation's id if the entry contains its address, otherwise the day."""
    addresses = [entry.get("titleUrl")]
    details = list_in(entry, "details", place)
    addresses += [each.get("url") for each in details if isinstance(each, dict)]
    found = _ADDRESS.search(" ".join(map(str, filter(None, addresses))))
    return found[1] if found else day_of(entry["time"], place)


def _answer(entry: dict[str, Any], place: str) -> str:
    pieces = list[str]()
    for each in list_in(entry, "safeHtmlItem", place):
        item = as_object(each, f"{place}, safeHtmlItem")
        if item.get("html") is None:
            raise RecordError(place, "an item of its answer has no html")
        pieces.append(_plain(text_in(item, "html", place)))
    return "\n\n".join(filter(None, pieces))


class _Text(HTMLParser):
    """Takes the text out of an answer's HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces = list[str]()
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._unseen += tag in _UNSEEN
        if tag in _BREAKS:
            self.pieces.append("\n")
        if tag == "li":
            self.pieces.append("- ")
        if tag in {"td", "th"}:
            self.pieces.append(" ")

    def handle_endtag(self, tag: str) -> None:
        self._unseen = max(0, self._unseen - (tag in _UNSEEN))
        if tag in _BREAKS - {"li", "br", "hr"}:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.pieces.append(data)


def _plain(html: str) -> str:
    page = _Text()
    page.feed(html)
    page.close()
    lines = [line.rstrip() for line in "".join(page.pieces).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
