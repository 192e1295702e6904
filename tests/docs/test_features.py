"""docs/features.md lists every capability and fault once, with names that exist."""

import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple

import click

import everword.v1

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "features.md"
CAPABILITIES = {"RO": 59, "RG": 37, "RY": 35, "RV": 67, "PS": 75}
FAULTS = {"RO": 13, "RG": 6, "RY": 12, "RV": 11, "PS": 13}
PLANNED = "planned"


class Row(NamedTuple):
    id: str
    capability: str
    provider: str
    test: str


class Fault(NamedTuple):
    id: str
    fault: str
    test: str


def _table_rows() -> Iterator[list[str]]:
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if re.match(r"\| [A-Z]{2}-", line):
            yield [cell.strip() for cell in line.strip().strip("|").split("|")]


def _rows() -> list[Row]:
    return [Row(*cells) for cells in _table_rows() if not _is_fault(cells)]


def _faults() -> list[Fault]:
    return [Fault(*cells) for cells in _table_rows() if _is_fault(cells)]


def _is_fault(cells: list[str]) -> bool:
    return cells[0].split("-")[1].startswith("B")


def _items(cell: str) -> list[str]:
    """Return the names in backticks in a cell; its other text may only be `planned:`."""
    named = re.findall(r"`([^`]+)`", cell)
    rest = cell.removeprefix(f"{PLANNED}:").strip() if named else cell
    written = ", ".join(f"`{item}`" for item in named) if named else PLANNED
    assert rest == written, f"cannot read the cell {cell!r}"
    return named


def _is_planned(cell: str) -> bool:
    return cell.startswith(PLANNED)


@cache
def _rpcs() -> frozenset[str]:
    modules = [
        import_module(f"everword.v1.{module.name}")
        for module in pkgutil.iter_modules(everword.v1.__path__)
        if module.name.endswith("_service_pb2")
    ]
    return frozenset(
        f"{service.name}.{method.name}"
        for module in modules
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    )


@cache
def _command_line() -> click.Command:
    (entry,) = entry_points(group="console_scripts", name="everword")
    command = entry.load()
    assert isinstance(command, click.Command)
    return command


def _is_command(words: list[str]) -> bool:
    command: click.Command | None = _command_line()
    for word in words:
        if not isinstance(command, click.Group):
            return False
        command = command.get_command(click.Context(command), word)
    return bool(words) and command is not None


@cache
def _make_targets() -> frozenset[str]:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return frozenset(re.findall(r"^([a-z][a-z-]*):", text, flags=re.MULTILINE))


def _provider_exists(name: str) -> bool:
    match name.split():
        case ["everword", *words]:
            return _is_command(words)
        case ["make", target]:
            return target in _make_targets()
        case _:
            return name in _rpcs()


@cache
def _tests_in(path: Path) -> frozenset[str]:
    # `ast.parse` of CPython 3.11 raises SystemError if a finalizer formats a traceback meanwhile, which parses too.
    text = path.read_text(encoding="utf-8")
    return frozenset(re.findall(r"^(?:async )?def (test_\w+)\(", text, flags=re.MULTILINE))


def _test_exists(test_id: str) -> bool:
    path, _, name = test_id.partition("::")
    return (ROOT / path).is_file() and name in _tests_in(ROOT / path)


def test_every_capability_has_its_row_once_and_in_order() -> None:
    expected = [
        f"{code}-{n:02d}" for code, last in CAPABILITIES.items() for n in range(1, last + 1)
    ]
    assert len(expected) == 273
    assert [row.id for row in _rows()] == expected


def test_every_fault_has_its_row_once_and_in_order() -> None:
    expected = [f"{code}-B{n}" for code, last in FAULTS.items() for n in range(1, last + 1)]
    assert [fault.id for fault in _faults()] == expected


def test_capabilities_and_faults_are_described_once() -> None:
    phrases = [row.capability for row in _rows()] + [fault.fault for fault in _faults()]
    assert all(phrases)
    assert sorted(set(phrases)) == sorted(phrases)


def test_a_row_has_a_test_exactly_when_it_has_a_provider() -> None:
    half_done = [row.id for row in _rows() if _is_planned(row.provider) != _is_planned(row.test)]
    assert half_done == []


def test_every_named_rpc_command_and_target_exists_even_where_it_is_planned() -> None:
    named = {(row.id, item) for row in _rows() for item in _items(row.provider)}
    assert len(named) > 50
    assert sorted(pair for pair in named if not _provider_exists(pair[1])) == []


def test_every_named_test_exists() -> None:
    cells = [(row.id, row.test) for row in _rows()] + [(row.id, row.test) for row in _faults()]
    named = [(row_id, item) for row_id, cell in cells for item in _items(cell)]
    compared = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    named += [("comparison", item) for item in re.findall(r"`(tests/[^`]+)`", compared)]
    assert [pair for pair in named if not _test_exists(pair[1])] == []
