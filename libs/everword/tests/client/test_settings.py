"""The address that a client calls."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from everword.client import ClientSettings, ClientSettingsError
from everword.client.local import RUN_FILE

USUAL = "127.0.0.1:50050"


def settings(folder: Path, **variables: str) -> ClientSettings:
    return ClientSettings.from_environment({"EVERWORD_DATA": str(folder), **variables})


def addresses(found: ClientSettings) -> list[str]:
    return [found.ingest_address, found.search_address, found.compactor_address]


@pytest.fixture
def listening() -> Iterator[str]:
    """An address where something listens."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def write_run_file(folder: Path, address: str) -> None:
    """Note a stack, as `everword up` does."""
    (folder / RUN_FILE).write_text(json.dumps({"address": address, "processes": []}))


def test_settings_default_to_the_usual_address(tmp_path: Path) -> None:
    assert addresses(settings(tmp_path)) == [USUAL] * 3


def test_settings_without_address_use_the_run_file_of_the_running_stack(
    tmp_path: Path, listening: str
) -> None:
    write_run_file(tmp_path, listening)
    assert addresses(settings(tmp_path)) == [listening] * 3


def test_run_file_of_an_ended_stack_is_ignored(tmp_path: Path) -> None:
    write_run_file(tmp_path, "127.0.0.1:1")
    assert addresses(settings(tmp_path)) == [USUAL] * 3


def test_common_address_applies_to_servers_without_their_own(
    tmp_path: Path, listening: str
) -> None:
    write_run_file(tmp_path, listening)
    given = {"EVERWORD_ADDRESS": "memory.example:443"}
    assert addresses(settings(tmp_path, **given)) == ["memory.example:443"] * 3
    given["EVERWORD_SEARCH_ADDRESS"] = "search.example:443"
    assert addresses(settings(tmp_path, **given)) == [
        "memory.example:443",
        "search.example:443",
        "memory.example:443",
    ]


def test_configured_address_disables_the_run_file(tmp_path: Path, listening: str) -> None:
    write_run_file(tmp_path, listening)
    found = settings(tmp_path, EVERWORD_SEARCH_ADDRESS="memory.example:443")
    assert found.search_address == "memory.example:443"
    assert found.ingest_address == USUAL


def test_run_file_of_another_user_is_refused_with_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(
        ClientSettingsError, match=rf"{RUN_FILE} belongs to another user; set EVERWORD_ADDRESS"
    ):
        settings(tmp_path)


def test_settings_read_key_and_namespace_and_hide_the_key(tmp_path: Path) -> None:
    found = settings(tmp_path, EVERWORD_API_KEY="ew_secret", EVERWORD_NAMESPACE="acme")
    assert found.api_key == "ew_secret"
    assert found.namespace == "acme"
    assert "ew_secret" not in repr(found)


def test_missing_tls_ca_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ClientSettingsError, match="EVERWORD_TLS_CA"):
        settings(tmp_path, EVERWORD_TLS_CA=str(tmp_path / "missing.pem"))


def test_client_certificate_requires_a_key_if_tls_is_on(tmp_path: Path) -> None:
    file = tmp_path / "some.pem"
    file.touch()
    with pytest.raises(ClientSettingsError, match="set together"):
        settings(tmp_path, EVERWORD_TLS_CA=str(file), EVERWORD_TLS_CERT=str(file))
    # If calls go without TLS, the variable is a service's.
    assert settings(tmp_path, EVERWORD_TLS_CERT=str(file)).tls is None
