"""Settings of a service's server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from everword.domain.settings import NO_SECRET, Environment, Secret, SettingError

PORTS = {"ingest": 50051, "search": 50052, "compactor": 50053, "embedder": 50054}
#: Minimum length of the operator's key, which gives access to every namespace; shorter ones can be guessed.
MIN_ADMIN_KEY_CHARS = 24
#: Seconds for which a stopping server still accepts calls, so that load balancers notice.
DRAIN_S = 3.0
#: The same for a server on the loopback interface, which has no load balancer.
LOOPBACK_DRAIN_S = 0.1
_LOOPBACK = ("127.", "localhost", "[::1]", "unix:")


@dataclass(frozen=True)
class TlsSettings:
    """Certificates of a server, as PEM files."""

    certificate: Path
    key: Path
    client_ca: Path | None
    """Authority that must have signed the clients' certificates; None asks for no client certificate."""


@dataclass(frozen=True)
class ServerSettings:
    """Settings of a service's server."""

    service: str
    listen: str
    """HOST:PORT; port 0 chooses a free port."""
    admin_key: Secret = NO_SECRET
    """API key of the operator, independent of the database; it creates the first keys. If it is set, every call needs a
    key; once it was used, the deployment keeps requiring keys."""
    internal_token: Secret = NO_SECRET
    """Shared secret that authenticates services to each other; empty requires none."""
    tls: TlsSettings | None = None
    max_concurrent: int = 256
    """Maximum concurrent calls, including waiting ones; further calls fail with a retry delay."""
    drain_s: float = DRAIN_S
    """Seconds for which a stopping service reports NOT_SERVING before it rejects calls, for load balancers."""
    grace_s: float = 10.0
    """Seconds after that for running calls to finish."""
    log_level: str = "INFO"

    @property
    def loopback(self) -> bool:
        return is_loopback(self.listen)

    @classmethod
    def from_environment(cls, environment: Environment, service: str) -> ServerSettings:
        listen = environment.text("EVERWORD_LISTEN", f"127.0.0.1:{PORTS[service]}")
        return cls(
            service=service,
            listen=listen,
            admin_key=_admin_key(environment),
            internal_token=Secret(environment.text("EVERWORD_INTERNAL_TOKEN")),
            tls=tls_settings(environment),
            drain_s=drain_seconds(listen),
            log_level=environment.text("EVERWORD_LOG_LEVEL", cls.log_level),
        )


def is_loopback(listen: str) -> bool:
    return listen.startswith(_LOOPBACK)


def drain_seconds(listen: str) -> float:
    return LOOPBACK_DRAIN_S if is_loopback(listen) else DRAIN_S


def tls_settings(environment: Environment) -> TlsSettings | None:
    certificate = environment.file("EVERWORD_TLS_CERT")
    key = environment.file("EVERWORD_TLS_KEY")
    client_ca = environment.file("EVERWORD_TLS_CLIENT_CA")
    if certificate is None and key is None:
        if client_ca:
            raise SettingError(
                "EVERWORD_TLS_CLIENT_CA requires TLS: set EVERWORD_TLS_CERT and EVERWORD_TLS_KEY too"
            )
        return None
    if certificate is None or key is None:
        raise SettingError("EVERWORD_TLS_CERT and EVERWORD_TLS_KEY must be set together")
    return TlsSettings(certificate, key, client_ca)


def _admin_key(environment: Environment) -> Secret:
    key = environment.text("EVERWORD_ADMIN_KEY")
    if key and len(key) < MIN_ADMIN_KEY_CHARS:
        raise SettingError(
            f"EVERWORD_ADMIN_KEY is shorter than {MIN_ADMIN_KEY_CHARS} characters; make one with `openssl rand -hex 32`"
        )
    return Secret(key)
