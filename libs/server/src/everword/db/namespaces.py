"""The settings of a namespace, as writes and reads need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from everword.db.pool import SQL, Connection
from everword.db.statements import BoundStatement, fetch_each
from everword.domain.channels import ChannelPolicies
from everword.domain.credentials import CredentialPolicy
from everword.domain.not_found import NamespaceNotFound
from everword.domain.trust import TrustPolicy


@dataclass(frozen=True)
class NamespaceSettings:
    """The settings that a namespace's writes and reads depend on."""

    time_zone: str
    day_cutoff_minutes: int
    text_search_config: str
    #: Values equal proto `UseCounting`.
    use_counting: int
    #: By channel or pattern: `index`, `roll_up`, `digest`, `untrusted`, `quarantine`; if set, `learn` and `summarize`.
    channel_policies: dict[str, dict[str, bool]]
    #: Values equal proto `CredentialPolicy`.
    credentials: int
    #: Values equal proto `SleepAtomicity`.
    sleep_atomicity: int = 1
    quarantine: bool = False
    #: Ranking profile of searches and contexts that name none; empty for the default.
    ranking_profile: str = ""

    @property
    def trust(self) -> TrustPolicy:
        """The namespace's policy on untrusted messages, which are left out of contexts."""
        return TrustPolicy(self.channel_policies, self.quarantine)

    @property
    def masks_credentials(self) -> bool:
        """Return whether credentials are masked in derived memories."""
        return self.credentials != CredentialPolicy.KEEP

    @property
    def channels(self) -> ChannelPolicies:
        """The channel policies, with their lookup by channel name."""
        return ChannelPolicies(self.channel_policies)


async def get_namespace_settings(conn: Connection, namespace_id: int) -> NamespaceSettings:
    """Return a namespace's settings as of this transaction. Raises NamespaceNotFound once it is being deleted."""
    [found] = await fetch_each(conn, namespace_settings(namespace_id))
    return the_settings(found)


def namespace_settings(namespace_id: int) -> BoundStatement[NamespaceSettings]:
    """Ask for a namespace's settings together with something else; see `the_settings`."""
    parameters = {"namespace_id": namespace_id}
    return BoundStatement(SQL["get_namespace_settings"], parameters, NamespaceSettings)


def the_settings(found: Sequence[NamespaceSettings]) -> NamespaceSettings:
    """Return what `namespace_settings` found. Raises NamespaceNotFound once the namespace is being deleted."""
    if not found:
        raise NamespaceNotFound
    return found[0]
