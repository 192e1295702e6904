"""Settings of the embedded stack, from the command line and the environment."""

from dataclasses import dataclass, field
from pathlib import Path

from everword.domain.settings import Environment
from everword.embedded.errors import EmbeddedError
from everword.embedded.ports import Ports
from everword.embedded.services import SERVICES


@dataclass(frozen=True, slots=True)
class StackSettings:
    """An engine whose URL is given is the user's own, and is not started."""

    #: where everything is kept; None keeps nothing: a temporary folder, removed at the end
    data: Path | None
    ports: Ports = field(default_factory=Ports)
    database_url: str | None = None
    #: the owner's, for migrations; without it the user's own database is taken to be migrated
    admin_database_url: str | None = None
    redis_url: str | None = None
    internal_token: str | None = None
    #: an embedding server of the user's own; without one, the local model embeds
    embed_url: str | None = None

    @classmethod
    def from_environment(
        cls, data: Path | None, ports: Ports, environment: Environment
    ) -> "StackSettings":
        settings = cls(
            data=data,
            ports=ports,
            database_url=environment.text("EVERWORD_DATABASE_URL") or None,
            admin_database_url=environment.text("EVERWORD_ADMIN_DATABASE_URL") or None,
            redis_url=environment.text("EVERWORD_REDIS_URL") or None,
            internal_token=environment.text("EVERWORD_INTERNAL_TOKEN") or None,
            embed_url=environment.text("EVERWORD_EMBED_URL") or None,
        )
        if environment.text("EVERWORD_TLS_CERT"):
            raise EmbeddedError(
                "EVERWORD_TLS_CERT is set, and the embedded stack listens on this machine alone, "
                "without TLS; unset it, or run the services by themselves"
            )
        if settings.admin_database_url and not settings.database_url:
            raise EmbeddedError(
                "EVERWORD_ADMIN_DATABASE_URL is set and EVERWORD_DATABASE_URL is not; set both to "
                "use your own database, or neither to use the embedded one"
            )
        return settings

    @property
    def used_ports(self) -> list[str]:
        engines = {"postgres": self.database_url, "valkey": self.redis_url}
        return [*(name for name, url in engines.items() if url is None), "proxy", *SERVICES]
