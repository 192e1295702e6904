"""The settings of a namespace, as writes and reads need them."""

from __future__ import annotations

from dataclasses import dataclass

from everword.db.pool import SQL, Connection
from everword.db.statements import fetch_optional
from everword.domain.errors import NamespaceNotFound


@dataclass(frozen=True)
class NamespaceSettings:
    """What a namespace's writes and reads depend on."""

    time_zone: str
    day_cutoff_minutes: int
    text_search_config: str
    #: Values equal proto `UseCounting`.
    use_counting: int
    #: By channel: `index`, `roll_up`, `digest`.
    channel_policies: dict[str, dict[str, bool]]

    def indexes(self, channel: str) -> bool:
        """Whether the messages of `channel` are searchable."""
        return self.channel_policies.get(channel, {}).get("index", True)

    def rolls_up(self, channel: str) -> bool:
        """Whether the messages of `channel` go into calendar summaries."""
        return self.channel_policies.get(channel, {}).get("roll_up", True)


async def get_namespace_settings(conn: Connection, namespace_id: int) -> NamespaceSettings:
    """Return a namespace's settings as of this transaction. Raises NamespaceNotFound once it is being deleted."""
    found = await fetch_optional(
        conn, SQL["get_namespace_settings"], {"namespace_id": namespace_id}, NamespaceSettings
    )
    if found is None:
        raise NamespaceNotFound
    return found
