"""Probes of quality: how files are read and sampled, and how an answer is judged."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from everword.bench.answer import Answer
from everword.bench.dataset import Dataset, Question
from everword.bench.native_format import read_set, read_sets
from everword.bench.quality.figures import figures, table_rows
from everword.bench.quality.probes import (
    KINDS,
    closed_probes,
    packaged_probes,
    questions,
    sampled_sets,
)
from everword.bench.quality.run import judged
from everword.transcripts import BENCH_FORMAT, TranscriptError


def conversation(name: str, sessions_apart: bool = False, **query: Any) -> dict[str, Any]:
    """Return a conversation of four messages on days 1 to 4, and two questions."""
    messages = [
        {
            "id": f"{name}{day}",
            "session": f"{name}-{day}",
            "role": "user",
            "content": f"Message {day}",
            "create_time": f"2026-05-0{day}T10:00:00Z",
        }
        for day in range(1, 5)
    ]
    own = {"id": "q1", "text": "Which?", "category": "period", "relevant": [f"{name}2"]}
    foreign = {"id": "q2", "text": "Who?", "category": "foreign", "relevant": []}
    return {
        "conversation": name,
        "language": "en",
        "sessions_apart": sessions_apart,
        "messages": messages,
        "queries": [
            {**own, "answerable": True, **query},
            {**foreign, "answerable": False},
        ],
    }


def written(path: Path, *conversations: dict[str, Any]) -> Path:
    document = {"format": BENCH_FORMAT, "name": path.stem, "conversations": conversations}
    path.write_text(json.dumps(document))
    return path


def one(path: Path, **query: Any) -> Dataset:
    [dataset] = read_set(written(path / "one.json", conversation("a", **query))).datasets
    return dataset


def answered(*ranked: str, verdict: str = "RELEVANT") -> Answer:
    return Answer(ranked, 1.0, 1.0, verdict, {})


def test_packaged_probes_have_every_kind_and_twelve_languages() -> None:
    sets = read_sets(packaged_probes())
    kinds = Counter(q.category for each in sets for d in each.datasets for q in d.queries)
    assert set(kinds) == {*KINDS, "foreign"}
    assert (kinds["period"], kinds["day"], kinds["follow-up"]) == (44, 18, 12)
    [chats] = [each for each in sets if each.name == "chats"]
    assert len({dataset.language for dataset in chats.datasets}) == 12


def test_period_question_is_judged_by_share_of_results_inside(tmp_path: Path) -> None:
    period = {"since": "2026-05-02T00:00:00Z", "until": "2026-05-04T00:00:00Z"}
    dataset = one(tmp_path, **period)
    question = Question(dataset.queries[0], "a", foreign=False)
    row = judged(dataset, question, answered("a4", "a2", "a3"))
    # The period has two messages, so that the third result does not count.
    assert (row["inside"], row["mostly"]) == (0.5, 0)
    assert (row["first"], row["first-3"], row["nothing"]) == (0, 1, 0)


def test_follow_up_ignores_results_of_its_own_conversation(tmp_path: Path) -> None:
    dataset = one(tmp_path, sessions_apart=True, session="a-4", category="follow-up")
    assert len({entry.target.key.session_key for entry in dataset.entries}) == 4
    question = Question(dataset.queries[0], "a", foreign=False)
    assert judged(dataset, question, answered("a4", "a2"))["first"] == 1
    with pytest.raises(TranscriptError, match="'elsewhere', which is no conversation"):
        one(tmp_path, session="elsewhere")


def test_foreign_question_is_judged_by_verdict_alone(tmp_path: Path) -> None:
    dataset = one(tmp_path)
    question = Question(dataset.queries[1], "a", foreign=True)
    nothing = judged(dataset, question, answered("a1", verdict="NOTHING_RELEVANT"))
    assert judged(dataset, question, answered("a1"))["accepted"] == 1
    assert nothing["accepted"] == 0
    [found] = figures([{"set": "s", "language": "en", **nothing}])
    assert (found["kind"], found["accepted"], found["recall@10"]) == ("foreign", 0, None)


def test_sample_keeps_first_conversations_and_spreads_questions(tmp_path: Path) -> None:
    path = written(tmp_path / "many.json", *(conversation(name) for name in "abc"))
    [sample] = sampled_sets([path], 3)
    assert [len(each.queries) for each in sample.datasets] == [2, 1]
    asked = questions(sample.datasets, 0)
    assert [(each.home, each.foreign) for each in asked] == [
        ("a", False), ("a", True), ("b", True),
    ]  # fmt: skip


def test_closed_probes_are_named_after_folder(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    with pytest.raises(TranscriptError, match="no JSON files"):
        closed_probes(folder)
    written(folder / "chats.json", conversation("a"))
    assert [each.name for each in closed_probes(folder)] == ["closed/chats"]


def test_table_shows_earlier_figures() -> None:
    row = {"set": "s", "language": "", "kind": "all", "first": 1.0, "recall@5": 0.25}
    now = figures([row, {**row, "first": 0.0}])
    cells = table_rows(now, figures([row]))
    assert cells == [("s", "-", "all", "2", "1 → .500", "", ".250 → .250", *[""] * 6)]
