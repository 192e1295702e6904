"""The commands of README.md run as written, and its tables agree with the code."""

import ast
import asyncio
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import NamedTuple

import pytest

import everword.internal.v1
import everword.v1
from everword.client.settings import DEFAULT_ADDRESS, ClientSettings
from everword.domain.settings import Environment
from everword.embedded.ports import HOST, Ports
from everword.embedded.proxy import ProxySettings
from everword.rpc.settings import PORTS
from everword.v1 import access_pb2, error_reason_pb2
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.settings import CompactorSettings
from everword_embedder.settings import EmbedderSettings, EmbedderWorkerSettings
from everword_ingest.settings import IngestSettings
from everword_search.settings import SearchSettings
from support.command_line import EVERWORD, CommandResult, run
from support.compaction import compact, roll_up
from support.documents import ROOT, code, code_blocks, sources, table_rows, variables_read
from support.one_address import proxied
from support.stack import Stack

README = "README.md"
SETTINGS = "docs/reference/settings.md"
BUF = str(Path(sys.executable).with_name("buf"))
HEADINGS = (
    "Settings of the services",
    "Settings of the embedder",
    "Settings of the chat model",
    "Settings of the client, the command line and the proxy",
    "Settings of `everword up` and `everword migrate`",
)
#: Functions that read settings, by service; a worker counts as its service.
READERS: tuple[tuple[str, Callable[[Environment], object]], ...] = (
    ("ingest", IngestSettings.from_environment),
    ("search", SearchSettings.from_environment),
    ("compactor", CompactorSettings.from_environment),
    ("embedder", EmbedderSettings.from_environment),
    ("embedder", EmbedderWorkerSettings.from_environment),
    ("proxy", ProxySettings.from_environment),
    ("client", lambda environment: ClientSettings.from_environment(Variables(environment))),
)


class Call(NamedTuple):
    """An RPC as README calls it."""

    address: str
    method: str
    body: dict[str, object]


class Variables(dict[str, str]):
    """The environment variables that the client reads."""

    def __init__(self, environment: Environment) -> None:
        super().__init__()
        self.environment = environment

    def get(self, key: str, default: str = "") -> str:  # type: ignore[override]
        return self.environment.text(key, default)


class Recorder(Environment):
    """An environment in which only `given` is set, and which records the names that are read."""

    def __init__(self, given: dict[str, str]) -> None:
        super().__init__(given)
        self.asked: dict[str, str] = {}

    def text(self, name: str, default: str = "") -> str:
        self.asked[name] = default
        return super().text(name, default)

    def required(self, name: str) -> str:
        value = super().required(name)
        self.asked[name] = "required"
        return value


def _commands(program: str, document: str = README) -> list[list[str]]:
    """Return the commands of the first block that starts with `program`, split as by a shell."""
    block = next(block for block in code_blocks(document, "sh") if block.startswith(program))
    # A quoted argument may hold line breaks; a break outside of quotes ends a command.
    lines = re.split(r"\n(?=(?:[^']*'[^']*')*[^']*$)", block.replace("\\\n", " "))
    return [shlex.split(line) for line in lines if line.strip()]


def _buf_calls() -> list[Call]:
    calls = []
    for command in _commands(".venv/bin/buf"):
        address, _, method = command[-1].removeprefix("http://").partition("/")
        calls.append(Call(address, method, json.loads(command[command.index("-d") + 1])))
    return calls


@pytest.fixture
def address(stack: Stack, tmp_path: Path) -> Iterator[str]:
    with proxied(stack.addresses, tmp_path / "proxy") as address:
        yield address


async def _run_here(
    stack: Stack, command: list[str], address: str = DEFAULT_ADDRESS
) -> CommandResult:
    """Run a command of README with this test's programs, at `address`."""
    programs = {".venv/bin/buf": BUF, ".venv/bin/everword": EVERWORD}
    here = [programs[command[0]], *command[1:]]
    return await run(stack, *(word.replace(DEFAULT_ADDRESS, address) for word in here))


def test_readme_calls_use_the_port_of_make_up() -> None:
    assert {call.address for call in _buf_calls()} == {f"{HOST}:{Ports().proxy}"}


