"""Where a client looks for Everword."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from everword.client import ClientSettings
from everword.domain.settings import Environment, SettingError
from everword.embedded.folder import RUN_FILE, RunningProcess, RunningStack

LOCAL = {"ingest": "127.0.0.1:7001", "search": "127.0.0.1:7002", "compactor": "127.0.0.1:7003"}
USUAL = ["127.0.0.1:50051", "127.0.0.1:50052", "127.0.0.1:50053"]


def settings(folder: Path, **variables: str) -> ClientSettings:
    return ClientSettings.from_environment(Environment({"EVERWORD_DATA": str(folder), **variables}))


def addresses(found: ClientSettings) -> list[str]:
    return [found.ingest_address, found.search_address, found.compactor_address]


def write_run_file(folder: Path, started_offset_s: float = 0.0) -> None:
    """Note a running stack that consists of this very process."""
    me = psutil.Process()
    process = RunningProcess(
        "ingest", os.getpid(), me.create_time() + started_offset_s, me.cmdline(), 15, ""
    )
    RunningStack(os.getpid(), LOCAL, "", None, "", "token", [process]).write(folder)


def test_with_nothing_set_and_nothing_running_the_usual_ports_are_taken(tmp_path: Path) -> None:
    assert addresses(settings(tmp_path)) == USUAL


def test_with_nothing_set_the_running_stack_is_found_by_its_run_file(tmp_path: Path) -> None:
    write_run_file(tmp_path)
    assert addresses(settings(tmp_path)) == list(LOCAL.values())


def test_a_run_file_of_a_stack_that_has_ended_is_ignored(tmp_path: Path) -> None:
    write_run_file(tmp_path, started_offset_s=-3600)
    assert addresses(settings(tmp_path)) == USUAL


def test_one_address_that_is_set_keeps_the_running_stack_out(tmp_path: Path) -> None:
    write_run_file(tmp_path)
    found = settings(tmp_path, EVERWORD_SEARCH_ADDRESS="memory.example:443")
    assert found.search_address == "memory.example:443"
    assert found.ingest_address == "127.0.0.1:50051"


def test_a_run_file_of_another_user_is_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(SettingError, match=rf"{RUN_FILE} belongs to another user; set EVERWORD_"):
        settings(tmp_path)


def test_key_and_namespace_are_read_and_the_key_is_never_shown(tmp_path: Path) -> None:
    found = settings(tmp_path, EVERWORD_API_KEY="ew_secret", EVERWORD_NAMESPACE="acme")
    assert found.api_key.reveal() == "ew_secret"
    assert found.namespace == "acme"
    assert "ew_secret" not in repr(found)


def test_an_authority_that_is_no_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="EVERWORD_TLS_CA"):
        settings(tmp_path, EVERWORD_TLS_CA=str(tmp_path / "missing.pem"))
