"""The lines that an extractive node consists of: `- [2026-04-18T12:00Z Emi] sentence [chat:…] [via:…]`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

import regex

from everword.domain.times import write_minute
from everword_compactor.compose.checks.tags import CHAT, TAG, VIA, defuse_tags, render_tag, tags_in
from everword_compactor.compose.model import Level, Source

_ROLES = {1: "system", 2: "user", 3: "assistant", 4: "tool"}
_TIME = r"\d{4,}-\d\d-\d\dT\d\d:\d\d(?:Z|[+-]\d\d:\d\d)"
_BULLET = regex.compile(
    rf"- (?:\[(?P<time>{_TIME})(?: (?P<speaker>[^\]\n]*))?\] )?"
    rf"(?P<text>.*?)(?P<tags>(?: {TAG.pattern})*)"
)


@dataclass(frozen=True, slots=True)
class Bullet:
    """One line of a node, in its parts, each as it is written."""

    text: str
    #: Empty where a model wrote the line.
    time: str = ""
    speaker: str = ""
    #: `[chat:…]` and `[via:…]` with a space before each.
    tags: str = ""

    @property
    def line(self) -> str:
        head = f"[{self.time}{' ' if self.speaker else ''}{self.speaker}] " if self.time else ""
        return f"- {head}{self.text}{self.tags}"

    @property
    def moment(self) -> datetime | None:
        return datetime.fromisoformat(self.time) if self.time else None


def parse_bullet(line: str) -> Bullet | None:
    """Return the parts of a node's line; None where it is not a bullet."""
    match = _BULLET.fullmatch(line)
    if match is None or not match["text"].strip():
        return None
    return Bullet(match["text"], match["time"] or "", match["speaker"] or "", match["tags"])


def read_lines(content: str) -> list[Bullet]:
    """Return the lines of a node, in order."""
    return [bullet for line in content.splitlines() if (bullet := parse_bullet(line.rstrip()))]


def told_by(source: Source, sentence: str, zone: ZoneInfo) -> Bullet:
    """Return a sentence of a message, or of a node that a model wrote, as a line without tags."""
    speaker = source.author or _ROLES.get(source.role, "") or source.agent
    text = " ".join(sentence.split())
    return Bullet(text, write_minute(source.earliest_at, zone), _plain(speaker))


def tagged(bullet: Bullet, source: Source, level: Level) -> Bullet:
    """Return a bullet with the tags that nodes of a level have: those it has, or else its source's.

    Where tags count, what somebody wrote that looks like one is none.
    """
    if not level.of_calendar:
        return bullet
    text = bullet.text if source.level else defuse_tags(bullet.text)
    own = [(kind, render_tag(kind, name)) for kind, name in tags_in(bullet.tags)]
    tags = [tag for kind, tag in own if kind == CHAT]
    if not tags and source.conversation_id:
        tags = [render_tag(CHAT, str(source.conversation_id))]
    if level is not Level.DAY:
        tags = []
    instances = [tag for kind, tag in own if kind == VIA]
    if not instances and source.instance.strip():
        instances = [render_tag(VIA, source.instance)]
    tags = [f" {tag}" for tag in tags + instances]
    return replace(bullet, text=text, tags="".join(tags))


def _plain(name: str) -> str:
    """Return a name on one line; a bracket in it must not end the head that it stands in."""
    return " ".join(name.replace("[", "(").replace("]", ")").split())
