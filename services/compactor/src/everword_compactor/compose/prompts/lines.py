"""The form in which a model sees sources: a preamble, and a header on each source that says when and who."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from everword.domain.times import write_minute
from everword_compactor.compose.checks.tags import (
    CHAT,
    TAG,
    VIA,
    instances_of,
    render_tag,
    spread_tags,
    strip_chat_tags,
    tags_in,
)
from everword_compactor.compose.model import Draft, Level, Source

_ROLES = {1: "system", 2: "user", 3: "assistant", 4: "tool"}
_INDENT = "  "


@dataclass(frozen=True)
class Aliases:
    """Short names for conversations and instances, which a small model cannot garble; by real name."""

    chats: dict[str, str]
    instances: dict[str, str]

    @classmethod
    def of(cls, sources: Sequence[Source]) -> Aliases:
        """Name them in the order in which they occur: c1, c2, … and i1, i2, …"""
        chats: dict[str, str] = {}
        instances: dict[str, str] = {}
        for source in sources:
            named = tags_in(source.text) if source.level else []
            ids = [str(source.conversation_id)] if source.conversation_id else []
            for chat in [*ids, *(name for kind, name in named if kind == CHAT)]:
                chats.setdefault(chat, f"c{len(chats) + 1}")
            for instance in sorted(instances_of(source)):
                instances.setdefault(instance, f"i{len(instances) + 1}")
        return cls(chats, instances)


def preamble(draft: Draft) -> str:
    """Return the six lines above the sources: conversation, agent, channel, title, span, count."""
    span = _span(draft.earliest_at, draft.latest_at, draft.time_zone)
    # In a day, conversations have short names; a week has several without one.
    alone = draft.conversation_id and not draft.level.of_calendar
    conversation = str(draft.conversation_id) if alone else "several"
    return "\n".join(
        [
            f"conversation: {conversation}",
            f"agent: {_one_line(draft.agent) or 'several'}",
            f"channel: {_one_line(draft.channel) or 'several'}",
            f"title: {_one_line(draft.title) or 'none'}",
            f"span: {span}",
            f"messages: {draft.message_count}",
        ]
    )


def source_lines(draft: Draft, aliases: Aliases) -> str:
    """Return all sources of a draft, whole, between two marker lines that no source can know."""
    width = max(2, len(str(len(draft.sources))))
    lines = [
        f"[#{ordinal:0{width}} {_header(source, draft, aliases)}]\n{_body(source, draft, aliases)}"
        for ordinal, source in enumerate(draft.sources, start=1)
    ]
    # Long enough that a text which contains its own digest's mark cannot be written.
    mark = hashlib.sha256("\0".join(lines).encode()).hexdigest()[:12]
    return "\n".join([f"<<<SOURCES {mark}", *lines, f"SOURCES {mark}>>>"])


def _header(source: Source, draft: Draft, aliases: Aliases) -> str:
    pieces = [_span(source.earliest_at, source.latest_at, draft.time_zone), _speaker_label(source)]
    if source.author and not source.level:
        pieces.append(_name(source.author))
    if draft.level is Level.DAY:
        pieces += _short_names(source, aliases)
    elif draft.level.of_calendar and source.instance:
        pieces.append(render_tag(VIA, source.instance))
    return " ".join(pieces)


def _short_names(source: Source, aliases: Aliases) -> list[str]:
    chat = aliases.chats.get(str(source.conversation_id))
    instance = aliases.instances.get(" ".join(source.instance.split()))
    return [name for name in (chat, instance) if name]


def _speaker_label(source: Source) -> str:
    what = Level(source.level).name.lower() if source.level else _ROLES.get(source.role, "message")
    return f"{_name(source.agent) or 'several'}/{what}"


def _body(source: Source, draft: Draft, aliases: Aliases) -> str:
    """Return the whole text, indented, so that no line of it looks like a header or a marker."""
    text = source.text
    if source.level:
        text = spread_tags(text)
        text = _with_aliases(text, aliases) if draft.level is Level.DAY else strip_chat_tags(text)
    return "\n".join(f"{_INDENT}{line}" for line in text.splitlines())


def _with_aliases(text: str, aliases: Aliases) -> str:
    names = {CHAT: aliases.chats, VIA: aliases.instances}

    def short(written: str) -> str:
        (kind, name), *_ = tags_in(written)
        return render_tag(kind, names[kind].get(name, name))

    return TAG.sub(lambda match: short(match[0]), text)


def _span(earliest: datetime, latest: datetime, time_zone: str) -> str:
    zone = ZoneInfo(time_zone)
    first, last = write_minute(earliest, zone), write_minute(latest, zone)
    return first if first == last else f"{first} – {last}"


def _name(text: str) -> str:
    """Return a name without what would end its header."""
    return _one_line(text).replace("[", "(").replace("]", ")")


def _one_line(text: str) -> str:
    return " ".join(text.split())
