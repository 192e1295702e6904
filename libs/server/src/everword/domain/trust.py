"""The policy of a namespace on untrusted channels, in which strangers may write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from everword.domain.channels import find_policy

#: Value of proto `Role`.
TOOL = 4
#: Replaces an untrusted text that addresses models.
LEFT_OUT = "[message left out]"


@dataclass(frozen=True)
class TrustPolicy:
    """The untrusted channels, and the rule for contexts."""

    #: Policies by channel or pattern; only `untrusted` and `quarantine` are read.
    channels: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    #: True to leave out such texts in all channels.
    quarantine: bool = False

    def is_untrusted(self, channel: str, role: int = 0, tool_name: str = "") -> bool:
        """Return whether a text is untrusted: from an untrusted channel, or from a tool."""
        return role == TOOL or bool(tool_name) or self.is_open(channel)

    def is_open(self, channel: str) -> bool:
        """Return whether strangers may write in a channel."""
        return find_policy(self.channels, channel).get("untrusted", False)

    def leaves_out(self, channel: str) -> bool:
        """Return whether untrusted texts that address models are left out of contexts and answers."""
        return self.quarantine or find_policy(self.channels, channel).get("quarantine", False)
