"""`everword bench learning` on a small labelled set, with workers running."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from everword.bench.learning.labels import LEARNING_FORMAT
from everword.v1 import admin_service_pb2
from support.command_line import everword
from support.learning import learn
from support.sleep_calls import sleep
from support.stack import Stack

TEXTS = (
    (
        "I'm a dental hygienist at a practice in Queens, and I live in Astoria with my cousin.",
        "Emi",
    ),
    ("That sounds nice. Have you considered a dog?", "agent"),
    ("No dogs, I'm allergic to peanuts and to nothing else, but the flat is tiny.", "Emi"),
)
SET = {
    "format": LEARNING_FORMAT,
    "name": "tiny",
    "attributes": {"job": ["occupation"], "residence": ["city"], "allergy": [], "pet": []},
    "sessions": [
        {
            "conversation": "c1",
            "agent": "agent",
            "subject": "Emi",
            "time_zone": "America/New_York",
            "messages": [
                {
                    "id": f"m{number}",
                    "role": "assistant" if author == "agent" else "user",
                    "author": author,
                    "content": text,
                    "create_time": f"2026-03-02T18:0{number}:00Z",
                }
                for number, (text, author) in enumerate(TEXTS)
            ],
            "facts": [
                {
                    "subject": "Emi",
                    "attributes": ["residence"],
                    "values": ["Astoria"],
                    "evidence": [1],
                },
                {
                    "subject": "Emi",
                    "attributes": ["instrument"],
                    "values": ["cello"],
                    "evidence": [1],
                },
            ],
            "traps": [
                {
                    "kind": "other_thing",
                    "subject": "Emi",
                    "attributes": ["allergy"],
                    "values": ["peanuts"],
                    "evidence": [3],
                }
            ],
            "updates": [],
        }
    ],
}


@asynccontextmanager
async def working(stack: Stack) -> AsyncIterator[None]:
    """Execute due jobs of rules and of Sleep in a loop, as a worker does."""

    async def work() -> None:
        while True:
            soon = datetime.now(UTC) + timedelta(seconds=1)
            await learn(stack)
            await sleep(stack, None, soon, due=soon)
            await asyncio.sleep(0.1)

    task = asyncio.ensure_future(work())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_bench_learning_reports_found_missed_and_wrong_claims(
    stack: Stack, tmp_path: Path
) -> None:
    path, output = tmp_path / "tiny.json", tmp_path / "figures.json"
    path.write_text(json.dumps(SET))
    async with working(stack):
        done = await everword(stack, "bench", "learning", str(path), "--json", str(output))
    assert done.status == 0, done.errors
    [figures] = json.loads(output.read_text())["sets"]
    rules, added, overall = figures["steps"]
    assert (rules["step"], rules["expected"], rules["found"], rules["recall"]) == (
        "rules",
        2,
        1,
        0.5,
    )
    assert (rules["traps"], added["claims"], overall["found"]) == (1, 0, 1)
    assert [each["value"] for each in figures["missed"]] == ["cello"]
    verdicts = {each["attribute"]: each for each in figures["claims"]}
    assert verdicts["residence"]["verdict"] == "right"
    assert verdicts["allergy"]["verdict"] == "trap"
    # A person who judges the wrong claims sees the words.
    assert "allergic to peanuts" in done.output
    assert figures["left_out_steps"]
    listed = await stack.admin.ListNamespaces(admin_service_pb2.ListNamespacesRequest())
    assert not any(each.name.startswith("bench-learning-") for each in listed.namespaces)
