"""The command line without a server: help, usage errors, and messages if no server answers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import grpc
import pytest
from click.testing import CliRunner, Result
from google.protobuf import descriptor_pb2

from everword.cli.catalogue import ENTRIES, TOPICS
from everword.cli.main import main
from everword.cli.session import explain
from everword.client import CallError
from everword.client.settings import DEFAULT_ADDRESS
from everword.embedded.ports import free_ports


def invoke(*arguments: str, **variables: str) -> Result:
    return CliRunner().invoke(main, arguments, env={"EVERWORD_DATA": "/nonexistent", **variables})


def commands(group: click.Group, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)


COMMANDS = dict(commands(main))


def test_all_documented_commands_exist() -> None:
    assert {path[0] for path in COMMANDS} >= {
        "up", "migrate", "import", "export", "search", "browse", "context", "stats", "keys",
        "namespaces", "queue-status", "retry-failed", "backfill", "protoset", "call",
    }  # fmt: skip
    assert {path[1] for path in COMMANDS if path[0] == "keys" and path[1:]} == {
        "create", "list", "revoke", "rotate",
    }  # fmt: skip


def test_help_names_every_command_on_one_screen_and_imports_none() -> None:
    code = "import sys; from everword.cli.main import main; main(standalone_mode=False); print(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", code, "--help"],
        env={**os.environ, "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    *shown, loaded = ran.stdout.splitlines()
    assert len(shown) <= 40
    assert max(map(len, shown)) <= 80
    topics = shown[shown.index("All commands by topic:") :]
    named = {word for line in topics if line.startswith("  ") for word in line.split()}
    assert named == {path[0] for path in COMMANDS} | set(TOPICS)
    assert not {"grpc", "psycopg", "httpx", "everword.cli.session"} & set(loaded.split())


@pytest.mark.parametrize("topic", TOPICS)
def test_help_of_a_topic_describes_each_command_on_one_line(topic: str) -> None:
    lines = CliRunner().invoke(main, ["help", topic], terminal_width=80).stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(TOPICS[topic])
    assert all(len(line) <= 80 and line.endswith(".") for line in lines[1:])
    assert topic not in ENTRIES


def test_help_command_prints_the_same_as_the_help_option() -> None:
    assert invoke("help", "search").stdout == invoke("search", "--help").stdout
    assert invoke("help").stdout == invoke("--help").stdout
    unknown = invoke("help", "serach")
    assert unknown.exit_code == 2
    assert "Did you mean 'search'" in unknown.stderr


def test_missing_plugin_command_names_the_distribution_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("everword.cli.main.entry_points", lambda **_: ())
    monkeypatch.delitem(main.__dict__, "_places", raising=False)
    said = invoke("mcp").stderr
    monkeypatch.delitem(main.__dict__, "_places")
    assert "'mcp' is part of everword-web, which is not installed" in said


def test_shell_completion_offers_commands() -> None:
    words = {"_EVERWORD_COMPLETE": "bash_complete", "COMP_WORDS": "everword sea", "COMP_CWORD": "1"}
    result = CliRunner().invoke(main, env=words, prog_name="everword")
    assert result.stdout == "plain,search\n"


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_and_option_has_a_help_text(path: tuple[str, ...]) -> None:
    result = invoke(*path, "--help")
    assert result.exit_code == 0
    assert COMMANDS[path].help
    for parameter in COMMANDS[path].params:
        if isinstance(parameter, click.Option) and parameter.name not in {"mode", "limit"}:
            assert parameter.help or isinstance(parameter.type, click.Choice | click.IntRange)


@pytest.mark.parametrize(
    ("arguments", "service"),
    [
        (["search", "x"], "SEARCH"),
        (["browse"], "SEARCH"),
        (["stats"], "SEARCH"),
        (["context", "x"], "SEARCH"),
        (["conversations"], "SEARCH"),
        (["export", "--session-key", "x"], "SEARCH"),
        (["keys", "list"], "INGEST"),
        (["namespaces", "list"], "INGEST"),
        (["queue-status"], "COMPACTOR"),
        (["retry-failed"], "COMPACTOR"),
        (["backfill", "embeddings"], "COMPACTOR"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_command_without_server_names_the_address_and_everword_up(
    arguments: list[str], service: str
) -> None:
    address = f"127.0.0.1:{free_ports(1)[0]}"
    result = invoke(*arguments, "--timeout", "5", **{f"EVERWORD_{service}_ADDRESS": address})
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == f"Error: cannot reach {address}; is `everword up` running?\n"


def test_command_without_a_running_stack_does_not_name_the_default_port() -> None:
    error = CallError(grpc.StatusCode.UNAVAILABLE, "refused", address=DEFAULT_ADDRESS)
    assert explain(error).startswith("Everword is not running on this machine; start it with")
    assert "50050" not in explain(error)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["search"], "Missing argument 'QUERY'"),
        (["search", "x", "--since", "soon"], "'soon' is not a time"),
        (["search", "x", "--mode", "magic"], "'magic' is not one of"),
        (["search", "x", "--limit", "0"], "0 is not in the range"),
        (["import", "/nonexistent.jsonl"], "does not exist"),
        (["import"], "Missing argument"),
        (["context"], "give a QUERY"),
        (["export"], "give the id"),
        (["export", "not-a-uuid"], "not a valid UUID"),
        (["namespaces", "update", "x"], "say what to change"),
        (["namespaces", "create", "x", "--channel-policy", "a=fly"], "not CHANNEL=POLICIES"),
        (["migrate"], "EVERWORD_ADMIN_DATABASE_URL"),
        (["migrate", "--url", "x", "--service-login", "y"], "EVERWORD_SERVICE_PASSWORD"),
        (["nonsense"], "No such command"),
        (["serach"], "Did you mean 'search'"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_exits_with_2_and_explains_the_error(arguments: list[str], said: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


def test_invalid_setting_is_named_in_the_error(tmp_path: Path) -> None:
    result = invoke("stats", EVERWORD_TLS_CA=str(tmp_path / "no.pem"))
    assert result.exit_code == 2
    assert "EVERWORD_TLS_CA" in result.stderr


def test_migrate_without_database_prints_a_one_line_error() -> None:
    port = free_ports(1)[0]
    result = invoke("migrate", "--url", f"postgresql://nobody@127.0.0.1:{port}/none")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1


def test_protoset_contains_the_public_services() -> None:
    path = Path(invoke("protoset").stdout.strip())
    described = descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes())
    services = {service.name for file in described.file for service in file.service}
    assert {"IngestService", "SearchService", "ContextService", "AdminService"} <= services
