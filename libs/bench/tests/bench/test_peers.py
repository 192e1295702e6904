"""`everword bench peers`: the adapters' protocol, the workload, the figures and the table."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from everword.bench.commands.peers import BEGIN, END, write_block
from everword.bench.dataset import Dataset, Query
from everword.bench.native_format import read_set
from everword.bench.peers import run
from everword.bench.peers.adapter import serve
from everword.bench.peers.figures import ROWS, figures_of, markdown, table
from everword.bench.peers.minilm import MiniLM
from everword.bench.peers.peer import PEERS, Peer, spoken
from everword.bench.peers.processes import pss_mb
from everword.bench.peers.system import PeerConversation, PeerError, Ranking
from everword.bench.peers.trial import Trial, measure_all
from everword.bench.peers.workload import choose_conversations
from everword.cli.main import main
from everword.samples import sample_path
from everword_embedder.providers.local_model import load_model
from everword_embedder.providers.weights import WeightForm

#: Made by `make peers-setup`.
INSTALLED = Path(__file__).parents[4] / ".venv-peers/bin/python"
#: Answers as an adapter does; a search for "crash" ends it, and one for "fail" fails.
ADAPTER = """#!{python}
import json, sys
print(json.dumps({{"ready": True, "version": "1.2"}}), flush=True)
stored = []
for line in sys.stdin:
    request = json.loads(line)
    if request["do"] == "add":
        stored += request["messages"]
        answer = {{"seconds": 0.5}}
    elif request.get("query") == "crash":
        sys.exit("out of memory")
    elif request.get("query") == "fail":
        answer = {{"error": "ValueError: no such space"}}
    else:
        answer = {{"seconds": 0.25, "ids": [i for i, t in stored if request.get("query", "") in t]}}
    print(json.dumps(answer), flush=True)
