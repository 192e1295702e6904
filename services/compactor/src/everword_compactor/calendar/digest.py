"""Channels that are summed up by themselves before they go into a daily summary, by a policy of the namespace."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from everword.domain.ids import new_id
from everword_compactor.compose.checks.tags import CHAT, TAG, render_tag
from everword_compactor.compose.model import Composition, Draft, Level, Source


def digest_name(channel: str, instance: str, day: str) -> str:
    """Return the tag of a digest's lines, in place of conversations: `<channel>-<instance>-<day>`."""
    return "-".join(part for part in (channel, instance, day) if part)


def server_of(channel: str) -> str:
    """Return `discord/Gardeners` for `discord/Gardeners/general`; a channel without a slash is its own server."""
    return channel.rpartition("/")[0] or channel


def digest_server(
    drafts: Sequence[Draft], compose: Callable[[Draft], Composition]
) -> tuple[Source, list[str]]:
    """Sum up the messages of each of a server's channels, and return that as one source of the day.

    Each channel stands below its name, with the budget of a day; its conversations stand one after the other, each in
    order. The messages themselves stay the sources of the day's node; only its text is made from the digest. What the
    digest says without support is returned, too.
    """
    first = drafts[0]
    server = server_of(first.channel)
    lines, unsupported = [f"# {_one_line(server)}"], list[str]()
    for draft in drafts:
        composition = compose(replace(draft, sources=_by_conversation(draft.sources)))
        tag = render_tag(CHAT, digest_name(draft.channel, draft.instance, draft.title))
        if draft.channel != server:
            lines.append(f"## {_one_line(draft.channel.removeprefix(server + '/'))}")
        lines += [_retag(line, tag) for line in composition.content.splitlines()]
        unsupported += composition.faithfulness.unsupported
    source = Source(
        id=new_id(),
        level=Level.DAY,
        text="\n".join(lines),
        earliest_at=min(draft.earliest_at for draft in drafts),
        latest_at=max(draft.latest_at for draft in drafts),
        message_count=sum(draft.message_count for draft in drafts),
        agent=first.agent if all(draft.agent == first.agent for draft in drafts) else "",
        channel=server,
        instance=first.instance,
    )
    return source, unsupported


def _one_line(name: str) -> str:
    return " ".join(name.split())


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
