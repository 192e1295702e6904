"""Counts wrong summaries that the checks catch, and faithful ones that they refuse.

`data/summaries.jsonl` contains them with their sources. The checks were developed with lines 1, 3, … of each kind; the
other lines were only evaluated.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from everword.samples import sample_path
from everword_compactor.compose.checks.faithfulness import check_faithfulness
from everword_compactor.compose.checks.prompt_context import PromptContext
from everword_compactor.compose.model import Draft, Level, Source

DATA = Path(__file__).parent / "data" / "summaries.jsonl"
FAITHFUL = "faithful"
CHAT = UUID("7f6c2e18-94b3-4d05-8a1e-3b97c8f20d46")
NOON = datetime(2026, 4, 18, 12, 3, tzinfo=UTC)
ROLES = {"tool": 4, "assistant": 3}
BUILT_WITH, COUNTED = "built with", "counted"
#: Minimal share of wrong summaries that are caught: in both halves, and by kind in the evaluation half.
CAUGHT = {BUILT_WITH: 0.96, COUNTED: 0.89}
CAUGHT_OF_KIND = {"unit": 1.0, "name": 0.83, "place": 0.83, "negation": 1.0, "injection": 1.0}
#: Maximal number of refused faithful summaries, of 30 in each half.
REFUSED = {BUILT_WITH: 0, COUNTED: 0}


def _sources(said: list[tuple[str, str]]) -> list[Source]:
    return [
        Source(
            id=UUID(int=number),
            level=0,
            text=text,
            earliest_at=NOON,
            latest_at=NOON,
            message_count=1,
            conversation_id=CHAT,
            agent="opus",
            channel="chat",
            role=ROLES.get(author, 2),
            author="" if author in ROLES else author,
        )
        for number, (author, text) in enumerate(said, start=1)
    ]


def is_refused(case: dict[str, Any]) -> bool:
    sources = _sources(case["sources"])
    draft = Draft(Level.LEAF, sources, "Odds and ends", conversation_id=CHAT, agent="opus")
    shown = PromptContext.of(draft)
    checked = check_faithfulness(case["summary"], sources, time_zone="UTC", shown=shown)
    return not checked.faithful


@cache
def _halves() -> dict[str, list[dict[str, Any]]]:
    seen: Counter[str] = Counter()
    halves = defaultdict(list)
    for line in DATA.read_text().splitlines():
        case = json.loads(line)
        halves[COUNTED if seen[case["kind"]] % 2 else BUILT_WITH].append(case)
        seen[case["kind"]] += 1
    return halves


@cache
def refusals(half: str) -> dict[str, list[bool]]:
    """Return by kind whether each summary of a half is refused."""
    found = defaultdict(list)
    for case in _halves()[half]:
        found[case["kind"]].append(is_refused(case))
    return found


@pytest.mark.parametrize("half", [BUILT_WITH, COUNTED])
def test_wrong_summaries_are_caught_and_faithful_ones_pass(half: str) -> None:
    found = refusals(half)
    assert len(found[FAITHFUL]) == 30
    assert sum(found[FAITHFUL]) <= REFUSED[half]
    caught = [refused for kind in found if kind != FAITHFUL for refused in found[kind]]
    assert len(caught) == 78
    assert sum(caught) / len(caught) >= CAUGHT[half]


@pytest.mark.parametrize("kind", CAUGHT_OF_KIND)
def test_wrong_summaries_of_a_kind_are_caught(kind: str) -> None:
    caught = refusals(COUNTED)[kind]
    assert sum(caught) / len(caught) >= CAUGHT_OF_KIND[kind]


def test_faithfulness_check_accepts_verbatim_quotes() -> None:
    sample = json.loads(sample_path().read_text())
    for conversation in sample["conversations"]:
        messages = conversation["messages"]
        assert messages
        said = [(each["author"] or each["role"], each["content"]) for each in messages]
        content = "\n".join(f"- [2026-04-18T12:03Z {author}] {text}" for author, text in said)
        found = check_faithfulness(content, _sources(said), time_zone="UTC")
        assert not found.unsupported
