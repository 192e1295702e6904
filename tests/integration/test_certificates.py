"""TLS of a service: client certificates, and certificates that are replaced while it runs."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from everword.client import CallError, Client, ClientSettings
from everword.client.channel import Tls, open_channel
from everword.db.settings import DatabaseSettings
from everword.domain.settings import Environment, SettingError
from everword.embedded.ports import free_ports
from everword.rpc.probe import probe
from everword.rpc.settings import TlsSettings
from everword.v1.admin_service_pb2 import ListNamespacesRequest
from everword.v1.admin_service_pb2_grpc import AdminServiceStub
from everword_ingest.server import IngestServer
from everword_ingest.settings import IngestSettings
from support.command_line import EVERWORD
from support.databases import DatabaseUnderTest
from support.health import serving
from support.stack import BASE
from support.waits import until

INGEST = replace(BASE, service="ingest")


@asynccontextmanager
async def _running(database: DatabaseUnderTest, tls: TlsSettings) -> AsyncIterator[str]:
    """Run ingest while the block lasts; yield its address."""
    settings = IngestSettings(server=replace(INGEST, tls=tls), database=database.settings("ingest"))
    server = IngestServer(settings)
    try:
        yield await server.start()
    finally:
        await server.stop()


def _make(folder: Path) -> TlsSettings:
    """Create a self-signed certificate for this machine."""
    folder.mkdir()
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", f"/CN=everword test {folder.name}"),
            *("-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"),
            *("-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    return TlsSettings(certificate, key, client_ca=None)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> TlsSettings:
    return _make(tmp_path_factory.mktemp("tls") / "first")


async def _list_namespaces(channel: grpc.aio.Channel) -> None:
    await AdminServiceStub(channel).ListNamespaces(ListNamespacesRequest(), timeout=60)


async def test_service_with_certificate_refuses_plaintext(
    database: DatabaseUnderTest, certificate: TlsSettings
) -> None:
    async with _running(database, certificate) as address:
        async with open_channel(address, Tls(certificate.certificate)) as channel:
            await _list_namespaces(channel)
        async with open_channel(address) as plain:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await _list_namespaces(plain)
        assert caught.value.code() == grpc.StatusCode.UNAVAILABLE


async def test_service_with_client_ca_requires_client_certificate(
    database: DatabaseUnderTest, certificate: TlsSettings
) -> None:
    async with _running(
        database, replace(certificate, client_ca=certificate.certificate)
    ) as address:
        files = {
            "CA": certificate.certificate,
            "CERT": certificate.certificate,
            "KEY": certificate.key,
        }
        variables = {f"EVERWORD_TLS_{name}": str(path) for name, path in files.items()}
        listens = {"EVERWORD_INGEST_ADDRESS": address, "EVERWORD_LISTEN": address}
        calling = ClientSettings.from_environment(variables | listens)
        async with Client.connect(calling) as client:
            await client.admin_service.ListNamespaces(ListNamespacesRequest())
        # The container's health check presents the service's own certificate.
        assert await asyncio.to_thread(probe, Environment(variables | listens)) == "SERVING"
        async with open_channel(address, Tls(certificate.certificate)) as nameless:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await _list_namespaces(nameless)
        assert caught.value.code() == grpc.StatusCode.UNAVAILABLE


async def test_proxy_uses_tls_for_clients_and_services(
    database: DatabaseUnderTest, certificate: TlsSettings
) -> None:
    tls = replace(certificate, client_ca=certificate.certificate)
    async with _running(database, tls) as service:
        address = f"127.0.0.1:{free_ports(1)[0]}"
        files = {
            "EVERWORD_TLS_CA": str(certificate.certificate),
            "EVERWORD_TLS_CERT": str(certificate.certificate),
            "EVERWORD_TLS_KEY": str(certificate.key),
        }
        own = {
            "PATH": os.environ["PATH"],
            "EVERWORD_LISTEN": address,
            "EVERWORD_INGEST_ADDRESS": f"localhost:{service.rpartition(':')[2]}",
            "EVERWORD_TLS_CLIENT_CA": str(certificate.certificate),
        }
        proxy = await asyncio.create_subprocess_exec(EVERWORD, "proxy", env=files | own)
        try:
            calling = ClientSettings.from_environment({**files, "EVERWORD_ADDRESS": address})

            async def answers() -> bool:
                async with Client.connect(calling) as client:
                    try:
                        await client.admin_service.ListNamespaces(ListNamespacesRequest())
                    except CallError:
                        return False
                return True

            await until(answers)
            async with open_channel(address, Tls(certificate.certificate)) as nameless:
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await _list_namespaces(nameless)
            assert caught.value.code() == grpc.StatusCode.UNAVAILABLE
        finally:
            proxy.terminate()
            status = await proxy.wait()
        assert status == 0


async def test_start_fails_if_key_does_not_match_certificate(
    certificate: TlsSettings, tmp_path: Path
) -> None:
    other = replace(certificate, key=_make(tmp_path / "other").key)
    nowhere = DatabaseSettings(url="postgresql://127.0.0.1:9/none", role="everword_ingest")
    server = IngestServer(IngestSettings(server=replace(INGEST, tls=other), database=nowhere))
    try:
        with pytest.raises(SettingError, match="EVERWORD_TLS_KEY"):
            await server.start()
    finally:
        await server.stop()


# Replacement at run time


async def test_certificates_are_replaced_under_load(
    database: DatabaseUnderTest,
    certificate: TlsSettings,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """New connections see the files' current content; open ones continue; a mismatched pair is ignored."""
    old, new = certificate, _make(tmp_path / "new")
    both = tmp_path / "both.pem"
    both.write_bytes(old.certificate.read_bytes() + new.certificate.read_bytes())
    shown = TlsSettings(tmp_path / "crt", tmp_path / "key", tmp_path / "ca")
    assert shown.client_ca is not None
    for source, target in ((old.certificate, shown.certificate), (old.key, shown.key)):
        shutil.copy(source, target)
    shutil.copy(old.certificate, shown.client_ca)
    async with _running(database, shown) as address:
        load = Load(address, Tls(both, old.certificate, old.key))
        async with load.lasting():
            assert await _lets_in(address, old, shows=old)
            shown.certificate.write_bytes(new.certificate.read_bytes())
            assert await _lets_in(address, old, shows=old)
            shown.key.write_bytes(new.key.read_bytes()[:100])
            assert await _lets_in(address, old, shows=old)
            assert "new certificate not loaded" in caplog.text
            shown.key.write_bytes(new.key.read_bytes())
            assert await _lets_in(address, new, shows=old)
            assert not await _lets_in(address, old, shows=old)
        assert load.calls > 10
        shutil.copy(new.certificate, shown.client_ca)
        assert await _lets_in(address, new, shows=new)
        assert not await _lets_in(address, new, shows=old)


