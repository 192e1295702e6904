"""The Everword that is asked: one that is started for it, or one that runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from everword.client import CallError, Client, ClientSettings
from everword.client.local import default_data_folder
from everword.client.servers import PUBLIC_PORTS
from everword.domain.settings import Environment
from everword.embedded.folder import RunningStack, find_running_stack
from everword.embedded.ports import Ports
from everword.embedded.services import SUMMARISING_WORKERS, service_specs
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from everword.v1.search_service_pb2 import GetStatsRequest


@dataclass(frozen=True)
class Target:
    """The Everword that is asked."""

    settings: ClientSettings
    #: Connection string of the schema's owner; empty if unknown.
    admin_url: str = ""

    async def model(self) -> str | None:
        """Return what embeds, such as `local:all-MiniLM-L6-v2`; None without one. Raises CallError."""
        async with Client.connect(self.settings) as client:
            try:
                stats = await client.search_service.GetStats(GetStatsRequest())
            except CallError as error:
                # The default namespace may not exist; the model is the same for every namespace.
                if error.reason == "NAMESPACE_NOT_FOUND":
                    return None
                raise
        return stats.embedding.model or None


def is_supplied(environment: Environment) -> bool:
    """Return whether the environment has an address of Everword."""
    names = ["EVERWORD_ADDRESS", *(f"EVERWORD_{name.upper()}_ADDRESS" for name in PUBLIC_PORTS)]
    return any(map(environment.text, names))


def running_target(environment: Environment) -> Target:
    """Return the Everword that other commands find. Raises ClientSettingsError.

    The schema owner's URL is that of EVERWORD_ADMIN_DATABASE_URL, or of `everword up`.
    """
    settings = ClientSettings.from_environment()
    url = environment.text("EVERWORD_ADMIN_DATABASE_URL")
    if not url and (found := _found(environment)) is not None:
        same = settings.search_address in (found.address, found.addresses["search"])
        url = (same and found.admin_database_url) or ""
    return Target(settings, url)


def _found(environment: Environment) -> RunningStack | None:
    folder = Path(environment.text("EVERWORD_DATA") or default_data_folder()).expanduser()
    try:
        return find_running_stack(folder)
    except PermissionError:
        return None


@asynccontextmanager
async def own_target(
    environment: Environment, say: Callable[[str], None], summarising: bool = False
) -> AsyncIterator[Target]:
    """Run an Everword on free ports for the duration of the block; its data is deleted.

    Without `summarising` only vectors are derived, so that figures do not depend on the progress of summaries. It
    embeds with the server at EVERWORD_EMBED_URL if that is set. Raises EmbeddedError and MigrationError.
    """
    embed_url = environment.text("EVERWORD_EMBED_URL") or None
    left_out = frozenset() if summarising else SUMMARISING_WORKERS
    settings = StackSettings(data=None, ports=Ports.free(), embed_url=embed_url)
    services = partial(service_specs, left_out=left_out)
    async with stack(settings, say, services=services) as running:
        at = running.addresses
        # The services inherit the environment: an operator's key in it counts for them too.
        key = environment.text("EVERWORD_ADMIN_KEY")
        client = ClientSettings(at["ingest"], at["search"], at["compactor"], api_key=key)
        yield Target(client, running.admin_database_url or "")
