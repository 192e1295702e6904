"""Settings of a service's server, from its environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from everword.client.channel import target_of
from everword.domain.settings import Environment, SettingError
from everword.rpc.settings import LOOPBACK_DRAIN_S, ServerSettings


def _settings(**variables: str) -> ServerSettings:
    return ServerSettings.from_environment(Environment(variables), "ingest")


def test_service_without_settings_listens_on_loopback_without_credentials() -> None:
    settings = _settings()
    assert settings.listen == "127.0.0.1:50051"
    assert settings.loopback
    assert (bool(settings.admin_key), bool(settings.internal_token), settings.tls) == (
        False,
        False,
        None,
    )


@pytest.mark.parametrize("listen", ["0.0.0.0:50051", "[::]:50051", "10.0.0.5:50051", "db:50051"])
def test_listen_addresses_reachable_from_a_network_are_not_loopback(listen: str) -> None:
    assert not _settings(EVERWORD_LISTEN=listen).loopback


def test_drain_time_is_shorter_on_loopback() -> None:
    assert _settings(EVERWORD_LISTEN="0.0.0.0:50051").drain_s == ServerSettings.drain_s
    assert _settings().drain_s == LOOPBACK_DRAIN_S < ServerSettings.drain_s


@pytest.mark.parametrize("listen", ["127.0.0.1:1", "localhost:1", "[::1]:1", "unix:/run/e.sock"])
def test_listen_addresses_not_reachable_from_a_network_are_loopback(listen: str) -> None:
    assert _settings(EVERWORD_LISTEN=listen).loopback


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EVERWORD_TLS_CERT", "/nonexistent/cert.pem"),
        ("EVERWORD_ADMIN_KEY", "too-short-to-be-a-secret"[:23]),
    ],
)
def test_invalid_setting_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(SettingError, match=name):
        _settings(**{name: value})


def test_certificate_without_key_is_refused(tmp_path: Path) -> None:
    certificate = tmp_path / "cert.pem"
    certificate.touch()
    with pytest.raises(SettingError, match="EVERWORD_TLS_KEY"):
        _settings(EVERWORD_TLS_CERT=str(certificate))


def test_client_ca_without_server_certificate_is_refused(tmp_path: Path) -> None:
    """Without TLS no client would be asked for a certificate."""
    authority = tmp_path / "ca.pem"
    authority.touch()
    with pytest.raises(SettingError, match="EVERWORD_TLS_CERT and EVERWORD_TLS_KEY"):
        _settings(EVERWORD_TLS_CLIENT_CA=str(authority))


def test_settings_repr_hides_secrets() -> None:
    settings = _settings(
        EVERWORD_ADMIN_KEY="hunter2-hunter2-hunter2-hunter2", EVERWORD_INTERNAL_TOKEN="hunter3"
    )
    assert "hunter" not in repr(settings)


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("localhost:50051", "dns:///localhost:50051"),
        ("dns:///search:50052", "dns:///search:50052"),
        ("unix:/run/e.sock", "unix:/run/e.sock"),
        ("ipv4:10.0.0.1:50052,10.0.0.2:50052", "ipv4:10.0.0.1:50052,10.0.0.2:50052"),
        ("ipv6:[fd00::1]:50052,[fd00::2]:50052", "ipv6:[fd00::1]:50052,[fd00::2]:50052"),
        ("[::1]:50052", "dns:///[::1]:50052"),
    ],
)
def test_target_of_resolves_names_by_dns_unless_a_scheme_is_given(
    address: str, target: str
) -> None:
    assert target_of(address) == target