"""


class WordLibrary:
    """A library that finds messages by a word of theirs."""

    def __init__(self) -> None:
        self.stored: list[tuple[str, str]] = []

    def add(self, space: str, messages: Sequence[tuple[str, str]]) -> None:
        self.stored += messages

    def finish(self) -> None:
        pass

    def search(self, space: str, query: str, limit: int) -> list[str]:
        return [id_ for id_, text in self.stored if query in text][:limit]


class RecordingSystem:
    """A system that answers each question with one message, and records the questions."""

    name = "recording"
    version = "1"

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.asked: list[str] = []
        self.starts = 0

    @asynccontextmanager
    async def started(self, folder: Path, form: str) -> AsyncIterator[RecordingSystem]:
        self.starts += 1
        yield self

    async def import_messages(self, conversations: Sequence[PeerConversation]) -> None:
        pass

    async def search(self, space: str, query: str) -> Ranking:
        self.asked.append(query)
        return Ranking(("m1",), 0.002)


def adapter(folder: Path) -> Peer:
    script = folder / "python"
    script.write_text(ADAPTER.format(python=sys.executable))
    script.chmod(0o755)
    return Peer("chroma", script, folder)


def conversations(questions: int = 5) -> list[PeerConversation]:
    [dataset, *_] = read_set(sample_path()).datasets
    ids = [entry.message.external_id for entry in dataset.entries]
    queries = tuple(
        Query(f"q{number}", f"question {number}", "c", frozenset(ids[:1]), True)
        for number in range(questions)
    )
    return [PeerConversation("c-1", Dataset("d", dataset.entries, queries), queries)]


def test_adapter_answers_each_request_and_reports_failures() -> None:
    lines = [
        {"do": "add", "space": "s", "messages": [["m1", "a boat"], ["m2", "a bay"]]},
        {"do": "finish"},
        {"do": "search", "space": "s", "query": "boat", "limit": 10},
        {"do": "dance"},
    ]
    answers = io.StringIO()
    serve(WordLibrary(), io.StringIO("".join(json.dumps(each) + "\n" for each in lines)), answers)
    added, finished, found, failed = map(json.loads, answers.getvalue().splitlines())
    assert added["seconds"] >= 0
    assert finished["seconds"] >= 0
    assert found["ids"] == ["m1"]
    assert failed == {"error": "ValueError: there is no request 'dance'"}


async def test_peer_imports_every_message_with_its_author_and_finds_it(tmp_path: Path) -> None:
    [chosen] = conversations()
    entry = chosen.dataset.entries[-1]
    text = spoken(entry.message.author, entry.message.content)
    async with adapter(tmp_path).started(tmp_path, "bytes") as session:
        await session.import_messages([chosen])
        found = await session.search("c-1", text)
    assert session.version == "1.2"
    assert entry.message.external_id in found.ids
    assert found.seconds == 0.25


@pytest.mark.parametrize(
    ("query", "error"), [("fail", "chroma: ValueError: no such"), ("crash", "out of memory")]
)
async def test_peer_that_fails_names_itself_and_its_reason(
    tmp_path: Path, query: str, error: str
) -> None:
    async with adapter(tmp_path).started(tmp_path, "bytes") as session:
        with pytest.raises(PeerError, match=error):
            await session.search("c-1", query)


async def test_trial_asks_each_question_once_and_starts_twice(tmp_path: Path) -> None:
    system = RecordingSystem()
    trial = await measure_all(system, "bytes", tmp_path, conversations(7), lambda text: None)
    assert sorted(system.asked) == [f"question {number}" for number in range(7)]
    assert system.starts == 2
    assert (len(trial.after_import_s), len(trial.idle_resident_s), len(trial.rankings)) == (3, 3, 7)
    assert trial.first_question_s == 0.002
    assert trial.memory_mb > 10


def test_workload_has_largest_conversations_with_distinct_questions() -> None:
    entries = read_set(sample_path()).datasets[0].entries
    relevant = frozenset({entries[0].message.external_id})
    queries = tuple(
        Query(
            str(number),
            f"text {number // 2}",
            "adversarial" if number >= 40 else "c",
            relevant,
            True,
        )
        for number in range(60)
    )
    small, large = Dataset("small", entries[:2], queries), Dataset("large", entries[:3], queries)
    [only] = choose_conversations([small, large], 1, 10)
    assert only.dataset is large
    assert len({query.text for query in only.questions}) == 10
    # Twenty texts are asked apart from the adversarial ones; every second one is taken.
    assert [query.text for query in only.questions[:3]] == ["text 0", "text 2", "text 4"]
    with pytest.raises(PeerError, match="fewer than 3 questions"):
        choose_conversations([Dataset("none", entries, queries[40:])], 1, 10)


def test_figures_of_a_trial_compute_quality_import_rate_and_latency() -> None:
    rankings = [
        (("m1", "m2"), frozenset({"m1", "m9"})),
        (("m3",), frozenset({"m4"})),
    ]
    figures = figures_of(
        Trial("1", 600, 4.0, [0.001, 0.003], [0.002], rankings, 3.0, 120.0, 0.05, 2.0)
    )
    assert figures["hit@10"] == 0.5
    assert figures["recall@10"] == 0.25
    assert figures["import_per_s"] == 150
    assert figures["after_import_p50_ms"] == pytest.approx(2)
    assert figures["first_question_ms"] == 50


def document() -> dict[str, Any]:
    values = {"everword": [100.0, 300.0, 200.0], "chroma": [90.0]}
    return {
        "date": "2026-11-27",
        "commit": "0123456789",
        "machine": {"cores": 2, "processor": "A", "instructions": ["avx512_vnni"]},
        "data": {"name": "d", "conversations": 2, "messages": 1343, "questions": 200},
        "rounds": 3,
        "form": "bytes",
        "other": "floats",
        "systems": {
            name: run.PeerFigures("1.0", {"import_per_s": each}).as_json()
            for name, each in values.items()
        },
    }


def test_table_shows_medians_and_dashes_for_missing_figures() -> None:
    columns, rows = table(document())
    assert columns == ("figure", "everword", "chroma")
    shown = {row[0]: row[1:] for row in rows}
    assert len(shown) == len(ROWS) + 1
    assert shown["version"] == ("1.0", "1.0")
    assert shown["messages/s until searchable by meaning"] == ("200", "90")
    assert shown["the same, with weights as floats"] == ("–", "–")


def test_report_replaces_the_block_of_a_page_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write_block(page, markdown(document()))
    text = page.read_text()
    assert text.startswith(
        f"before\n{BEGIN}\n2026-11-27, commit 01234567; 2 cores of A (avx512_vnni); 1,343"
    )
    assert text.endswith(f"| – | – |\n{END}\nafter\n")
    assert "old" not in text


async def test_exported_model_returns_same_vectors_as_embedder(tmp_path: Path) -> None:
    form = await run.export_model(tmp_path)
    texts = ["Where did we go?", "Caroline: I went to the harbour with my sister yesterday.", "yes"]
    for each in WeightForm:
        requested = load_model(each).embed(texts)
        given = MiniLM(tmp_path, each).embed(texts)
        for vector, embedded in zip(given, requested, strict=True):
            of_length_one = embedded.vector / np.linalg.norm(embedded.vector)
            assert float(vector @ of_length_one) > 0.9999
    assert form in set(WeightForm)


@pytest.mark.long
@pytest.mark.skipif(not INSTALLED.exists(), reason="needs `make peers-setup`")
@pytest.mark.parametrize("name", PEERS)
async def test_each_library_finds_stored_messages_also_after_a_restart(
    tmp_path: Path, name: str
) -> None:
    model, folder = tmp_path / "model", tmp_path / "store"
    model.mkdir()
    folder.mkdir()
    form = await run.export_model(model)
    entries = read_set(sample_path()).datasets[0].entries[:120]
    queries = tuple(
        Query(str(number), entry.message.content, "c", frozenset({entry.message.external_id}), True)
        for number, entry in enumerate(entries[::20])
    )
    stored = [PeerConversation("c-1", Dataset("d", entries, queries), queries)]
    trial = await measure_all(Peer(name, INSTALLED, model), form, folder, stored, lambda text: None)
    assert len(trial.rankings) == len(queries) == 6
    assert all(relevant <= set(ids) for ids, relevant in trial.rankings)


def test_pss_of_this_process_is_plausible() -> None:
    assert 10 < pss_mb(os.getpid()) < 10_000


def test_command_without_peers_says_how_to_install_them(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        main, ["bench", "peers", "--data", str(sample_path()), "--python", str(tmp_path / "none")]
    )
    assert done.exit_code == 1
    assert "run `make peers-setup`" in done.output


def test_command_refuses_a_page_without_a_block(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing")
    arguments = ["bench", "peers", "--data", str(sample_path()), "--report", str(page)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    assert "has no <!-- peers: begin -->" in done.output
