"""Memories as text for a model: stored text never begins a line at the margin."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC

from google.protobuf.timestamp_pb2 import Timestamp

from everword.adapters.tools.limits import fit_text
from everword.client.kinds import kind_word
from everword.v1.memory_pb2 import Memory, Role
from everword.v1.summary_pb2 import SummaryLevel

#: Separator between the title of a document and its headings.
_SECTION = " › "


def when(time: Timestamp) -> str:
    """Return a time in UTC, to the minute; empty if unset."""
    return f"{time.ToDatetime(UTC):%Y-%m-%d %H:%M} UTC" if time.seconds else ""


def indented(text: str) -> str:
    """Return stored text with each of its lines indented."""
    return "\n".join(f"    {line}" for line in text.splitlines())


def one_line(text: str, chars: int) -> str:
    """Return stored text on one line, of at most `chars` characters."""
    line = " ".join(text.split())
    return line if len(line) <= chars else f"{line[: chars - 1].rstrip()}…"


def whole(title: str, text: str, start: int) -> str:
    """Return a text from a character on, as far as it fits into a result, and where the next part begins."""
    part, rest = fit_text(text, start)
    more = [f"There is more: start {rest}"] if rest else []
    return "\n".join([title, indented(part), *more])


def trust_of(memory: Memory) -> str:
    """Return a mark for an untrusted memory; empty for others."""
    return "suspicious" if memory.suspicious else "untrusted" if memory.untrusted else ""


def level_of(level: SummaryLevel.ValueType) -> str:
    """Return the level of a summary, such as `week`."""
    return SummaryLevel.Name(level).removeprefix("SUMMARY_LEVEL_").lower()


def heading(memory: Memory) -> str:
    """Return the line above a memory: kind and level, author, time, conversation, id, and a mark if it is untrusted."""
    kind = kind_word(memory.kind)
    if memory.summary_level:
        kind = f"{level_of(memory.summary_level)} {kind} {memory.period_start}"
    speaker = memory.author or Role.Name(memory.role).removeprefix("ROLE_").lower()
    parts = [
        kind,
        speaker if memory.author or memory.role else "",
        when(memory.occur_time),
        memory.conversation_label,
        memory.note_key,
        _SECTION.join((memory.document_title, *memory.headings)) if memory.document_title else "",
        f"id {memory.id}",
        trust_of(memory),
    ]
    return " · ".join(" ".join(part.split()) for part in parts if part)


def entry(
    number: int, memory: Memory, text: str, remarks: Iterable[str] = (), relevance: str = ""
) -> str:
    """Return one result: its number and relevance, its heading, its text, and remarks."""
    cut = ["cut short: memory_get_full returns the whole"] if memory.content_truncated else []
    said = [f"  ({' '.join(remark.split())})" for remark in (*remarks, *cut)]
    return "\n".join([f"[{number}]{relevance} {heading(memory)}", indented(text), *said])
