"""Channels that are summed up by themselves before they go into a daily summary, by a policy of the namespace."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from everword.domain.ids import new_id
from everword_compactor.compose.checks.tags import CHAT, TAG, render_tag
from everword_compactor.compose.model import Composition, Draft, Level, Source


def digest_name(channel: str, instance: str, day: str) -> str:
    """Return what a digest's lines are tagged with in place of conversations: `<channel>-<instance>-<day>`."""
    return "-".join(part for part in (channel, instance, day) if part)


def digest_channel(
    draft: Draft, compose: Callable[[Draft], Composition]
) -> tuple[Source, Composition]:
    """Sum up the messages of a draft's channel, and return that as one source of the day.

    Conversations stand one after the other, each in order. Its budget is that of a day. The messages themselves stay
    the sources of the day's node; only its text is made from the digest.
    """
    composition = compose(replace(draft, sources=_by_conversation(draft.sources)))
    tag = render_tag(CHAT, digest_name(draft.channel, draft.instance, draft.title))
    lines = [_retag(line, tag) for line in composition.content.splitlines()]
    text = "\n".join((f"# {draft.channel}", *lines))
    source = Source(
        id=new_id(),
        level=Level.DAY,
        text=text,
        earliest_at=draft.earliest_at,
        latest_at=draft.latest_at,
        message_count=draft.message_count,
        agent=draft.agent,
        channel=draft.channel,
        instance=draft.instance,
    )
    return source, composition


def _by_conversation(sources: Sequence[Source]) -> list[Source]:
    """Return the sources with those of a conversation together, the conversations by their first message."""
    conversations: dict[object, list[Source]] = {}
    for source in sources:
        conversations.setdefault(source.conversation_id, []).append(source)
    return [source for group in conversations.values() for source in group]


def _retag(line: str, tag: str) -> str:
    """Return a line with one tag in place of those of its conversations."""
    tags = [match for match in TAG.finditer(line) if match[1] == CHAT]
    if not tags:
        return line
    first = tags[0].start()
    head, tail = line[:first], line[first:]
    bare = TAG.sub(lambda match: "" if match[1] == CHAT else match[0], tail)
    return re.sub(r" {2,}", " ", f"{head}{tag} {bare.strip()}").rstrip()
