"""Lorebooks in files of other programs, and in files that are none."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from everword.cli.lore.files import NoLorebook, read_lore
from everword.v1 import lore_pb2

WORLD = {
    "name": "The hill",
    "entries": {
        "0": {
            "key": ["dragon", "/wy+rm\\/x/im", " "],
            "keysecondary": [],
            "comment": "Smaug",
            "content": "Sleeps on gold.",
            "constant": False,
            "selective": True,
            "order": 100,
            "disable": True,
            "excludeRecursion": True,
            "preventRecursion": False,
            "scanDepth": 3,
            "caseSensitive": None,
            "matchWholeWords": True,
            "sticky": 5,
            "cooldown": 0,
            "probability": 100,
        },
        "1": {"key": ["dragon"], "comment": "Smaug", "content": "Another.", "probability": 50},
        "2": {"key": ["x"], "comment": "Empty", "content": " "},
    },
}
CARD = {
    "spec": "chara_card_v2",
    "data": {
        "name": "Narrator",
        "character_book": {
            "description": "Of the coast.",
            "scan_depth": 12,
            "entries": [
                {
                    "keys": ["Westmark"],
                    "content": "A duchy.",
                    "enabled": False,
                    "insertion_order": 4,
                    "case_sensitive": True,
                    "extensions": {"prevent_recursion": True, "sticky": 2, "cooldown": 4},
                },
                {
                    "keys": [],
                    "content": "Always.",
                    "constant": True,
                    "enabled": True,
                    "priority": 2,
                },
            ],
        },
    },
}


def test_read_lore_reads_sillytavern_world_info() -> None:
    read = read_lore(json.dumps(WORLD))
    smaug, other = read.entries
    assert (read.name, smaug.title, other.title) == ("The hill", "Smaug", "Smaug (2)")
    word, pattern = smaug.triggers
    assert (word.text, word.mode) == ("dragon", lore_pb2.LORE_TRIGGER_MODE_WORD)
    assert (pattern.text, pattern.case_sensitive) == ("(?m)wy+rm/x", False)
    assert (smaug.priority, smaug.scan_depth, smaug.sticky_turns) == (100, 3, 3)
    assert (smaug.disabled, smaug.exclude_recursion, smaug.prevent_recursion) == (True, True, False)
    assert not other.HasField("scan_depth")
    assert list(read.left_out) == [
        "Smaug (2): probability has no counterpart",
        "Empty: says nothing",
    ]


def test_read_lore_reads_the_book_of_a_character_card() -> None:
    read = read_lore(json.dumps(CARD))
    duchy, always = read.entries
    assert (read.name, read.description) == ("Narrator", "Of the coast.")
    assert (duchy.title, duchy.disabled, duchy.triggers[0].case_sensitive) == (
        "Westmark",
        True,
        True,
    )
    assert (duchy.priority, duchy.scan_depth, duchy.sticky_turns) == (4, 12, 1)
    assert duchy.prevent_recursion
    assert (always.title, always.constant, always.priority) == ("Entry 2", True, 2)
    assert list(read.left_out) == ["Westmark: cooldown has no counterpart"]


def test_read_lore_reads_its_own_format_and_refuses_unknown_fields() -> None:
    own = {"book": {"name": "b"}, "entries": [{"title": "t", "content": "c", "stickyTurns": 2}]}
    read = read_lore(json.dumps(own))
    assert (read.name, read.entries[0].sticky_turns) == ("b", 2)
    with pytest.raises(NoLorebook):
        read_lore(json.dumps({"book": {"nme": "b"}}))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"entries": 3}', '{"entries": [3]}', "[" * 10**5]
)
def test_read_lore_refuses_files_that_are_not_lorebooks(text: str) -> None:
    with pytest.raises(NoLorebook):
        read_lore(text)


def test_read_lore_with_random_values_either_reads_or_refuses() -> None:
    chance = random.Random(3)
    values: list[Any] = [None, True, 0, -1, 1e300, float("nan"), "", "a,b", "/x", [], [1], {}, "\0"]
    for _ in range(3000):
        document = json.loads(json.dumps(chance.choice([WORLD, CARD])))
        holder: Any = document
        while True:
            key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
            if not isinstance(holder[key], dict | list) or not holder[key] or chance.random() < 0.2:
                holder[key] = chance.choice(values)
                break
            holder = holder[key]
        try:
            for entry in read_lore(json.dumps(document)).entries:
                assert 0 < len(entry.title) <= 256
                assert 0 <= entry.scan_depth <= 100
        except NoLorebook:
            pass
