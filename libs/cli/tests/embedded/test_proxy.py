"""Configuration of the proxy (Caddy)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from everword.client.servers import PUBLIC_PORTS, public_services, server_of
from everword.domain.settings import Environment, SettingError
from everword.embedded.proxy import ProxySettings, caddy_command, caddyfile


def _settings(**variables: str) -> ProxySettings:
    return ProxySettings.from_environment(Environment(variables))


def _adapted(config: str) -> str:
    """Return Caddy's reading of a configuration."""
    program, *_ = caddy_command("-")
    done = subprocess.run(
        [program, "adapt", "--adapter", "caddyfile", "--config", "-", "--validate"],
        input=config,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '"warn"' not in done.stderr
    return done.stdout


def test_caddyfile_has_a_route_for_every_public_service() -> None:
    config = caddyfile(_settings())
    for service in public_services():
        server = server_of(service)
        assert server in PUBLIC_PORTS, f"{service.full_name}: the option `server` is missing"
        (route,) = (line for line in config.splitlines() if f"/{service.full_name}/*" in line)
        assert route.split()[0] == f"@{server}"


def test_proxy_without_settings_uses_default_local_ports() -> None:
    settings = _settings()
    assert settings.listen == "127.0.0.1:50050"
    assert not settings.exposes_loopback
    adapted = _adapted(caddyfile(settings))
    assert all(f'"dial":"127.0.0.1:{port}"' in adapted for port in PUBLIC_PORTS.values())


def test_caddyfile_resolves_names_dynamically_and_balances_addresses() -> None:
    config = caddyfile(
        _settings(
            EVERWORD_LISTEN="[::]:443",
            EVERWORD_INGEST_ADDRESS="ingest.memory:50051",
            EVERWORD_SEARCH_ADDRESS="ipv4:10.0.0.1:50052,10.0.0.2:50052",
            EVERWORD_COMPACTOR_ADDRESS="[fd00::1]:50053",
        )
    )
    assert "dynamic a ingest.memory 50051" in config
    assert "to 10.0.0.1:50052 10.0.0.2:50052\n\t\tlb_policy round_robin" in config
    adapted = _adapted(config)
    assert '"dial":"[fd00::1]:50053"' in adapted
    assert '"listen":["[::]:443"]' in adapted


def test_proxy_reports_exposure_of_loopback_services() -> None:
    assert _settings(EVERWORD_LISTEN="0.0.0.0:50050").exposes_loopback
    names = {f"EVERWORD_{name.upper()}_ADDRESS": f"{name}:1" for name in PUBLIC_PORTS}
    assert not _settings(EVERWORD_LISTEN="0.0.0.0:50050", **names).exposes_loopback


@pytest.mark.parametrize("address", ["search", "dns://1.1.1.1/search:1", "unix:/run/search"])
def test_caddyfile_refuses_unsupported_address_and_names_the_setting(address: str) -> None:
    with pytest.raises(SettingError, match="EVERWORD_SEARCH_ADDRESS"):
        caddyfile(_settings(EVERWORD_SEARCH_ADDRESS=address))


def test_caddyfile_uses_certificate_files_for_clients_and_servers(tmp_path: Path) -> None:
    names = ("CERT", "KEY", "CLIENT_CA", "CA")
    files = {name: tmp_path / f"{name} of it.pem" for name in names}
    for file in files.values():
        file.touch()
    config = caddyfile(
        _settings(**{f"EVERWORD_TLS_{name}": str(file) for name, file in files.items()})
    )
    for file in files.values():
        assert f'"{file}"' in config
    assert "versions 2" in config
