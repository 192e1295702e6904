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

from everword.formats.records import Conversation, Record, conversation, day_of, digest
from everword.transcripts import Part, TranscriptError, time_of

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
    into: Conversation | None = None
    for entry, moment, place in _oldest_first(part):
        title = str(entry.get("title") or "").strip()
        answer = _answer(entry)
        asked = title and not title.startswith(_NO_PROMPT)
        if not answer and not title.startswith(_PROMPTED):
            part.meter.skipped["no prompt"] += 1
            continue
        own = f"{entry['time']}-{digest(title)[:8]}"
        session = _session(entry)
        if into is None or into.target.key.session_key != session:
            into = conversation(session, place, channel=CHANNEL)
        into.place = place
        if asked:
            yield into.message(
                f"{own}-prompt",
                role="user",
                create_time=moment,
                content=title.removeprefix(_PROMPTED),
                content_blocks=_files(entry),
            )
        if answer:
            yield into.message(
                f"{own}-answer", role="assistant", create_time=moment, content=answer
            )


def _files(entry: dict[str, Any]) -> list[dict[str, str]]:
    names = [*(entry.get("attachedFiles") or []), entry.get("imageFile")]
    return [{"type": "file", "text": name} for name in names if name and isinstance(name, str)]


def _oldest_first(part: Part) -> Iterator[tuple[dict[str, Any], str, str]]:
    """Yield each entry with its time and its place."""
    with tempfile.TemporaryFile() as kept:
        places = list[tuple[str, int, int, str]]()
        damage: TranscriptError | None = None
        try:
            for entry, place in part.items("item", "entry"):
                moment = time_of(entry.get("time"), place)
                if not moment:
                    raise TranscriptError(f"{place}: it has no time")
                if _PRODUCT.search(str(entry.get("header") or "")):
                    line = json.dumps(entry).encode()
                    places.append((moment, -kept.tell(), len(line), place))
                    kept.write(line)
                else:
                    part.meter.skipped["of other products"] += 1
        except TranscriptError as error:
            # What could be read is imported first.
            damage = error
        for moment, start, size, place in sorted(places):
            kept.seek(-start)
            part.meter.at = place
            yield json.loads(kept.read(size)), moment, place
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
