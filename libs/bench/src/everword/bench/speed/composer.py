"""The extractive composer alone: `python -m everword.bench.speed.composer < drafts.json`.

Composes the nodes of a compactor's worker again, from the same sources, with no database and no queue. Prints how many
seconds that took, and how many of the nodes say the very same.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.bench.speed.nodes import Node

#: By name, as `everword up` names it: the library depends on no service, and here it may not be installed.
_COMPOSER = "everword_compactor.compose.extractive.composer"
_MODEL = "everword_compactor.compose.model"


def measure_composition(nodes: Sequence[Node]) -> tuple[float, int]:
    """Return the seconds to compose the same nodes alone, and how many came out identical."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "everword.bench.speed.composer"],
        input=json.dumps(nodes),
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout)
    return told["seconds"], told["same"]


def main() -> None:
    composer = importlib.import_module(_COMPOSER).ExtractiveComposer()
    model = importlib.import_module(_MODEL)
    nodes: list[Node] = json.load(sys.stdin)
    drafts = [_draft(model, node) for node in nodes]
    # Exclude the cost of preparation, which the worker pays once, too.
    composer.compose(drafts[0], _no_beat)
    started = time.perf_counter()
    said = [composer.compose(draft, _no_beat).content for draft in drafts]
    elapsed = time.perf_counter() - started
    same = sum(text == node["content"] for text, node in zip(said, nodes, strict=True))
    print(json.dumps({"seconds": elapsed, "same": same}))


def _draft(model: Any, node: Node) -> Any:
    return model.Draft(
        level=model.Level(node["level"]),
        sources=[_source(model, source) for source in node["sources"]],
        title=node["title"],
        conversation_id=UUID(node["conversation_id"]),
        agent=node["agent"],
        channel=node["channel"],
    )


def _source(model: Any, source: Node) -> Any:
    return model.Source(
        **{
            **source,
            "id": UUID(source["id"]),
            "conversation_id": UUID(source["conversation_id"]),
            "earliest_at": datetime.fromisoformat(source["earliest_at"]),
            "latest_at": datetime.fromisoformat(source["latest_at"]),
        }
    )


def _no_beat() -> None:
    """Nobody waits for a sign of life."""


if __name__ == "__main__":
    main()
