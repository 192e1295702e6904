"""Whose words may be believed: the policy of a namespace for what comes from where anybody may write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from everword.domain.channels import find_policy

#: Value of proto `Role`.
TOOL = 4
#: What stands in the place of an untrusted text that speaks to models.
LEFT_OUT = "[message left out]"


@dataclass(frozen=True)
class TrustPolicy:
    """The channels where anybody may write, and what is left out of contexts."""

    #: Policies by channel or pattern; only `untrusted` and `quarantine` are read.
    channels: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    #: Whether it is left out whatever the channel.
    quarantine: bool = False

    def is_untrusted(self, channel: str, role: int = 0, tool_name: str = "") -> bool:
        """Tell whether a text is nobody's own word: from an untrusted channel, or brought in by a tool."""
        return role == TOOL or bool(tool_name) or self.is_open(channel)

    def is_open(self, channel: str) -> bool:
        """Tell whether anybody may write in a channel."""
        return find_policy(self.channels, channel).get("untrusted", False)

    def leaves_out(self, channel: str) -> bool:
        """Tell whether what speaks to models, and is untrusted, is left out of contexts and answers."""
        return self.quarantine or find_policy(self.channels, channel).get("quarantine", False)
