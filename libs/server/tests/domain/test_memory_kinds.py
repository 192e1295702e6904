"""The registry of kinds agrees with the contracts and with the schema."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from everword.db.kind_fragments import fill_kinds
from everword.domain.memory_kinds import MemoryKind, find_kind
from everword.v1 import memory_pb2
from everword.v1.erasure_service_pb2 import ErasureKind

SCHEMA = files("everword.db").joinpath("schema")


def test_kinds_equal_those_of_the_contract() -> None:
    declared = {
        name.removeprefix("MEMORY_KIND_"): number
        for name, number in memory_pb2.MemoryKind.items()
        if number
    }
    assert {kind.name: kind.value for kind in MemoryKind} == declared


def test_find_kind_of_unknown_number_returns_none() -> None:
    assert find_kind(MemoryKind.NOTE) is MemoryKind.NOTE
    assert find_kind(99) is None


@pytest.mark.parametrize("kind", MemoryKind)
def test_kind_is_erased_and_transferred(kind: MemoryKind) -> None:
    assert kind.traits.erasure_kind in ErasureKind.values()
    rules = "".join(
        each.read_text() for each in SCHEMA.iterdir() if each.name not in ("rules.sql",)
    )
    assert re.search(rf"INSERT INTO transfer_rules VALUES[^;]*'{kind.traits.table}'", rules)


def test_fill_kinds_replaces_names_of_kinds_and_sets() -> None:
    filled = fill_kinds("kind = {note_kind} OR kind IN {summarizing_kinds} OR tags = '{a}'")
    assert filled == "kind = 3 OR kind IN (2, 8) OR tags = '{a}'"


def test_fill_kinds_refuses_unknown_kind() -> None:
    with pytest.raises(KeyError):
        fill_kinds("kind = {unknown_kind}")


def test_numbers_of_kinds_in_the_schema_equal_the_registry() -> None:
    index, vectors, topics = (
        SCHEMA.joinpath(f"{name}.sql").read_text() for name in ("index", "vectors", "topics")
    )
    history = [kind.value for kind in MemoryKind if kind.traits.keeps_history]
    closed = re.findall(r"kind IN \(([\d, ]+)\) OR part = -1", index)
    assert closed
    assert all(sorted(map(int, each.split(","))) == history for each in closed)
    assert re.findall(r"kind <> (\d) OR part = -1", index) == [str(MemoryKind.MESSAGE.value)]
    assert {*re.findall(r"kind <> (\d)", vectors)} == {str(MemoryKind.SUMMARY.value)}
    cited = f"kind IN ({MemoryKind.SUMMARY:d}, {MemoryKind.FACT:d})"
    assert cited in topics
