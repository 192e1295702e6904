"""Channel policies: which data may be derived from the messages of a channel and shown outside of its conversations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: At the end of a name, it makes the name a pattern for all channels with this prefix.
WILDCARD = "*"
_NONE: Mapping[str, bool] = {}


def find_policy(policies: Mapping[str, Mapping[str, bool]], channel: str) -> Mapping[str, bool]:
    """Return the policy of the exact name, otherwise the one of the longest matching prefix; empty if there is none.

    The function `channel_policy` of the database does the same.
    """
    if channel in policies:
        return policies[channel]
    matching = [
        name
        for name in policies
        if name.endswith(WILDCARD) and channel.startswith(name.removesuffix(WILDCARD))
    ]
    return policies[max(matching, key=len)] if matching else _NONE


def is_channel_pattern(name: str) -> bool:
    """Return whether a name may have a policy: a channel, or a prefix of channels followed by one `*`."""
    return WILDCARD not in name.removesuffix(WILDCARD)


@dataclass(frozen=True)
class ChannelPolicies:
    """The policies of a namespace's channels, by name or pattern; a channel without a policy is not restricted."""

    by_name: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)

    def indexes(self, channel: str) -> bool:
        """Return whether the messages of `channel` are searchable."""
        return find_policy(self.by_name, channel).get("index", True)

    def rolls_up(self, channel: str) -> bool:
        """Return whether the messages of `channel` go into calendar summaries."""
        return find_policy(self.by_name, channel).get("roll_up", True)

    def digests(self, channel: str) -> bool:
        """Return whether `channel` is summarised separately before it goes into a daily summary."""
        return find_policy(self.by_name, channel).get("digest", False)

    def learns(self, channel: str) -> bool:
        """Return whether facts, people and events are learned from the messages of `channel`."""
        policy = find_policy(self.by_name, channel)
        return policy.get("learn", policy.get("index", True))

    def summarizes(self, channel: str) -> bool:
        """Return whether summaries of conversations in `channel` are visible outside of these conversations."""
        policy = find_policy(self.by_name, channel)
        return policy.get("summarize", policy.get("index", True))
