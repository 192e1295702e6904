"""Settings of the embedded stack, from the command line and the environment."""

from dataclasses import dataclass, field
from pathlib import Path

from everword.domain.settings import Environment
from everword.embedded.errors import EmbeddedError
from everword.embedded.ports import Ports
from everword.embedded.services import SERVICES


@dataclass(frozen=True, slots=True)
class StackSettings:
    """Settings of the embedded stack. An engine with a URL is external, and is not started."""

    #: Folder for all data; None for a temporary folder, which is removed at the end.
    data: Path | None
    ports: Ports = field(default_factory=Ports)
    #: None starts the embedded PostgreSQL.
    database_url: str | None = None
    #: Connection string of the schema's owner, for migrations; None if the external database needs no migration.
    admin_database_url: str | None = None
    #: None starts the embedded Valkey.
    redis_url: str | None = None
    #: None uses a secret that is stored in the data folder.
    internal_token: str | None = None
    #: URL of an external embedding server; None uses the local model.
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
                "EVERWORD_TLS_CERT is set, but `everword up` listens on this machine only, "
                "without TLS; unset it, or run the services separately"
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