async def test_readme_buf_commands_append_a_message_and_find_it(stack: Stack, address: str) -> None:
    append, search = _commands(".venv/bin/buf")
    stored = await _run_here(stack, append, address)
    assert stored.json()["messages"][0]["seq"] == "1"
    again = await _run_here(stack, append, address)
    assert again.json()["replayed"]
    assert again.json()["messages"][0]["messageId"] == stored.json()["messages"][0]["messageId"]
    found = (await _run_here(stack, search, address)).json()
    sent = _buf_calls()[0].body["messages"]
    assert isinstance(sent, list)
    assert [each["memory"]["content"] for each in found["results"]] == [sent[0]["content"]]


async def test_readme_python_snippet_prints_the_appended_message(
    stack: Stack, tmp_path: Path
) -> None:
    (snippet,) = code_blocks(README, "python")
    assert len([line for line in snippet.splitlines() if line.strip()]) <= 15
    script = tmp_path / "snippet.py"
    script.write_text(snippet, encoding="utf-8")
    done = await run(stack, sys.executable, "-W", "error", str(script))
    assert done.status == 0, done.errors
    assert re.fullmatch(r"0\.\d\d user: The VPN drops every day at noon\.\n", done.output)


async def test_readme_commands_run_in_sequence(stack: Stack, address: str) -> None:
    # Export and context use data that the first call has stored.
    await _run_here(stack, _commands(".venv/bin/buf")[0], address)
    outputs = {}
    for command in _commands(".venv/bin/everword"):
        done = await _run_here(stack, command)
        assert done.status == 0, f"{command}: {done.errors}"
        outputs[command[1]] = done.output
    assert list(outputs) == ["import", "search", "browse", "context", "export", "stats"]
    assert "nothing found" not in outputs["search"]
    assert "The VPN drops every day at noon." in outputs["context"]
    assert "The VPN drops every day at noon." in outputs["export"]


async def test_compaction_commands_show_summaries_of_workers(stack: Stack) -> None:
    await _run_here(stack, _commands(".venv/bin/everword")[0])
    commands = _commands(".venv/bin/everword", "docs/compaction.md")
    assert [command[1] for command in commands[:2]] == ["compact", "rollup"]
    outputs = {}
    for command in commands:
        if command[1] == "compaction-status":
            # In a real deployment, workers summarise between the requests and the views.
            await asyncio.to_thread(compact, stack.database, ExtractiveComposer())
            await asyncio.to_thread(roll_up, stack.database, ExtractiveComposer())
        done = await _run_here(stack, command)
        assert done.status == 0, f"{command}: {done.errors}{done.output}"
        outputs[" ".join(command[1:3])] = done.output
    assert "no language model is configured" in outputs["compaction-status"]
    assert re.search(r"messages not summed up +0 *$", outputs["compaction-status"], re.MULTILINE)
    tree = outputs["summaries tree"]
    assert "leaf" in tree
    assert "branch" in tree
    assert "2026-03" in outputs["summaries list"]
    assert "nothing is wrong with them" in outputs["audit summaries"]


def test_readme_shows_demo_and_test_first() -> None:
    first, *_ = code_blocks(README, "")
    assert [line.split("#")[0].strip() for line in first.splitlines()[:2]] == [
        "make demo",
        "make test",
    ]


def _rpcs() -> Iterator[tuple[str, str, str]]:
    for package in (everword.v1, everword.internal.v1):
        for module in iter_modules(package.__path__):
            if not module.name.endswith("_service_pb2"):
                continue
            descriptor = import_module(f"{package.__name__}.{module.name}").DESCRIPTOR
            for service in descriptor.services_by_name.values():
                for method in service.methods:
                    access = method.GetOptions().Extensions[access_pb2.access]
                    role = access_pb2.Access.Name(access).removeprefix("ACCESS_").lower()
                    internal = package is everword.internal.v1
                    yield service.name, method.name, "internal" if internal else role


def test_the_reference_has_every_rpc_with_its_access() -> None:
    services = dict.fromkeys(service for service, _, _ in _rpcs())
    shown = [
        (service, code(row["RPC"]), row["access"])
        for service in services
        for row in table_rows("docs/reference/rpcs.md", service)
    ]
    assert sorted(shown) == sorted(_rpcs())


def test_the_reference_has_every_reason_of_an_error() -> None:
    rows = table_rows("docs/reference/errors.md", "Errors")
    reasons = set(error_reason_pb2.ErrorReason.keys()) - {"ERROR_REASON_UNSPECIFIED"}
    assert {f"ERROR_REASON_{code(row['reason'])}" for row in rows} == reasons


