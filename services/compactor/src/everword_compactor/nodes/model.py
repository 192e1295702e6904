"""Nodes of the summary DAG as they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from everword.domain.channels import ChannelPolicies
from everword.domain.credentials import CredentialPolicy
from everword.domain.trust import TrustPolicy
from everword_compactor.compose.model import Composition, Level, Source


@dataclass(frozen=True)
class NodeNamespace:
    """The namespace of a node, with what its index depends on."""

    id: int
    #: An IANA name.
    time_zone: str
    day_cutoff_minutes: int
    text_search_config: str
    #: Policies by channel or pattern, as in NamespaceSettings.
    channel_policies: dict[str, dict[str, bool]]
    #: Values equal proto `CredentialPolicy`.
    credentials: int
    #: Values equal proto `SleepAtomicity`.
    sleep_atomicity: int
    quarantine: bool

    @property
    def trust(self) -> TrustPolicy:
        """The namespace's policy on untrusted channels."""
        return TrustPolicy(self.channel_policies, self.quarantine)

    @property
    def masks_credentials(self) -> bool:
        """Return whether credentials are masked in its nodes and sentences."""
        return self.credentials != CredentialPolicy.KEEP

    @property
    def channels(self) -> ChannelPolicies:
        """The channel policies, with their lookup by channel name."""
        return ChannelPolicies(self.channel_policies)


@dataclass(frozen=True)
class NodePlace:
    """A node's place: a stretch of a conversation, or a period of the calendar."""

    level: Level
    title: str = ""
    conversation_id: UUID | None = None
    first_seq: int | None = None
    last_seq: int | None = None
    #: The first day of the period.
    period: date | None = None
    instance: str = ""
    agent: str = ""
    subject: str = ""
    channel: str = ""

    @property
    def name(self) -> str:
        """Return the node's name for readers, such as `2026-04-18`, `2026-04-18/phone` or `2026-W16@mira`.

        It is unique: only the subject may contain `@`.
        """
        if self.period is None:
            return ""
        name = self.title
        if self.instance:
            name += f"/{self.instance.replace('%', '%25').replace('@', '%40')}"
        return f"{name}@{self.subject}" if self.subject else name

    @property
    def axis(self) -> int:
        """1 along a conversation, 2 along the calendar."""
        return 2 if self.level.of_calendar else 1


@dataclass(frozen=True)
class NewSummary:
    """A node that was written, and is to be stored."""

    id: UUID
    place: NodePlace
    composition: Composition
    #: In order.
    sources: Sequence[Source]


@dataclass(frozen=True)
class NodeRow:
    """A stored node, without its text."""

    id: UUID
    level: int
    conversation_id: UUID | None
    first_seq: int | None
    last_seq: int | None
    period: date | None
    instance: str
    parent_id: UUID | None
    message_count: int
    earliest_at: datetime
    latest_at: datetime
    token_count: int
    model: str
    prompt_version: int
    revision: int
    stale: bool
    needs_review: bool
