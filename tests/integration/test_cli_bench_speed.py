"""`everword bench speed` end to end on a small corpus: every figure with its floor, and nothing left behind."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from click.testing import CliRunner

from everword.bench.speed import (
    changes,
    compaction,
    corpus,
    drain,
    imports,
    ingest,
    replicas,
    stub,
    sustained_rate,
    tables,
)
from everword.bench.speed.row import IDS, TARGETS, Floor, Row
from everword.cli.main import main
from everword.embedded.services import SERVICES, WORKERS
from support.command_line import EVERWORD, CommandResult

SCALE = 300
TIMEOUT_S = 400
#: Benchmarks whose names say one million; in this test they run at the requested size.
OF_A_MILLION = {"search_hybrid_1m"}
UNITS = {
    "ingest_b100_c4": "messages/s",
    "ingest_b1": "ms",
    "ingest_growth": "×",
    "search_hybrid_100k": "ms",
    "search_hybrid_1000x1000": "ms",
    "lexical_exact_1m": "share",
    "semantic_recall": "share",
    "search_load_100k": "searches/s",
    "embed_drain": "texts/s",
    "import_embedded": "messages/s",
    "search_under_changes": "ms",
    "compact_drain": "messages/s",
    "compact_extractive": "messages/s",
    "context_100k": "ms",
    "memory_1m": "MB",
    "startup": "s",
    "disk_per_message": "bytes",
}


async def speed(*arguments: str, folder: Path) -> CommandResult:
    """Run the command in a process group of its own, whose temporary files are in `folder`."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("EVERWORD_")}
    process = await asyncio.create_subprocess_exec(
        EVERWORD,
        "bench",
        "speed",
        *arguments,
        env={**variables, "TMPDIR": str(folder), "COLUMNS": "200"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
    assert process.returncode is not None
    return CommandResult(process.returncode, output.decode(), errors.decode())


@contextmanager
def passable_folder() -> Iterator[Path]:
    """Yield a folder that PostgreSQL's user can traverse, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o711)
        yield Path(name)


def left_in(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if not name.startswith("."))


def processes_of(folder: Path) -> list[str]:
    found = []
    for process in psutil.process_iter(["cmdline"]):
        command = " ".join(process.info["cmdline"] or ())
        if str(folder) in command:
            found.append(command)
    return found


def document(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


@pytest.mark.long
async def test_every_figure_has_a_floor_and_kept_database_is_reused(tmp_path: Path) -> None:
    with passable_folder() as folder:
        output, again, plots = (tmp_path / name for name in ("out.json", "again.json", "plots"))
        kept = ("--scale", str(SCALE), "--keep", str(folder / "kept"))
        done = await speed(*kept, "--json", str(output), "--plots", str(plots), folder=folder)
        assert done.status == 0, done.errors
        assert left_in(folder) == ["kept"]
        assert processes_of(folder) == []
        searches = events_of_searches(folder / "kept" / "logs")
        given = ("--only", "browse", "--only", "disk_per_message", "--compare", str(output))
        compared = await speed(*kept, *given, "--json", str(again), folder=folder)
        assert compared.status == 0, compared.errors
    written = document(output)
    assert list(written) == ["commit", "machine", "rows"]
    assert written["machine"]["fsync"] == "on"
    rows = {row["id"]: row for row in written["rows"]}
    assert set(rows) == set(IDS) - OF_A_MILLION
    assert len(rows) == len(written["rows"])
    for id_, row in rows.items():
        assert row["scale"] == SCALE
        assert row["floor"] > 0, id_
        assert row["ratio"] == pytest.approx(row["value"] / row["floor"]), id_
        assert row["floor_of"]
        assert id_ in done.output
        assert (plots / f"{id_}.svg").exists()
    check_rows(rows)
    check_processes(rows["search_load_100k"], searches)
    assert "now/before" in compared.output
    measured_again = {row["id"]: row for row in document(again)["rows"]}
    assert set(measured_again) == {"browse", "disk_per_message"}
    # The ingest benchmarks have stored further messages.
    assert measured_again["disk_per_message"]["details"]["messages"] >= SCALE


def events_of_searches(logs: Path) -> dict[str, list[str]]:
    """Return the log events of each search process, in order."""
    return {
        path.stem: [json.loads(line)["event"] for line in path.read_text().splitlines()]
        for path in logs.glob("search*.log")
    }


def check_rows(rows: dict[str, dict[str, Any]]) -> None:
    assert {id_: rows[id_]["unit"] for id_ in UNITS} == UNITS
    # Recall at this size is exact, independent of the clock.
    assert rows["lexical_exact_1m"]["value"] == 1
    assert rows["semantic_recall"]["value"] == 1
    assert set(rows["semantic_recall"]["details"]["scopes"]) == {"100", str(SCALE)}
    assert {"messages", "memories", "embedding_queue"} <= set(
        rows["ingest_b100_c4"]["details"]["copied"]
    )
    sql = rows["search_hybrid_100k"]["details"]["sql_p50_ms"]
    assert {"find_lexical", "read_memories"} <= set(sql)
    drain = rows["embed_drain"]["details"]
    assert drain["draining"]["search"]["calls"] > 0
    assert {"ingest_p95_ratio", "search_p95_ratio"} <= set(drain)
    growth = rows["ingest_growth"]["details"]
    assert growth["full"]["stored"] >= growth["empty"]["stored"] + SCALE
    check_load(rows["search_load_100k"])
    check_compaction(rows)
    check_changes(rows)
    check_memory(rows["memory_1m"])
    check_searches(rows)
    for id_ in ingest.SHAPES:
        assert rows[id_]["details"]["calls"] >= 20, id_


def check_processes(row: dict[str, Any], searches: dict[str, list[str]]) -> None:
    """Check that the load came from processes dedicated to it."""
    alone = {f"search-{n}" for n in range(2, row["details"]["replicas"] + 1)}
    assert set(searches) == {"search", *alone}
    for name in alone:
        assert searches[name].count("service started") == 1
    for events in searches.values():
        assert events[-1] == "service stopped"


def check_memory(row: dict[str, Any]) -> None:
    """Check that services and workers are reported separately, and that workers were measured after they had worked."""
    details = row["details"]
    service, worker = details["worst_service"], details["worst_worker"]
    assert service["MB"] == pytest.approx(row["value"], abs=0.1)
    assert service["MB"] == max(details["MB"][name] for name in SERVICES)
    assert worker["MB"] == max(details["MB"][name] for name in WORKERS)
    assert (service["limit_MB"], worker["limit_MB"]) == (200, 250)
    due = details["jobs_due"]
    assert due["before"]["compact"] > due["after"].get("compact", 0)
    for name, size in details["MB"].items():
        assert details["peak_MB"][name] >= size - 1, name


def check_searches(rows: dict[str, dict[str, Any]]) -> None:
    """Check that floors are the database's times, and that all namespaces were searched."""
    for id_, arm in {"search_lexical": "find_lexical", "search_semantic": "find_semantic"}.items():
        medians = rows[id_]["details"]["sql_p50_ms"]
        of_arm = [ms for name, ms in medians.items() if name.startswith(arm)]
        assert of_arm, id_
        assert rows[id_]["floor"] >= max(of_arm) - 0.001, id_
    every = rows["search_hybrid_1000x1000"]["details"]["all_namespaces"]
    assert every["calls"] == every["namespaces"] == 2
    assert 0 <= every["from_memory"] <= 1


def check_load(row: dict[str, Any]) -> None:
    """Check that one process for each core had its share of the load, and that one had it all before."""
    details = row["details"]
    assert details["replicas"] == min(replicas.MOST, len(os.sched_getaffinity(0)))
    assert len(details["busy_s"]) == details["replicas"]
    # Round robin: processes with equally many calls have worked about equally long.
    assert min(details["busy_s"]) > 0.3 * max(details["busy_s"]) > 0
    for rates, held in (
        ("rates", row["value"]),
        ("one_replica_rates", details["one_replica_per_s"]),
    ):
        climbed = details[rates]
        assert all({"p50_ms", "p95_ms", "p99_ms"} <= set(each) for each in climbed.values())
        kept = [
            float(rate)
            for rate, each in climbed.items()
            if each["p95_ms"] <= sustained_rate.P95_MS and not each["failed"]
        ]
        assert held == max(kept, default=0), rates


def check_compaction(rows: dict[str, dict[str, Any]]) -> None:
    """Check that workers wrote nodes of every level, and that the floors did the same work."""
    for id_ in ("compact_drain", "compact_extractive"):
        details = rows[id_]["details"]
        assert set(details["nodes"]) == {"leaf", "branch", "root"}, id_
        assert details["messages"] == 10 * details["nodes"]["leaf"], id_
        # The stub drops layers' sources that do not fit, so layers may be rejected for low coverage.
        layers = (
            details["nodes"]["branch"] + details["nodes"]["root"] if id_ == "compact_drain" else 0
        )
        assert details["needs_review"] <= layers, id_
    with_model, without = (rows[id_]["details"] for id_ in ("compact_drain", "compact_extractive"))
    made = sum(with_model["nodes"].values())
    assert made <= with_model["requests"] <= 2 * made
    assert without["composed_same"] == sum(without["nodes"].values())
    # The stub never exceeds its configured rate.
    per_message = with_model["requests"] / with_model["messages"]
    for rate in ("value", "floor"):
        assert rows["compact_drain"][rate] * per_message <= compaction.RATE, rate


def check_changes(rows: dict[str, dict[str, Any]]) -> None:
    """Check that the whole import was embedded, and that changes in a namespace did not reload it."""
    imported = rows["import_embedded"]["details"]
    assert imported["messages"] == min(imports.MOST_MESSAGES, SCALE)
    assert 0 < imported["stored_s"] < imported["seconds"]
    # The stub never exceeds its configured rate.
    assert rows["import_embedded"]["value"] <= drain.RATE
    changed = rows["search_under_changes"]["details"]
    assert changed["replaced"] + changed["removed"] == changes.SHARE * SCALE
    assert changed["reloads"] == 0
    assert changed["from_memory"] == 1


@pytest.mark.long
async def test_single_figure_is_measured_at_given_scale_and_cleans_up(
    tmp_path: Path,
) -> None:
    with passable_folder() as folder:
        output, plots = tmp_path / "out.json", tmp_path / "plots"
        done = await speed(
            "--scale", "100", "--keep", str(folder / "kept"), "--only", "search_hybrid_1m",
            "--json", str(output), "--plots", str(plots), folder=folder,
        )  # fmt: skip
        assert done.status == 0, done.errors
        assert left_in(folder) == ["kept"]
        assert processes_of(folder) == []
    [row] = document(output)["rows"]
    assert (row["id"], row["scale"]) == ("search_hybrid_1m", 100)
    assert {"p50_ms", "p95_ms", "p99_ms"} <= set(row["details"])
    assert row["floor"] > 0
    assert row["ratio"] == pytest.approx(row["value"] / row["floor"])
    assert (plots / "search_hybrid_1m.svg").exists()


def test_corpus_is_deterministic_and_has_requested_size() -> None:
    first, second = (list(corpus.conversations(500)) for _ in range(2))
    assert first == second
    messages = [message for each in first for message in each.messages]
    assert len(messages) == 500
    assert len({message.external_id for message in messages}) == 500
    assert first != list(corpus.conversations(500, stream=1))
    tags = [tag for message in messages for tag in message.tags]
    assert tags.count(corpus.tag_of(100)) == 100
    words = [len(message.content.split()) for message in messages]
    assert 20 < sum(words) / len(words) < 30


def test_stub_vectors_of_texts_with_common_words_are_similar() -> None:
    said = stub.vector("the gardener planted tomatoes behind the greenhouse")
    near = stub.vector("tomatoes in a greenhouse")
    far = stub.vector("quarterly invoices were late")
    assert said @ said == pytest.approx(1, abs=1e-5)
    assert said @ near > 0.3
    assert abs(said @ far) < 0.2


def test_comparison_rates_change_by_direction_of_the_target() -> None:
    def run(**values: float) -> dict[str, Any]:
        rows = [Row(id_, 1000, value, "unit", Floor(1.0, "")) for id_, value in values.items()]
        return {"rows": [row.document() for row in rows]}

    assert TARGETS["search_load_100k"].more
    old = run(search_load_100k=100.0, ingest_b1=5.0, browse=1.0, startup=1.0)
    new = run(search_load_100k=150.0, ingest_b1=9.0, browse=1.05, memory_1m=3.0)
    verdicts = {row[0]: row[-1] for row in tables.compared_rows(old, new)}
    assert verdicts == {"search_load_100k": "better", "ingest_b1": "worse", "browse": ""}


def test_compare_refuses_file_without_run(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text("[]", encoding="utf-8")
    done = CliRunner().invoke(main, ["bench", "speed", "--compare", str(path)])
    assert done.exit_code == 1
    assert "holds no run" in done.output