def test_readme_diagram_has_the_ports_of_services() -> None:
    picture, *_ = code_blocks(README, "text")
    proxy = int(DEFAULT_ADDRESS.rpartition(":")[2])
    ports = {name: int(port) for name, port in re.findall(r"(\w+) +:(\d+)", picture)}
    assert ports == PORTS | {"proxy": proxy}


def test_readme_has_at_most_150_lines() -> None:
    assert len((ROOT / README).read_text(encoding="utf-8").splitlines()) <= 150


def _settings() -> dict[str, str]:
    """Return the default of each variable, as documented in the tables."""
    rows = [row for heading in HEADINGS for row in table_rows(SETTINGS, heading)]
    settings = {code(row["variable"]): row["default"] for row in rows}
    assert len(settings) == len(rows), "a variable stands twice"
    assert all(row["meaning"] for row in rows)
    return settings


def test_settings_tables_contain_every_variable_read_by_the_code() -> None:
    assert _settings().keys() == variables_read()


def test_there_are_at_most_thirty_six_settings() -> None:
    """An option exists because two users need different things; all else is a constant."""
    assert len(variables_read()) <= 36


def _asked(folder: Path) -> dict[str, tuple[str, set[str]]]:
    """Return the default of each variable that services and the client read, and their readers."""
    authority = folder / "ca.pem"
    authority.touch()
    given = {
        "EVERWORD_DATABASE_URL": "postgresql://",
        "EVERWORD_REDIS_URL": "redis://",
        "EVERWORD_DATA": str(folder),
        "EVERWORD_CHAT_URL": "http://localhost:8000/v1",
        "EVERWORD_CHAT_MODEL": "any",
    }
    asked: dict[str, tuple[str, set[str]]] = {}
    for reader, from_environment in READERS:
        own = {"EVERWORD_TLS_CA": str(authority)} if reader == "client" else {}
        recorder = Recorder({**given, **own})
        from_environment(recorder)
        for name, default in recorder.asked.items():
            asked[name] = default, asked.get(name, ("", set()))[1] | {reader}
    return asked


def test_settings_tables_have_the_defaults_of_the_code(tmp_path: Path) -> None:
    asked = {name: default for name, (default, _) in _asked(tmp_path).items()}
    asked["EVERWORD_ADDRESS"] = DEFAULT_ADDRESS
    documented = _settings()
    # Only a worker requires it.
    asked["EVERWORD_REDIS_URL"] = ""
    # One default depends on the service, another on the system.
    assert documented.pop("EVERWORD_LISTEN") == "`127.0.0.1` and the service's port"
    assert documented.pop("EVERWORD_DATA") == "`~/.local/share/everword`"
    for name in documented.keys() & asked.keys():
        cells = {"": "—", "required": "required"}
        assert documented[name] == cells.get(asked[name], f"`{asked[name]}`"), name
    assert len(documented.keys() & asked.keys()) > 20


def test_settings_tables_name_the_reading_services(tmp_path: Path) -> None:
    read_by = {
        code(row["variable"]): set(
            row["read by"].replace("all services", ", ".join(PORTS)).split(", ")
        )
        for heading in HEADINGS[:-1]
        for row in table_rows(SETTINGS, heading)
    }
    asked = {name: readers for name, (_, readers) in _asked(tmp_path).items()}
    # `everword up` has a table of its own.
    assert asked.pop("EVERWORD_DATA") == {"client"}
    assert read_by == asked


def test_documented_opentelemetry_variables_are_read_by_the_code() -> None:
    text = (ROOT / SETTINGS).read_text(encoding="utf-8")
    assert set(re.findall(r"\bOTEL_[A-Z_]+", text)) == {"OTEL_EXPORTER_OTLP_ENDPOINT"}
    setup = sources()["everword/observability/__init__.py"]
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in ast.unparse(setup)


def test_each_service_has_a_readme_of_at_most_45_lines_with_its_rpcs() -> None:
    hosts = {
        "ingest": {
            *("IngestService", "NoteService", "DocumentService", "LoreService", "FactService"),
            *("GraphService", "PatternService", "CostService", "ErasureService", "AdminService"),
        },
        "search": {"SearchService", "ContextService", "FactQueryService", "GraphQueryService"},
        "compactor": {"MaintenanceService"},
        "embedder": {"EmbedderService"},
    }
    assert set(hosts) == set(PORTS)
    for name, hosted in hosts.items():
        text = (ROOT / "services" / name / "README.md").read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 45
        assert f"python -m everword_{name}" in text
        for service, method, _ in _rpcs():
            assert (f"`{method}`" in text) == (service in hosted), f"{name}: {method}"