class Load:
    """Calls over a connection that stays open, and over new ones."""

    def __init__(self, address: str, tls: Tls) -> None:
        self._address = address
        self._tls = tls
        self._ended = False
        self.calls = 0

    @asynccontextmanager
    async def lasting(self) -> AsyncIterator[None]:
        """Call while the block lasts, and a little longer. Raises the first error."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._call_over_one())
            group.create_task(self._call_over_new_ones())
            yield
            await asyncio.sleep(0.2)
            self._ended = True

    async def _call_over_one(self) -> None:
        async with open_channel(self._address, self._tls) as channel:
            while not self._ended:
                await _list_namespaces(channel)
                self.calls += 1
                await asyncio.sleep(0.01)

    async def _call_over_new_ones(self) -> None:
        while not self._ended:
            async with open_channel(self._address, self._tls) as channel:
                await _list_namespaces(channel)
            self.calls += 1


async def _lets_in(address: str, trusted: TlsSettings, shows: TlsSettings) -> bool:
    """Return whether a new connection that trusts only one certificate is served."""
    tls = Tls(trusted.certificate, shows.certificate, shows.key)
    async with open_channel(address, tls) as channel:
        try:
            return await serving(channel)
        except grpc.aio.AioRpcError as error:
            if error.code() != grpc.StatusCode.UNAVAILABLE:
                raise
            return False
