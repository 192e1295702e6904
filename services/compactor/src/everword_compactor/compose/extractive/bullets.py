"""The lines of an extractive node and of its sources, in groups with a common time and place.

A group begins with `[2026-04-18T12:00Z] [chat:…] [via:…]`, the last two only if they change; its lines are `- Emi:
sentence`, and her next sentences follow indented, without her name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

import regex

from everword.domain.times import write_minute
from everword_compactor.compose.checks.tags import (
    CHAT,
    INDENT,
    TAG,
    TIME,
    VIA,
    defuse_tags,
    parse_group,
    render_tag,
    tags_in,
)
from everword_compactor.compose.model import Level, Source

_ROLES = {1: "system", 2: "user", 3: "assistant", 4: "tool"}
_BULLET = regex.compile(
    rf"- (?:\[(?P<time>{TIME})(?: (?P<speaker>[^\]\n]*))?\] )?"
    rf"(?P<text>.*?)(?P<tags>(?: {TAG.pattern})*)"
)


@dataclass(frozen=True, slots=True)
class Bullet:
    """One line of a node, with what its group says of it."""

    text: str
    #: When its group begins; empty where a model wrote the line.
    time: str = ""
    speaker: str = ""
    #: `[chat:…]` and `[via:…]` with a space before each.
    tags: str = ""

    @property
    def line(self) -> str:
        """The line below its group."""
        return f"- {self.speaker}: {self.text}" if self.time else f"- {self.text}{self.tags}"

    def follows(self, before: Bullet | None) -> bool:
        """Return whether the same speaker continues after a line of the same group."""
        return before is not None and bool(self.time) and self.speaker == before.speaker

    @property
    def moment(self) -> datetime | None:
        return datetime.fromisoformat(self.time) if self.time else None


def parse_bullet(line: str, group: Bullet | None = None) -> Bullet | None:
    """Return the parts of a node's line, below a group if one is given; None if it is not a bullet."""
    match = _BULLET.fullmatch(line)
    if match is None or not match["text"].strip():
        return None
    if group is None or match["time"]:
        return Bullet(match["text"], match["time"] or "", match["speaker"] or "", match["tags"])
    if not group.time:
        return replace(group, text=match["text"], tags=match["tags"] or group.tags)
    speaker, _, text = line[2:].partition(": ")
    return replace(group, speaker=speaker, text=text) if text.strip() else None


def parse_lines(text: str) -> Iterator[tuple[str, int, Bullet | None]]:
    """Yield the lines of a node, but for those that begin a group: each with its place and its bullet."""
    group: Bullet | None = None
    before: Bullet | None = None
    start = 0
    for whole in text.splitlines(keepends=True):
        line = whole.rstrip()
        if opening := parse_group(line):
            # A group without tags has those of the group before.
            time, tags = opening
            group, before = Bullet("", time, tags=tags or (group.tags if group else "")), None
        else:
            said = line.removeprefix(INDENT)
            goes_on = before is not None and said != line
            before = replace(before, text=said) if before and goes_on else parse_bullet(line, group)
            group = group if before else None
            yield whole, start, before
        start += len(whole)


def read_lines(content: str) -> list[Bullet]:
    """Return the bullets of a node, in order."""
    return [bullet for _, _, bullet in parse_lines(content) if bullet]


def write_groups(bullets: Sequence[Bullet]) -> str:
    """Return a node's text. A group has the lines of one place within an hour, and the time of its first line."""
    lines, hour, tags = list[str](), "", ""
    before: Bullet | None = None
    for bullet in bullets:
        own = bullet.tags if bullet.time else ""
        if (hour and not bullet.time) or (tags and not own):
            # An empty line ends the group of a place.
            lines.append("")
            hour, tags, before = "", "", None
        if bullet.time and (own != tags or bullet.time[:13] != hour):
            lines.append(f"[{bullet.time}]{own if own != tags else ''}")
            before = None
        hour, tags = bullet.time[:13], own
        lines.append(f"{INDENT}{bullet.text}" if bullet.follows(before) else bullet.line)
        before = bullet
    return "\n".join(lines)


def source_messages(source: Source, sentence: str, zone: ZoneInfo) -> Bullet:
    """Return a sentence of a message, or of a node that a model wrote, as a line without tags."""
    speaker = source.author or _ROLES.get(source.role, "") or source.agent
    text = " ".join(sentence.split())
    return Bullet(text, write_minute(source.earliest_at, zone), _plain(speaker))


def tagged(bullet: Bullet, source: Source, level: Level) -> Bullet:
    """Return a bullet with the tags of the node's level: its own, or else its source's.

    At levels with tags, user text that looks like one is defused.
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
    """Return a name on one line that nothing is taken for the end of."""
    return " ".join(name.replace("[", "(").replace("]", ")").replace(":", " ").split())
