"""Tags with the origin of a calendar node's line: `[chat:<conversation>]` and `[via:<instance>]`.

Code writes them from the names in a model's answer, and checks the ones that a model copies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import regex

from everword_compactor.compose.model import Level, Source

CHAT = "chat"
VIA = "via"
# Content of a tag: a backslash comes before `]`, before a backslash, and before the opening of another tag, so that
# each position of a text is scanned once. `regex` releases the GIL meanwhile, which `re` does not.
_NAME = r"(?:[^\[\]\\\n]|\\.|\[(?!chat:|via:)){0,500}+"
TAG = regex.compile(rf"\[(chat|via):({_NAME})\]")
TIME = r"\d{4,}-\d\d-\d\dT\d\d:\d\d(?:Z|[+-]\d\d:\d\d)"
_GROUP = regex.compile(
    rf"\[(?P<time>{TIME})\](?P<tags>(?: {TAG.pattern})*)|(?P<place>{TAG.pattern}(?: {TAG.pattern})*)"
)
#: Indentation of a speaker's further sentences below the bullet.
INDENT = "  "
_OPENING = re.compile(r"\[(?=chat:|via:)")
_BULLET = re.compile(r"^[ \t]*[-*•][ \t]+(?=\S)")
_TAG_AT_END = regex.compile(rf"(?<![ \t])[ \t]*+\[chat:{_NAME}\]")
_EXCERPT_CHARS = 80


def render_tag(kind: str, name: str) -> str:
    """Return the tag; line breaks in the name become spaces."""
    line = " ".join(name.split())
    escaped = line.replace("\\", "\\\\").replace("]", "\\]")
    escaped = _OPENING.sub(r"\\[", escaped)
    return f"[{kind}:{escaped}]"


def tags_in(text: str) -> list[tuple[str, str]]:
    """Return kind and name of each tag of `text`, in order."""
    return [(kind, re.sub(r"\\(.)", r"\1", name)) for kind, name in TAG.findall(text)]


def render_bullet(text: str, chats: Iterable[str], instances: Iterable[str]) -> str:
    """Return `- text [chat:…] [via:…]`: one line, with the tags in the order given."""
    tags = [render_tag(CHAT, chat) for chat in chats]
    tags += [render_tag(VIA, instance) for instance in instances]
    return " ".join(["-", *text.split(), *tags])


def parse_group(line: str) -> tuple[str, str] | None:
    """Return the time and tags of a group's opening line; None if the line is not one.

    The tags are those of the bullets below, with a space before each; either may be empty.
    """
    match = _GROUP.fullmatch(line.rstrip())
    if match is None:
        return None
    return match["time"] or "", f" {match['place']}" if match["place"] else match["tags"]


def group_bullets(content: str) -> str:
    """Return bullets with their tags once, above all that have the same; groups in the order of their first."""
    # Bullets without tags come first, in no group.
    groups: dict[str, list[str]] = {"": []}
    for line in content.splitlines():
        tags = " ".join(match[0] for match in TAG.finditer(line))
        text = line.removesuffix(f" {tags}")
        if not line.strip():
            continue
        if tags and _is_bullet(text) and text != line and not TAG.search(text):
            groups.setdefault(tags, []).append(text)
        else:
            groups[""].append(line)
    alone = groups.pop("")
    return "\n".join([*alone, *("\n".join([tags, *lines]) for tags, lines in groups.items())])


def spread_tags(text: str) -> str:
    """Return what `group_bullets` has grouped with the tags on each bullet again."""
    lines, tags = list[str](), ""
    for line in text.splitlines():
        group = parse_group(line)
        if group and not group[0]:
            tags = group[1]
            continue
        if group or not _is_bullet(line):
            tags = ""
        lines.append(line + tags)
    return "\n".join(lines)


def strip_chat_tags(text: str) -> str:
    """Return `text` without `[chat:…]`, with the spaces before it."""
    return _TAG_AT_END.sub("", text)


def defuse_tags(text: str) -> str:
    """Return `text` with `(chat:…)` in place of user text that looks like a tag."""
    # Removing a tag may leave an opening that forms a new one.
    return _OPENING.sub("(", TAG.sub(lambda match: f"({match[0][1:-1]})", text))


def strip_tags(text: str) -> str:
    """Return `text` with spaces in place of tags."""
    return TAG.sub(lambda match: " " * len(match[0]), text)


def add_only_instance(content: str, sources: Sequence[Source]) -> str:
    """Return `content` with `[via:…]` on each bullet without one, if all sources are of one instance."""
    names = {name for source in sources for name in instances_of(source)}
    if len(names) != 1 or not all(_names_instances(source) for source in sources):
        return content
    tag = render_tag(VIA, names.pop())
    lines = [
        f"{line.rstrip()} {tag}" if _is_bullet(line) and not _has(line, VIA) else line
        for line in content.splitlines()
    ]
    return "\n".join(lines)


def instances_of(source: Source) -> set[str]:
    """Return the instances of a source: its own, and those tagged in the text of a node."""
    return _named(source, VIA) | (
        {" ".join(source.instance.split())} if source.instance.strip() else set()
    )


def check_tags(content: str, sources: Sequence[Source], level: Level | None = None) -> list[str]:
    """Return the wrong tags of a node, at most 50; empty if all are right.

    Tags must name conversations and instances of the sources; in a leaf, user text that looks like a tag is text. A day
    has both tags on each bullet, as far as its sources have them; week, month and year have `[via:…]`, and no
    `[chat:…]`. Other levels, or no level, need no tags.
    """
    chats = {str(source.conversation_id) for source in sources if source.conversation_id}
    chats |= {name for source in sources for name in _named(source, CHAT)}
    instances = {name for source in sources for name in instances_of(source)}
    known = {CHAT: chats, VIA: instances}
    written = _written(sources) if level is Level.LEAF else set()
    wrong = [
        render_tag(kind, name)
        for kind, name in tags_in(content)
        if name not in known[kind] and (kind, name) not in written
    ]
    if level is not None and level.of_calendar:
        wrong += _wrong_bullets(content, sources, level)
    return list(dict.fromkeys(wrong))[:50]


def _wrong_bullets(content: str, sources: Sequence[Source], level: Level) -> list[str]:
    demanded = []
    if level is Level.DAY and all(source.conversation_id for source in sources):
        demanded.append(CHAT)
    if all(_names_instances(source) for source in sources):
        demanded.append(VIA)
    wrong = [
        f"no [{kind}:]: {line.strip()[:_EXCERPT_CHARS]}"
        for line in _bullets(content)
        for kind in demanded
        if not _has(line, kind)
    ]
    if level is not Level.DAY:
        wrong += [render_tag(kind, name) for kind, name in tags_in(content) if kind == CHAT]
    return wrong


def _names_instances(source: Source) -> bool:
    """Return whether the instance of the whole source is known; in a node, some bullets may lack it."""
    if source.instance.strip():
        return True
    return bool(source.level) and all(_has(line, VIA) for line in _bullets(source.text))


def _bullets(text: str) -> list[str]:
    """Return the bullets of a text, with the tags of their groups; the whole text if it has none."""
    found, tags = list[str](), ""
    for line in text.splitlines():
        if group := parse_group(line):
            tags = group[1] or tags
        elif _is_bullet(line):
            found.append(line + tags)
        elif not line.startswith(INDENT):
            tags = ""
    return found or [text]


def _named(source: Source, kind: str) -> set[str]:
    # Tags of nodes were written by code and checked; in a message, anyone may write one.
    return {name for tag, name in tags_in(source.text) if tag == kind} if source.level else set()


def _written(sources: Sequence[Source]) -> set[tuple[str, str]]:
    """Return what looks like a tag in messages."""
    return {tag for source in sources if not source.level for tag in tags_in(source.text)}


def _is_bullet(line: str) -> bool:
    return _BULLET.match(line) is not None


def _has(line: str, kind: str) -> bool:
    return any(found == kind and name for found, name in tags_in(line))
