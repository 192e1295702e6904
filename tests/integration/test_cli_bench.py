"""`everword bench` on the sample: the figures, their file, resuming, and leftovers."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from everword.bench.checkpoint import Checkpoint
from everword.bench.metrics import NAMES
from everword.bench.native_format import BenchSet, read_sets
from everword.bench.report import build_report
from everword.bench.run import CONCURRENT_SUMMARIES, Run, Watcher
from everword.bench.variants import of_messages, of_profile
from everword.client import ClientSettings
from everword.samples import sample_path
from everword.v1 import admin_service_pb2
from support.command_line import EVERWORD, CommandResult, everword
from support.compaction import compact
from support.stack import Stack

SAMPLE = str(sample_path())
#: No embedder worker runs in these tests, so do not wait for it.
PATIENCE = ("--patience", "0.1")
#: Figures that differ between runs.
TIMES = frozenset({"latency_ms"})


def part(folder: Path, conversations: int) -> Path:
    """Write the first conversations of the sample to a file."""
    document = json.loads(sample_path().read_text(encoding="utf-8"))
    document["conversations"] = document["conversations"][:conversations]
    path = folder / "part.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def names_in(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


def figures(value: Any) -> Any:
    """Return a report without times."""
    if isinstance(value, dict):
        return {name: figures(each) for name, each in value.items() if name not in TIMES}
    return [figures(each) for each in value] if isinstance(value, list) else value


async def namespaces(stack: Stack) -> list[str]:
    listed = await stack.admin.ListNamespaces(admin_service_pb2.ListNamespacesRequest())
    return [each.name for each in listed.namespaces]


@pytest.mark.long
async def test_two_runs_give_same_figures_and_clean_up(stack: Stack, tmp_path: Path) -> None:
    before = await namespaces(stack)
    reports = []
    for name in ("one.json", "two.json"):
        done = await everword(
            stack, "bench", "retrieval", "--data", SAMPLE, "--json", str(tmp_path / name), *PATIENCE
        )
        assert done.status == 0, done.errors
        assert "without vectors" in done.errors
        assert "brotkorb" in done.output
        reports.append(json.loads((tmp_path / name).read_text()))
    assert figures(reports[0]) == figures(reports[1])
    assert await namespaces(stack) == before
    assert names_in(tmp_path) == {"one.json", "two.json"}
    report = reports[0]
    assert list(report) == ["commit", "model", "profile", "sets", "rows"]
    assert report["model"] is None
    assert report["profile"] == "recall"
    [each] = report["sets"]
    assert list(each) == ["name", "queries", "overall", "by_category", "latency_ms", "abstention"]
    assert set(each["overall"]) == set(NAMES)
    assert each["queries"] == 32
    assert 0.5 < each["overall"]["recall@10"] < 1
    assert 0.5 < each["abstention"]["auroc_foreign"] <= 1
    assert each["latency_ms"]["p95"] >= each["latency_ms"]["p50"] > 0
    own = [row for row in report["rows"] if not row["foreign"]]
    foreign = [row for row in report["rows"] if row["foreign"]]
    assert len(own) == 32
    assert len(foreign) == 150
    assert all(row["query_of"] != row["conversation"] for row in foreign)
    assert max(len(row["ranked"]) for row in own) > 10


async def test_ablation_compares_variants_and_writes_table_and_plots(
    stack: Stack, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    done = await everword(
        stack, "bench", "ablation", "--data", str(part(tmp_path, 2)), "--out",
        str(tmp_path / "out"), "--variant", "lexical", "--variant", "recall", *PATIENCE,
    )  # fmt: skip
    assert done.status == 0, done.errors
    assert (tmp_path / "out" / "ablation.md").read_text().count("\n") == 4
    assert names_in(tmp_path / "out") == {
        "ablation.json", "ablation.md", "recall-at-10.svg", "ndcg-at-10.svg",
        "recall-by-depth.svg",
    }  # fmt: skip
    written = json.loads((tmp_path / "out" / "ablation.json").read_text())
    assert [each["profile"] for each in written["variants"]] == ["lexical", "recall"]
    lexical, recall = written["variants"]
    assert len(lexical["rows"]) == len(recall["rows"])
    # Each question is new in only one of them.
    fresh = [sum(row["first_asking"] for row in each["rows"]) for each in (lexical, recall)]
    assert sum(fresh) == len({row["text"] for row in recall["rows"]})
    assert min(fresh) > 0


async def test_longmemeval_questions_are_asked_per_history(stack: Stack, tmp_path: Path) -> None:
    def item(question_id: str, question: str, said: str) -> dict[str, Any]:
        turns = [
            {"role": "user", "content": said, "has_answer": True},
            {"role": "assistant", "content": "Noted."},
        ]
        other = [{"role": "user", "content": "The weather was fine again."}]
        return {
            "question_id": question_id, "question_type": "single-session-user",
            "question": question, "haystack_session_ids": ["a", "b"],
            "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 02:57"],
            "haystack_sessions": [other, turns],
        }  # fmt: skip

    path = tmp_path / "longmemeval_s.json"
    items = [
        item("q1", "Which degree do I have?", "My degree is in physics."),
        item("q2", "What is the name of my cat?", "I took my cat Minka along."),
        item("q3_abs", "What is the name of my hamster?", "I have a dog called Rex."),
    ]
    path.write_text(json.dumps(items))
    output = tmp_path / "out.json"
    done = await everword(
        stack, "bench", "retrieval", "--data", str(path), "--json", str(output), *PATIENCE
    )
    assert done.status == 0, done.errors
    report = json.loads(output.read_text())
    [each] = report["sets"]
    assert (each["name"], each["queries"]) == ("longmemeval_s", 3)
    assert each["overall"]["recall@1"] == 1
    asked = [(row["query"], row["query_of"], row["foreign"]) for row in report["rows"]]
    assert asked == [
        ("q1", "q1", False), ("q2", "q2", True),
        ("q2", "q2", False), ("q1", "q1", True),
        ("q3_abs", "q3_abs", False), ("q1", "q1", True), ("q2", "q2", True),
    ]  # fmt: skip


class Broken(Exception):
    """Ends a run in the middle."""


class BenchRuns:
    """Runs over a part of the sample, which may be interrupted."""

    def __init__(self, stack: Stack, folder: Path) -> None:
        at = stack.addresses
        self._settings = ClientSettings(at["ingest"], at["search"], at["compactor"])
        self._path = folder / "checkpoint"
        self._sets: Sequence[BenchSet] = read_sets([part(folder, 3)])
        self.asked: list[int] = []

    async def run(self, break_at: int = 0) -> dict[str, Any]:
        checkpoint = Checkpoint(self._path, {})
        checkpoint.open()
        self.asked = []

        def count(number: int) -> None:
            self.asked.append(number)
            if len(self.asked) == break_at:
                raise Broken

        run = Run(self._settings, [of_profile("")], checkpoint, Watcher(asked=count))
        run.embedding = False
        await run.measure(self._sets)
        return build_report("c", "m", "recall", checkpoint.finished)

    def forget(self) -> None:
        self._path.unlink()


@pytest.mark.long
async def test_concurrent_summaries_do_not_change_message_ranking(
    stack: Stack, tmp_path: Path
) -> None:
    at = stack.addresses
    settings = ClientSettings(at["ingest"], at["search"], at["compactor"])
    sets, notes = read_sets([part(tmp_path, 2)]), list[str]()

    def sum_up(step: str) -> None:
        if step.endswith("asking"):
            assert compact(stack.database)

    async def rankings(watcher: Watcher) -> list[list[str]]:
        checkpoint = Checkpoint(None, {})
        run = Run(settings, [of_messages(of_profile(""))], checkpoint, watcher, embedding=False)
        await run.measure(sets)
        return [row["ranked"] for each in checkpoint.finished for row in each.rows]

    undisturbed = await rankings(Watcher(note=notes.append))
    assert notes == []
    assert await rankings(Watcher(step=sum_up, note=notes.append)) == undisturbed
    # BM25's statistics are those of the whole namespace, for any filter.
    assert notes == [CONCURRENT_SUMMARIES]


async def test_resumed_run_gives_same_figures_as_uninterrupted_run(
    stack: Stack, tmp_path: Path
) -> None:
    before = await namespaces(stack)
    measured = BenchRuns(stack, tmp_path)
    whole = await measured.run()
    total = len(measured.asked)
    measured.forget()
    first = sum(row["conversation"] == "slack:orders-db" for row in whole["rows"])
    with pytest.raises(Broken):
        await measured.run(break_at=first + 3)
    assert await namespaces(stack) == before
    again = await measured.run()
    # Finished questions are reported at once; the interrupted one is asked again.
    assert measured.asked[0] == first
    assert len(measured.asked) == 1 + total - first
    assert figures(again) == figures(whole)
    fresh = [row["first_asking"] for row in again["rows"]]
    assert fresh == [row["first_asking"] for row in whole["rows"]]


@pytest.mark.long
async def test_namespace_left_by_killed_run_is_deleted(stack: Stack, tmp_path: Path) -> None:
    measured = BenchRuns(stack, tmp_path)
    whole = await measured.run()
    lines = (tmp_path / "checkpoint").read_text().splitlines()
    (tmp_path / "checkpoint").write_text(f"{lines[0]}\n")
    left = f"bench-{json.loads(lines[0])['run']}-0"
    await stack.admin.CreateNamespace(
        admin_service_pb2.CreateNamespaceRequest(namespace=admin_service_pb2.Namespace(name=left))
    )
    assert figures(await measured.run()) == figures(whole)
    assert left not in await namespaces(stack)


async def test_invalid_data_file_prints_error_in_one_line(stack: Stack, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text('{"format": "everword-bench/1", "conversations": [{"messages": []}]}')
    done = await everword(stack, "bench", "retrieval", "--data", str(path))
    assert done.status == 1
    assert done.errors.startswith(f"Error: {path}: ")
    assert done.errors.count("\n") == 1


async def test_unreachable_server_prints_error_without_traceback(stack: Stack) -> None:
    nowhere = {"EVERWORD_INGEST_ADDRESS": "127.0.0.1:9"}
    done = await everword(stack, "bench", "retrieval", "--data", SAMPLE, **nowhere)
    assert done.status == 1
    assert "cannot reach 127.0.0.1:9" in done.errors
    assert "Traceback" not in done.errors


async def bench_by_itself(*arguments: str) -> CommandResult:
    """Run the command without any Everword, so that it starts its own."""
    process = await asyncio.create_subprocess_exec(
        EVERWORD, "bench", "retrieval", *arguments,
        env={k: v for k, v in os.environ.items() if not k.startswith("EVERWORD_")},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, errors = await asyncio.wait_for(process.communicate(), timeout=300)
    return CommandResult(process.returncode or 0, output.decode(), errors.decode())


@pytest.mark.long
async def test_bench_with_own_stack_measures_vectors_and_summaries(
    tmp_path: Path,
) -> None:
    output = tmp_path / "out.json"
    done = await bench_by_itself(
        "--data", str(part(tmp_path, 1)), "--json", str(output), "--summaries"
    )
    assert done.status == 0, done.errors
    assert "without vectors" not in done.errors
    report = json.loads(output.read_text())
    assert report["model"].startswith("local:")
    assert all(row["degraded"] == [] for row in report["rows"])
    [summed_up] = report["sets"]
    assert summed_up["overall"]["recall@10"] > 0.8
    made = summed_up["summaries"]
    assert made["summaries"] > 3
    assert made["evidence_reachable"] >= 0.8
    assert 0 < made["context_share"] <= 0.4


@pytest.mark.long
async def test_summaries_do_not_lower_recall(
    tmp_path: Path,
) -> None:
    data, reports = str(part(tmp_path, 1)), []
    for options in ((), ("--summaries",)):
        output = tmp_path / "out.json"
        done = await bench_by_itself("--data", data, "--json", str(output), *options)
        assert done.status == 0, done.errors
        assert "without vectors" not in done.errors
        reports.append(json.loads(output.read_text()))
    for report in reports:
        assert report["model"].startswith("local:")
        assert all(row["degraded"] == [] for row in report["rows"])
    [without], [summed_up] = (report["sets"] for report in reports)
    assert "summaries" not in without
    assert summed_up["overall"]["recall@10"] >= without["overall"]["recall@10"]
