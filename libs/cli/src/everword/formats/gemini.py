"""Gemini's part of Google Takeout: `MyActivity.json`, an activity log in which each entry is a prompt and its answer.

The log names conversations only in some entries, by their address. The others of a day are one conversation. The latest
entry comes first, so the log is laid aside on disk and read from its end.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from everword.formats.archive import Part
from everword.formats.records import Record, conversation, day_of, digest, time_of
from everword.transcripts import TranscriptError

CHANNEL = "gemini"
_ADDRESS = re.compile(r"gemini\.google\.com/app/(?:c/)?([\w-]+)")
_PRODUCT = re.compile(r"Gemini|Bard", re.I)
#: Activities without a prompt, as an English account has them.
_NO_PROMPT = ("Used ", "Gave feedback", "Created Gemini", "Selected ")
_PROMPTED = "Prompted "
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
    """Return what reads a part of this shape, if it is an activity log."""
    return read if {"item.header", "item.title", "item.time"} <= shape else None


def read(part: Part) -> Iterator[Record]:
    """Yield prompts and answers, the oldest first. Raises TranscriptError."""
    for entry, place in _oldest_first(part):
        title = str(entry.get("title") or "").strip()
        answer = _answer(entry)
        if not answer and not title.startswith(_PROMPTED):
            continue
        moment = time_of(entry["time"], place)
        own = f"{entry['time']}-{digest(title)[:8]}"
        into = conversation(_session(entry), place, channel=CHANNEL)
        if title and not title.startswith(_NO_PROMPT):
            names = [each for each in entry.get("attachedFiles") or [] if isinstance(each, str)]
            yield into.message(
                f"{own}-prompt",
                role="user",
                create_time=moment,
                content=title.removeprefix(_PROMPTED),
                content_blocks=[{"type": "file", "text": name} for name in names],
            )
        if answer:
            yield into.message(
                f"{own}-answer", role="assistant", create_time=moment, content=answer
            )


def _oldest_first(part: Part) -> Iterator[tuple[dict[str, Any], str]]:
    with tempfile.TemporaryFile() as kept:
        places = list[tuple[str, int, int, str]]()
        damage: TranscriptError | None = None
        try:
            for entry, place in part.items("item", "entry"):
                if not entry.get("time"):
                    raise TranscriptError(f"{place}: it has no time")
                if _PRODUCT.search(str(entry.get("header") or "")):
                    line = json.dumps(entry).encode()
                    places.append((str(entry["time"]), kept.tell(), len(line), place))
                    kept.write(line)
        except TranscriptError as error:
            # What could be read is imported first.
            damage = error
        for _, start, size, place in sorted(places, key=lambda each: (each[0], -each[1])):
            kept.seek(start)
            yield json.loads(kept.read(size)), place
        if damage:
            raise damage


def _session(entry: dict[str, Any]) -> str:
    """Return the conversation's id, if its address stands in the entry, or else the day."""
    addresses = [entry.get("titleUrl")]
    addresses += [each.get("url") for each in entry.get("details") or [] if isinstance(each, dict)]
    found = _ADDRESS.search(" ".join(map(str, filter(None, addresses))))
    return found[1] if found else day_of(entry["time"])


def _answer(entry: dict[str, Any]) -> str:
    given = entry.get("safeHtmlItem") or []
    pieces = [each.get("html") for each in given if isinstance(each, dict)]
    return "\n\n".join(filter(None, (_plain(piece) for piece in pieces if isinstance(piece, str))))


class _Text(HTMLParser):
    """Takes the text out of an answer's HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces = list[str]()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in _BREAKS:
            self.pieces.append("\n")
        if tag == "li":
            self.pieces.append("- ")
        if tag in {"td", "th"}:
            self.pieces.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _BREAKS - {"li", "br", "hr"}:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)


def _plain(html: str) -> str:
    page = _Text()
    page.feed(html)
    page.close()
    lines = [line.rstrip() for line in "".join(page.pieces).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
