"""Run a gRPC service: listen, tell its health, drain on SIGTERM."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import grpc
import psycopg
from google.protobuf.descriptor import FileDescriptor, ServiceDescriptor

# Imported so that reflection can resolve the types of error details.
from google.rpc import error_details_pb2 as _error_details  # noqa: F401
from grpc_health.v1 import health, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from psycopg_pool import PoolTimeout

from everword.client.servers import public_services
from everword.db.pool import Database
from everword.domain.settings import SettingError
from everword.quotas.quotas import Quotas
from everword.rpc.authentication import Authenticator
from everword.rpc.capacity import TRANSPORT_BYTES
from everword.rpc.certificates import Certificates
from everword.rpc.health import Health
from everword.rpc.interceptors import ordered_interceptors
from everword.rpc.interceptors.deadline import CAP_S
from everword.rpc.settings import ServerSettings

log = logging.getLogger(__name__)
#: Bytes that a call may send before its request is read. While a request is being received, it may send all of it.
_UNREAD_BYTES = 64 * 1024
#: Calls at once over one connection. More wait at the client.
_STREAMS = 1024
#: Calls of one RPC that may wait for the event loop. gRPC drops some calls beyond this number and all beyond twice as
#: many, as CANCELLED without a reason. With 256, up to 318 of 900 simultaneous calls were dropped.
_PENDING = 8192
#: A silent connection with calls is pinged after this time, and has this time to answer.
_SILENT_MS, _ANSWER_MS = 60_000, 20_000
_ANSWER_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True)
class Registration:
    """A servicer and the generated function that adds it to a server."""

    #: The file that defines the service, and no other one.
    file: FileDescriptor
    add: Callable[[Any, grpc.aio.Server], None]
    servicer: object

    @property
    def descriptor(self) -> ServiceDescriptor:
        [service] = self.file.services_by_name.values()
        return service


class RpcServer:
    """One gRPC server with health, reflection and the ordered interceptors."""

    def __init__(
        self,
        settings: ServerSettings,
        database: Database,
        registrations: list[Registration],
        warm_up: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`warm_up` is awaited before health says SERVING; it must end, and not raise, if something is unavailable."""
        self._settings = settings
        self._registrations = registrations
        self._warm_up = warm_up
        self._authenticator = Authenticator(database, settings)
        self._quotas = Quotas(database)
        self.health = Health(database, [entry.descriptor.full_name for entry in registrations])
        self._server: grpc.aio.Server | None = None
        self.address = ""

    async def start(self) -> str:
        """Listen, and return the address. Raises SettingError where the port is taken."""
        descriptors = [entry.descriptor for entry in self._registrations]
        server = grpc.aio.server(
            interceptors=ordered_interceptors(
                self._settings, self._authenticator, self._quotas, self.health, descriptors
            ),
            options=_options(),
        )
        for entry in self._registrations:
            entry.add(entry.servicer, server)
        health_pb2_grpc.add_HealthServicer_to_server(self.health.servicer, server)
        own = {descriptor.full_name for descriptor in descriptors}
        public = {service.full_name for service in public_services()}
        # Behind a proxy one server answers for all, so each describes the services of the others too.
        names = own | public if own & public else own
        reflection.enable_server_reflection(
            (*names, health.SERVICE_NAME, reflection.SERVICE_NAME), server
        )
        self.address = _bind(server, self._settings)
        await self.health.open()
        await self._refuse_open_network()
        self._quotas.start()
        await server.start()
        self._server = server
        if self._warm_up:
            await self._warm_up()
        await self.health.start()
        log.info("service started", extra={"address": self.address})
        return self.address

    async def stop(self) -> None:
        """Say NOT_SERVING, let calls finish, and close."""
        await self.health.stop()
        if self._server:
            await asyncio.sleep(self._settings.drain_s)
            await self._server.stop(self._settings.grace_s)
        await self._quotas.stop()
        log.info("service stopped")

    async def _refuse_open_network(self) -> None:
        """Raise SettingError where callers without a key would be let in from the network."""
        if self._settings.loopback:
            return
        listens = f"EVERWORD_LISTEN is {self._settings.listen}, which the network can reach, and "
        try:
            is_open = await self._authenticator.is_open()
        except (psycopg.Error, PoolTimeout) as error:
            raise SettingError(
                f"{listens}Postgres does not answer, so API keys may be missing: start it, or set EVERWORD_ADMIN_KEY"
            ) from error
        if is_open:
            raise SettingError(
                f"{listens}no API key exists: set EVERWORD_ADMIN_KEY, or make a key first with `everword keys create`"
            )


def _options() -> list[tuple[str, int]]:
    return [
        ("grpc.so_reuseport", 0),  # else two servers would share a port without a word
        ("grpc.max_receive_message_length", TRANSPORT_BYTES),
        ("grpc.max_send_message_length", _ANSWER_BYTES),
        # By itself, the transport lets a fast sender have megabytes under way in each call.
        ("grpc.http2.bdp_probe", 0),
        ("grpc.http2.lookahead_bytes", _UNREAD_BYTES),
        ("grpc.max_concurrent_streams", _STREAMS),
        # gRPC accepts one call in each turn of the event loop; the others wait inside gRPC.
        ("grpc.server.max_pending_requests", _PENDING),
        ("grpc.server.max_pending_requests_hard_limit", 2 * _PENDING),
        # Ends the calls of a client that has vanished; the transport alone would wait for its acknowledgements.
        ("grpc.keepalive_time_ms", _SILENT_MS),
        ("grpc.keepalive_timeout_ms", _ANSWER_MS),
        ("grpc.http2.ping_timeout_ms", _ANSWER_MS),
        ("grpc.http2.max_pings_without_data", 0),
        # Connections accept no calls after a while, so that clients find new replicas; calls in progress may finish.
        ("grpc.max_connection_age_ms", 15 * 60_000),
        ("grpc.max_connection_age_grace_ms", int(CAP_S * 1000)),
        # Clients may ping each minute; gRPC's own minimum of 5 minutes would answer GOAWAY.
        ("grpc.http2.min_ping_interval_without_data_ms", 50_000),
    ]


def _bind(server: grpc.aio.Server, settings: ServerSettings) -> str:
    host = settings.listen.rpartition(":")[0]
    try:
        if settings.tls:
            port = server.add_secure_port(settings.listen, Certificates(settings.tls).credentials())
        else:
            port = server.add_insecure_port(settings.listen)
    except RuntimeError as error:
        raise SettingError(
            f"cannot listen on {settings.listen} ({settings.service}): the port is taken or the address is not this "
            "machine's; choose another with EVERWORD_LISTEN"
        ) from error
    return f"{host}:{port}"


async def serve_until_stopped(start: Callable[[], Any], stop: Callable[[], Any]) -> None:
    """Await `start`, run until SIGTERM or SIGINT, and await `stop`."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    try:
        await start()
        await stopped.wait()
    finally:
        await stop()
